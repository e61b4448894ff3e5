import type { Config } from '../../policy/config.ts'
import type { Caller } from '../../policy/facts.ts'
import { claimedPlan, planOf } from '../../policy/plan.ts'
import { KEY_FACTS, keyFacts, type StoredKey, seconds } from '../key.ts'
import {
  defaulted,
  fixed,
  flag,
  listing,
  optional,
  orNull,
  type RecordOf,
  record,
  type TypeOf,
  text,
  whole,
  word,
} from '../schema/schema.ts'

/** The plan of an account or of a key. */
export const SHOWN_PLAN = {
  plan: orNull(text('Null if no plan applies to the account.')),
  plan_source: word(
    ['operator', 'token', 'default', 'guests'],
    'Who chose it: an operator, its token, or the configuration for all accounts or for all guests.',
  ),
}

export interface ShownPlan extends RecordOf<typeof SHOWN_PLAN> {}

const FIELDS = {
  key: text('The masked value.'),
  account: text(),
  label: text('The label of the account.'),
  kind: text('`developer`, or `guest` for a device.'),
  ...SHOWN_PLAN,
  status: text('`active`, `revoked` or `rotated`.'),
  created: whole('Seconds since the epoch.'),
  ...KEY_FACTS,
  apart: defaulted(
    flag("True if it reads only responses that it kept itself, and none of its account's other keys."),
    false,
  ),
}

/** A key as operators see it: masked. */
export const KEY = record(FIELDS, 'Key', 'A key, masked.')

export interface ShownKey extends TypeOf<typeof KEY> {}

export const KEYS = listing(KEY)

/** The answer to a mint or a rotation. */
export const MINTED_KEY = record(
  {
    ...FIELDS,
    existing: optional(
      flag('True if the account already had a key of this name, which is returned instead of a new one.'),
    ),
    rotated: optional(fixed(true)),
    base_url: text('The base URL for clients.'),
    value: optional(text('The full value of a new key. No other answer contains it.')),
    rate_limit_per_day: optional(orNull(whole('Requests per day of a device.'))),
  },
  'MintedKey',
)

export const REVOKED_KEY = record({ ...FIELDS, revoked: fixed(true) }, 'RevokedKey')

/** A key and its account as stores have them. */
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
