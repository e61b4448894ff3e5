import type { Slots } from '../../src/gateway/pools/slots.ts'
import type { StoreSlots } from '../../src/gateway/pools/store-slots.ts'
import type { StoreUnavailable } from '../../src/gateway/store/store.ts'
import type { SharedSlots } from '../../src/policy/queue/shared-slots.ts'
import type { Guarantee } from '../../src/policy/queue/with-shares.ts'
import type { AnswerLengths } from '../../src/policy/queue/work.ts'

/** A request that comes to a gateway, at a time in seconds. */
export interface Asked {
  readonly account: string
  readonly gateway: number
  readonly at: number
  readonly priority?: number
  readonly weight?: number
  /** The owner of the share that it counts in. */
  readonly owner?: string
  /** Tokens of its answer, which the gateway learns from. */
  readonly answer?: number
}

interface Options<R> {
  readonly gateways: number
  readonly slots: number
  /** Slots that are guaranteed to owners. */
  readonly guarantees?: readonly Guarantee[]
  /** Seconds that are simulated. */
  readonly until: number
  /** Seconds until the last gateway is killed. */
  readonly kill?: number
  /** The store does not answer from one second to another. */
  readonly away?: readonly [number, number]
  /** Work that is expected of a request, in tokens; that which it turns out to be; and its seconds. */
  readonly expectedOf: (request: R, lengths: AnswerLengths) => number
  readonly realOf: (request: R) => number
  readonly serviceOf: (request: R) => number
  readonly again?: (ended: R) => R | undefined
}

interface Parts {
  readonly Slots: typeof Slots
  readonly StoreSlots: typeof StoreSlots
  readonly SharedSlots: typeof SharedSlots
  readonly StoreUnavailable: typeof StoreUnavailable
}

export function playOverGateways<R extends Asked>(
  parts: Parts,
  asked: readonly R[],
  options: Options<R>,
): Promise<{
  /** Those that ended, with their times in ms. */
  readonly done: readonly (R & { readonly start: number; readonly end: number })[]
  readonly conserving: number
  readonly most: number
  readonly reportsPerSecond: number
}>
