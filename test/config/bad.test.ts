import { readdirSync, readFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { load } from '../../src/config/load.ts'

const directory = fileURLToPath(new URL('bad', import.meta.url))
const env = {
  LONG: 'secret-word'.repeat(3),
  EMPTY: '',
  WORD: 'secret-word',
  LINES: 'one\ntwo',
  KEY32: 'secret-word'.padEnd(43, 'A'),
  PERCENT: '100%secret-word',
  SIGNING: `whsec_${'A'.repeat(44)}`,
}
const files = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter(file => file.endsWith('.bad.yaml'))

test.each(files)('%s has the one problem that its first line expects', file => {
  const path = resolve(directory, file)
  const typed = (name: string) => relative(dirname(path), resolve(directory, name))
  const [, place, rule, words] = /^# expect (\S+) (\S+) \/(.*)\//.exec(readFileSync(path, 'utf8')) ?? []

  const result = load(file, env, directory)

  const problems = result.ok ? result.loaded.warnings : result.problems
  const found = problems.map(({ line, column, rule, ...at }) => `${typed(at.file)}:${line}:${column} ${rule}`)
  // A place without a file is in the file itself.
  expect(found).toEqual([`${place?.includes('/') ? place : `${typed(file)}:${place}`} ${rule}`])
  const texts = problems.map(({ message, hint }) => (hint === undefined ? message : `${message}: ${hint}`))
  expect(texts[0]).toMatch(new RegExp(words ?? '$.'))
  expect(texts[0]).not.toContain('secret-word')
})
