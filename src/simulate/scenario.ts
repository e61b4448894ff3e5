import { type AccountCounters, dayAt } from '../policy/account-counters.ts'
import type { Config, EpochMs, Millis, Plan } from '../policy/config.ts'
import { windowOf } from '../policy/decision.ts'
import type { Caller } from '../policy/facts.ts'
import { type NanoUsd, ZERO_USD } from '../policy/nano-usd.ts'
import type { Headers } from '../wire/openai/signals.ts'
import type { Path } from './endpoints.ts'

/** A request that was never sent, and the state of the gateway that it would meet. */
export interface Scenario {
  readonly at: EpochMs
  readonly who: Who
  readonly path: Path
  readonly body: Buffer
  /** By lower-case name. */
  readonly headers: Headers
  readonly usage: Usage
  /** By name of the pool; all others are well. */
  readonly pools: ReadonlyMap<string, PoolFault>
}

/** Left out since it failed before, or failing when it is tried. */
export type PoolFault = 'down' | 'failing'

/** An account on a plan, or the sender of an Authorization header that belongs to no account here. */
export type Who = { readonly plan: Plan } | { readonly authorization: string | undefined }

/** Somebody on a plan: a device where it is the plan of guests. */
export function callerOn(plan: Plan, { guestPlan }: Config): Caller {
  const isGuest = plan === guestPlan
  return {
    kind: isGuest ? 'guest' : 'developer',
    account: isGuest ? 'a guest' : 'an account',
    keyPrefix: null,
    terms: isGuest ? {} : { override: plan.name },
  }
}

/** What an account is taken to have used before a request. */
export interface Usage {
  /** In the last minute, all at once, `age` ago. */
  readonly minute: { readonly requests: number; readonly tokens: number; readonly age: Millis }
  /** Requests of the UTC day. */
  readonly day: number
  /** Settled in the month. */
  readonly month: NanoUsd
  /** Held by requests under way. */
  readonly held: NanoUsd
  readonly underWay: number
  /** What all guests together have spent in the UTC day. */
  readonly guests: NanoUsd
}

export const NO_USAGE: Usage = {
  minute: { requests: 0, tokens: 0, age: 0 },
  day: 0,
  month: ZERO_USD,
  held: ZERO_USD,
  underWay: 0,
  guests: ZERO_USD,
}

/** The counters of an account that used as much. */
export function countersOf({ minute, day, month, held, underWay }: Usage, at: EpochMs): AccountCounters {
  const { requests, tokens, age } = minute
  const bucket = { second: Math.floor((at - age) / 1000), requests, tokens }
  return {
    minute: requests > 0 || tokens > 0 ? [bucket] : [],
    day: { number: dayAt(at), requests: day },
    concurrent: underWay,
    spend: { [windowOf(at).start]: { used: month, held } },
  }
}
