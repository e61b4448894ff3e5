import type { Clock } from '../../gateway/ports.ts'
import type { Millis } from '../../policy/config.ts'

/** The rate limit of one client at an endpoint. A new endpoint names its own. */
export type RateBound =
  /** `READ_RATES`: by key or sign-in, and without one by address. */
  | 'reads'
  /** For files of a console, of which a page loads many at once. */
  | 'files'
  /** The limits of the plan. */
  | 'plan'
  /** Nothing: what balancers and operators' probes ask is never refused, and costs next to nothing. */
  | 'probe'
  /** Nothing: only operators reach the listener that has it. */
  | 'operators'

/** The outcome of a read, for metrics. */
export type ReadOutcome = 'served' | 'limited' | 'refused' | 'failed'

/** Hears of every read once it is over; `route` is the method and the path as the table of endpoints has it. */
export type CountRead = (route: string, outcome: ReadOutcome) => void

/** The request of a client without a valid key: one for which it needs a key, a path that is not served, a preflight. */
export type StrangerRequest = 'credential' | 'path' | 'preflight'

/** Hears of every request of a stranger that reaches no endpoint. */
export type CountStranger = (request: StrangerRequest, outcome: ReadOutcome) => void

/** The group whose reads are counted together. */
export type Reader = 'key' | 'guests' | 'address' | 'files' | 'preflights'

/**
 * Reads ask no model, so that no limit of a plan counts them. A burst is what a page of the console or an SDK asks at
 * once, many times over; at the rate beyond it, one client cannot keep a core busy.
 */
export const READ_RATES: Readonly<Record<Reader, ReadRate>> = {
  key: { perSecond: 20, burst: 100 },
  /** Guests of one address share theirs: keys of guests cost nothing. */
  guests: { perSecond: 20, burst: 100 },
  /** Requests without a valid key. */
  address: { perSecond: 5, burst: 50 },
  files: { perSecond: 50, burst: 400 },
  /** Apart from other requests without a key: browsers send one before a request whose key is right, and show no key in it. */
  preflights: { perSecond: 50, burst: 400 },
}

export interface ReadRate {
  readonly perSecond: number
  readonly burst: number
}

/** Readers that are remembered; each takes some hundred bytes. */
const KEPT = 50_000

/** A token bucket for each reader, in this process alone. */
export class ReadLimits {
  readonly #clock: Pick<Clock, 'elapsed'>
  /** When each bucket is full again, those that were used last at the end. */
  readonly #fullAt = new Map<string, Millis>()

  constructor(clock: Pick<Clock, 'elapsed'>) {
    this.#clock = clock
  }

  /** Takes one read of a reader: 0, or how long to wait where there is none left. */
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
