import type { AnswerReader, KnownEvents, StreamReading } from '../answer-reader.ts'
import type { StreamTranslator } from '../dialect.ts'
import { readTemplated, type TemplatedEvents } from '../fast/templated-events.ts'
import { parse } from '../json-bytes.ts'
import { asObject, isObject, type JsonObject } from '../json-safety.ts'
import { SkippedEvents } from '../skipped-events.ts'
import { EVENT_TOO_LONG, MAX_EVENT_BYTES, OVERLONG, SseSplitter, sseEvent } from '../sse.ts'
import { isEqual, larger, toldUsage } from '../usage/reported-usage.ts'
import { atLeast, countedUsage, type Usage } from '../usage/usage.ts'
import { completeIn } from './answer.ts'
import { ChunkReader, type ChunkTerms, type DeltaChunk } from './chunk.ts'
import { EventTemplates } from './event-templates.ts'

/** Reads a stream of chat chunks as it comes, and keeps what commit and settlement need to know. */
export class StreamReader extends SkippedEvents implements AnswerReader {
  readonly #terms: ChunkTerms
  readonly #choices: number
  readonly #chunks: ChunkReader
  readonly #templates: EventTemplates
  readonly #translator: StreamTranslator | undefined
  readonly #splitter = new SseSplitter()
  /** The first chunk as the client got it, whose id and time the others have. */
  #first = ''
  readonly #begun = new Set<number>()
  readonly #finished = new Set<number>()

  /**
   * `choices`: how many completions were asked for. `translator` is for a stream that is not in the public form. `maySkip`:
   * whether the answer may go on without an event that cannot be read.
   */
  constructor(terms: ChunkTerms, choices: number, translator?: StreamTranslator, maySkip = false) {
    super(maySkip)
    this.#terms = terms
    this.#chunks = new ChunkReader(terms, choices)
    this.#templates = new EventTemplates(this.#chunks, terms.deltas === undefined)
    this.#choices = choices
    this.#translator = translator
  }

  /** Whether there was any content, or an end without. */
  get started(): boolean {
    return this.outputBytes > 0 || this.finished
  }

  /** Whether there is anything for the client, or never will be. */
  get shows(): boolean {
    const { deltas } = this.#terms
    return deltas ? deltas.shown > 0 || this.finished : this.started
  }

  /** True if every choice has its finish_reason. */
  get finished(): boolean {
    return this.#finished.size >= this.#choices
  }

