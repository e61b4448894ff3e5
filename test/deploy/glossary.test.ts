import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { parseAst } from 'rolldown/parseAst'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { exposition, Metrics, processMetrics } from '../../src/adapters/metrics/metrics.ts'
import { svcctl } from '../../src/cli/program.ts'
import { load } from '../../src/config/load.ts'
import { Pools } from '../../src/gateway/upstream/pools.ts'
import { errorCodes, rateTypes } from '../../src/wire/errors/codes.ts'
import { VirtualClock } from '../support/clock.ts'
import { ROOT, textOf } from './files.ts'

/** The words of the last column of docs/glossary.md; what stands in brackets says where a word is wrong, for readers. */
const unwanted = textOf('docs/glossary.md')
  .split('\n')
  .filter(line => line.startsWith('| ') && !line.startsWith('| term'))
  .flatMap(line => (line.split('|').at(-2) ?? '').split(','))
  .filter(word => !word.includes('('))
  .map(word => word.trim())
  .filter(Boolean)

/** The unwanted words of a text, each with what stands around it. Code in backticks keeps the names that programs read. */
const foundIn = (text: string): string[] => wordsIn(text, unwanted)

function wordsIn(text: string, words: readonly string[]): string[] {
  const pattern = new RegExp(`(?<![\\w-])(?:${words.join('|')})(?![\\w-])`, 'gi')
  const plain = text.replace(/^```[\s\S]*?^```/gm, '').replace(/`[^`]*`/g, '`…`')
  return [...plain.matchAll(pattern)].map(
    ({ 0: word, index }) => `${word}: ${plain.slice(Math.max(0, index - 40), index + 40)}`,
  )
}

it('the glossary says which words not to use', () => {
  expect(unwanted).toContain('held')
  expect(unwanted.length).toBeGreaterThan(10)
  expect(foundIn('what is Held, and `held`')).toHaveLength(1)
})

const schemas = readdirSync(join(ROOT, 'schema'))
  .filter(name => name.endsWith('.json'))
  .map(name => `schema/${name}`)

/** What a schema or an API description says to people. */
function proseIn(document: unknown): string[] {
  const texts: string[] = []
  JSON.stringify(document, (key, value) => {
    if (typeof value === 'string' && /^(description|summary|x-expects)$/.test(key)) texts.push(value)
    return value
  })
  return texts
}

it.each(schemas)('the descriptions of %s use the words of the glossary', schema => {
  expect(proseIn(JSON.parse(textOf(schema))).flatMap(foundIn)).toEqual([])
})

it('openapi.yaml uses the words of the glossary', () => {
  const texts = proseIn(parse(textOf('openapi.yaml')))
  expect(texts.length).toBeGreaterThan(100)
  expect(texts.flatMap(foundIn)).toEqual([])
})

it('the help of svcctl uses the words of the glossary', () => {
  const texts = (command: Command): string[] => [command.helpInformation(), ...command.commands.flatMap(texts)]
  expect(texts(svcctl()).flatMap(foundIn)).toEqual([])
})

it('the help of metrics uses the words of the glossary', async () => {
  const result = load('config.example.yaml', { CLOUD_KEY: 'x' }, ROOT)
  if (!result.ok) throw new Error('the example is not valid')
  const { config } = result.loaded
  const metrics = new Metrics()
  metrics.watch({
    clock: new VirtualClock(0),
    pools: new Pools(() => {}),
    current: () => ({ config, loadedAt: 0 }),
    reloads: { ok: 0, failed: 0 },
    dropped: () => ({ decisions: 0, log: 0 }),
    underWay: () => 0,
    fleet: { members: [] },
    archiving: () => undefined,
    storeHealth: { isWritable: async () => true },
  })
  const { text } = await exposition(metrics.registries(processMetrics()))
  const help = [...text.matchAll(/^# HELP \S+ (.+)$/gm)].map(([, help = '']) => help)
  expect(help.length).toBeGreaterThan(20)
  expect(help.flatMap(foundIn)).toEqual([])
})

it('alarms use the words of the glossary', () => {
  const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter(name =>
    /\.tsx?$/.test(name),
  )
  const alarms = sources.flatMap(name =>
    [...textOf(join('src', name)).matchAll(/\balarm\(\s*(['`])(.+?)\1/g)].map(([, , text = '']) => text),
  )
  expect(alarms.length).toBeGreaterThan(25)
  expect(alarms.flatMap(foundIn)).toEqual([])
})

/** The texts of a source that are more than a name, by the line that they begin in. */
function textsIn(source: string): readonly (readonly [line: number, text: string])[] {
  const texts: [number, string][] = []
  JSON.stringify(parseAst(source, { lang: 'ts' }), (_, node) => {
    const text =
      node?.type === 'Literal' ? node.value : node?.type === 'TemplateElement' ? node.value.cooked : undefined
    if (typeof text === 'string' && /\s\S/.test(text))
      texts.push([source.slice(0, node.start).split('\n').length, text])
    return typeof node === 'bigint' ? undefined : node
  })
  return texts
}

it('what the programs print uses the words of the glossary', () => {
  // What models read of a tool is theirs alone.
  const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter(
    name => name.endsWith('.ts') && !name.startsWith('adapters/tools/'),
  )
  const all = sources.flatMap(name => textsIn(textOf(join('src', name))).map(([line, text]) => ({ name, line, text })))

  expect(all.length).toBeGreaterThan(1000)
  expect(all.flatMap(({ name, line, text }) => foundIn(text).map(found => `${name}:${line} ${found}`))).toEqual([])
})

/** Unwanted words that no comment needs either. Others, like `held`, have a good use in code. */
const UNWANTED_IN_COMMENTS = ['whoever', 'nobody', 'anybody', 'somebody', 'told', 'under way', 'dear', 'proved']

/** The text of a line that is a comment, or ends with one. */
const COMMENT = /^\s*(?:\/\*|\*|\/\/|--).*|\s\/\/ .*/

it('comments say who does what', () => {
  const files = ['src', 'demo/src', 'wasm', 'redis', 'scripts'].flatMap(folder =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter(name => /\.(?:tsx?|js|lua)$/.test(name) && !name.includes('node_modules'))
      .map(name => `${folder}/${name}`),
  )
  const comments = files.flatMap(file =>
    textOf(file)
      .split('\n')
      .flatMap((text, index) =>
        (COMMENT.exec(text) ?? []).map(comment => ({ place: `${file}:${index + 1}`, comment })),
      ),
  )

  expect(unwanted).toEqual(expect.arrayContaining(UNWANTED_IN_COMMENTS))
  expect(comments.length).toBeGreaterThan(3000)
  expect(
    comments.flatMap(({ place, comment }) => wordsIn(comment, UNWANTED_IN_COMMENTS).map(found => `${place} ${found}`)),
  ).toEqual([])
})

it('the texts of errors use the words of the glossary', () => {
  const texts = [...Object.values(errorCodes), ...rateTypes].flatMap(row =>
    Object.values(row).filter(text => typeof text === 'string'),
  )
  expect(texts.flatMap(foundIn)).toEqual([])
})

const pages = ['README.md', 'SECURITY.md', 'CONTRIBUTING.md'].concat(
  readdirSync(join(ROOT, 'docs'))
    .filter(name => name.endsWith('.md') && name !== 'glossary.md')
    .map(name => `docs/${name}`),
)

it.each(pages)('%s uses the words of the glossary', page => {
  expect(foundIn(textOf(page))).toEqual([])
})
