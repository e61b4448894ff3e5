import type { LimitRule } from '../policy/limits/rule.ts'
import type { Fields, RecordOf } from './fields.ts'
import { jsonOf, list, moment, number, optional, text, texts, word } from './shape.ts'

// A key and its account, each declared once: the types of stores and of backups, and the codecs of Redis follow from here. A new
// field is optional, since records without it exist, and has a step in gateway/restrictions.ts.

/** Restrictions of a key within its account, fixed for its whole life. */
const NARROWED = {
  /** Models and tiers, as `tier:basic`, of those that the plan includes: it may use no others. Absent: all of them. */
  models: optional(list(text)),
  /** Addresses and networks, such as `10.0.0.0/8`, from which it may be used. Absent: from anywhere. */
  addresses: optional(list(text)),
  /** Limits on top of those of its account. One without a scope applies to the key. */
  limits: optional(jsonOf<readonly LimitRule[]>()),
  /**
   * Set where it keeps responses apart, and reads no others of its account: those that were kept by keys with the same mark. Absent:
   * those of its account.
   */
  apart: optional(text),
  /** The values of labels that an operator minted it with, by label: no header overrides them. */
  labels: optional(texts),
} satisfies Fields

export interface Narrowed extends RecordOf<typeof NARROWED> {}

/** Picks the restrictions and drops other fields. */
export function narrowedIn(given: Narrowed): Narrowed {
  const narrowed: Record<string, unknown> = {}
  for (const name of Object.keys(NARROWED) as (keyof Narrowed)[])
    if (given[name] !== undefined) narrowed[name] = given[name]
  return narrowed
}

/** How long a key works: nothing is written when its time is over. */
const KEY_LIFE = {
  status: word<'active' | 'revoked' | 'rotated'>(),
  /** It works before this moment. */
  expiresAt: optional(moment),
  /** The id of the key in its place. */
  replacedBy: optional(text),
} satisfies Fields

export interface KeyLife extends RecordOf<typeof KEY_LIFE> {}

/** A key. Its value is nowhere: only its hash. */
export const KEY = {
  hash: text,
  account: text,
  /** Masked, for listings. */
  keyPrefix: text,
  createdAt: moment,
  /** Counts every key ever minted. */
  number,
  /** Public, and the same for the life of the key. Older gateways wrote none. */
  id: optional(text),
  /** Absent for the first key of an account. */
  name: optional(text),
  /** The id of the first of the keys in whose place it stands. Absent where it replaced none. */
  origin: optional(text),
  ...NARROWED,
  ...KEY_LIFE,
  /** Rounded down to the minute; absent for a key that was never used. */
  lastUsedAt: optional(moment),
} satisfies Fields

export interface KeyState extends RecordOf<typeof KEY> {}
