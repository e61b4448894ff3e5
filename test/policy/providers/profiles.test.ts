import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { DROPPABLE, DROPPABLE_OF_VECTORS, LABELS } from '../../../src/policy/providers/droppable.ts'
import { type Cell, type Facts, factsFor, PROVIDER_NAMES } from '../../../src/policy/providers/profile.ts'
import { ANYWHERE, PROFILES } from '../../../src/policy/providers/profiles.ts'

const rows = [...PROVIDER_NAMES.map(name => [name, PROFILES[name]] as const), ['any provider', ANYWHERE] as const]

const CELLS = rows.flatMap(([name, { facts }]) =>
  Object.entries(facts).flatMap(([fact, cells]) =>
    (cells as readonly Cell<Facts[keyof Facts]>[]).map(cell => ({ name, fact, cell })),
  ),
)

const SOURCE = /^(https:\/\/[^\s]+|[\w.-]+\/[\w.-]+#\d+)$/

it.each(CELLS)('`$fact` of $name has a source', ({ cell }) => {
  expect(cell.source.length).toBeGreaterThan(0)
  for (const source of cell.source) expect(source).toMatch(SOURCE)
})

it('rows drop fields alone that a chat can do without', () => {
  const dropped = CELLS.flatMap(({ fact, cell }) => (fact === 'drops' ? (cell.is as readonly string[]) : []))

  expect(dropped.filter(field => !DROPPABLE.has(field))).toEqual([])
  expect([...LABELS].filter(field => !DROPPABLE.has(field))).toEqual([])
})

it('the schema has the names of the rows and of the fields that may be dropped', () => {
  const schema = JSON.parse(readFileSync('schema/config.schema.json', 'utf8')) as {
    readonly $defs: { readonly pool: { readonly properties: { readonly provider: ProviderSchema } } }
  }
  const { pattern, properties } = schema.$defs.pool.properties.provider

  expect(pattern).toBe(`^(${PROVIDER_NAMES.join('|')})$`)
  expect(properties.is.enum).toEqual([...PROVIDER_NAMES])
  expect(properties.drops.items.enum).toEqual([...DROPPABLE, ...DROPPABLE_OF_VECTORS])
})

interface ProviderSchema {
  readonly pattern: string
  readonly properties: {
    readonly is: { readonly enum: readonly string[] }
    readonly drops: { readonly items: { readonly enum: readonly string[] } }
  }
}

describe('a row holds', () => {
  it.each([
    ['openai', 'gpt-5.2', true],
    ['openai', 'openai/GPT-5-mini', true],
    ['openai', 'o3', true],
    ['openai', 'gpt-5-chat-latest', false],
    ['openai', 'gpt-4o', false],
    ['openai', 'my-gpt-5', false],
  ] as const)('%s for %s: %s', (name, model, drops) => {
    expect(factsFor(PROFILES[name], model).drops?.includes('temperature') ?? false).toBe(drops)
  })
})
