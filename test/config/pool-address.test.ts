// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of YAML.
import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { assemble, examine } from '../../src/config/load.ts'
import { directoryOf, loadGood, small } from './files.ts'

const near = (fields: string) => small.replace('model: small-chat', `model: small-chat, ${fields}`)
const backendOf = (fields: string, env = {}) => loadGood(near(fields), env).settings.backends.get('near')

test('a pool is sent its key as bearer, unless it speaks messages alone', () => {
  const env = { KEY: 'a-key' }
  const authOf = (fields: string) => backendOf(`key: "\${KEY}"${fields}`, env)?.auth

  expect(authOf('')).toBeUndefined()
  expect(authOf(', speaks: [messages, chat]')).toBeUndefined()
  expect(authOf(', speaks: [responses]')).toBeUndefined()
  expect(authOf(', speaks: [messages]')).toEqual({ header: 'x-api-key', prefix: '' })
  expect(authOf(', speaks: [messages], auth: bearer')).toBeUndefined()
  expect(authOf(', auth: { header: X-Key, prefix: "Token " }')).toEqual({ header: 'x-key', prefix: 'Token ' })
})

test('a pool that speaks messages is sent a version of it', () => {
  expect(backendOf('')?.headers).toBeUndefined()
  expect(backendOf('speaks: [messages]')?.headers).toEqual(new Map([['anthropic-version', '2023-06-01']]))
  expect(backendOf('speaks: [messages], headers: { Anthropic-Version: x }')?.headers).toEqual(
    new Map([['anthropic-version', 'x']]),
  )
})

test('the values of headers that come from elsewhere are kept as secrets, and the reads are told as those of headers', () => {
  const directory = directoryOf({
    'config.yaml': near('headers: { x-a: "${PARTNER}", x-b: "file:b.txt", x-c: plain }'),
    'b.txt': 'from a file\n',
  })
  const examined = examine('config.yaml', { PARTNER: 'partner 17' }, directory)
  if (!examined.ok) throw new Error(JSON.stringify(examined.problems))
  // As it comes from another thread.
  const loaded = assemble(structuredClone(examined.examined))
  const headers = loaded.settings.backends.get('near')?.headers ?? new Map()

  const shown = [...headers].map(([name, value]) => [name, typeof value === 'string' ? value : value.reveal()])
  expect(shown).toEqual([
    ['x-a', 'partner 17'],
    ['x-b', 'from a file'],
    ['x-c', 'plain'],
  ])
  expect(inspect(loaded.settings, { depth: 9 }) + JSON.stringify(loaded.config)).not.toMatch(/partner 17|from a file/)
  expect(loaded.reads.map(({ source, secretOf }) => [source, secretOf])).toEqual([
    ['PARTNER', 'headers'],
    ['file:b.txt', 'headers'],
  ])
  expect(examined.paths.some(path => path.endsWith('b.txt'))).toBe(true)
})

test('another value of a header makes another fingerprint, and the same revision', () => {
  const [one, other] = ['a', 'b'].map(PARTNER => loadGood(near('headers: { x-a: "${PARTNER}" }'), { PARTNER }))

  expect(one?.fingerprint).not.toBe(other?.fingerprint)
  expect(one?.config.revision).toBe(other?.config.revision)
})

test('the parameters of a query are encoded, have variables, and are in the order of their names', () => {
  expect(backendOf('query: { b: "x y&z", api-version: "${VERSION}" }', { VERSION: '2024-10-21' })?.query).toBe(
    'api-version=2024-10-21&b=x+y%26z',
  )
})
