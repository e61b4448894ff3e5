import type { EpochMs } from '../policy/config.ts'
import type { LimitUse } from '../policy/counters/limit-use.ts'
import type { Labels } from '../policy/label-values.ts'
import type { LimitRule } from '../policy/limits/rule.ts'
import { LIMIT_RULE } from './limit-rule.ts'
import { type LimitRecord, limitRecord } from './quota-record.ts'
import { defaulted, list, map, orNull, type RecordOf, text, whole } from './schema/schema.ts'

/** The facts shown about a key beside its masked value. Moments are seconds since the epoch; null stands for none. */
export const KEY_FACTS = {
  id: defaulted(text(), ''),
  name: defaulted(orNull(text('Null for the first key of an account.')), null),
  expires: defaulted(orNull(whole('Its expiry, in seconds since the epoch.')), null),
  last_used: defaulted(orNull(whole('In seconds since the epoch, rounded down to the minute.')), null),
  models: defaulted(orNull(list(text(), 'The models and tiers of its plan that it may use.')), null),
  addresses: defaulted(orNull(list(text(), 'The addresses and networks that it works from.')), null),
  limits: defaulted(orNull(list(LIMIT_RULE, "Its own limits, in addition to its account's.")), null),
  replaced_by: defaulted(orNull(text('The id of the key that replaced it.')), null),
  labels: defaulted(orNull(map(text(), 'The values of labels that it was minted with.')), null),
}

export interface KeyFacts extends RecordOf<typeof KEY_FACTS> {}

/** A key as stores have it. */
export interface StoredKey {
  readonly id: string
  readonly name?: string
  /** The masked value. */
  readonly keyPrefix: string
  readonly status: string
  readonly createdAt: EpochMs
  readonly expiresAt?: EpochMs
  readonly lastUsedAt?: EpochMs
  readonly models?: readonly string[]
  readonly addresses?: readonly string[]
  readonly limits?: readonly LimitRule[]
  readonly replacedBy?: string
  readonly labels?: Labels
}

export const keyFacts = (key: StoredKey): KeyFacts => ({
  id: key.id,
  name: key.name ?? null,
  expires: key.expiresAt === undefined ? null : seconds(key.expiresAt),
  last_used: key.lastUsedAt === undefined ? null : seconds(key.lastUsedAt),
  models: key.models ?? null,
  addresses: key.addresses ?? null,
  limits: key.limits ?? null,
  replaced_by: key.replacedBy ?? null,
  labels: key.labels ?? null,
})

/** A key as its owner sees it in the listing. */
export interface OwnKey extends KeyFacts {
  /** The masked value. */
  readonly key: string
  readonly plan: string
  readonly status: string
  readonly created: number
  /** The use of each limit of a working key, as in GET /billing/quota. Null where it has none. */
  readonly uses: readonly LimitRecord[] | null
}

export const ownKey = (record: StoredKey, plan: string, uses?: readonly LimitUse[]): OwnKey => ({
  key: record.keyPrefix,
  plan,
  status: record.status,
  created: seconds(record.createdAt),
  ...keyFacts(record),
  uses: uses?.map(limitRecord) ?? null,
})

export const seconds = (at: EpochMs): number => Math.floor(at / 1000)
