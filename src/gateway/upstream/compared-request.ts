import type { EpochMs, Model, Pool } from '../../policy/config.ts'
import type { FirstToken } from '../attempt/first-token.ts'
import type { AnswerEnd, NoAnswer } from '../attempt/outcome.ts'
import { isOwnFault } from '../own-faults.ts'
import type { ComparedOutcome } from '../pools/pools.ts'
import type { Client, Clock } from '../ports.ts'
import type { AttemptReport } from './attempt-report.ts'

interface ComparedPorts {
  readonly clock: Clock
  readonly client: Pick<Client, 'gone'>
  readonly note: (outcome: ComparedOutcome) => void
}

/**
 * How one request fares at the pools that canaries of its model are compared at: once at each pool. Any attempt there that
 * fails, or breaks off, makes it an error, and so does an ejected pool; a client that leaves makes it none.
 */
export class ComparedRequest {
  readonly #ports: ComparedPorts
  readonly #model: string
  readonly #pools: ReadonlySet<string>
  readonly #counted = new Set<string>()

  constructor(ports: ComparedPorts, model: string, pools: ReadonlySet<string>) {
    this.#ports = ports
    this.#model = model
    this.#pools = pools
  }

  /** Watches an attempt; undefined at a pool that is not compared. */
  attempt({ name }: Pool): ComparedAttempt | undefined {
    if (!this.#pools.has(name)) return undefined
    return new ComparedAttempt(this.#ports, (isError, firstTokenMs) =>
      this.#note(name, { isError, ...(firstTokenMs !== undefined && { firstTokenMs }) }),
    )
  }

  /** The request went on to another pool, since no replica of this one could be used. */
  passedOver({ name }: Pool, ejectedAt: EpochMs): void {
    if (this.#pools.has(name)) this.#note(name, { isError: true, ejectedAt })
  }

  #note(pool: string, outcome: Omit<ComparedOutcome, 'model' | 'pool'>): void {
    if (this.#counted.has(pool)) return
    this.#counted.add(pool)
    this.#ports.note({ model: this.#model, pool, ...outcome })
  }
}

type Note = (isError: boolean, firstTokenMs?: number) => void

/** One attempt of such a request. */
class ComparedAttempt implements FirstToken {
  readonly #ports: ComparedPorts
  readonly #note: Note
  #sentAt: EpochMs | undefined
  #waited: number | undefined

  constructor(ports: ComparedPorts, note: Note) {
    this.#ports = ports
    this.#note = note
  }

  sent(now: EpochMs): void {
    this.#sentAt = now
  }

  came(now: EpochMs): void {
    if (this.#sentAt !== undefined) this.#waited = Math.max(0, now - this.#sentAt)
  }

  ended(): void {}

  /** A report that is told how the attempt ends, and counts it. */
  counting(report: AttemptReport): AttemptReport {
    return {
      traceparent: report.traceparent,
      failed: outcome => {
        this.#failed(outcome)
        report.failed(outcome)
      },
      over: (end, work, status) => {
        this.#over(end)
        report.over(end, work, status)
      },
    }
  }

  #failed(outcome: NoAnswer): void {
    if (outcome.kind === 'left' || this.#ports.client.gone) {
      this.#left()
      return
    }
    // A field that the backend does not take is left out, and the request is sent again.
    if (outcome.kind === 'rejected' && outcome.unsupported !== undefined) return
    if (outcome.kind === 'failed' && isOwnFault(outcome.cause)) return
    this.#note(true)
  }

  #over(end: AnswerEnd): void {
    if (end === 'well') this.#note(false, this.#waited)
    else if (end === 'failed' && !this.#ports.client.gone) this.#note(true, this.#waited)
    else this.#left()
  }

  /** Without this, a pool so slow that clients give up would look fast: the wait so far is the least that it took. */
  #left(): void {
    const { clock } = this.#ports
    if (this.#sentAt !== undefined) this.#note(false, this.#waited ?? Math.max(0, clock.now() - this.#sentAt))
  }
}

/** The report of an attempt, which counts it where it is compared. */
export const countedReport = (report: AttemptReport, compared: ComparedAttempt | undefined): AttemptReport =>
  compared ? compared.counting(report) : report

/** Has both hear of a stream's first token. */
export function bothTokens(one: FirstToken | undefined, other: FirstToken | undefined): FirstToken | undefined {
  if (!one || !other) return one ?? other
  return {
    sent: now => {
      one.sent(now)
      other.sent(now)
    },
    came: now => {
      one.came(now)
      other.came(now)
    },
    ended: now => {
      one.ended(now)
      other.ended(now)
    },
  }
}

const known = new WeakMap<Model, ReadonlySet<string>>()
const NONE: ReadonlySet<string> = new Set()

/** The names of the pools at which the canaries of a model are compared. */
export function comparedPools(model: Model): ReadonlySet<string> {
  if (!model.traffic) return NONE
  const before = known.get(model)
  if (before) return before
  const pools = new Set(model.traffic.flatMap(({ pool, canary }) => (canary ? [pool.name, canary.against] : [])))
  known.set(model, pools)
  return pools
}
