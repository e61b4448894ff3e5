import type { Config, EpochMs } from '../../policy/config.ts'
import type { Caller } from '../../policy/facts.ts'
import { planOf } from '../../policy/plan.ts'
import type { JsonObject } from '../json-safety.ts'
import { count, list, object, oneOf, text } from './record-fields.ts'

/** A key as operators see it: masked. */
export interface ShownKey extends ShownPlan {
  readonly key: string
  readonly account: string
  readonly label: string
  readonly kind: string
  readonly status: string
  /** Seconds since the epoch. */
  readonly created: number
}

export interface ShownPlan {
  /** Null when the configuration has none for the account. */
  readonly plan: string | null
  /** Who said so: an operator, its token, the configuration for all accounts, or for all guests. */
  readonly plan_source: 'operator' | 'token' | 'default' | 'guests'
}

/** What a store has of a key. */
interface StoredKey extends Pick<Caller, 'account' | 'kind' | 'terms'> {
  /** The masked value. */
  readonly keyPrefix: string
  readonly label: string
  readonly status: string
  readonly createdAt: EpochMs
}

export function shownKey(config: Config, record: StoredKey): ShownKey {
  const { keyPrefix: key, account, label, kind, status, createdAt } = record
  return { key, account, label, kind, ...shownPlan(config, record), status, created: seconds(createdAt) }
}

export function shownPlan(config: Config, caller: Pick<Caller, 'kind' | 'terms'>): ShownPlan {
  const { override, claimed } = caller.terms
  const plan = planOf(config, caller)
  if (caller.kind === 'guest') return { plan: plan?.name ?? null, plan_source: 'guests' }
  // Also one that the files declare no more: an operator has to know what to change.
  if (override !== undefined) return { plan: override, plan_source: 'operator' }
  const isClaimed = plan !== undefined && plan.name === claimed && plan !== config.guestPlan
  return { plan: plan?.name ?? null, plan_source: isClaimed ? 'token' : 'default' }
}

export const seconds = (at: EpochMs): number => Math.floor(at / 1000)

/** Reads the keys that a gateway sent. Throws TypeError where they are of another form. */
export const readKeys = ({ data }: JsonObject): readonly ShownKey[] => list(data, 'keys').map(readShownKey)

export function readShownKey(value: unknown): ShownKey {
  const record = object(value, 'key')
  return {
    key: text(record, 'key'),
    account: text(record, 'account'),
    label: text(record, 'label'),
    kind: text(record, 'kind'),
    ...readShownPlan(record),
    status: text(record, 'status'),
    created: count(record, 'created'),
  }
}

export const readShownPlan = (record: JsonObject): ShownPlan => ({
  plan: record.plan === null ? null : text(record, 'plan'),
  plan_source: oneOf(['operator', 'token', 'default', 'guests'], record, 'plan_source'),
})
