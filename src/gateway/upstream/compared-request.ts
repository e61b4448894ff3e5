import type { EpochMs, Model, Pool } from '../../policy/config.ts'
import type { FirstToken } from '../attempt/first-token.ts'
import type { AnswerEnd, Failed, NoAnswer, Rejected } from '../attempt/outcome.ts'
import { isOwnFault } from '../own-faults.ts'
import type { ComparedOutcome } from '../pools/pools.ts'
import type { Client, Clock } from '../ports.ts'
import type { AttemptReport } from './attempt-report.ts'

interface ComparedPorts {
  readonly clock: Clock
  readonly client: Pick<Client, 'gone'>
  readonly note: (outcome: ComparedOutcome) => void
}

/** A model's canaries and the pools they are compared with, by name. */
interface ComparedPools {
  readonly canaries: ReadonlySet<string>
  /** The canaries, and the pools beside them. */
  readonly all: ReadonlySet<string>
}

/**
 * The outcome of one request at a model's canaries and the pools they are compared with, counted once per pool. An attempt that
 * fails or breaks off counts as an error, and so does an ejected pool; a client that disconnects does not. A refusal counts only once
 * another backend serves the request: if every backend refuses it, the client is at fault and it counts nowhere.
 */
export class ComparedRequest {
  readonly #ports: ComparedPorts
  readonly #model: string
  readonly #pools: ComparedPools
  readonly #counted = new Set<string>()
  readonly #refusedBy = new Set<string>()

  constructor(ports: ComparedPorts, model: string, pools: ComparedPools) {
    this.#ports = ports
    this.#model = model
    this.#pools = pools
  }

  /** Watches an attempt; undefined if its pool is not compared. */
  attempt({ name }: Pool): ComparedAttempt | undefined {
    if (!this.#pools.all.has(name)) return undefined
    return new ComparedAttempt(this.#ports, (isError, firstTokenMs) =>
      this.#note(name, { isError, ...(firstTokenMs !== undefined && { firstTokenMs }) }),
    )
  }

  /** Whether the pool is a canary, whose refusals later pools confirm or refute. */
  isCanary({ name }: Pool): boolean {
    return this.#pools.canaries.has(name)
  }

  /** The pool refused the request, or failed in a way that the request may have provoked. */
  refused({ name }: Pool): void {
    if (this.#pools.all.has(name)) this.#refusedBy.add(name)
  }

  /** A backend serves the request, so every earlier refusal was wrong. */
  served(): void {
    for (const pool of this.#refusedBy) this.#note(pool, { isError: true })
  }

  /** The request went on to another pool, since no replica of this one could be used. */
  passedOver({ name }: Pool, ejectedAt: EpochMs): void {
    if (this.#pools.all.has(name)) this.#note(name, { isError: true, ejectedAt })
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

  /** Wraps a report so that the end of the attempt is counted. */
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
    if (mayBeOfRequest(outcome) || isOwnFault(outcome.cause)) return
    this.#note(true)
  }

  #over(end: AnswerEnd): void {
    if (end === 'well') this.#note(false, this.#waited)
    else if (end === 'failed' && !this.#ports.client.gone) this.#note(true, this.#waited)
    else this.#left()
  }

  /** Counts the wait so far as a lower bound. Otherwise a pool so slow that clients give up would look fast. */
  #left(): void {
    const { clock } = this.#ports
    if (this.#sentAt !== undefined) this.#note(false, this.#waited ?? Math.max(0, clock.now() - this.#sentAt))
  }
}

/** Whether the request itself may be at fault: `ComparedRequest.refused` and `served` settle that. */
export const mayBeOfRequest = (outcome: Rejected | Failed): boolean =>
  outcome.kind === 'rejected' || outcome.isOfRequest === true || outcome.refusal !== undefined

/** The report of an attempt, which also counts it if its pool is compared. */
export const countedReport = (report: AttemptReport, compared: ComparedAttempt | undefined): AttemptReport =>
  compared ? compared.counting(report) : report

/** Notifies both of a stream's first token. */
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

const known = new WeakMap<Model, ComparedPools>()

/** The pools in the canary comparison of a model; undefined for a model without canaries. */
export function comparedPools(model: Model): ComparedPools | undefined {
  if (!model.traffic) return undefined
  const before = known.get(model)
  if (before) return before.all.size > 0 ? before : undefined
  const canaries = model.traffic.flatMap(({ pool, canary }) =>
    canary ? [{ name: pool.name, against: canary.against }] : [],
  )
  const pools = {
    canaries: new Set(canaries.map(({ name }) => name)),
    all: new Set(canaries.flatMap(({ name, against }) => [name, against])),
  }
  known.set(model, pools)
  return pools.all.size > 0 ? pools : undefined
}
