import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT, textOf } from '../deploy/files.ts'
import { type Block, blocksIn, blocksOf, elsewhereOf, faultOfElsewhere, PAGES } from './page.ts'
import { BESIDE_EXAMPLE, BESIDE_README, blockOf, COMMANDS, ELSEWHERE, isReadWhole, runs } from './steps.ts'

const LANGUAGES = ['console', 'js', 'json', 'mermaid', 'python', 'regex', 'sh', 'sql', 'text', 'toml', 'ts', 'yaml']

const COMMAND =
  /^(\$ )?(export |[A-Z]+=\S*)?(npx|npm|node|svcctl|curl|kubectl|helm|systemctl|docker|git|gh|cp|export|own|[A-Z]+=)\b(?! ─)/m

/** Why a block would escape the tests of commands and YAML: it has no language, or is called `text` and is not. */
function faultOfLanguage({ language, text }: Block): string | undefined {
  if (!LANGUAGES.includes(language)) return `\`${language}\` is none of ${LANGUAGES.join(', ')}`
  if (language !== 'text') return undefined
  if (COMMAND.test(text)) return 'it looks like `sh`'
  return /^(# \S+\.ya?ml(\n|$)|[\w-]+:(\s|$))/.test(text) ? 'it looks like `yaml`' : undefined
}

const steps = [...BESIDE_EXAMPLE, ...BESIDE_README, ...ELSEWHERE]

it('a test runs every block of commands in the pages', () => {
  const left = COMMANDS.filter(block => !isReadWhole(block.page) && !steps.some(step => runs(step, block)))

  expect(COMMANDS.length).toBeGreaterThan(50)
  expect(left.map(({ page, line }) => `${page}:${line}`)).toEqual([])
})

it('a test reads every page that is read whole and has commands', () => {
  const readers = ['test/docs/executed.test.ts', 'test/agents/developers.test.ts'].map(textOf).join('\n')
  const pages = [...new Set(COMMANDS.map(({ page }) => page).filter(isReadWhole))]

  expect(pages.length).toBeGreaterThan(15)
  expect(pages.filter(page => !namesOf(page).some(name => readers.includes(`'${name}'`)))).toEqual([])
})

/** As tests name a page: `docs/how-to/keys.md`, `how-to/keys`, `keys`. */
const namesOf = (page: string): readonly string[] => {
  const path = page.replace(/^docs\/|\.md$/g, '')
  return [page, path, path.replace(/^.*\//, '')]
}

it('every step runs exactly one block, and every test that is said to do the same exists', () => {
  expect(steps.map(blockOf)).toHaveLength(steps.length)
  expect(ELSEWHERE.filter(({ test }) => !existsSync(join(ROOT, test)))).toEqual([])
})

it('pages that are read whole have no commands outside of `sh` blocks, which alone are run', () => {
  const left = COMMANDS.filter(({ page, language }) => isReadWhole(page) && language !== 'sh')

  expect(left.map(({ page, line }) => `${page}:${line}`)).toEqual([])
})

it.each(PAGES)('every block of %s has a language, so that commands and YAML are run and checked', page => {
  const faults = blocksOf(page).map(block => [block.line, faultOfLanguage(block)] as const)
  expect(faults.filter(([, fault]) => fault)).toEqual([])
})

it.each(PAGES)('every test that %s names by `run=` exists and takes that block from the page', page => {
  expect(blocksOf(page).flatMap(block => faultOfElsewhere(block, page) ?? [])).toEqual([])
})

describe('blocksIn', () => {
  it('finds a block within a list, and removes the indent of its fence', () => {
    expect(blocksIn('1. One\n\n   ```sh exit=1\n   svcctl\n     --help\n   ```\n2. Two')).toEqual([
      { line: 4, language: 'sh', note: 'exit=1', text: 'svcctl\n  --help' },
    ])
  })
})

describe('faultOfLanguage', () => {
  it.each([
    ['', 'svcctl validate'],
    ['text', 'npx svcctl validate'],
    ['text', 'own $API/v1/keys/developer'],
    ['text', 'rules:\n  - a'],
    ['text', '# kustomization.yaml\nnamespace: a'],
  ])('finds that `%s` is not the language of %j', (language, text) => {
    expect(faultOfLanguage({ line: 1, note: '', language, text })).toBeDefined()
  })
})

describe('faultOfElsewhere', () => {
  const [install] = blocksOf('docs/tutorial.md').filter(({ note }) =>
    elsewhereOf({ note })?.startsWith('test/install/'),
  )
  const faultOf = (run: string, page = 'docs/tutorial.md', text = install?.text ?? '') =>
    faultOfElsewhere({ note: `run=${run}`, text }, page)

  it('accepts a file of tests that looks the block up in the page', () => {
    expect(faultOf('test/install/install.test.ts')).toBeUndefined()
  })

  it.each([
    ['a folder', faultOf('test/install')],
    ['a file that does not exist', faultOf('test/install/none.test.ts')],
    ['a title that no test of the file has', faultOf('test/install/install.test.ts#no test of that name')],
    ['a file that does not read the page', faultOf('test/install/install.test.ts', 'docs/ledger.md')],
    ['a file that looks for no words of the block', faultOf('test/install/install.test.ts', undefined, 'true')],
  ])('rejects %s', (_, fault) => {
    expect(fault).toBeDefined()
  })
})
