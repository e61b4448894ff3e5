import type { StreamTranslator } from '../dialect.ts'
import { parse } from '../json-bytes.ts'
import { asObject, isObject, type JsonObject } from '../json-safety.ts'
import type { SignedThought } from '../reasoning/sealed-reasoning.ts'
import { keptThought } from '../reasoning/thoughts.ts'
import { OVERLONG, SseSplitter, sseDone, sseEvent } from '../sse.ts'
import { countIn } from '../usage/reported-usage.ts'
import { chatUsage, finishOf, stopOf } from './answer-to-chat.ts'
import { laterCounts } from './later-counts.ts'

/** Turns a stream of Messages into chunks of a chat: one for each event that says something. */
export class MessagesStream implements StreamTranslator {
  readonly #splitter = new SseSplitter()
  /** The members that every chunk has. */
  #head: JsonObject = {}
  readonly #open = new Map<unknown, OpenBlock>()
  readonly #thoughtsApart: boolean
  readonly #kept: SignedThought[] = []
  #calls = 0
  #usage: JsonObject = {}
  /** Whether that counts all of the answer: what is reported with its beginning does not. */
  #isCounted = false
  #isFinished = false
  #isOver = false

  constructor(thoughtsApart = false) {
    this.#thoughtsApart = thoughtsApart
  }

  get strayLines(): number {
    return this.#splitter.strayLines
  }

  get held(): number {
    return this.#splitter.held
  }

  push(bytes: Buffer): Buffer {
    const events = this.#splitter.push(bytes).map(data => this.#event(data))
    if (this.#splitter.tooLong) events.push(sseEvent(OVERLONG))
    return Buffer.from(events.join(''))
  }

  end(): Buffer {
    const events = this.#splitter.end().map(data => this.#event(data))
    // A stream that has only lost its last event came whole.
    return Buffer.from(events.join('') + (this.#isFinished && !this.#isOver ? this.#usageEvent() : ''))
  }

  #event(data: string): string {
    if (this.#isOver) return ''
    const event = parse(data)
    // Data that is no event passes unchanged.
    if (!isObject(event)) return sseEvent(data)
    switch (event.type) {
      case 'message_start':
        return this.#start(asObject(event.message))
      case 'content_block_start':
        return this.#begin(event.index, asObject(event.content_block))
      case 'content_block_delta':
        return this.#delta(event.index, asObject(event.delta))
      case 'content_block_stop':
        return this.#stop(event.index)
      case 'message_delta':
        return this.#finish(asObject(event.delta), event.usage)
      case 'message_stop':
        this.#isOver = true
        return this.#usageEvent() + sseDone
      case 'error':
        return sseEvent(JSON.stringify({ error: event.error ?? event }))
      default:
        return ''
    }
  }

  #start({ id, model, usage }: JsonObject): string {
    this.#head = { id, object: 'chat.completion.chunk', model }
    this.#count(usage)
    return this.#chunk({ role: 'assistant', content: '' })
  }

  #begin(index: unknown, block: JsonObject): string {
    const { type, id, name, text, thinking } = block
    const open: OpenBlock = { block, text: '', signature: '' }
    this.#open.set(index, open)
    if (type === 'text' && typeof text === 'string' && text !== '') return this.#chunk({ content: text })
    if (type === 'thinking' && typeof thinking === 'string' && thinking !== '') return this.#thought(open, thinking)
    if (type !== 'tool_use') return ''
    open.call = this.#calls++
    return this.#call(open.call, { id, type: 'function', function: { name, arguments: '' } })
  }

  #delta(index: unknown, { type, text, thinking, signature, partial_json }: JsonObject): string {
    const open = this.#open.get(index)
    if (type === 'text_delta' && typeof text === 'string') return this.#chunk({ content: text })
    if (type === 'thinking_delta' && typeof thinking === 'string') return this.#thought(open, thinking)
    if (type === 'signature_delta' && typeof signature === 'string' && open) open.signature += signature
    if (type !== 'input_json_delta' || typeof partial_json !== 'string' || open?.call === undefined) return ''
    open.text += partial_json
    return partial_json === '' ? '' : this.#call(open.call, { function: { arguments: partial_json } })
  }

  #thought(open: OpenBlock | undefined, thinking: string): string {
    if (open) open.text += thinking
    return this.#chunk({ reasoning_content: thinking })
  }

  #stop(index: unknown): string {
    const open = this.#open.get(index)
    this.#open.delete(index)
    if (!open) return ''
    const { block, text, signature, call } = open
    const thought = {
      ...block,
      ...(block.type === 'thinking' && { thinking: text }),
      ...(signature !== '' && { signature }),
    }
    const kept = keptThought(thought)
    if (this.#thoughtsApart && kept.length > 0) return this.#chunk({ thinking_blocks: kept })
    this.#kept.push(...kept)
    // Some backends send the arguments with the call's beginning; a call without arguments has none to send.
    if (call === undefined || text !== '') return ''
    return this.#call(call, { function: { arguments: JSON.stringify(asObject(block.input)) } })
  }

  #finish({ stop_reason, stop_sequence }: JsonObject, usage: unknown): string {
    this.#count(usage)
    this.#isCounted ||= countIn(asObject(usage).output_tokens) !== undefined
    if (typeof stop_reason !== 'string' || this.#isFinished) return ''
    this.#isFinished = true
    // Once and whole, since SDKs that join chunks keep one such list of an answer.
    const kept = this.#kept.length > 0 ? this.#chunk({ thinking_blocks: this.#kept }) : ''
    return kept + this.#chunk({}, { finish_reason: finishOf(stop_reason), ...stopOf(stop_sequence) })
  }

  #count(usage: unknown): void {
    this.#usage = laterCounts(this.#usage, asObject(usage), !this.#isCounted)
  }

  #usageEvent(): string {
    const usage = this.#isCounted ? chatUsage(this.#usage) : undefined
    return usage ? sseEvent(JSON.stringify({ ...this.#head, choices: [], usage })) : ''
  }

  #call(index: number, part: JsonObject): string {
    return this.#chunk({ tool_calls: [{ index, ...part }] })
  }

  #chunk(delta: JsonObject, finish: JsonObject = { finish_reason: null }): string {
    return sseEvent(JSON.stringify({ ...this.#head, choices: [{ index: 0, delta, ...finish }] }))
  }
}

/** A block as far as it has come. */
interface OpenBlock {
  /** As it began. */
  readonly block: JsonObject
  /** Its thought, or the arguments of its call. */
  text: string
  signature: string
  /** The index of its call among those of the chat. */
  call?: number
}
