import type { StreamTranslator } from '../dialect.ts'
import { parse } from '../json-bytes.ts'
import { asObject, isObject, type JsonObject } from '../json-safety.ts'
import { detailsOfReasoning } from '../reasoning/details.ts'
import { OVERLONG, SseSplitter, sseDone, sseEvent } from '../sse.ts'
import { translatedUsage } from '../usage/reported-usage.ts'
import { BREAK, callOf, finishOf, isCall, thoughtsIn, wordsIn } from './answer-to-chat.ts'

/** Turns a stream of Responses into chunks of a chat: one for each event that says something. */
export class ResponsesStream implements StreamTranslator {
  readonly #splitter = new SseSplitter()
  /** The members that every chunk has. */
  #head: JsonObject = {}
  /** Items by their index in the output: some backends change the id of an item from event to event. */
  readonly #items = new Map<unknown, OpenItem>()
  readonly #thoughtsApart: boolean
  readonly #details: JsonObject[] = []
  #calls = 0
  /** The fields of the message in which anything was said. */
  readonly #spoken = new Set<string>()
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
    return Buffer.from(
      this.#splitter
        .end()
        .map(data => this.#event(data))
        .join(''),
    )
  }

  #event(data: string): string {
    if (this.#isOver) return ''
    const event = parse(data)
    // Data that is no event passes unchanged. A `[DONE]` before the answer is over ends nothing.
    if (!isObject(event)) return sseEvent(data)
    const { output_index: index, delta } = event
    switch (event.type) {
      case 'response.created':
        return this.#start(asObject(event.response))
      case 'response.output_item.added':
        return this.#begin(index, asObject(event.item))
      case 'response.output_text.delta':
        return this.#say(index, 'content', delta, logprobsOf(event))
      case 'response.refusal.delta':
        return this.#say(index, 'refusal', delta)
      case 'response.reasoning_text.delta':
      case 'response.reasoning_summary_text.delta':
        return this.#think(index, event)
      case 'response.function_call_arguments.delta':
        return this.#argue(index, delta)
      case 'response.output_item.done':
        return this.#finishItem(index, asObject(event.item))
      case 'response.completed':
      case 'response.incomplete':
        return this.#finish(asObject(event.response))
      case 'response.failed':
        return this.#fail(asObject(event.response).error ?? {})
      case 'error':
        return this.#fail(event.error ?? ownError(event))
      default:
        return ''
    }
  }

  #start({ id, model, created_at: created }: JsonObject): string {
    this.#head = { id, object: 'chat.completion.chunk', created, model }
    return this.#chunk({ role: 'assistant', content: '' })
  }

  #item(index: unknown): OpenItem {
    const known = this.#items.get(index)
    if (known) return known
    const item: OpenItem = { said: new Set() }
    this.#items.set(index, item)
    return item
  }

  #begin(index: unknown, item: JsonObject): string {
    const open = this.#item(index)
    // The text of a custom tool becomes JSON once it is complete.
    return item.type === 'function_call' ? this.#call(open, item) : ''
  }

  /** One more part of what an item says, in a field of the message. */
  #say(index: unknown, field: Field, text: unknown, choice?: JsonObject): string {
    if (typeof text !== 'string' || text === '') return ''
    const { said } = this.#item(index)
    const lead = this.#spoken.has(field) && !said.has(field) ? BREAK : ''
    this.#spoken.add(field)
    said.add(field)
    return this.#chunk({ [field]: lead + text }, choice)
  }

  /** Thoughts themselves, or a summary of them in parts: the first kind of an item counts, where there are both. */
  #think(index: unknown, { type, delta, summary_index, content_index }: JsonObject): string {
    const open = this.#item(index)
    open.thinks ??= type
    if (open.thinks !== type || typeof delta !== 'string') return ''
    const part = summary_index ?? content_index ?? 0
    const isNext = open.part !== undefined && open.part !== part
    open.part = part
    return this.#say(index, 'reasoning_content', (isNext ? BREAK : '') + delta)
  }

  #argue(index: unknown, delta: unknown): string {
    const open = this.#item(index)
    if (open.call === undefined || typeof delta !== 'string' || delta === '') return ''
    open.said.add('arguments')
    return this.#chunk({ tool_calls: [{ index: open.call, function: { arguments: delta } }] })
  }

  #call(open: OpenItem, item: JsonObject): string {
    open.call = this.#calls++
    const call = callOf(item)
    const { arguments: args } = asObject(call.function)
    if (args !== '') open.said.add('arguments')
    return this.#chunk({ tool_calls: [{ index: open.call, ...call }] })
  }

  /** Sends an item that is whole now, as far as no part of it was sent. */
  #finishItem(index: unknown, item: JsonObject): string {
    const open = this.#item(index)
    if (open.isWhole) return ''
    open.isWhole = true
    if (isCall(item)) {
      if (open.call === undefined) return this.#call(open, item)
      return open.said.has('arguments') ? '' : this.#argue(index, item.arguments)
    }
    if (item.type === 'reasoning') {
      const text = open.said.has('reasoning_content') ? '' : this.#say(index, 'reasoning_content', thoughtsIn(item))
      const details = detailsOfReasoning(item)
      if (this.#thoughtsApart && details.length > 0) return text + this.#chunk({ reasoning_details: details })
      this.#details.push(...details)
      return text
    }
    if (item.type !== 'message' || open.said.size > 0) return ''
    return this.#say(index, 'content', wordsIn(item, 'text')) + this.#say(index, 'refusal', wordsIn(item, 'refusal'))
  }

  #finish(response: JsonObject): string {
    const { output, usage: reported } = response
    // Some tell all of an answer in its last event alone.
    const unsent = this.#items.size === 0 && Array.isArray(output) ? output : []
    const items = unsent.map((item, index) => this.#finishItem(index, asObject(item))).join('')
    this.#isOver = true
    // Once and whole, since SDKs that join chunks keep one such list of an answer.
    const details = this.#details.length > 0 ? this.#chunk({ reasoning_details: this.#details }) : ''
    const finish = this.#chunk({}, { finish_reason: finishOf(response, this.#calls > 0) })
    const usage = translatedUsage(reported)
    const counted = usage ? sseEvent(JSON.stringify({ ...this.#head, choices: [], usage })) : ''
    return items + details + finish + counted + sseDone
  }

  #fail(error: unknown): string {
    this.#isOver = true
    return sseEvent(JSON.stringify({ error }))
  }

  #chunk(delta: JsonObject, choice: JsonObject = {}): string {
    return sseEvent(JSON.stringify({ ...this.#head, choices: [{ index: 0, delta, finish_reason: null, ...choice }] }))
  }
}

type Field = 'content' | 'refusal' | 'reasoning_content'

/** An item as far as it has come. */
interface OpenItem {
  /** The fields of the message in which it said something. */
  readonly said: Set<Field | 'arguments'>
  /** The index of its call among those of the chat. */
  call?: number
  /** The type of the events that brought its reasoning, and the part of it that came last. */
  thinks?: unknown
  part?: unknown
  isWhole?: true
}

function logprobsOf({ logprobs }: JsonObject): JsonObject | undefined {
  return Array.isArray(logprobs) && logprobs.length > 0 ? { logprobs: { content: logprobs } } : undefined
}

/** An event that is an error itself. */
const ownError = ({ code, message, param }: JsonObject): JsonObject => ({ code, message, param })
