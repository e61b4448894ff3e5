import type { Config, EpochMs, Plan } from '../../policy/config.ts'
import type { LimitUse } from '../../policy/counters/limit-use.ts'
import { keyOfWindow, type Window } from '../../policy/decision.ts'
import { type Caller, isFrozen } from '../../policy/facts.ts'
import type { Readings } from '../../policy/limits/readings.ts'
import { addNanoUsd, ZERO_USD } from '../../policy/nano-usd.ts'
import { isOfKey, planOf } from '../../policy/plan.ts'
import { type ShownPlan, shownPlan } from '../admin/key.ts'
import { type OwnLimits, planLimits } from '../admin/plan-limits.ts'
import { usdText } from '../money.ts'
import { type LimitRecord, limitRecord } from '../quota-record.ts'

/** GET /v1/account: who the caller is, what its plan has, and what it used. Amounts are exact decimals of US dollars. */
export interface OwnAccount extends ShownPlan {
  readonly object: 'account'
  readonly account: string
  readonly label: string
  readonly kind: Caller['kind']
  /** False where a key was sent. */
  readonly signed_in: boolean
  /** The id of the sign-in, which is another than `account` if it joined one; absent where a key was sent. */
  readonly sign_in?: string
  /** Nothing is served for a frozen account. */
  readonly frozen: boolean
  /** Whether the files have the plan: without one nothing is served. */
  readonly declared: boolean
  /** Those of the plan that the key may use. */
  readonly models: readonly string[]
  readonly tools: readonly string[]
  readonly limits: OwnLimits | null
  readonly minute: { readonly requests: number; readonly tokens: number }
  readonly day: { readonly requests: number }
  readonly under_way: number
  readonly window: OwnWindow
  /** The use of each limit, as in GET /billing/quota. */
  readonly uses: readonly LimitRecord[]
  readonly at: string
}

/** The billing window that runs. */
interface OwnWindow {
  readonly start: string
  readonly end: string
  readonly used_usd: string
  readonly held_usd: string
  readonly granted_usd: string
  /** The plan's allowance and grants; null without a plan. */
  readonly limit_usd: string | null
}

/** A caller's account as stores have it. */
interface StoredUsage extends Readings {
  readonly record: { readonly label: string }
  readonly window: Window
  readonly at: EpochMs
  /** The use of the limits that the caller may see. */
  readonly uses: readonly LimitUse[]
}

/** A caller, and the id of the sign-in that proved it, if one did. */
type ProvenCaller = Caller & { readonly person?: string | undefined }

export function ownAccount(config: Config, caller: ProvenCaller, usage: StoredUsage): OwnAccount {
  const { account, kind, key, person } = caller
  const plan = planOf(config, caller)
  const names = plan ? [...plan.models.keys()] : []
  return {
    object: 'account',
    account,
    label: usage.record.label,
    kind,
    signed_in: key === undefined,
    ...(person !== undefined && { sign_in: person }),
    frozen: isFrozen(caller),
    ...shownPlan(config, caller),
    declared: plan !== undefined,
    models: names.filter(name => isOfKey(key, config.models.get(name) ?? { name, tier: '' })),
    tools: plan ? [...plan.tools.keys()] : [],
    limits: plan ? planLimits(plan, caller.terms.overage) : null,
    minute: { requests: usage.requests, tokens: usage.tokens },
    day: { requests: usage.day },
    under_way: usage.concurrent,
    window: windowOf(plan, caller, usage),
    uses: usage.uses.map(limitRecord),
    at: iso(usage.at),
  }
}

function windowOf(plan: Plan | undefined, { terms }: Caller, { window, used, held }: StoredUsage): OwnWindow {
  const granted = terms.grants?.[keyOfWindow(window)] ?? ZERO_USD
  return {
    start: iso(window.start),
    end: iso(window.end),
    used_usd: usdText(used),
    held_usd: usdText(held),
    granted_usd: usdText(granted),
    limit_usd: plan ? usdText(addNanoUsd(plan.monthlyNanoUsd, granted)) : null,
  }
}

const iso = (at: EpochMs): string => new Date(at).toISOString()
