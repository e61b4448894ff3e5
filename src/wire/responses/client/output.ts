import { isMark, type TokenForm } from '../../fast/likelihoods.ts'
import { isObject, type JsonObject } from '../../json-safety.ts'
import { fieldIn, reasoningIn, SignedThoughts } from '../../reasoning/signed-thoughts.ts'
import type { Status } from '../frame.ts'
import { CallItems } from './call-items.ts'
import { MessageItem } from './message-item.ts'
import type { OutputSink } from './output-sink.ts'
import { ReasoningItem } from './reasoning-item.ts'
import type { Wanted } from './wanted.ts'

/** The items of one answer, as the deltas of a chat make them: each has a place of its own, and events of its own. */
export class Output {
  readonly #wanted: Wanted
  readonly #sink: OutputSink
  /** Items by their index; an item that is not closed yet is undefined. */
  readonly #items: (JsonObject | undefined)[] = []
  /** The text or reasoning that continues with the next delta. */
  #open: MessageItem | ReasoningItem | undefined
  readonly #calls: CallItems
  readonly #signed = new SignedThoughts()
  #hasMessage = false

  constructor(wanted: Wanted, sink: OutputSink) {
    this.#wanted = wanted
    this.#sink = sink
    this.#calls = new CallItems(wanted, sink, {
      next: () => {
        this.#closeOpen('completed')
        return this.#nextPlace()
      },
      put: (place, item) => {
        this.#items[place] = item
      },
      sign: signature => {
        this.#closeOpen('completed')
        const item = new ReasoningItem(this.#nextPlace(), this.#wanted, this.#sink)
        item.signCall(signature)
        this.#items[item.place] = item.close('completed')
      },
    })
  }

  /** Those that are closed, in order. */
  get items(): readonly JsonObject[] {
    return this.#items.filter(item => item !== undefined)
  }

  /** Takes in a delta of a chat, or a whole message. */
  add(delta: JsonObject, logprobs: unknown): void {
    const { content, refusal, tool_calls: calls } = delta
    const thought = reasoningIn(delta)
    if (thought !== '') this.#reasoning().add(thought, fieldIn(delta))
    const signed = this.#signed.read(delta)
    if (signed.length > 0) this.#reasoning().sign(signed)
    const text = textIn(content)
    if (text !== '') this.#message().add('output_text', text, this.#wanted.logprobs ? logprobsIn(logprobs) : [])
    const refused = textIn(refusal)
    if (refused !== '') this.#message().add('refusal', refused, [])
    if (Array.isArray(calls)) for (const call of calls) if (isObject(call)) this.#calls.add(call)
  }

  /** Closes all that is open; an answer without a text or a call has an empty text. */
  end(status: Status): void {
    if (!this.#hasMessage && this.#calls.count === 0) this.#message().add('output_text', '', [])
    this.#closeOpen(status)
    this.#calls.close(status)
  }

  #reasoning(): ReasoningItem {
    if (this.#open instanceof ReasoningItem && !this.#open.isSigned) return this.#open
    this.#closeOpen('completed')
    this.#open = new ReasoningItem(this.#nextPlace(), this.#wanted, this.#sink)
    return this.#open
  }

  #message(): MessageItem {
    if (this.#open instanceof MessageItem) return this.#open
    this.#closeOpen('completed')
    this.#open = new MessageItem(this.#nextPlace(), this.#sink)
    this.#hasMessage = true
    return this.#open
  }

  #closeOpen(status: Status): void {
    const open = this.#open
    if (open) this.#items[open.place] = open.close(status)
    this.#open = undefined
  }

  #nextPlace(): number {
    return this.#items.push(undefined) - 1
  }
}

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Those of a chat in the form of Responses. */
function logprobsIn(logprobs: unknown): readonly JsonObject[] {
  const tokens = isObject(logprobs) && Array.isArray(logprobs.content) ? logprobs.content : []
  return tokens.filter(isObject).map(token => (isMark(token) ? token : tokenOf(token)))
}

/** A token of a chat with its alternatives. */
export const tokenOf: TokenForm = token => ({
  ...logprobOf(token),
  top_logprobs: Array.isArray(token.top_logprobs) ? token.top_logprobs.filter(isObject).map(logprobOf) : [],
})

const logprobOf = ({ token, bytes, logprob }: JsonObject): JsonObject => ({ token, bytes: bytes ?? [], logprob })
