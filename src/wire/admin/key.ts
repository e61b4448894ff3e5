import type { Config } from '../../policy/config.ts'
import type { Caller } from '../../policy/facts.ts'
import { claimedPlan, planOf } from '../../policy/plan.ts'
import type { JsonObject } from '../json-safety.ts'
import { type KeyFacts, keyFacts, type StoredKey, seconds } from '../key.ts'
import { readLimits } from './limit.ts'
import { count, list, object, oneOf, text } from './record-fields.ts'

/** A key as operators see it: masked. */
export interface ShownKey extends ShownPlan, KeyFacts {
  readonly key: string
  readonly account: string
  readonly label: string
  readonly kind: string
  readonly status: string
  /** Seconds since the epoch. */
  readonly created: number
  /** Whether it keeps responses apart, and reads no others of its account. */
  readonly apart: boolean
}

export interface ShownPlan {
  /** Null when the configuration has none for the account. */
  readonly plan: string | null
  /** Who said so: an operator, its token, the configuration for all accounts, or for all guests. */
  readonly plan_source: 'operator' | 'token' | 'default' | 'guests'
}

/** What a store has of a key, and of its account. */
interface OwnedKey extends StoredKey, Pick<Caller, 'account' | 'kind' | 'terms'> {
  readonly label: string
  readonly apart?: string
}

export function shownKey(config: Config, record: OwnedKey): ShownKey {
  const { keyPrefix: key, account, label, kind, status, createdAt } = record
  const own = { key, account, label, kind, ...shownPlan(config, record), status, created: seconds(createdAt) }
  return { ...own, ...keyFacts(record), apart: record.apart !== undefined }
}

export function shownPlan(config: Config, caller: Pick<Caller, 'kind' | 'terms'>): ShownPlan {
  const { override, claimed } = caller.terms
  const plan = planOf(config, caller)
  if (caller.kind === 'guest') return { plan: plan?.name ?? null, plan_source: 'guests' }
  // Also one that the files declare no more: an operator has to know what to change.
  if (override !== undefined) return { plan: override, plan_source: 'operator' }
  const isClaimed = plan !== undefined && plan.name === claimedPlan(config, claimed)?.name && plan !== config.guestPlan
  return { plan: plan?.name ?? null, plan_source: isClaimed ? 'token' : 'default' }
}

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
    ...readFacts(record),
    // An older gateway does not say.
    apart: record.apart === true,
  }
}

/** An older gateway sends none of them. */
const readFacts = (record: JsonObject): KeyFacts => ({
  id: maybeText(record, 'id') ?? '',
  name: maybeText(record, 'name'),
  expires: maybeCount(record, 'expires'),
  last_used: maybeCount(record, 'last_used'),
  models: maybeTexts(record, 'models'),
  addresses: maybeTexts(record, 'addresses'),
  limits: isNone(record.limits) ? null : readLimits(record.limits),
  replaced_by: maybeText(record, 'replaced_by'),
})

const isNone = (value: unknown): boolean => value === undefined || value === null
const maybeText = (record: JsonObject, field: string) => (isNone(record[field]) ? null : text(record, field))
const maybeCount = (record: JsonObject, field: string) => (isNone(record[field]) ? null : count(record, field))
const maybeTexts = (record: JsonObject, field: string) =>
  isNone(record[field]) ? null : list(record[field], field).map(String)

export const readShownPlan = (record: JsonObject): ShownPlan => ({
  plan: record.plan === null ? null : text(record, 'plan'),
  plan_source: oneOf(['operator', 'token', 'default', 'guests'], record, 'plan_source'),
})
