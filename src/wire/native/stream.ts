import type { AnswerReader, StreamReading } from '../answer-reader.ts'
import type { StreamError } from '../client-dialect.ts'
import { parse } from '../json-bytes.ts'
import { isObject, type JsonObject } from '../json-safety.ts'
import { SkippedEvents } from '../skipped-events.ts'
import { EVENT_TOO_LONG, isVoid, namedEvent, SseSplitter } from '../sse.ts'
import { countedUsage, type Usage } from '../usage/usage.ts'
import type { NativeDialect, NativeReader } from './dialect.ts'

/** Reads a stream that goes to the client in the dialect in which its backend sends it. */
export class NativeStreamReader extends SkippedEvents implements AnswerReader {
  finished = false
  readonly #dialect: NativeDialect
  readonly #reader: NativeReader
  readonly #splitter = new SseSplitter()
  #last = ''

  /** `maySkip`: whether the answer may go on without an event that cannot be read. */
  constructor(dialect: NativeDialect, maySkip = false) {
    super(maySkip)
    this.#dialect = dialect
    this.#reader = dialect.reader()
  }

  /** The event that ends the answer, which is kept until the request is settled. */
  get last(): string {
    return this.#last === '' ? this.#dialect.closing : this.#last
  }

  /** The event that ends the answer where it failed. */
  fail(error: StreamError, requestId: string): string {
    return this.#reader.fail(error, requestId)
  }

  get started(): boolean {
    return this.outputBytes > 0 || this.finished
  }

  get shows(): boolean {
    return this.started
  }

  protected override get strayLines(): number {
    return this.#splitter.strayLines
  }

  get held(): number {
    return this.#splitter.held + this.#last.length + this.heldEvents.length
  }

  override isWhole(surplus?: number): boolean {
    return super.isWhole(surplus) && (this.skippedEvents === 0 || this.#reader.isOrderly)
  }

  get isComplete(): boolean {
    return this.finished
  }

  readKnown(): undefined {
    return undefined
  }

  read(received: Buffer): StreamReading {
    const reading = this.#read(this.#splitter.push(received))
    return reading.stop || !this.#splitter.tooLong
      ? reading
      : { events: reading.events, stop: { kind: 'broken', cause: EVENT_TOO_LONG } }
  }

  readWhole(): undefined {}

  end(): StreamReading {
    return this.#read(this.#splitter.end())
  }

  cut(charged: Usage, dropsLast: boolean): string {
    const { events, last } = this.#reader.cut(charged, dropsLast)
    this.finished = true
    this.#last = last
    return events
  }

  #read(data: readonly string[]): StreamReading {
    let events = ''
    for (const text of data) {
      // Some servers end every stream with the mark of chats.
      if (text === '[DONE]' || isVoid(text)) continue
      const event = parse(text)
      // Some fill a silence so.
      if (event === null || text.trim() === '') continue
      if (isEvent(event)) {
        const reading = this.#take(event, text)
        events += reading.events
        if (reading.stop) return { events, stop: reading.stop }
        // The rest may be whole without one that cannot be read, as the usage at the end shows.
      } else if (!this.skips()) return { events, stop: MALFORMED }
    }
    return { events }
  }

  #take(event: TypedEvent, text: string): StreamReading {
    const { outputBytes, tokens, usage, isFinished, isLast, hasCall, sent, error } = this.#reader.read(event)
    if (error !== undefined) return { events: '', stop: { kind: 'error', error } }
    if (hasCall && !this.calls()) return { events: '', stop: MALFORMED }
    this.outputBytes += outputBytes
    this.tokens += tokens
    const counted = usage && countedUsage(usage, this.tokens)
    if (counted) this.report(counted)
    if (isFinished) this.finished = true
    const named = namedEvent(String(sent?.type ?? event.type), sent ? JSON.stringify(sent) : text)
    if (!isLast) return { events: this.pass(named) }
    this.#last = named
    return { events: '', stop: { kind: 'done' } }
  }
}

type TypedEvent = JsonObject & { readonly type: string }
const isEvent = (event: unknown): event is TypedEvent => isObject(event) && typeof event.type === 'string'

const MALFORMED = { kind: 'broken', cause: 'malformed event' } as const
