import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { load } from '../../../src/config/load.ts'
import { directoryOf, type Files, small } from '../files.ts'

const keyed = small.replace('model: small-chat', 'model: small-chat, key: file:key')

function reads(files: Files, env = {}) {
  const directory = directoryOf(files)
  return { directory, again: (variables = env) => load('config.yaml', variables, directory) }
}

function fingerprintOf(result: ReturnType<typeof load>): string {
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.loaded.fingerprint
}

test('the fingerprint is the same for the same files, variables and secrets', () => {
  const { again } = reads({ 'config.yaml': keyed, key: 'k1' })

  expect(fingerprintOf(again())).toBe(fingerprintOf(again()))
})

test.each([
  ['a file', 'config.yaml', keyed.replace('rpm: 20', 'rpm: 21')],
  ['a secret', 'key', 'k2'],
])('the fingerprint changes with %s', (_what, name, text) => {
  const { directory, again } = reads({ 'config.yaml': keyed, key: 'k1' })
  const before = fingerprintOf(again())

  writeFileSync(join(directory, name), text)

  expect(fingerprintOf(again())).not.toBe(before)
})

test('the fingerprint changes with a variable, and the revision does not', () => {
  const { again } = reads({ 'config.yaml': small.replace('rpm: 20', `rpm: "\${RPM:-20}"`) })
  const [before, after] = [again({}), again({ RPM: '30' })]

  expect(fingerprintOf(after)).not.toBe(fingerprintOf(before))
  expect(before.ok && after.ok && before.loaded.config.revision === after.loaded.config.revision).toBe(true)
})

test('a load names the paths that it depends on: files, where includes look, and secrets', () => {
  const { directory, again } = reads({
    'config.yaml': `${keyed}include: [policies/*.yaml, more.yaml]\n`,
    key: 'k1',
    'policies/a.yaml': '{}\n',
    'more.yaml': '{}\n',
  })

  expect([...again().paths].sort()).toEqual(
    ['config.yaml', 'key', 'more.yaml', 'policies', 'policies/a.yaml'].map(name => join(directory, name)).sort(),
  )
})

test('also those that are not there', () => {
  const { directory, again } = reads({ 'config.yaml': `${keyed}include: [policies/*.yaml]\n` })
  const result = again()

  expect(result.ok).toBe(false)
  expect([...result.paths].sort()).toEqual(['config.yaml', 'key', 'policies'].map(name => join(directory, name)).sort())
})
