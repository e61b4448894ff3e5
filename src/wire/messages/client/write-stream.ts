import { signatureOf } from '../../call-signatures.ts'
import type { StreamError, WriterTerms } from '../../client-dialect.ts'
import { asObject, isObject, type JsonObject } from '../../json-safety.ts'
import { OpenCalls } from '../../open-calls.ts'
import type { CallSignature, ReasoningField, SignedThought } from '../../reasoning/sealed-reasoning.ts'
import { fieldIn, reasoningIn, SignedThoughts } from '../../reasoning/signed-thoughts.ts'
import type { Usage } from '../../usage/usage.ts'
import { failureEvent, messageEvent } from '../event.ts'
import { type AnswerForm, CallIds, functionIn, hiddenBlocks, stopOf, writeCounts, writeUsage } from './answer-form.ts'
import {
  CallSegment,
  RedactedSegment,
  type Segment,
  SignatureSegment,
  TextSegment,
  ThinkingSegment,
} from './segments.ts'

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
  /** The index of the open block. */
  #index = 0
  readonly #calls = new OpenCalls(() => {
    this.#hide()
    return this.#begin(new CallSegment(this.#naming))
  })
  readonly #signed = new SignedThoughts()
  /** Reasoning since the last call that the client did not ask for. */
  #hidden: { text: string; readonly signed: SignedThought[]; field?: ReasoningField | undefined } = {
    text: '',
    signed: [],
  }
  #called = false
  #refused = false
  /** The last choice that said how the answer ends. */
  #ending: JsonObject = {}
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
    for (const choice of Array.isArray(chunk.choices) ? chunk.choices : []) this.#take(asObject(choice))
    return start + this.#write(false)
  }

  /** The last events of a stream that came whole, with the usage that is charged. */
  end(charged: Usage): string {
    if (this.#state === 'over') return ''
    const events = this.#start() + this.#write(true)
    this.#state = 'over'
    const end = { choice: this.#ending, called: this.#called, refused: this.#refused }
    const delta = JSON.stringify(stopOf(end, this.#form))
    const counts = JSON.stringify(writeCounts(charged))
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
      ...{ container: null, stop_details: null, stop_reason: null },
      stop_sequence: null,
      usage: writeUsage({ inputTokens, outputTokens: 1 }),
    }
    return messageEvent('message_start', `"message":${JSON.stringify(message)}`) + messageEvent('ping')
  }

  #take(choice: JsonObject): void {
    const { finish_reason: finish } = choice
    if (typeof finish === 'string' && finish !== '') this.#ending = choice
    const delta = asObject(choice.delta)
    this.#think(reasoningIn(delta), this.#signed.read(delta), fieldIn(delta))
    this.#say(delta.content)
    if (this.#say(delta.refusal)) this.#refused = true
    for (const call of Array.isArray(delta.tool_calls) ? delta.tool_calls : []) if (isObject(call)) this.#call(call)
  }

  #think(text: string, signed: readonly SignedThought[], field: ReasoningField | undefined): void {
    if (this.#form.thinking === 'none') {
      this.#hidden.text += text
      this.#hidden.signed.push(...signed)
      this.#hidden.field ??= field
      return
    }
    if (text !== '') {
      const last = this.#row.at(-1)
      const goesOn = last instanceof ThinkingSegment && !last.isSigned
      const segment = goesOn ? last : this.#begin(new ThinkingSegment(this.#form.thinking === 'whole', field))
      segment.add(text)
    }
    for (const thought of signed) this.#sign(thought)
  }

  /** Adds to the last segment if it is a text, and to a new one if it is not. Returns whether anything was said. */
  #say(text: unknown): boolean {
    if (typeof text !== 'string' || text === '') return false
    const last = this.#row.at(-1)
    const segment = last instanceof TextSegment ? last : this.#begin(new TextSegment())
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
    const call = this.#calls.of(part)
    if (call.id === '' && typeof part.id === 'string') call.id = part.id
    if (call.name === '') call.name = name
    call.add(args)
    const signature = signatureOf(part)
    if (signature) this.#signCall(call, signature)
  }

  /** Before the call, where that has not begun. */
  #signCall(call: CallSegment, signature: Omit<CallSignature, 'call'>): void {
    const segment = new SignatureSegment(call, signature)
    if (call.isOpen) this.#begin(segment)
    else this.#row.splice(this.#row.indexOf(call), 0, segment)
  }

  /** Thoughts that the client did not ask for go with the calls that follow: their backend may want them back. */
  #hide(): void {
    for (const block of hiddenBlocks(this.#hidden)) this.#begin(new RedactedSegment(block))
    this.#hidden = { text: '', signed: [] }
  }

  readonly #naming = ({ id, name }: { readonly id: string; readonly name: string }) => {
    this.#called = true
    return { id: this.#ids.take(id), name: this.#form.names.find(name) ?? name }
  }

  /** Writes as much as can go now: of the first open segment, and of those after it once it is over. */
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
