import type { BackendSettings } from '../../config/settings.ts'
import type { Millis } from '../../policy/config.ts'
import { isObject } from '../../wire/json-safety.ts'
import { parse } from '../../wire/openai/chunk.ts'
import type { Usage } from '../../wire/openai/usage.ts'
import { readPassedUsage } from '../../wire/passthrough.ts'
import type { Sink } from '../answer/live-stream.ts'
import type { Clock, Exchange } from '../ports.ts'
import { Deadlines } from '../timers.ts'
import type { Reader } from '../upstream/attempt.ts'
import {
  type AnswerEnd,
  type EndedAnswer,
  errorIn,
  type Failed,
  failed,
  type Outcome,
  ofError,
  type Rejected,
  type Work,
} from '../upstream/outcome.ts'
import type { UsageMeter } from './usage-meter.ts'

export interface PassthroughTerms {
  readonly clock: Clock
  readonly usageMeter: UsageMeter
  readonly settings: BackendSettings
  /** Whether it is an answer only once all of it is there. */
  readonly isWhole: boolean
}

/** An answer that is paid by its usage counts tokens, and holds no recordings. */
const MAX_WHOLE_BYTES = 16_777_216

/** A range is no answer to a request that asked for none. */
export const isSuccess = (status: number): boolean => status >= 200 && status < 300 && status !== 206

/** An answer of any kind: answered with its headers, or once all of it is there; then on its way to the client. */
export class PassthroughAnswer implements Reader {
  /** What clients may read of the headers. */
  headers: Readonly<Record<string, string>> = {}
  status = 0
  readonly #terms: PassthroughTerms
  readonly #answered: (outcome: Outcome<PassthroughAnswer>) => void
  #exchange: Exchange | undefined
  #phase: 'waiting' | 'live' | 'over' = 'waiting'
  #refused = false
  #usage: Usage | undefined
  #held: Buffer[] = []
  #sink: Sink<Buffer> | undefined
  #ending: EndedAnswer | undefined
  #paused = true
  #heardAt: Millis = 0
  readonly #deadlines: Deadlines

  constructor(terms: PassthroughTerms, answered: (outcome: Outcome<PassthroughAnswer>) => void) {
    this.#terms = terms
    this.#deadlines = new Deadlines(terms.clock)
    this.#answered = answered
  }

  begin(exchange: Exchange): void {
    this.#exchange = exchange
  }

  sent(): void {
    const { usageMeter, settings } = this.#terms
    usageMeter.dispatch()
    this.#watchAnswer(usageMeter.left(settings.answerTimeout))
  }

