import { expect, test } from 'vitest'
import { directoryOf, found, loadFiles, problemsOf, small } from '../files.ts'

const main = 'version: 1\ninclude: [parts/*.yaml]\n'
const part = small.replace('version: 1\n', '')

test('included files declare what the main file does not', () => {
  const result = loadFiles({
    'config.yaml': main,
    'parts/all.yaml': part,
    'parts/.hidden.yaml': 'x',
    'parts/tests/t.yaml': 'x',
  })

  expect(found(result)).toEqual([])
  expect(result.ok && result.loaded.files).toEqual(['config.yaml', 'parts/all.yaml'])
})

test('a name declared in two files is a problem that names both positions', () => {
  const result = loadFiles({ 'config.yaml': main, 'parts/a.yaml': part, 'parts/b.yaml': part })

  const texts = problemsOf(result).map(
    ({ file, line, column, message, hint }) => `${file}:${line}:${column} ${message}, ${hint}`,
  )
  expect(texts).toEqual([
    'parts/b.yaml:2:3 plan `free` is declared twice, the other is at parts/a.yaml:2:3',
    'parts/b.yaml:4:3 model `small` is declared twice, the other is at parts/a.yaml:4:3',
    'parts/b.yaml:5:1 `default_model` is declared twice, the other is at parts/a.yaml:5:1',
    'parts/b.yaml:7:3 pool `near` is declared twice, the other is at parts/a.yaml:7:3',
  ])
})

test.each(['version: 1', 'server: {}', 'include: [x.yaml]', 'store: embedded:x'])(
  '`%s` belongs in the main file',
  line => {
    const result = loadFiles({ 'config.yaml': main, 'parts/all.yaml': `${part}${line}\n` })

    expect(found(result)).toEqual(['parts/all.yaml:8:1 main-file-only'])
  },
)

test('a file that two patterns match is read once', () => {
  const config = 'version: 1\ninclude: [parts/*.yaml, parts/all.yaml, "part?/a*.yaml"]\n'

  expect(found(loadFiles({ 'config.yaml': config, 'parts/all.yaml': part }))).toEqual([])
})

test('a file may be included by its absolute path', () => {
  const parts = directoryOf({ 'all.yaml': part })

  expect(found(loadFiles({ 'config.yaml': `version: 1\ninclude: [${parts}/all.yaml]\n` }))).toEqual([])
  expect(found(loadFiles({ 'config.yaml': `version: 1\ninclude: ["${parts}/*.yaml"]\n` }))).toEqual([])
})

test('a main file that a pattern matches is not included', () => {
  expect(found(loadFiles({ 'config.yaml': `include: ["*.yaml"]\n${small}` }))).toEqual([])
})

test('mistakes in every file are found at once, in the order of the files', () => {
  const result = loadFiles({
    'config.yaml': `${main}brand: X\n`,
    'parts/a.yaml': part.replace('rpm: 20', 'rpm: 0'),
    'parts/b.yaml': 'pools:\n  far: { site: cloud, replicas: [ftp://x], model: m }\n',
  })

  expect(found(result)).toEqual([
    'config.yaml:3:8 bad-value',
    'parts/a.yaml:2:29 out-of-range',
    'parts/b.yaml:2:34 bad-url',
  ])
})

test('a file that is not YAML does not make the names it may declare unknown', () => {
  const result = loadFiles({
    'config.yaml': `${main}${part.replace(/pools:[\s\S]*/, '')}`,
    'parts/pools.yaml': 'pools:\n\tnear:\n',
  })

  expect(found(result)).toEqual(['parts/pools.yaml:2:1 yaml-syntax'])
})

test('files are named as the operator would type them, whatever the working directory', () => {
  const result = loadFiles({ 'config.yaml': 'version: 1\ninclude: [../elsewhere-*/*.yaml]\n' })

  expect(found(result)).toEqual(['config.yaml:2:11 include-nothing'])
})