  protected override get strayLines(): number {
    return (this.#translator ?? this.#splitter).strayLines
  }

  get held(): number {
    return this.#splitter.held + (this.#translator?.held ?? 0) + this.heldEvents.length
  }

  /** Whether every choice that began has its finish_reason: a backend that ignores `n` begins one. */
  get isComplete(): boolean {
    return this.#finished.size > 0 && this.#finished.size >= this.#begun.size
  }

  override get usage(): Usage | undefined {
    const usage = super.usage
    return usage && this.#charged(usage)
  }

  read(received: Buffer): StreamReading {
    return this.#readEvents(this.#translator ? this.#translator.push(received) : received)
  }

  readKnown(received: Buffer, tokens: number): KnownEvents | undefined {
    if (this.#translator || !this.#splitter.rests) return undefined
    return this.#readTemplated(received, received.toString('latin1'), 0, tokens)
  }

  #readEvents(bytes: Buffer): StreamReading {
    // One character for each byte is faster to search.
    const latin1 = bytes.toString('latin1')
    let events = ''
    let at = 0
    while (at < bytes.length) {
      const known = this.#splitter.rests ? this.#readTemplated(bytes, latin1, at) : undefined
      if (known) {
        at = known.end
        events += known.events
        continue
      }
      const end = endOfEvent(latin1, at)
      const reading = this.#read(this.#splitter.push(bytes.subarray(at, end)))
      events += reading.events
      if (reading.stop) return { events, stop: reading.stop }
      if (this.#splitter.tooLong) return { events, stop: { kind: 'broken', cause: EVENT_TOO_LONG } }
      at = end
    }
    return { events }
  }

  readWhole(bytes: Buffer): StreamReading | undefined {
    const completion = completeIn(bytes, this.#terms)
    if (!completion) return undefined
    const chunk = this.#chunks.readParsed('', completion)
    return chunk.kind === 'delta' ? { events: this.pass(this.#take(chunk)), stop: { kind: 'done' } } : undefined
  }

  /** The bytes ended. */
  end(): StreamReading {
    const last = this.#translator && this.#readEvents(this.#translator.end())
    if (last?.stop) return last
    const { events, stop } = this.#read(this.#splitter.end())
    return { events: (last?.events ?? '') + events, ...(stop && { stop }) }
  }

  cut({ inputTokens, outputTokens }: Usage): string {
    const about = this.#about
    const choices = this.#finishOpen('length')
    const usage = {
      prompt_tokens: inputTokens,
      completion_tokens: outputTokens,
      total_tokens: inputTokens + outputTokens,
    }
    const { deltas, usageWanted } = this.#terms
    if (deltas) return eventOf(this.#chunks.write({ ...about, choices, usage }))
    const last = usageWanted ? sseEvent(JSON.stringify({ ...about, choices: [], usage })) : ''
    return eventOf(this.#chunks.write({ ...about, choices })) + last
  }

  /** The members that all chunks of the answer share. */
  get #about(): JsonObject {
    const first = parse(this.#first)
    const { id, created } = isObject(first) ? first : this.#terms
    return { id, created, object: 'chat.completion.chunk', model: this.#terms.model }
  }

  /** Ends the choices that have not ended yet: those of a last chunk. */
  #finishOpen(reason: string): readonly JsonObject[] {
    const open = this.#begun.size > 0 ? [...this.#begun].filter(index => !this.#finished.has(index)) : [0]
    for (const index of open) {
      this.#begun.add(index)
      this.#finished.add(index)
    }
    return open.map(index => ({ index, delta: {}, finish_reason: reason }))
  }

  /** The chunk that a backend left out which gives no finish reason, once it said that it is done. */
  #untoldFinish(): string {
    if (!this.#terms.endsUnfinished || this.isComplete || !this.started) return ''
    const choices = this.#finishOpen(this.hasCalled ? 'tool_calls' : 'stop')
    return this.pass(eventOf(this.#chunks.write({ ...this.#about, choices })))
  }

  /** Reads the events that follow a template and need no parsing. */
  #readTemplated(bytes: Buffer, latin1: string, from: number, most?: number): TemplatedEvents | undefined {
    const form = this.#templates.event
    const known = form && bytes.length < MAX_EVENT_BYTES ? readTemplated(form, bytes, latin1, from, most) : undefined
    if (known) {
      this.outputBytes += known.outputBytes
      this.tokens += known.tokens
    }
    return known
  }

  #read(data: readonly string[]): StreamReading {
    let events = ''
    for (const event of data) {
      const chunk = this.#templates.read(event)
      switch (chunk.kind) {
        case 'delta':
          if (chunk.hasCall && !this.calls()) return { events, stop: MALFORMED }
          events += this.pass(this.#take(chunk))
          break
        case 'nothing':
          break
        case 'done':
          return { events: events + this.#untoldFinish(), stop: chunk }
        case 'error':
          return { events, stop: chunk }
        case 'failed':
          return { events, stop: { kind: 'broken', cause: chunk.cause } }
        case 'malformed':
          // An overlong event ends the reading.
          if (event !== OVERLONG && this.skips()) break
          // An answer that lacks a part must not end as if it were whole.
          return { events, stop: MALFORMED }
      }
    }
    return { events }
  }

  #take({ outputBytes, tokens, choices, finished, usage, data }: DeltaChunk): string {
    this.outputBytes += outputBytes
    this.tokens += tokens
    for (const index of choices) this.#begun.add(index)
    for (const index of finished) this.#finished.add(index)
    if (this.#first === '' && data !== undefined) this.#first = data
    return eventOf(usage ? this.#retold(usage, data) : data)
  }

  /** Takes what an event reports. Returns the event as it tells all that was reported so far. */
  #retold(reported: Usage, data: string | undefined): string | undefined {
    this.report(larger(this.reported, reported))
    const { usage } = this
    if (data === undefined || (usage && isEqual(usage, reported))) return data
    if (!usage) return withoutUsage(data)
    const chunk = parse(data)
    if (!isObject(chunk) || !isObject(chunk.usage)) return data
    return JSON.stringify({ ...chunk, usage: toldUsage(chunk.usage, usage) })
  }

  /** Some backends report the usage of one choice, whatever they said in the others. */
  #charged(told: Usage): Usage | undefined {
    const usage = countedUsage(told, this.tokens)
    return usage && this.#choices > 1 ? atLeast(usage, this.tokens) : usage
  }
}

/** An event without its usage; nothing where it has no more. */
function withoutUsage(data: string): string | undefined {
  const { usage: _none, ...chunk } = asObject(parse(data))
  return Array.isArray(chunk.choices) && chunk.choices.length > 0 ? JSON.stringify(chunk) : undefined
}

const MALFORMED = { kind: 'broken', cause: 'malformed event' } as const
const eventOf = (data: string | undefined): string => (data === undefined ? '' : sseEvent(data))

/** Where the event at `from` ends with its blank line, or all there is. */
function endOfEvent(latin1: string, from: number): number {
  const end = latin1.indexOf('\n\n', from)
  return end === -1 ? latin1.length : end + 2
}
