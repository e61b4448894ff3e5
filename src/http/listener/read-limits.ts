import type { Clock } from '../../gateway/ports.ts'
import type { Millis } from '../../policy/config.ts'

/** The rate limit of one client at an endpoint. A new endpoint names its own. */
export type RateBound =
  /** `READ_RATES`: by key or sign-in, and without one by address. */
  | 'reads'
  /** Files of a console, many of which load with a page. */
  | 'files'
  /** The limits of the plan. */
  | 'plan'
  /** Unlimited: probes of balancers and operators are never refused, and cost next to nothing. */
  | 'probe'
  /** Unlimited: only operators reach its listener. */
  | 'operators'

/** The outcome of a read, for metrics. */
export type ReadOutcome = 'served' | 'limited' | 'refused' | 'failed'

/** Called after every read; `route` is the method and the path as in the table of endpoints. */
export type CountRead = (route: string, outcome: ReadOutcome) => void

/** A request without a valid key: for an endpoint that needs one, for an unknown path, or a preflight. */
export type StrangerRequest = 'credential' | 'path' | 'preflight'

/** Called for every request of an unknown caller that reaches no endpoint. */
export type CountStranger = (request: StrangerRequest, outcome: ReadOutcome) => void

/** The group whose reads are counted together. */
export type Reader = 'key' | 'guests' | 'address' | 'files' | 'preflights'

/**
 * Reads run no model, so no limit of a plan counts them. A burst covers several times what a page of the console or an
 * SDK requests at once; at the sustained rate, one client cannot keep a core busy.
 */
export const READ_RATES: Readonly<Record<Reader, ReadRate>> = {
  key: { perSecond: 20, burst: 100 },
  /** Guests share the rate of their address: guest keys are free. */
  guests: { perSecond: 20, burst: 100 },
  /** Requests without a valid key. */
  address: { perSecond: 5, burst: 50 },
  files: { perSecond: 50, burst: 400 },
  /**
   * Separate from other requests without a key: browsers send a preflight without the key even if the request after it
   * has one.
   */
  preflights: { perSecond: 50, burst: 400 },
}

export interface ReadRate {
  readonly perSecond: number
  readonly burst: number
}

/** The number of readers kept; each takes some hundred bytes. */
const KEPT = 50_000

/** A token bucket per reader, in this process. */
export class ReadLimits {
  readonly #clock: Pick<Clock, 'elapsed'>
  /** When each bucket is full again, most recently used last. */
  readonly #fullAt = new Map<string, Millis>()

  constructor(clock: Pick<Clock, 'elapsed'>) {
    this.#clock = clock
  }

  /** Takes one read of a reader. Returns 0, or the wait if the bucket is empty. */
  take(reader: Reader, name: string): Millis {
    const { perSecond, burst } = READ_RATES[reader]
    const step = 1000 / perSecond
    const id = `${reader} ${name}`
    const now = this.#clock.elapsed()
    const fullAt = Math.max(now, this.#fullAt.get(id) ?? now) + step
    const wait = fullAt - burst * step - now
    if (wait > 0) return Math.ceil(wait)
    this.#fullAt.delete(id)
    this.#fullAt.set(id, fullAt)
    this.#forget()
    return 0
  }

  get size(): number {
    return this.#fullAt.size
  }

  #forget(): void {
    for (const id of this.#fullAt.keys()) {
      if (this.#fullAt.size <= KEPT) return
      this.#fullAt.delete(id)
    }
  }
}
