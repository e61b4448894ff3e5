import type { EpochMs } from '../policy/config.ts'
import type { NoticedLimit } from '../policy/notices.ts'

/** One notice and the state of its delivery to each target. Plain JSON, as stores keep it. */
export interface Notice {
  /** `ntc_…`: the same for the same thing, however often it is delivered. */
  readonly id: string
  readonly at: EpochMs
  readonly event: NoticeEvent
  readonly deliveries: readonly Delivery[]
}

export type NoticeEvent = LimitReached | KeyExpires | AccountFrozen | IncidentChanged | TestOfTarget

/** A limit was used up to a threshold. */
export interface LimitReached {
  readonly kind: 'limit'
  /** The highest threshold that was reached, in percent. */
  readonly percent: number
  /** Settled use, in the unit of the measure: nano-USD for `usd`. */
  readonly used: number
  /** When the window ends. */
  readonly resetAt: EpochMs
  readonly limit: NoticedLimit
}

/** A key is about to stop working. */
export interface KeyExpires {
  readonly kind: 'key-expiry'
  readonly account: string
  readonly label: string
  /** The id of the key. */
  readonly key: string
  readonly name?: string
  /** Masked. */
  readonly prefix: string
  readonly expiresAt: EpochMs
}

/** An account or an org was frozen, or is served again. */
export interface AccountFrozen {
  readonly kind: 'freeze'
  readonly state: 'frozen' | 'thawed'
  /** The id of an account, or `org:` and the name of an org. */
  readonly account: string
  /** The operator, or the identity provider. */
  readonly by: string
}

/** Trouble of gateways began, or is over in all of them. */
export interface IncidentChanged {
  readonly kind: 'incident'
  readonly state: 'opened' | 'resolved'
  /** The name of its kind, such as `replica-ejected`. */
  readonly incident: string
  readonly severity: string
  readonly title: string
  /** The affected pool, replica or similar; empty for a gateway as a whole. */
  readonly subject: Readonly<Record<string, string | number | boolean>>
  readonly openedAt: EpochMs
  /** The operator's first action. */
  readonly action: string
  readonly runbook: string
}

/** An operator tries a target. */
export interface TestOfTarget {
  readonly kind: 'test'
  readonly by: string
}

export const DELIVERY_STATES = ['waiting', 'delivered', 'failed'] as const

/** A notice on its way to one target. */
export interface Delivery {
  readonly target: string
  /** `failed`: given up, until an operator tries it again. */
  readonly state: (typeof DELIVERY_STATES)[number]
  /** The highest threshold of the target that was reached; absent for other events. */
  readonly percent?: number
  readonly tries: number
  /** When the last attempt ended. */
  readonly triedAt?: EpochMs
  /** How often the receiver refused this notice; absent where it never did. */
  readonly refusals?: number
  /** The earliest moment of the next attempt after a refusal; absent where there is no pause. */
  readonly dueAt?: EpochMs
  /** Why it failed; absent where it did not. */
  readonly error?: string
}
