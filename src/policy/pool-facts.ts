import type { Config, Pool } from './config.ts'
import {
  type Cell,
  cellsFor,
  type Facts,
  OF_ALL_DIALECTS,
  type PoolFacts,
  UNKNOWN,
  writtenName,
} from './providers/profile.ts'
import { ANYWHERE, PROFILES } from './providers/profiles.ts'
import type { Millis } from './time.ts'

/** A fact as the files write it; a time in milliseconds. */
export type FactValue = string | number | boolean | readonly string[]

/**
 * The facts by which a gateway speaks to a pool, by their names in the files, whether these or a profile decide them. A fact
 * that changes nothing is absent. `provider` is the row of the table.
 */
export type FactsInForce = ReadonlyMap<string, FactValue>

/** Lists the facts by which a gateway speaks to a pool. */
export function factsInForce(pool: Pool, firstContentTimeout: Millis): FactsInForce {
  const { provider, caps, fetch, balance, replicas, speaks, unknownFields } = pool
  const isChat = speaks.includes('chat')
  // The other facts are about chat completions.
  const own = OWN.filter(fact => isChat || OF_ALL_DIALECTS.has(fact)).filter(
    fact => !isSame(provider.facts[fact], UNKNOWN[fact]),
  )
  return new Map<string, FactValue>([
    ...(provider.name ? [['provider', provider.name] as const] : []),
    ...(isChat ? [['cap', caps.length > 1 ? 'both' : (caps[0] ?? 'both')] as const] : []),
    ['fetch', fetch],
    ...(replicas.length > 1 ? [[BALANCE, balance] as const] : []),
    ...(speaks.some(dialect => dialect !== 'chat') ? [['unknown_fields', unknownFields] as const] : []),
    [FIRST_CONTENT, firstContentTimeout],
    ...own.map(fact => [writtenName(fact), provider.facts[fact]] as const),
  ])
}

const OWN = Object.keys(UNKNOWN) as (keyof PoolFacts)[]
const FIRST_CONTENT = 'first_content_timeout_ms'
const BALANCE = 'balance'

/** A fact of a pool whose value differs under another table of profiles. */
export interface FactChange {
  readonly pool: string
  readonly fact: string
  /** Undefined if the fact is unknown, which changes nothing. */
  readonly from: FactValue | undefined
  readonly to: FactValue | undefined
  /** Sources of the new value; empty if no row has it. */
  readonly sources: readonly string[]
}

/** Compares the facts in force of a pool with those that the table of this build puts in their place. */
export function factChanges(pool: Pool, before: FactsInForce, after: FactsInForce): readonly FactChange[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap(fact => {
    const [from, to] = [before, after].map(facts => facts.get(fact) ?? DEFAULTS.get(fact))
    if (isSame(from, to)) return []
    return [{ pool: pool.name, fact, from, to, sources: sourcesOf(pool, fact, from, to) }]
  })
}

/** Values of facts that a gateway does not report. */
const DEFAULTS: FactsInForce = new Map<string, FactValue>([
  ...OWN.map(fact => [writtenName(fact), UNKNOWN[fact]] as const),
  [BALANCE, 'busy'],
])

/** The order of dropped fields means nothing. */
const isSame = (one: FactValue | undefined, other: FactValue | undefined): boolean =>
  one === other || (Array.isArray(one) && Array.isArray(other) && String([...one].sort()) === String([...other].sort()))

/** Sources of the new value, or of the items that a list gained. */
function sourcesOf(pool: Pool, written: string, from: FactValue | undefined, to: FactValue | undefined): string[] {
  const fact = FACTS.get(written)
  if (!fact) return []
  const cells: readonly Cell<FactValue>[] = cellsOf(pool, fact)
  const isGained = (is: FactValue) => list(is).some(each => list(to).includes(each) && !list(from).includes(each))
  const saying = Array.isArray(to)
    ? cells.filter(({ is }) => isGained(is))
    : cells.filter(({ is }) => is === to).slice(0, 1)
  return [...new Set(saying.flatMap(({ source }) => source))]
}

const list = (value: FactValue | undefined): readonly string[] => (Array.isArray(value) ? value : [])

const FACTS: ReadonlyMap<string, keyof Facts> = new Map([
  ...[...OWN, 'cap' as const, 'fetch' as const].map(fact => [writtenName(fact), fact] as const),
  ['unknown_fields', 'unknownFields'],
  [FIRST_CONTENT, 'firstContentTimeout'],
])

/** The cells of the table for the model of a pool: its row first, then those that hold anywhere. */
export const cellsOf = <Fact extends keyof Facts>(
  { model, provider }: Pool,
  fact: Fact,
): readonly Cell<Facts[Fact]>[] =>
  [provider.name && PROFILES[provider.name], ANYWHERE].flatMap(row => (row ? cellsFor(row, fact, model) : []))

/** Whether a pool serves a model of chats, or none. */
export function hasChats(pool: Pool, models: Config['models']): boolean {
  const served = [...models.values()].filter(({ serve }) => serve.includes(pool))
  return served.length === 0 || served.some(({ kind }) => kind === 'chat')
}