  head(status: number): void {
    this.status = status
    this.#refused = !isSuccess(status)
    const { usageMeter, settings, isWhole, clock } = this.#terms
    // The exchange keeps the time of a refusal; the time of a whole answer goes on.
    if (this.#refused || !isWhole) this.#deadlines.callOff()
    if (this.#refused || isWhole) return
    this.#exchange?.pause()
    this.#heardAt = clock.elapsed()
    this.#deadlines.after(usageMeter.left(settings.streamTimeout), () =>
      this.#cut('the time of the answer is over', false),
    )
    this.#watchSilence(settings.idleTimeout)
    this.#answer({ kind: 'answered', answer: this, status: this.status })
  }

  data(bytes: Buffer): void {
    const { usageMeter, isWhole, clock } = this.#terms
    usageMeter.answered += bytes.length
    this.#heardAt = clock.elapsed()
    if (usageMeter.isOver) this.#cut('more bytes than max_mb', false)
    else if (isWhole && usageMeter.answered > MAX_WHOLE_BYTES) this.#give(this.#failed('answer too large'))
    else if (this.#sink) this.#sink.write(bytes)
    else this.#held.push(bytes)
  }

  end(): void {
    if (this.#phase === 'waiting') this.#readWhole()
    if (this.#phase !== 'over') this.#finish('well')
  }

  failed(cause: string): void {
    if (this.#phase === 'waiting') this.#answer(this.#failed(cause))
    else this.#finish('failed', cause)
  }

  work(): Work {
    return this.#terms.usageMeter.work(this.#usage)
  }

  /** Hands over what was held, and from now on every byte. */
  attach(sink: Sink<Buffer>): void {
    this.#sink = sink
    for (const bytes of this.#held.splice(0)) sink.write(bytes)
    if (this.#ending) sink.end(this.#ending)
    else if (this.#phase === 'live') this.resume()
  }

  pause(): void {
    this.#paused = true
    this.#exchange?.pause()
  }

  resume(): void {
    this.#paused = false
    this.#heardAt = this.#terms.clock.elapsed()
    this.#exchange?.resume()
  }

  /** The client left while the answer was live: the exchange is aborted at once, and the sink is not called. */
  abort(): EndedAnswer {
    this.#sink = undefined
    this.#exchange?.abort()
    return this.#ending ?? this.#finish('left', 'client gone')
  }

  /** The client left before there was an answer. */
  leave(): void {
    if (this.#phase !== 'waiting') return
    this.#exchange?.abort()
    const { begun } = this.#terms.usageMeter
    this.#answer({ kind: 'left', ...(begun && !this.#refused && { work: begun }) })
  }

  /** The client sent more than is allowed, or a forbidden body: it is not charged for the attempt. */
  refuse(): void {
    this.#exchange?.abort()
    if (this.#phase === 'live') this.#finish('left', 'the body was refused')
    else this.#answer({ kind: 'left' })
  }

  /** Tells, once, how the attempt came out. */
  #answer(outcome: Outcome<PassthroughAnswer>): void {
    if (this.#phase !== 'waiting') return
    this.#phase = outcome.kind === 'answered' ? 'live' : 'over'
    if (this.#phase === 'over') this.#deadlines.callOff()
    this.#answered(outcome)
  }

  #give(failure: Failed | Rejected): void {
    this.#exchange?.abort()
    this.#answer(failure)
  }

  #readWhole(): void {
    const outcome = this.#judge(Buffer.concat(this.#held))
    if (outcome) this.#answer(outcome)
    else this.#answer({ kind: 'answered', answer: this, status: this.status })
  }

  /** What is wrong with all of an answer; its usage is kept. */
  #judge(bytes: Buffer): Failed | Rejected | undefined {
    // The gateway did not ask for an encoding, and cannot read the usage in it.
    if (this.headers['content-encoding'] !== undefined) return this.#failed('encoded answer')
    if (!/^application\/(?:[\w.-]+\+)?json\b/i.test(this.headers['content-type'] ?? '')) return undefined
    const error = errorIn(bytes)
    if (error !== undefined) return ofError(error, this.work())
    const answer = parse(bytes.toString('utf8'))
    if (!isObject(answer)) return this.#failed('malformed answer')
    this.#usage = readPassedUsage(answer)
    return undefined
  }

  #cut(cause: string, isFault: boolean): void {
    this.#exchange?.abort()
    if (this.#phase === 'waiting') this.#answer({ ...this.#failed(cause), blame: 'nobody', next: 'nothing' })
    else if (this.#phase === 'live') this.#finish(isFault ? 'failed' : 'left', cause)
  }

  #finish(how: AnswerEnd, cause = ''): EndedAnswer {
    this.#deadlines.callOff()
    this.#phase = 'over'
    this.#ending ??= { ...this.work(), how, cause }
    this.#sink?.end(this.#ending)
    return this.#ending
  }

  #failed(cause: string): Failed {
    const { begun } = this.#terms.usageMeter
    return failed(cause, begun)
  }

  /** A client that takes nothing is no silence of the backend. */
  #watchSilence(time: Millis): void {
    const { clock, settings } = this.#terms
    this.#deadlines.after(time, () => {
      const silent = this.#paused ? 0 : clock.elapsed() - this.#heardAt
      const left = settings.idleTimeout - silent
      if (left > 0) this.#watchSilence(left)
      else this.#cut('silence', true)
    })
  }

  /** A client that is slow to send is no delay of the backend, but for what its time costs. */
  #watchAnswer(time: Millis): void {
    const { usageMeter, settings } = this.#terms
    this.#deadlines.after(time, () => {
      const left = usageMeter.left(Number.POSITIVE_INFINITY)
      if (!usageMeter.awaitsBody) this.#give(this.#failed('answer timeout'))
      else if (left > 0) this.#watchAnswer(Math.min(left, settings.answerTimeout))
      else usageMeter.lateBody()
    })
  }
}
