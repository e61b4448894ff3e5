import { parse } from '../json-bytes.ts'
import { asObject, isObject, type JsonObject } from '../json-safety.ts'

/** The whole message that the events of a stream of Messages amount to; undefined where it did not begin. */
export function messageOfStream(events: readonly JsonObject[]): JsonObject | undefined {
  let message: JsonObject | undefined
  const blocks = new Map<unknown, Block>()
  for (const event of events) {
    if (event.type === 'message_start') message = asObject(event.message)
    else if (event.type === 'content_block_start') blocks.set(event.index, new Block(asObject(event.content_block)))
    else if (event.type === 'content_block_delta') blocks.get(event.index)?.take(asObject(event.delta))
    else if (event.type === 'message_delta') message = withDelta(asObject(message), event)
  }
  return message && { ...message, content: [...blocks.values()].map(({ whole }) => whole) }
}

function withDelta(message: JsonObject, { type: _type, delta, usage, ...rest }: JsonObject): JsonObject {
  const counts = Object.entries(asObject(usage)).filter(([, count]) => count !== null)
  return {
    ...message,
    ...asObject(delta),
    ...rest,
    usage: { ...asObject(message.usage), ...Object.fromEntries(counts) },
  }
}

/** A block, of which each delta brings some letters. */
class Block {
  readonly #start: JsonObject
  readonly #texts = new Map<string, string>()
  readonly #citations: unknown[] = []

  constructor(start: JsonObject) {
    this.#start = start
  }

  take({ type: _type, citation, ...delta }: JsonObject): void {
    if (citation !== undefined) this.#citations.push(citation)
    for (const [name, text] of Object.entries(delta))
      if (typeof text === 'string') this.#texts.set(name, (this.#texts.get(name) ?? this.#begun(name)) + text)
  }

  get whole(): JsonObject {
    const { partial_json: json, ...texts } = Object.fromEntries(this.#texts)
    const input = json === undefined || json === '' ? undefined : parse(json)
    return {
      ...this.#start,
      ...texts,
      ...(isObject(input) && { input }),
      ...(this.#citations.length > 0 && { citations: this.#citations }),
    }
  }

  /** Some begin a text in its first event. */
  #begun(name: string): string {
    const { [name]: text } = this.#start
    return typeof text === 'string' ? text : ''
  }
}
