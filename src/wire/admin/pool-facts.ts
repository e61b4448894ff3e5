import type { Millis, Pool } from '../../policy/config.ts'
import { type FactsInForce, type FactValue, factsInForce } from '../../policy/pool-facts.ts'
import type { JsonObject } from '../json-safety.ts'
import { list, object, text } from './record-fields.ts'

/** The facts by which a running gateway speaks to a pool, with the model and the addresses that they depend on. */
export interface ShownPoolFacts {
  /** The name the backends know. */
  readonly model: string
  readonly replicas: readonly string[]
  readonly facts: FactsInForce
}

/** A pool, and the setting that is a fact of it. */
export interface KnownFacts {
  readonly pool: Pool
  readonly settings: { readonly firstContentTimeout: Millis }
}

export const shownPoolFacts = ({ pool, settings: { firstContentTimeout } }: KnownFacts): object => ({
  model: pool.model,
  replicas: pool.replicas,
  facts: Object.fromEntries(factsInForce(pool, firstContentTimeout)),
})

/** Reads the answer of a gateway. Skips facts whose form this version does not know. */
export const readPoolFacts = (record: JsonObject): ShownPoolFacts => ({
  model: text(record, 'model'),
  replicas: list(record.replicas, 'replicas').map(String),
  facts: new Map(
    Object.entries(object(record.facts, 'facts')).flatMap(([fact, value]) => (isFact(value) ? [[fact, value]] : [])),
  ),
})

const isFact = (value: unknown): value is FactValue =>
  ['string', 'number', 'boolean'].includes(typeof value) ||
  (Array.isArray(value) && value.every(each => typeof each === 'string'))
