import type { StreamError, WriterTerms } from '../../client-dialect.ts'
import { asObject, isObject, type JsonObject } from '../../json-safety.ts'
import { readUsage, type Usage } from '../../openai/usage.ts'
import type { SignedThought } from '../../sealed-reasoning.ts'
import { reasoningIn, SignedThoughts } from '../../signed-thoughts.ts'
import { failureEvent, messageEvent } from '../message-event.ts'
import { type AnswerForm, CallIds, functionIn, stopOf, usageOf } from './answer-form.ts'
import { CallSegment, RedactedSegment, type Segment, TextSegment, ThinkingSegment } from './segments.ts'

/**
 * Writes the stream of a chat as one of Messages. There one block is open at a time, and chats may go on with several
 * things at once: what is said is a row of segments, of which the first that is not over is written.
 */
export class MessageStream {
  readonly #form: AnswerForm
  readonly #terms: WriterTerms
  readonly #ids: CallIds
  readonly #row: Segment[] = []
  /** How many of the row are written whole. */
  #over = 0
  /** Of the block that is written. */
  #index = 0
  /** The last call of each index of the backend. */
  readonly #calls = new Map<number, CallSegment>()
  readonly #signed = new SignedThoughts()
  #called = false
  #refused = false
  /** The last choice that said how the answer ends. */
  #ending: JsonObject = {}
  #usage: unknown
  #state: 'new' | 'begun' | 'over' = 'new'

  constructor(form: AnswerForm, terms: WriterTerms) {
    this.#form = form
    this.#terms = terms
    this.#ids = new CallIds(terms.newId)
  }

  /** The events that one chunk brings. */
  chunk(chunk: JsonObject): string {
    if (this.#state === 'over') return ''
    const start = this.#start()
    if (readUsage(chunk.usage)) this.#usage = chunk.usage
    for (const choice of Array.isArray(chunk.choices) ? chunk.choices : []) this.#take(asObject(choice))
    return start + this.#write(false)
  }

  /** The last events of a stream that came whole. */
  end(usage: Usage): string {
    if (this.#state === 'over') return ''
    const events = this.#start() + this.#write(true)
    this.#state = 'over'
    const end = { choice: this.#ending, called: this.#called, refused: this.#refused }
    const delta = JSON.stringify(stopOf(end, this.#form))
    const counts = JSON.stringify(usageOf(this.#usage, usage))
    return `${events}${messageEvent('message_delta', `"delta":${delta},"usage":${counts}`)}${messageEvent('message_stop')}`
  }

  /** The last event of a stream that failed. */
  fail(error: StreamError): string {
    if (this.#state === 'over') return ''
    this.#state = 'over'
    return failureEvent(error, this.#terms.requestId)
  }

  #start(): string {
    if (this.#state !== 'new') return ''
    this.#state = 'begun'
    const { newId, model, inputTokens } = this.#terms
    const message = {
      id: `msg_${newId()}`,
      type: 'message',
      role: 'assistant',
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: usageOf(undefined, { inputTokens, outputTokens: 1 }),
    }
    return messageEvent('message_start', `"message":${JSON.stringify(message)}`) + messageEvent('ping')
  }

  #take(choice: JsonObject): void {
    const { finish_reason: finish } = choice
    if (typeof finish === 'string' && finish !== '') this.#ending = choice
    const delta = asObject(choice.delta)
    if (this.#form.thinking !== 'none') {
      this.#say(ThinkingSegment, reasoningIn(delta))
      for (const thought of this.#signed.read(delta)) this.#sign(thought)
    }
    this.#say(TextSegment, delta.content)
    if (this.#say(TextSegment, delta.refusal)) this.#refused = true
    for (const call of Array.isArray(delta.tool_calls) ? delta.tool_calls : []) if (isObject(call)) this.#call(call)
  }

  /** Adds to the last segment if it is of this kind, and to a new one if it is not. Returns whether anything was said. */
  #say(Kind: typeof TextSegment | typeof ThinkingSegment, text: unknown): boolean {
    if (typeof text !== 'string' || text === '') return false
    const last = this.#row.at(-1)
    const segment =
      last instanceof Kind && !last.isSigned ? last : this.#begin(new Kind(this.#form.thinking === 'whole'))
    segment.add(text)
    return true
  }

  /** A signature stands at the end of its thought, where the backend sends it in time. */
  #sign(thought: SignedThought): void {
    const last = this.#row.at(-1)
    if (thought.type === 'redacted_thinking') this.#begin(new RedactedSegment(thought))
    else if (last instanceof ThinkingSegment && !last.isSigned) last.sign(thought)
    else this.#begin(new ThinkingSegment(this.#form.thinking === 'whole')).sign(thought)
  }

  #begin<S extends Segment>(segment: S): S {
    this.#row.push(segment)
    return segment
  }

  #call(part: JsonObject): void {
    const { name, arguments: args } = functionIn(part)
    const call = this.#callOf(part, name)
    if (call.id === '' && typeof part.id === 'string') call.id = part.id
    if (call.name === '') call.name = name
    call.add(args)
  }

  /** Backends that send calls whole may number none of them, or all alike: then a name with another id begins one. */
  #callOf({ index, id }: JsonObject, name: string): CallSegment {
    const place = typeof index === 'number' ? index : 0
    const open = this.#calls.get(place)
    const hasId = typeof id === 'string' && id !== ''
    const isOther = hasId ? id !== open?.id : typeof index !== 'number'
    if (open && !(name !== '' && open.name !== '' && isOther)) return open
    const call = new CallSegment(this.#naming)
    this.#calls.set(place, call)
    this.#row.push(call)
    return call
  }

  readonly #naming = ({ id, name }: { readonly id: string; readonly name: string }) => {
    this.#called = true
    return { id: this.#ids.take(id), name: this.#form.names.find(name) ?? name }
  }

  /** What can be written now: of the first segment that is not over, and of those after it once it is. */
  #write(ends: boolean): string {
    let events = ''
    for (let segment = this.#row[this.#over]; segment; segment = this.#row[this.#over]) {
      if (segment.isKnown) events += segment.write(this.#index)
      const isOver = ends || (segment.isKnown && segment.isWhole && this.#over < this.#row.length - 1)
      if (!isOver) break
      if (segment.isKnown) events += segment.close(this.#index++)
      this.#over++
    }
    return events
  }
}
