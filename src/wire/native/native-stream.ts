import type { AnswerReader, StreamReading } from '../answer-reader.ts'
import type { StreamError } from '../client-dialect.ts'
import { isObject } from '../json-safety.ts'
import { parse } from '../openai/chunk.ts'
import { UsageSoFar } from '../openai/usage-so-far.ts'
import { namedEvent, SseSplitter } from '../sse.ts'
import type { NativeDialect, NativeReader } from './native-dialect.ts'

/** Reads a stream that goes to the client in the dialect in which its backend sends it. */
export class NativeStreamReader extends UsageSoFar implements AnswerReader {
  finished = false
  readonly #dialect: NativeDialect
  readonly #reader: NativeReader
  readonly #splitter = new SseSplitter()
  #last = ''

  constructor(dialect: NativeDialect) {
    super()
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

  read(received: Buffer): StreamReading {
    const reading = this.#read(this.#splitter.push(received))
    return reading.stop || !this.#splitter.tooLong
      ? reading
      : { events: reading.events, stop: { kind: 'broken', cause: 'event over 1 MiB' } }
  }

  end(): StreamReading {
    return this.#read(this.#splitter.end())
  }

  #read(data: readonly string[]): StreamReading {
    let events = ''
    for (const text of data) {
      // Some servers end every stream with the mark of chats.
      if (text === '[DONE]') continue
      const event = parse(text)
      if (!isObject(event) || typeof event.type !== 'string')
        return { events, stop: { kind: 'broken', cause: 'malformed event' } }
      const { outputBytes, tokens, usage, isFinished, isLast, error } = this.#reader.read(event)
      if (error !== undefined) return { events, stop: { kind: 'error', error } }
      this.outputBytes += outputBytes
      this.tokens += tokens
      if (usage) this.report(usage)
      if (isFinished) this.finished = true
      if (isLast) {
        this.#last = namedEvent(event.type, text)
        return { events, stop: { kind: 'done' } }
      }
      events += namedEvent(event.type, text)
    }
    return { events }
  }
}
