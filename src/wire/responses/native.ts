import type { StreamError } from '../client-dialect.ts'
import { asObject, isObject, type JsonObject } from '../json-safety.ts'
import type { NativeDialect, NativeEvent, NativeReader } from '../native/dialect.ts'
import { OpenParts } from '../native/open-parts.ts'
import { isSealed } from '../reasoning/sealed-reasoning.ts'
import { namedEvent } from '../sse.ts'
import { readUsage } from '../usage/reported-usage.ts'
import { leastTokens, type Usage } from '../usage/usage.ts'
import { completedUsage, writeError } from './frame.ts'
import { isReadable } from './kept-items.ts'
import { OutputSoFar } from './output-so-far.ts'

/** Answers of Responses that pass through as their backend sends them. */
export const responsesNative: NativeDialect = {
  capField: 'max_output_tokens',
  // A response that the backend keeps would be there for every client of its account.
  replaced: ({ input, stream }) => ({
    store: false,
    // transformers streams by default.
    ...(stream !== true && { stream: false }),
    ...(Array.isArray(input) && !input.every(isForBackend) && { input: input.filter(isForBackend) }),
  }),
  reader: () => new ResponsesReader(),
  answer: body => {
    if (body.object !== 'response' || !Array.isArray(body.output) || body.status === 'failed') return undefined
    const usage = readUsage(body.usage)
    const outputBytes = body.output.reduce((bytes: number, item) => bytes + bytesOf(asObject(item)), 0)
    const whole = completed(body)
    return { outputBytes, ...(usage && { usage }), ...(whole !== body && { sent: whole }) }
  },
  wholeOf: events => events.map(({ type, response }) => (ENDS.has(type) ? response : undefined)).find(isObject),
  closing: '',
}

/** A response with a whole usage; the same one where it has that. */
function completed(response: JsonObject): JsonObject {
  const usage = completedUsage(response.usage)
  return usage === response.usage ? response : { ...response, usage }
}

/** Events that hold all of a response. */
const ENDS: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete'])

const NOTHING: NativeEvent = { outputBytes: 0, tokens: 0, isFinished: false, isLast: false }

/** Reasoning that was sealed here no backend knows; where there is nothing but its id, it would be looked up by that. */
const isForBackend = (item: unknown): boolean => !isObject(item) || (!isOurs(item) && isReadable(item))

/** Reasoning of an answer that was translated. */
const isOurs = ({ type, encrypted_content: sealed }: JsonObject): boolean => type === 'reasoning' && isSealed(sealed)

class ResponsesReader implements NativeReader {
  /** The response at its start: without output. */
  #response: JsonObject = { object: 'response', output: [] }
  readonly #parts = new OpenParts()
  /** The number of the next event. */
  #sequence = 0
  readonly #output = new OutputSoFar()

  get isOrderly(): boolean {
    return this.#parts.isOrderly
  }

  read(event: JsonObject): NativeEvent {
    const read = this.#read(event)
    this.#output.read(event)
    const { response, sequence_number: sequence } = event
    if (isObject(response)) this.#response = response
    // Our error replaces the backend's.
    if (typeof sequence === 'number' && read.error === undefined) this.#sequence = sequence + 1
    return read
  }

  fail(error: StreamError): string {
    const type = 'response.failed'
    const response = { ...this.#response, status: 'failed', error: writeError(error) }
    return namedEvent(type, JSON.stringify({ type, sequence_number: this.#sequence, response }))
  }

  cut({ inputTokens, outputTokens }: Usage, dropsLast: boolean): { readonly events: string; readonly last: string } {
    const event = (type: string, members: JsonObject): string =>
      namedEvent(type, JSON.stringify({ type, sequence_number: this.#sequence++, ...members }))
    const events = this.#output.close(dropsLast).map(({ type, ...members }) => event(String(type), members))
    const response = {
      ...this.#response,
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      output: this.#output.items,
      usage: {
        input_tokens: inputTokens,
        input_tokens_details: { cached_tokens: 0 },
        output_tokens: outputTokens,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: inputTokens + outputTokens,
      },
    }
    return { events: events.join(''), last: event('response.incomplete', { response }) }
  }

  #read(event: JsonObject): NativeEvent {
    const { type, delta } = event
    if (typeof type !== 'string') return NOTHING
    if (type.endsWith('.delta')) {
      this.#parts.goOn(partOf(event))
      return typeof delta === 'string' ? said(delta) : NOTHING
    }
    switch (type) {
      case 'response.output_item.added': {
        this.#parts.begin(itemOf(event))
        const { name, type: kind } = asObject(event.item)
        const begun = typeof name === 'string' ? said(name) : NOTHING
        return typeof kind === 'string' && /_call$/.test(kind) ? { ...begun, hasCall: true } : begun
      }
      case 'response.output_item.done':
        this.#parts.end(itemOf(event))
        return NOTHING
      case 'response.content_part.added':
      case 'response.reasoning_summary_part.added':
        this.#parts.begin(partOf(event))
        return NOTHING
      case 'response.content_part.done':
      case 'response.reasoning_summary_part.done':
        this.#parts.end(partOf(event))
        return NOTHING
      case 'response.completed':
      case 'response.incomplete':
        return lastOf(event)
      case 'response.failed':
        return { ...NOTHING, error: asObject(event.response).error ?? event }
      case 'error':
        return { ...NOTHING, error: isObject(event.error) ? event.error : event }
      default:
        return NOTHING
    }
  }
}

/** Reads the event that holds a whole response. vLLM calls it completed also where the cap cut it. */
function lastOf(event: JsonObject): NativeEvent {
  const response = asObject(event.response)
  const usage = readUsage(response.usage)
  const whole = completed(response)
  const last = { ...NOTHING, isFinished: true, isLast: true, ...(usage && { usage }) }
  const type = response.status === 'incomplete' ? 'response.incomplete' : event.type
  return whole === response && type === event.type ? last : { ...last, sent: { ...event, type, response: whole } }
}

const itemOf = ({ output_index: index }: JsonObject): string => `${index}`

/** A part of an item, or the item where it has none. */
const partOf = ({ output_index: index, content_index: part, summary_index: summary = part }: JsonObject): string =>
  summary === undefined ? `${index}` : `${index} ${summary}`

const said = (text: string): NativeEvent =>
  text === '' ? NOTHING : { ...NOTHING, outputBytes: Buffer.byteLength(text), tokens: leastTokens(text) }

/** Bytes of the model's output in an output item. */
function bytesOf({ content, summary, name, arguments: args, input }: JsonObject): number {
  let bytes = 0
  for (const text of [name, args, input]) if (typeof text === 'string') bytes += Buffer.byteLength(text)
  for (const part of [content, summary].flatMap(parts => (Array.isArray(parts) ? parts : []))) {
    const { text, refusal } = asObject(part)
    for (const said of [text, refusal]) if (typeof said === 'string') bytes += Buffer.byteLength(said)
  }
  return bytes
}
