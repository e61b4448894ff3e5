import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { parseAst } from 'rolldown/parseAst'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { svcctl } from '../../src/cli/program.ts'
import { tablesIn } from '../docs/tables.ts'
import { ROOT, textOf } from './files.ts'

/**
 * Names that a concept had before, each with the term that replaced it: a reader who meets both takes them for two things. Only names
 * are here, never words of plain English, so that every sentence can be written well.
 */
const REPLACED: readonly (readonly [name: RegExp, term: string])[] = [
  // A data warehouse is the reader's own.
  [/(?<!data )warehouses?/, 'archive'],
  [/waste|wasted attempts?/, 'failed attempts'],
  [/standings?/, 'usage'],
  [/carried (?:requests?|paths?)/, 'pass-through'],
  [/(?:requests?|answers?) under way/, 'running'],
  [/held (?:money|amounts?|costs?|dollars|usd)/, 'reserved'],
  [/proved failures?/, 'confirmed'],
  [/(?:gateway's own|routing) questions?|questions? of (?:our|its|the gateway's) own|inquir(?:y|ies)/, 'health check'],
]

const ANY = new RegExp(`(?<![\\w-])(?:${REPLACED.map(([{ source }]) => source).join('|')})(?![\\w-])`, 'gi')

/** The replaced names in a text, each with the words around it. Code keeps the names that programs read. */
function replacedIn(text: string): readonly string[] {
  if (text.search(ANY) === -1) return []
  const plain = text.replace(/^ *```[\s\S]*?^ *```/gm, '').replace(/`[^`]*`/g, '`…`')
  return [...plain.matchAll(ANY)].map(({ index }) => `…${plain.slice(Math.max(0, index - 40), index + 40)}…`)
}

const filesIn = (folder: string, pattern: RegExp): readonly string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter(name => pattern.test(name))
    .map(name => `${folder}/${name}`)

/** The sentences that a schema or an API description has for people. */
function descriptionsIn(document: unknown): readonly string[] {
  const texts: string[] = []
  JSON.stringify(document, (key, value) => {
    if (typeof value === 'string' && /^(description|summary|x-expects)$/.test(key)) texts.push(value)
    return value
  })
  return texts
}

/** The strings of a source that have more than one word: what is printed, logged, alarmed or answered. */
function sentencesIn(source: string): readonly string[] {
  const texts: string[] = []
  JSON.stringify(parseAst(source, { lang: 'ts' }), (_, node) => {
    const text =
      node?.type === 'Literal' ? node.value : node?.type === 'TemplateElement' ? node.value.cooked : undefined
    if (typeof text === 'string' && /\s\S/.test(text)) texts.push(text)
    return typeof node === 'bigint' ? undefined : node
  })
  return texts
}

/** Only a source in which a replaced name occurs at all is parsed, to tell its strings from its comments and names. */
const replacedInSource = (source: string): readonly string[] =>
  source.search(ANY) === -1 ? [] : sentencesIn(source).flatMap(replacedIn)

const within = (file: string, found: (text: string) => readonly string[]): readonly string[] =>
  found(textOf(file)).map(place => `${file}: ${place}`)

it('a replaced name is found in sentences, and not in code, comments or longer words', () => {
  expect(replacedIn('The Standing of an account, and `standing`')).toHaveLength(1)
  expect(replacedIn('a long-standing request\n```\nwaste\n```')).toEqual([])
  expect(replacedInSource("print(`no waste here`) // 'a standing'")).toEqual(['…no waste here…'])
  expect(replacedInSource("const waste = { kind: 'waste' }")).toEqual([])
})

it('docs/glossary.md defines each term that replaced another name', () => {
  const terms = tablesIn(textOf('docs/glossary.md')).flatMap(rows => rows.map(([term]) => term))
  expect(REPLACED.map(([, term]) => term).filter(term => !terms.includes(term))).toEqual([])
})

it('no sentence of the schemas or of openapi.yaml uses a replaced name', () => {
  const schemas = filesIn('schema', /\.json$/)
  const documents = [...schemas.map(file => JSON.parse(textOf(file))), parse(textOf('openapi.yaml'))]
  const texts = documents.flatMap(descriptionsIn)
  expect(texts.length).toBeGreaterThan(200)
  expect(texts.flatMap(replacedIn)).toEqual([])
})

it('no command of svcctl shows a replaced name as that of a command or an option', async () => {
  // An option that was renamed keeps its old name, hidden, for scripts.
  const namesOf = (command: Command): readonly string[] => [
    ...[command.name(), ...command.options.filter(({ hidden }) => !hidden).map(option => option.attributeName())],
    ...command.commands.flatMap(namesOf),
  ]
  const names = namesOf(await svcctl())
  expect(names.length).toBeGreaterThan(100)
  expect(names.flatMap(replacedIn)).toEqual([])
})

it('no sentence that the programs print, log or answer uses a replaced name', () => {
  // The descriptions of hosted tools are for models.
  const sources = filesIn('src', /\.ts$/).filter(file => !file.startsWith('src/adapters/tools/'))
  expect(sources.length).toBeGreaterThan(500)
  expect(sources.flatMap(file => within(file, replacedInSource))).toEqual([])
})

/** The pages of now: the glossary lists replaced names, and a decision keeps the words of its time. */
const CURRENT_PAGES = [
  'README.md',
  'SECURITY.md',
  'CONTRIBUTING.md',
  ...filesIn('docs', /\.md$/),
  ...filesIn('src', /README\.md$/),
].filter(page => page !== 'docs/glossary.md' && !page.startsWith('docs/decisions/'))

it('no page uses a replaced name', () => {
  expect(CURRENT_PAGES.length).toBeGreaterThan(30)
  expect(CURRENT_PAGES.flatMap(page => within(page, replacedIn))).toEqual([])
})

/** Openings of a sentence that put something else where its subject belongs, at the head of a line, a cell, an item or behind a full stop. */
const OPENINGS =
  /(?<=^ *(?:[-*] |\d+\. |\| )?(?:\*\*)?|[.:!?] (?:\*\*)?|\| )(?:Of(?! course)|Whoever|So it is|None is|Where none|As many|Nothing but)\b/gm

function misplacedOpenings(text: string): readonly string[] {
  const plain = text
    .replace(/^ *```[\s\S]*?^ *```/gm, '')
    .replace(/`[^`]*`/g, '`…`')
    // A line in the middle of a paragraph begins no sentence.
    .replace(/([^\n|])\n(?=[^\s|#>*-])/g, '$1 ')
  return [...plain.matchAll(OPENINGS)].map(({ index }) => plain.slice(index, index + 60))
}

it('an opening is found where a sentence begins, and not within one', () => {
  expect(
    misplacedOpenings('Of two keys one works.\n\n- **Of the files** none is read. So it is here.\n\n| a | Of a key |'),
  ).toHaveLength(4)
  expect(misplacedOpenings('The keys\nof an account. Each of them. `Of code`\n```\nOf code\n```')).toEqual([])
})

it('no sentence that a page has by hand opens with something else than its subject', () => {
  const byHand = (text: string) => misplacedOpenings(text.split('<!-- Generated')[0] ?? '')
  expect(CURRENT_PAGES.flatMap(page => within(page, byHand))).toEqual([])
})

/** Openings of a comment or a description that put a clause or another thing where its subject belongs. */
const FIRST_OPENING = /^(?:What|Of(?! course)|The same|Whoever|Whose|So it is|None is|Where none|As many|By|To)\b/
/** Openings that no later sentence has either. */
const LATER_OPENING = /[.!?] (?:What|Of(?! course)|Whoever|So it is|None is|Where none|As many|Nothing but|To be)\b/

/** Comments of TypeScript and Lua that begin a line: a block, or the lines that follow each other. */
const COMMENTS = /^[ \t]*(?:\/\*[\s\S]*?\*\/|(?:(?:\/\/|--) .*(?:\n[ \t]*(?=(?:\/\/|--) ))?)+)/gm

/** A text whose first sentence, or a later one, opens with something else than its subject. */
const isMisopened = (text: string): boolean => FIRST_OPENING.test(text) || LATER_OPENING.test(text)

function misopenedComments(source: string): readonly string[] {
  return [...source.matchAll(COMMENTS)]
    .map(([comment]) =>
      comment
        .replace(/`[^`]*`/g, '`…`')
        .replace(/^[ \t]*(?:\/\*+|\*\/?|\/\/|--)[ \t]?/gm, '')
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .filter(isMisopened)
}

it('the opening of a comment is found in its first sentence and in later ones, on any of its lines', () => {
  expect(misopenedComments('/** Of two keys one works. */')).toHaveLength(1)
  expect(misopenedComments('/**\n * What a key\n * may do.\n */')).toHaveLength(1)
  expect(misopenedComments('  // It reads.\n  // To be called\n  // once.')).toHaveLength(1)
  expect(misopenedComments('-- By the way\n-- it works')).toHaveLength(1)
  expect(misopenedComments('/**\n * A key\n * of an account.\n */\n// It works\n// by itself.')).toEqual([])
})

it('no comment of the project opens a sentence with something else than its subject', () => {
  const folders = ['src', 'console/src', 'importers/src', 'demo/src', 'bench', 'scripts', 'wasm', 'redis', 'test']
  const sources = folders
    .flatMap(folder => filesIn(folder, /\.(?:tsx?|[cm]?js|lua|css|[ch])$/))
    .filter(path => !/\/(?:node_modules|\.venv[\w-]*)\//.test(path))

  expect(sources.length).toBeGreaterThan(2000)
  expect(sources.flatMap(path => within(path, misopenedComments))).toEqual([])
})

it('no description of a YAML schema opens with something else than its subject', () => {
  const schemas = filesIn('schema', /\.json$/).map(file => JSON.parse(textOf(file)))
  const texts = schemas.flatMap(descriptionsIn)

  expect(texts.length).toBeGreaterThan(200)
  expect(texts.filter(isMisopened)).toEqual([])
})

it('no description of the admin API opens with something else than its subject', () => {
  const page = textOf('docs/admin-endpoints.md')

  expect(page.length).toBeGreaterThan(50_000)
  expect(page.match(/(?:^|\| )(?:What|Of(?! course)|The same|Whose)\b.*$/gm) ?? []).toEqual([])
})
