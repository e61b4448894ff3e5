import type { Timeouts } from '../config/settings.ts'
import type { EpochMs, Millis } from '../policy/config.ts'
import type { StreamWanted } from '../wire/request.ts'
import { StreamReader, type StreamReading } from '../wire/stream.ts'
import type { Usage } from '../wire/usage.ts'
import { type AttemptPorts, failed, type Outcome, openAttempt, type Reader, type Target } from './attempt.ts'
import type { Cancel, Client, Clock, Exchange } from './ports.ts'

/** Who gets the events of a stream once it is committed. */
export interface StreamSink {
  /** Whole events, ready to be sent. */
  write(events: string): void
  /** Nothing comes after it; not called when the stream was aborted. */
  end(ending: StreamEnding): void
}

export interface StreamEnding {
  /** The backend finished what it had to say. */
  readonly clean: boolean
  /** For the operator; empty when clean. */
  readonly cause: string
  readonly usage?: Usage
  /** Bytes of content, reasoning and tool calls that were passed on. */
  readonly spoken: number
}

/** The id of an answer whose backend gave it none. */
export const answerId = (requestId: string): string => `chatcmpl-${requestId}`

/** One attempt at a stream. It is answered at the first content; what came before is kept for the sink. */
export function attemptStream(
  ports: AttemptPorts,
  target: Target,
  terms: StreamWanted,
  client: Client,
): Promise<Outcome<AnswerStream>> {
  return new Promise(resolve => {
    let stopWatching: Cancel = () => {}
    const stream = new AnswerStream(ports.clock, target, terms, outcome => {
      stopWatching()
      resolve(outcome)
    })
    stream.begin(openAttempt(ports, target, stream, outcome => stream.answer(outcome)))
    stopWatching = client.onGone(() => stream.leave())
  })
}

/** A backend that said it is done gets this long to end its response, so that the connection can be used again. */
const LINGER: Millis = 1000

/** A stream of a backend: silent until its first content, then live until its end. */
export class AnswerStream implements Reader {
  readonly #clock: Clock
  readonly #timeouts: Timeouts
  readonly #reader: StreamReader
  readonly #answered: (outcome: Outcome<AnswerStream>) => void
  #timers: Cancel[] = []
  #exchange: Exchange | undefined
  #phase: 'waiting' | 'live' | 'over' = 'waiting'
  #sink: StreamSink | undefined
  /** Events that wait for a sink, and the ending if it came before one. */
  #held = ''
  #ending: StreamEnding | undefined
  #dispatched = false
  #headed = false
  #paused = false
  #heardAt: EpochMs

  constructor(clock: Clock, target: Target, terms: StreamWanted, answered: (outcome: Outcome<AnswerStream>) => void) {
    this.#clock = clock
    this.#timeouts = target.timeouts
    this.#answered = answered
    this.#heardAt = clock.now()
    const { usageWanted, choices } = terms
    const created = Math.floor(this.#heardAt / 1000)
    const id = answerId(target.requestId)
    this.#reader = new StreamReader({ model: target.pool.model, usageWanted, id, created }, choices)
  }

  /** Bytes of content, reasoning and tool calls so far. */
  get spoken(): number {
    return this.#reader.spoken
  }

  begin(exchange: Exchange): void {
    const { headersTimeout, firstContentTimeout, idleTimeout, streamTimeout } = this.#timeouts
    this.#exchange = exchange
    this.#after(headersTimeout, () => this.#headed || this.fail('headers timeout'))
    this.#after(firstContentTimeout, () => this.#phase === 'waiting' && this.fail('first content timeout'))
    this.#after(streamTimeout, () => this.fail('stream timeout'))
    this.#watchSilence(idleTimeout)
  }

  /** Hands over what was held, and from now on every event. */
  attach(sink: StreamSink): void {
    this.#sink = sink
    if (this.#held) sink.write(this.#held)
    this.#held = ''
    if (this.#ending) sink.end(this.#ending)
  }

  pause(): void {
    this.#paused = true
    this.#exchange?.pause()
  }

  resume(): void {
    this.#paused = false
    this.#heardAt = this.#clock.now()
    this.#exchange?.resume()
  }

  /** The client left: the backend is told at once, the sink nothing. What was said stays to be paid. */
  abort(): StreamEnding {
    this.#exchange?.abort()
    this.#sink = undefined
    return this.#end(false, 'client gone')
  }

  sent(): void {
    this.#dispatched = true
  }

  head(contentType: string): void {
    this.#headed = true
    if (!contentType.startsWith('text/event-stream')) this.fail('not an event stream')
  }

  data(bytes: Buffer): void {
    this.#heardAt = this.#clock.now()
    if (this.#phase !== 'over') this.#read(this.#reader.read(bytes))
  }

  end(): void {
    if (this.#phase !== 'over') this.#read(this.#reader.end())
    if (this.#phase !== 'over') this.#finish('ended without a finish')
    this.#callOff()
  }

  failed(cause: string): void {
    if (this.#phase !== 'over') this.#finish(cause)
  }

  /** The client left before anything was committed. */
  leave(): void {
    this.#exchange?.abort()
    this.answer({ kind: 'left', dispatched: this.#dispatched })
  }

  /** Gives the stream up: as a failed attempt while nothing is committed, as a cut stream after that. */
  fail(cause: string): void {
    if (this.#phase === 'over') return
    this.#exchange?.abort()
    this.#finish(cause)
  }

  /** Tells, once, how the attempt came out. */
  answer(outcome: Outcome<AnswerStream>): void {
    if (this.#phase !== 'waiting') return
    this.#phase = outcome.kind === 'answered' ? 'live' : 'over'
    if (this.#phase === 'over') this.#callOff()
    this.#answered(outcome)
  }

  #read({ events, stop }: StreamReading): void {
    if (events !== '') {
      if (this.#sink) this.#sink.write(events)
      else this.#held += events
    }
    if (this.#reader.spoken > 0 || this.#reader.finished) this.answer({ kind: 'answered', answer: this })
    if (stop?.kind === 'error') this.fail(stop.cause)
    else if (stop) this.#done()
  }

  #done(): void {
    if (this.#phase === 'waiting') {
      this.fail('empty answer')
      return
    }
    this.#end(true, '')
    this.#after(LINGER, () => this.#exchange?.abort())
  }

  /** Nothing more comes. Whoever finished every choice ended well, however the connection did. */
  #finish(cause: string): void {
    if (this.#phase === 'waiting') this.answer(failed(cause))
    else this.#end(this.#reader.finished, this.#reader.finished ? '' : cause)
  }

  #end(clean: boolean, cause: string): StreamEnding {
    this.#callOff()
    this.#phase = 'over'
    const { usage, spoken } = this.#reader
    // A usage that came before the end of a stream that never came counts a part of it.
    this.#ending = { clean, cause, ...(clean && usage && { usage }), spoken }
    this.#sink?.end(this.#ending)
    return this.#ending
  }

  #watchSilence(time: Millis): void {
    this.#after(time, () => {
      // Before the first content the other timers rule: a model may think long before it speaks.
      const silent = this.#paused || this.#phase === 'waiting' ? 0 : this.#clock.now() - this.#heardAt
      const left = this.#timeouts.idleTimeout - silent
      if (left > 0) this.#watchSilence(left)
      else this.fail('silence')
    })
  }

  #after(time: Millis, run: () => void): void {
    this.#timers.push(this.#clock.after(time, run))
  }

  #callOff(): void {
    for (const cancel of this.#timers) cancel()
    this.#timers = []
  }
}
