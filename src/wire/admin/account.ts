import type { Config, EpochMs, Overage } from '../../policy/config.ts'
import type { Caller } from '../../policy/facts.ts'
import type { LimitRule } from '../../policy/limits/limit-rule.ts'
import { addNanoUsd, type NanoUsd, ZERO_USD } from '../../policy/nano-usd.ts'
import { planOf } from '../../policy/plan.ts'
import type { JsonObject } from '../json-safety.ts'
import { seconds } from '../key.ts'
import { usdText } from '../money.ts'
import { readShownKey, readShownPlan, type ShownKey, type ShownPlan, shownPlan } from './key.ts'
import { readLimits } from './limit.ts'
import { readShownOrg, type ShownOrg } from './org.ts'
import { count, list, object, oneOf, text } from './record-fields.ts'

/** An account as operators see it. Amounts are exact decimals of US dollars. */
export interface ShownAccount extends ShownPlan {
  readonly account: string
  readonly label: string
  readonly kind: Caller['kind']
  readonly created: number
  /** Whether an operator froze it, so that nothing is served. */
  readonly frozen: boolean
  /** The org that it belongs to, `org:acme`; null where it belongs to none. */
  readonly org: string | null
  /** Whether that org is frozen, and the account with it. */
  readonly org_frozen: boolean
  readonly overage: ShownOverage
  readonly overage_source: 'operator' | 'plan'
  /** Of the billing window that runs now. */
  readonly window: { readonly start: string; readonly end: string }
  readonly used_usd: string
  readonly held_usd: string
  /** What the plan allots and what was granted; null without a plan. */
  readonly limit_usd: string | null
  readonly granted_usd: string
  /** Those that an operator set for it. */
  readonly limits: readonly LimitRule[]
  /** Ids of sign-ins that joined it. */
  readonly sign_ins: readonly string[]
  /** When the invitation ends that is open; null where none is. */
  readonly invited_until: string | null
  readonly keys: readonly Pick<ShownKey, 'key' | 'status' | 'created' | 'id' | 'name'>[]
}

/** A page of accounts. */
export interface ShownAccounts {
  readonly object: 'list'
  readonly data: readonly ShownAccount[]
  readonly has_more: boolean
  /** The cursor of the next page; null where there is none. */
  readonly next: string | null
}

/** `on`, `off`, or the most that may be spent past the limit. */
export type ShownOverage = 'on' | 'off' | { readonly cap_usd: string }

/** What a store has of an account. */
interface StoredAccount extends Pick<Caller, 'account' | 'kind' | 'terms' | 'orgTerms'> {
  readonly label: string
  readonly createdAt: EpochMs
  readonly signIns?: readonly string[]
  readonly invitation?: { readonly expiresAt: EpochMs }
}

/** What an account has spent in the billing window that runs, in nano-USD. */
interface Spend {
  readonly used: NanoUsd
  readonly held: NanoUsd
  readonly window: { readonly start: EpochMs; readonly end: EpochMs }
}

interface KeyOfAccount {
  readonly id: string
  readonly name?: string
  readonly keyPrefix: string
  readonly status: string
  readonly createdAt: EpochMs
}

/** An account with what it used in the running window and its keys, newest first. */
export function shownAccount(
  config: Config,
  record: StoredAccount,
  { used, held, window }: Spend,
  keys: readonly KeyOfAccount[],
  now: EpochMs,
): ShownAccount {
  const { account, label, kind, terms, orgTerms, createdAt, signIns = [], invitation } = record
  const plan = planOf(config, record)
  const granted = terms.grants?.[window.start] ?? ZERO_USD
  return {
    account,
    label,
    kind,
    created: seconds(createdAt),
    frozen: terms.frozen ?? false,
    org: terms.org === undefined ? null : `org:${terms.org}`,
    org_frozen: orgTerms?.frozen ?? false,
    ...shownPlan(config, record),
    overage: shownOverage(terms.overage ?? plan?.overage ?? false),
    overage_source: terms.overage === undefined ? 'plan' : 'operator',
    window: { start: iso(window.start), end: iso(window.end) },
    used_usd: usdText(used),
    held_usd: usdText(held),
    limit_usd: plan ? usdText(addNanoUsd(plan.monthlyNanoUsd, granted)) : null,
    granted_usd: usdText(granted),
    limits: terms.limits ?? [],
    sign_ins: signIns,
    invited_until: invitation && now < invitation.expiresAt ? iso(invitation.expiresAt) : null,
    keys: keys.map(({ keyPrefix: key, status, createdAt, id, name = null }) => ({
      ...{ key, status, created: seconds(createdAt), id, name },
    })),
  }
}

