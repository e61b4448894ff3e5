// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of YAML.
import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { renderText } from '../../../src/config/format/problem-text.ts'
import { load } from '../../../src/config/load.ts'
import { directoryOf, found, loadFiles, loadGood, problemsOf, small } from '../files.ts'

const withKey = (key: string) => small.replace('model: small-chat', `key: ${key}, model: small-chat`)
const fromEnv = withKey('"${KEY}"')

test('a key comes from the environment and shows itself only when asked', () => {
  const { settings } = loadGood(fromEnv, { KEY: 'sk-live-4242' })

  expect(settings.backends.get('near')?.key?.reveal()).toBe('sk-live-4242')
  expect(inspect(settings, { depth: 9 }) + JSON.stringify([...settings.backends])).not.toContain('4242')
})

test('a key of digits stays a text', () => {
  expect(loadGood(fromEnv, { KEY: '007' }).settings.backends.get('near')?.key?.reveal()).toBe('007')
})

test('a key in a file is found from the main file, also when an included file asks for it', () => {
  const directory = directoryOf({
    'config.yaml': 'version: 1\ninclude: [deep/*.yaml]\n',
    'deep/all.yaml': withKey('file:keys/near').replace('version: 1\n', ''),
    'keys/near': 'sk-file\n',
  })

  const result = load('config.yaml', {}, directory)

  expect(result.ok && result.loaded.settings.backends.get('near')?.key?.reveal()).toBe('sk-file')
})

test.each([
  ['an empty file', ''],
  ['several lines', 'sk-4242\nsk-4242\n'],
  ['a large file', 'sk-4242'.repeat(20_000)],
])('%s is no key', (_, content) => {
  const result = loadFiles({ 'config.yaml': withKey('file:k'), k: content })

  expect(result.ok).toBe(false)
  expect(JSON.stringify(problemsOf(result))).not.toContain('4242')
})

test('no problem shows what a variable holds', () => {
  const config = `brand: \${V}\n${fromEnv.replace('rpm: 20', 'rpm: "${V}"').replace('models: all', 'models: ["${V}"]').replace('http://10.0.0.11:8000/v1', '"${V}"')}`
  const result = loadFiles({ 'config.yaml': config }, { V: 'SK-4242', KEY: 'sk 4242' })

  expect(found(result)).toHaveLength(5)
  expect(renderText(problemsOf(result), result.sources)).not.toContain('4242')
})

test.each(['sk-4242', '"sk-4242"', "'sk-4242'", '4242', '${KEY:-sk-4242}', 'Bearer${KEY}4242'])(
  'the frame around the literal key %s does not print it',
  literal => {
    const result = loadFiles({ 'config.yaml': withKey(literal.includes('{') ? `"${literal}"` : literal) }, { KEY: 'x' })

    expect(problemsOf(result).map(({ rule }) => rule)).toEqual(['plain-secret'])
    expect(renderText(problemsOf(result), result.sources)).not.toContain('4242')
  },
)

test('the password in a URL is printed neither in the message nor in the frame', () => {
  const result = loadFiles({ 'config.yaml': small.replace('http://', 'http://me:sk-4242@') })

  expect(problemsOf(result).map(({ rule }) => rule)).toEqual(['bad-url'])
  expect(renderText(problemsOf(result), result.sources)).not.toContain('4242')
})
