import type { Millis, Pool } from '../../policy/config.ts'
import { type FactsInForce, type FactValue, factsInForce } from '../../policy/pool-facts.ts'
import { anything, list, map, record, type TypeOf, text } from '../schema/schema.ts'

/** The facts by which a running gateway speaks to a pool, with the model and the addresses that they depend on. */
const POOL_FACTS = record({
  model: text("The backends' name for the model."),
  replicas: list(text()),
  facts: map(anything, 'Texts, numbers, flags or lists of texts, by the name of the fact.'),
})

/** The version of a gateway, and how it speaks to its pools of chats, by their names. */
export const PROFILES = record({ version: text(), pools: map(POOL_FACTS, 'The pools for chats, by name.') }, 'Profiles')

type WrittenFacts = TypeOf<typeof POOL_FACTS>

export interface ShownPoolFacts extends Omit<WrittenFacts, 'facts'> {
  readonly facts: FactsInForce
}

export interface ServedProfiles extends Omit<TypeOf<typeof PROFILES>, 'pools'> {
  readonly pools: ReadonlyMap<string, ShownPoolFacts>
}

/** A pool, and the setting that is a fact of it. */
export interface KnownFacts {
  readonly pool: Pool
  readonly settings: { readonly firstContentTimeout: Millis }
}

export const shownProfiles = (version: string, pools: readonly KnownFacts[]): TypeOf<typeof PROFILES> => ({
  version,
  pools: Object.fromEntries(pools.map(known => [known.pool.name, shownPoolFacts(known)])),
})

const shownPoolFacts = ({ pool, settings: { firstContentTimeout } }: KnownFacts): WrittenFacts => ({
  model: pool.model,
  replicas: pool.replicas,
  facts: Object.fromEntries(factsInForce(pool, firstContentTimeout)),
})

/** The profiles of a gateway's answer. Skips facts whose form this version does not know. */
export const profilesIn = ({ version, pools }: TypeOf<typeof PROFILES>): ServedProfiles => ({
  version,
  pools: new Map(
    Object.entries(pools).map(([pool, { facts, ...known }]) => [pool, { ...known, facts: factsIn(facts) }]),
  ),
})

const factsIn = (facts: WrittenFacts['facts']): FactsInForce =>
  new Map(Object.entries(facts).flatMap(([fact, value]) => (isFact(value) ? [[fact, value]] : [])))

const isFact = (value: unknown): value is FactValue =>
  ['string', 'number', 'boolean'].includes(typeof value) ||
  (Array.isArray(value) && value.every(each => typeof each === 'string'))
