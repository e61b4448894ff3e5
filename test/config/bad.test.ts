import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { load } from '../../src/config/load.ts'

const directory = fileURLToPath(new URL('bad', import.meta.url))
const env = { EMPTY: '', WORD: 'secret-word', LINES: 'one\ntwo' }
const files = readdirSync(directory).filter(file => file.endsWith('.bad.yaml'))

test.each(files)('%s has the one problem that its first line expects', file => {
  const [, place, rule, words] =
    /^# expect (\S+) (\S+) \/(.*)\//.exec(readFileSync(`${directory}/${file}`, 'utf8')) ?? []

  const result = load(file, env, directory)

  const problems = result.ok ? result.loaded.warnings : result.problems
  const found = problems.map(({ file, line, column, rule }) => `${file}:${line}:${column} ${rule}`)
  expect(found).toEqual([`${file}:${place} ${rule}`])
  const texts = problems.map(({ message, hint }) => (hint === undefined ? message : `${message}: ${hint}`))
  expect(texts[0]).toMatch(new RegExp(words ?? '$.'))
  expect(texts[0]).not.toContain('secret-word')
})
