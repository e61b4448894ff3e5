import type { Config, EpochMs, Overage } from '../../policy/config.ts'
import { keyOfWindow, type Window } from '../../policy/decision.ts'
import type { Caller } from '../../policy/facts.ts'
import { addNanoUsd, type NanoUsd, ZERO_USD } from '../../policy/nano-usd.ts'
import { planOf } from '../../policy/plan.ts'
import { seconds } from '../key.ts'
import { LIMIT_RULE } from '../limit-rule.ts'
import { usdText } from '../money.ts'
import {
  cases,
  defaulted,
  flag,
  forms,
  list,
  listing,
  moment,
  optional,
  orNull,
  record,
  type TypeOf,
  text,
  whole,
  word,
} from '../schema/schema.ts'
import { KEY, SHOWN_PLAN, shownPlan } from './key.ts'
import { ORG } from './org.ts'

/** `on`, `off`, or the most that may be spent beyond the limit. */
export const OVERAGE = forms(
  word(['on', 'off'], '`on`, `off`, or the most that may be spent beyond the limit.'),
  record({ cap_usd: text() }),
)

export type ShownOverage = TypeOf<typeof OVERAGE>

const KEY_OF_ACCOUNT = record({
  key: text('The masked value.'),
  status: text(),
  created: whole('Seconds since the epoch.'),
  id: defaulted(text(), ''),
  name: defaulted(orNull(text()), null),
})

/** An account as operators see it. Amounts are exact decimals of US dollars. */
export const ACCOUNT = record(
  {
    account: text('Its id.'),
    label: text('Its label.'),
    kind: word(['developer', 'guest']),
    created: whole('Seconds since the epoch.'),
    // Gateways before 0.2 freeze no account and have no orgs.
    frozen: defaulted(flag('Whether its requests are refused.'), false),
    deactivated: optional(flag('True where the identity provider deactivated the person; absent otherwise.')),
    org: defaulted(orNull(text('Its org, such as `org:acme`; null without one.')), null),
    org_frozen: defaulted(flag('Whether its org is frozen, and the account with it.'), false),
    ...SHOWN_PLAN,
    overage: OVERAGE,
    overage_source: word(['operator', 'plan']),
    window: record({ start: moment(), end: moment() }, undefined, 'The current billing window.'),
    used_usd: text('Used in that window.'),
    held_usd: text('Reserved by running requests.'),
    limit_usd: orNull(text('The plan’s allowance and grants; null without a plan.')),
    granted_usd: text(),
    limits: defaulted(list(LIMIT_RULE, 'Limits that an operator set for it.'), []),
    sign_ins: defaulted(list(text(), 'Ids of sign-ins that joined it.'), []),
    invited_until: defaulted(orNull(moment('The expiry of the open invitation; null without one.')), null),
    keys: list(KEY_OF_ACCOUNT, 'Newest first.'),
  },
  'Account',
  'An account. Amounts are exact decimals in US dollars.',
)

export interface ShownAccount extends TypeOf<typeof ACCOUNT> {}

/** An account with an invitation to it, which is shown only once. */
export const INVITED_ACCOUNT = record(
  { ...ACCOUNT.fields, invitation: text(), link: orNull(text('Null if no console can open it.')) },
  'InvitedAccount',
  'An account with an invitation to it, which is shown only once.',
)

export interface InvitedAccount extends TypeOf<typeof INVITED_ACCOUNT> {}

/** A page of accounts. */
export const ACCOUNTS = listing(ACCOUNT, {
  has_more: defaulted(flag(), false),
  next: defaulted(orNull(text('The cursor of the next page; null on the last one.')), null),
})

export interface ShownAccounts extends TypeOf<typeof ACCOUNTS> {}

/** The orders of listings: by label, the newest first, who spent most in this window first, or by id. */
export const LIST_ORDERS = ['label', 'created', 'spend', 'id'] as const

/** An account or an org. */
export const SUBJECT = cases('kind', { developer: ACCOUNT, guest: ACCOUNT, org: ORG })

/** A key together with its account. */
export const OWNED_KEY = record({ ...KEY.fields, owner: ACCOUNT }, 'OwnedKey')

/** An account as stores have it. */
interface StoredAccount extends Pick<Caller, 'account' | 'kind' | 'terms' | 'orgTerms'> {
  readonly label: string
  readonly createdAt: EpochMs
  readonly signIns?: readonly string[]
  readonly invitation?: { readonly expiresAt: EpochMs }
}

/** An account's spend in the running billing window, in nano-USD. */
interface Spend {
  readonly used: NanoUsd
  readonly held: NanoUsd
  readonly window: Window
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
  const granted = terms.grants?.[keyOfWindow(window)] ?? ZERO_USD
  return {
    account,
    label,
    kind,
    created: seconds(createdAt),
    frozen: terms.frozen ?? terms.deactivated ?? false,
    ...(terms.deactivated && { deactivated: true }),
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
