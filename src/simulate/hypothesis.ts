import type { Config, EpochMs, Plan } from '../policy/config.ts'
import type { Caller } from '../policy/facts.ts'
import type { Headers } from '../wire/openai/signals.ts'
import type { Path } from './endpoints.ts'
import type { Usage } from './usage.ts'

/** A request that was never sent, and the state of the gateway that it would meet. */
export interface Hypothesis {
  readonly at: EpochMs
  readonly who: Who
  readonly path: Path
  readonly body: Buffer
  /** By lower-case name. */
  readonly headers: Headers
  readonly usage: Usage
  /** By name of the pool; all others are well. */
  readonly pools: ReadonlyMap<string, Illness>
}

/** Left out since it failed before, or failing when it is tried. */
export type Illness = 'down' | 'failing'

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
