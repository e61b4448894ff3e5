import type { Pool } from '../policy/config.ts'
import type { Caller } from '../policy/facts.ts'
import type { WireRequest } from '../wire/openai/request.ts'
import type { Headers } from '../wire/openai/signals.ts'
import type { Identified } from './accounts/identified.ts'
import type { AdmittedCall } from './admission/admit.ts'
import type { KeptSlot } from './pools/kept-slot.ts'
import type { Cancel, Client, RequestTrace } from './ports.ts'

/** One authenticated, valid request. */
export interface Call {
  readonly requestId: string
  /** Absent for a sign-in. */
  readonly keyHash?: string
  readonly caller: Caller
  /** As in Identified. */
  readonly confirm?: Identified['confirm']
  readonly wire: WireRequest
  readonly headers: Headers
  readonly client: Client
  /** Hears which pool is tried, for answers that must begin before one of them has answered. */
  readonly trying: (admitted: AdmittedCall, pool: Pool) => void
  /** Bytes of its body, as far as they are kept while it waits. */
  readonly bodyBytes?: number
  /** Hears that it waits in the queue of a pool. */
  readonly waiter?: Waiter
  /** The slot that an answer in rounds keeps between them. */
  readonly kept?: KeptSlot
  /** Absent where tracing is off. */
  readonly trace?: RequestTrace
}

/** Hears of a request that is in the queue of a pool. */
export interface Waiter {
  /** The request waits. The result is called once it does so no longer. */
  waits(waiting: WaitingCall): Cancel
}

/** A request in the queue of a pool. */
export interface WaitingCall {
  readonly admitted: AdmittedCall
  /** Requests that wait there by now; absent where a stream must not begin before it is served. */
  readonly waiting?: () => number
}
