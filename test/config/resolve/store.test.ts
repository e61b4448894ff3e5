// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of YAML.
import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { renderText } from '../../../src/config/format/problem-text.ts'
import { found, loadFiles, loadGood, problemsOf, small } from '../files.ts'

const env = { PASSWORD: 'sk-4242', URL: 'rediss://me:sk-4242@cache:6380/3', DB: '7', HOST: 'redis', SLASH: 'sk/4242' }
const settingsOf = (yaml: string) => loadGood(`${yaml}\n${small}`, env).settings

test('an embedded store is a directory beside the main file', () => {
  const { store } = settingsOf('store: embedded:./state')

  expect(store).toEqual({ kind: 'embedded', path: expect.stringMatching(/^\/.*\/state$/) })
})

test.each([
  ['redis://localhost', 'redis://localhost', 'redis://localhost'],
  ['redis://[::1]:6379/', 'redis://[::1]:6379/', 'redis://[::1]:6379/'],
  ['redis://${HOST}/${DB}', 'redis://redis/7', 'redis://redis/7'],
  ['"redis://:${PASSWORD}@h:1/12"', 'redis://:sk-4242@h:1/12', 'redis://h:1/12'],
  ['rediss://me:${PASSWORD}@my_redis', 'rediss://me:sk-4242@my_redis', 'rediss://my_redis'],
  ['redis+cluster://me:${PASSWORD}@a:1,b:2', 'redis+cluster://me:sk-4242@a:1,b:2', 'redis+cluster://a:1,b:2'],
  ['${URL}', 'rediss://me:sk-4242@cache:6380/3', 'rediss://cache:6380/3'],
  ['${NOT_SET:-redis://localhost}', 'redis://localhost', 'redis://localhost'],
])('%s is a Redis that is shown without its password', (written, url, shown) => {
  const { store } = settingsOf(`store: ${written}`)

  if (store.kind !== 'redis') throw new Error('not a Redis')
  expect(store.url.reveal()).toBe(url)
  expect(store.shown).toBe(shown)
  expect(inspect(store, { depth: 9 }) + JSON.stringify(store)).not.toContain('4242')
})

test.each([
  ['redis://:sk-4242@localhost', 'plain-secret'],
  ['redis://:sk/4@242/sk-4242@localhost', 'plain-secret'],
  ['"redis://:sk 4242@localhost"', 'plain-secret'],
  ['${URL:-redis://:sk-4242@localhost}', 'plain-secret'],
  ['redis://:${PASSWORD:-sk-4242}@localhost', 'plain-secret'],
  [`redis://:${'x'.repeat(60)}sk-4242@localhost`, 'plain-secret'],
  ['redis://sk-4242@local host', 'bad-store'],
  [`redis://${'sk-4242'.repeat(20)}@local host`, 'bad-store'],
  ['redis://localhost/?password=sk-4242', 'bad-store'],
  ['redis:sk-4242@localhost', 'bad-store'],
  ['redis://:${SLASH}@localhost', 'bad-store'],
  ['valkey://:${PASSWORD}@localhost', 'bad-store'],
])('neither the problem with %s nor its frame shows a password', (written, rule) => {
  const result = loadFiles({ 'config.yaml': `store: ${written}\n${small}` }, env)

  expect(found(result)).toEqual([`config.yaml:1:8 ${rule}`])
  expect(renderText(problemsOf(result), result.sources)).not.toMatch(/4242|sk.4|sksk/)
})

test.each([
  ['redis://localhost', 'redis://:sk-4242@localhost'],
  ['rediss://gateway@[::1]:6380/3', 'rediss://gateway:sk-4242@[::1]:6380/3'],
  ['rediss+cluster://gateway@[::1]:6380,b', 'rediss+cluster://gateway:sk-4242@[::1]:6380,b'],
])('the password of the section `redis` goes into %s', (written, url) => {
  const { store } = settingsOf(`store: ${written}\nredis: { password: "\${PASSWORD}" }`)

  expect(store.kind === 'redis' && store.url.reveal()).toBe(url)
  expect(store).toMatchObject({ shown: expect.not.stringContaining('4242') })
  expect(inspect(store, { depth: 9 })).not.toContain('4242')
})

test('a password of the section `redis` may hold what a URL may not', () => {
  const yaml = `store: redis://localhost\nredis: { password: "\${PASSWORD}" }\n${small}`
  const { store } = loadGood(yaml, { PASSWORD: 'a@b:c/d%20 e' }).settings

  expect(store.kind === 'redis' && decodeURIComponent(new URL(store.url.reveal()).password)).toBe('a@b:c/d%20 e')
})

test('a path may hold an @ and a colon: it is no URL', () => {
  expect(settingsOf('store: embedded:/srv/a:b@c')).toMatchObject({ store: { path: '/srv/a:b@c' } })
})

test('several instances may share a Redis', () => {
  expect(settingsOf('store: redis://localhost\nserver: { instances: 3 }').store.kind).toBe('redis')
})

test('a store with a mistake is not taken for an embedded one', () => {
  const result = loadFiles({ 'config.yaml': `store: redis://\nserver: { instances: 3 }\n${small}` })

  expect(found(result)).toEqual(['config.yaml:1:8 bad-store'])
})

test.each([
  ['ledger: { keep: 1d }', 86_400_000],
  ['ledger: { keep: 36h }', 129_600_000],
  ['ledger: {}', 7_776_000_000],
])('%s keeps rows for %i ms', (yaml, keep) => {
  expect(settingsOf(yaml).ledger.keep).toBe(keep)
})