export function shownOverage(overage: Overage): ShownOverage {
  if (typeof overage === 'boolean') return overage ? 'on' : 'off'
  return { cap_usd: usdText(overage.capNanoUsd) }
}

const iso = (at: EpochMs): string => new Date(at).toISOString()

/** Reads an account that a gateway sent. Throws TypeError where it is of another form. */
export function readShownAccount(value: unknown): ShownAccount {
  const record = object(value, 'account')
  const window = object(record.window, 'window')
  return {
    account: text(record, 'account'),
    label: text(record, 'label'),
    kind: oneOf(['developer', 'guest'], record, 'kind'),
    created: count(record, 'created'),
    // A gateway of a version before this one freezes none, and has no orgs.
    frozen: record.frozen === true,
    org: typeof record.org === 'string' ? record.org : null,
    org_frozen: record.org_frozen === true,
    ...readShownPlan(record),
    overage: readOverage(record.overage),
    overage_source: oneOf(['operator', 'plan'], record, 'overage_source'),
    window: { start: text(window, 'start'), end: text(window, 'end') },
    used_usd: text(record, 'used_usd'),
    held_usd: text(record, 'held_usd'),
    limit_usd: record.limit_usd === null ? null : text(record, 'limit_usd'),
    granted_usd: text(record, 'granted_usd'),
    limits: readLimits(record.limits),
    // An older gateway invites nobody.
    sign_ins: Array.isArray(record.sign_ins) ? record.sign_ins.map(String) : [],
    invited_until: typeof record.invited_until === 'string' ? record.invited_until : null,
    keys: list(record.keys, 'keys').map(each => {
      const key = object(each, 'key')
      return {
        ...{ key: text(key, 'key'), status: text(key, 'status'), created: count(key, 'created') },
        // An older gateway sends neither.
        ...{ id: String(key.id ?? ''), name: typeof key.name === 'string' ? key.name : null },
      }
    }),
  }
}

/** Reads an account or an org that a gateway sent. */
export const readShownSubject = (record: JsonObject): ShownAccount | ShownOrg =>
  record.kind === 'org' ? readShownOrg(record) : readShownAccount(record)

export const readAccounts = ({ data, has_more, next }: JsonObject): ShownAccounts => ({
  object: 'list',
  data: list(data, 'accounts').map(readShownAccount),
  has_more: has_more === true,
  // A gateway of a version before this one has one page alone.
  next: typeof next === 'string' ? next : null,
})

/** An account, and an invitation to it, which is shown once. */
export interface InvitedAccount extends ShownAccount {
  readonly invitation: string
  /** Null where no console leads through it. */
  readonly link: string | null
}

/** Reads what an invitation made. */
export const readInvited = (record: JsonObject): InvitedAccount => ({
  ...readShownAccount(record),
  invitation: text(record, 'invitation'),
  link: typeof record.link === 'string' ? record.link : null,
})

/** Reads a key that a gateway sent together with its account. */
export const readOwnedKey = (record: JsonObject): ShownKey & { readonly owner: ShownAccount } => ({
  ...readShownKey(record),
  owner: readShownAccount(record.owner),
})

function readOverage(value: unknown): ShownAccount['overage'] {
  if (value === 'on' || value === 'off') return value
  return { cap_usd: text(object(value, 'overage'), 'cap_usd') }
}
