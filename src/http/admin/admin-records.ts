import type { LabelledRow } from '../../gateway/accounts/audited.ts'
import type { AccountRecord, SpendReading } from '../../gateway/store/account-store.ts'
import type { KeyRecord } from '../../gateway/store/key-store.ts'
import type { Config, EpochMs, Overage } from '../../policy/config.ts'
import type { Caller } from '../../policy/facts.ts'
import { planOf } from '../../policy/plan.ts'
import { usdText } from '../../wire/money.ts'

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

/** An account as operators see it. Amounts are exact decimals of US dollars. */
export interface ShownAccount extends ShownPlan {
  readonly account: string
  readonly label: string
  readonly kind: string
  readonly created: number
  /** `on`, `off`, or the most that may be spent past the limit. */
  readonly overage: ShownOverage
  readonly overage_source: 'operator' | 'plan'
  /** Of the billing window that runs now. */
  readonly window: { readonly start: string; readonly end: string }
  readonly used_usd: string
  readonly held_usd: string
  /** What the plan allots and what was granted; null without a plan. */
  readonly limit_usd: string | null
  readonly granted_usd: string
  readonly keys: readonly Pick<ShownKey, 'key' | 'status' | 'created'>[]
}

/** Some accounts, or all. */
export interface ShownAccounts {
  readonly object: 'list'
  readonly data: readonly ShownAccount[]
  readonly has_more: boolean
}

type ShownOverage = 'on' | 'off' | { readonly cap_usd: string }

/** One control change. */
export interface ShownAudit {
  readonly at: string
  readonly by: string
  readonly action: string
  readonly account: string
  /** How operators call the account; empty where there is none. */
  readonly label: string
  readonly before: string
  readonly after: string
}

export function shownKey(config: Config, record: KeyRecord): ShownKey {
  const { keyPrefix: key, account, label, kind, status, createdAt } = record
  return { key, account, label, kind, ...shownPlan(config, record), status, created: seconds(createdAt) }
}

/** An account with what it used in the running window and its keys, newest first. */
export function shownAccount(
  config: Config,
  record: AccountRecord,
  { used, held, window }: SpendReading,
  keys: readonly KeyRecord[],
): ShownAccount {
  const { account, label, kind, terms, createdAt } = record
  const plan = planOf(config, record)
  const granted = terms.grants?.[window.start] ?? 0
  return {
    account,
    label,
    kind,
    created: seconds(createdAt),
    ...shownPlan(config, record),
    overage: shownOverage(terms.overage ?? plan?.overage ?? false),
    overage_source: terms.overage === undefined ? 'plan' : 'operator',
    window: { start: iso(window.start), end: iso(window.end) },
    used_usd: usdText(used),
    held_usd: usdText(held),
    limit_usd: plan ? usdText(plan.monthlyNanoUsd + granted) : null,
    granted_usd: usdText(granted),
    keys: keys.map(({ keyPrefix, status, createdAt }) => ({ key: keyPrefix, status, created: seconds(createdAt) })),
  }
}

export const shownAudit = ({ at, by, action, account, label, before, after }: LabelledRow): ShownAudit => ({
  at: iso(at),
  by,
  action,
  account,
  label,
  before,
  after,
})

function shownPlan(config: Config, caller: Pick<Caller, 'kind' | 'terms'>): ShownPlan {
  const { override, claimed } = caller.terms
  const plan = planOf(config, caller)
  if (caller.kind === 'guest') return { plan: plan?.name ?? null, plan_source: 'guests' }
  // Also one that the files declare no more: an operator has to know what to change.
  if (override !== undefined) return { plan: override, plan_source: 'operator' }
  const isClaimed = plan !== undefined && plan.name === claimed && plan !== config.guestPlan
  return { plan: plan?.name ?? null, plan_source: isClaimed ? 'token' : 'default' }
}

function shownOverage(overage: Overage): ShownOverage {
  if (typeof overage === 'boolean') return overage ? 'on' : 'off'
  return { cap_usd: usdText(overage.capNanoUsd) }
}

const iso = (at: EpochMs): string => new Date(at).toISOString()
const seconds = (at: EpochMs): number => Math.floor(at / 1000)
