import { describe, expect, it } from 'vitest'
import type { Pool } from '../../src/policy/config.ts'
import { type FactsInForce, factChanges, factsInForce } from '../../src/policy/pool-facts.ts'
import { type Facts, type PoolFacts, UNKNOWN, writtenName } from '../../src/policy/providers/profile.ts'
import { PROFILES } from '../../src/policy/providers/profiles.ts'
import { config } from './fixture.ts'

const [first] = config.pools.values()
if (!first) throw new Error('no pool')
const pool: Pool = first

/** Another value of each fact than the one for the unknown. */
const OTHER: PoolFacts = {
  drops: ['seed'],
  developerRole: false,
  streamOptions: false,
  finishReason: 'optional',
  callIds: 'nine_alphanumeric',
  cacheMarks: true,
  cacheSalt: true,
  priority: 'low_first',
  choicesUsage: 'one',
  thoughts: 'parts',
}

const withFacts = (facts: Partial<PoolFacts>): Pool => ({ ...pool, provider: { facts: { ...UNKNOWN, ...facts } } })
const inForce = (changed: Pool): FactsInForce => factsInForce(changed, 10_000)
const changed = (before: Pool, after: Pool) => factChanges(after, inForce(before), inForce(after))

describe.each(Object.keys(UNKNOWN) as (keyof PoolFacts)[])('the fact %s', fact => {
  const other = withFacts({ [fact]: OTHER[fact] })

  it('is in force only if it changes anything', () => {
    expect(inForce(other).get(writtenName(fact))).toEqual(OTHER[fact])
    expect(inForce(pool).has(writtenName(fact))).toBe(false)
  })

  it('is a change if a table adds or removes it, and none if both have it', () => {
    const from = fact === 'drops' ? [] : UNKNOWN[fact]
    expect(changed(pool, other)).toMatchObject([{ fact: writtenName(fact), from, to: OTHER[fact] }])
    expect(changed(other, pool)).toMatchObject([{ fact: writtenName(fact), from: OTHER[fact], to: from, sources: [] }])
    expect(changed(other, other)).toEqual([])
  })
})

it.each(['cap', 'fetch', 'unknownFields', 'firstContentTimeout'] satisfies (keyof Facts)[])(
  '%s of a pool that speaks several dialects is in force',
  fact => {
    const names = [...inForce({ ...pool, speaks: ['chat', 'messages'] }).keys()]

    expect(names.some(name => name.startsWith(writtenName(fact)))).toBe(true)
  },
)

it('every fact of the table can be in force', () => {
  const facts = new Set(Object.values(PROFILES).flatMap(row => Object.keys(row.facts)))
  const names = [...inForce({ ...withFacts(OTHER), speaks: ['chat', 'messages'] }).keys()]

  expect([...facts].filter(fact => !names.some(name => name.startsWith(writtenName(fact))))).toEqual([])
})

it('the order of dropped fields is no change', () => {
  expect(changed(withFacts({ drops: ['a', 'b'] }), withFacts({ drops: ['b', 'a'] }))).toEqual([])
})

it('a dropped field has the sources of the cells that drop it, and no others', () => {
  const groq: Pool = {
    ...pool,
    model: 'llama',
    provider: { name: 'groq', facts: { ...UNKNOWN, drops: ['store', 'x'] } },
  }
  const before = new Map([...inForce(groq), ['drops', ['x']] as const])

  expect(factChanges(groq, before, inForce(groq))).toEqual([
    { pool: pool.name, fact: 'drops', from: ['x'], to: ['store', 'x'], sources: ['fanenr/chatbot#21'] },
  ])
})

it('a fact that only one of the builds knows is a change', () => {
  const before = new Map([...inForce(pool), ['later_fact', 'on'] as const])

  expect(factChanges(pool, before, inForce(pool))).toEqual([
    { pool: pool.name, fact: 'later_fact', from: 'on', to: undefined, sources: [] },
  ])
})

it('a pool without chat completions has none of their facts', () => {
  const native: Pool = { ...withFacts(OTHER), speaks: ['messages'] }

  expect([...inForce(native).keys()]).toEqual([
    ...['fetch', 'balance', 'unknown_fields', 'first_content_timeout_ms', 'drops', 'cache_salt', 'priority'],
  ])
})
