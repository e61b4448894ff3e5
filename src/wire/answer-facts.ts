import { parse } from './json-bytes.ts'
import { asObject, isObject, type JsonObject } from './json-safety.ts'
import { finishOf } from './messages/answer-to-chat.ts'
import { eventObjects } from './openai/event-objects.ts'

/** Longer texts are not kept. */
const MOST_TEXT = 262_144

/** Reads why an answer ended, and its text, in any dialect of clients: whole, or from the events of a stream. */
export class AnswerFactsReader {
  #finish: string | undefined
  #texts: string[] = []
  #length = 0

  /** The finish reason of the first choice, as chats call it; undefined where it has none. */
  get finish(): string | undefined {
    return this.#finish
  }

  /** Whether the text is JSON; undefined where it is too long, or there is none. */
  get isJson(): boolean | undefined {
    if (this.#length === 0 || this.#length > MOST_TEXT) return undefined
    return parse(this.#texts.join('')) !== undefined
  }

  events(events: string): void {
    for (const event of eventObjects(events)) this.#read(event)
  }

  whole(bytes: Buffer): void {
    const answer = bytes.length > 4 * MOST_TEXT ? undefined : parse(bytes.toString('utf8'))
    if (isObject(answer)) this.#read(answer)
  }

  #read(object: JsonObject): void {
    if (Array.isArray(object.choices)) this.#readChoice(asObject(object.choices[0]))
    else if (object.object === 'response') this.#readResponse(object)
    else if (object.type === 'message') this.#readMessage(object)
    else this.#readEvent(object)
  }

  #readChoice({ delta, message, finish_reason: finish, index = 0 }: JsonObject): void {
    if (index !== 0) return
    const { content } = asObject(delta ?? message)
    if (typeof content === 'string') this.#add(content)
    if (typeof finish === 'string') this.#finish = finish
  }

  #readMessage({ content, stop_reason: reason }: JsonObject): void {
    for (const part of Array.isArray(content) ? content : []) this.#add(asObject(part).text)
    if (typeof reason === 'string') this.#finish = finishOf(reason)
  }

  #readResponse({ status, output, incomplete_details: details }: JsonObject): void {
    const items = (Array.isArray(output) ? output : []).filter(isObject)
    // The text of a stream came before its end.
    if (this.#length === 0) for (const { content } of items) this.#readMessage({ content })
    if (status === 'completed')
      this.#finish = items.some(({ type }) => type === 'function_call') ? 'tool_calls' : 'stop'
    else if (status === 'incomplete')
      this.#finish = asObject(details).reason === 'content_filter' ? 'content_filter' : 'length'
  }

  #readEvent({ type, delta, response }: JsonObject): void {
    if (type === 'content_block_delta') this.#add(asObject(delta).text)
    else if (type === 'message_delta') this.#readMessage({ stop_reason: asObject(delta).stop_reason })
    else if (type === 'response.output_text.delta') this.#add(delta)
    else if (type === 'response.completed' || type === 'response.incomplete') this.#readResponse(asObject(response))
  }

  #add(text: unknown): void {
    if (typeof text !== 'string') return
    this.#length += text.length
    if (this.#length <= MOST_TEXT) this.#texts.push(text)
    else this.#texts = []
  }
}

/** Bodies that are longer are not looked at. */
const MOST_BODY = 1_048_576

/** Whether a chat asks for JSON, in any dialect of backends. */
export function asksForJson(body: Buffer): boolean {
  if (body.length > MOST_BODY) return false
  const {
    response_format: format,
    text,
    output_format: own,
    output_config: config,
  } = asObject(parse(body.toString('utf8')))
  return [format, asObject(text).format, own, asObject(config).format].some(each =>
    /^json/.test(String(asObject(each).type)),
  )
}
