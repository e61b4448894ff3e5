import { asObject, isObject, type JsonObject } from '../json-safety.ts'

/** The output of a Responses stream so far, so that the stream can be ended in the middle of an item. */
export class OutputSoFar {
  /** Items by their index in the output. */
  readonly #items = new Map<number, JsonObject>()
  #open: OpenItem | undefined

  /** The items, each as far as it came. */
  get items(): readonly JsonObject[] {
    return [...this.#items].sort(([a], [b]) => a - b).map(([, item]) => item)
  }

  read(event: JsonObject): void {
    const { type, output_index: place, item, delta } = event
    if (type === 'response.output_item.added' && isObject(item)) this.#open = new OpenItem(Number(place ?? 0), item)
    else if (type === 'response.content_part.added') this.#open?.part(event)
    else if (typeof delta === 'string') this.#open?.add(String(type), delta)
    else if (type === 'response.output_item.done' && isObject(item)) {
      this.#items.set(Number(place ?? 0), item)
      this.#open = undefined
    }
  }

  /** The events that end the item that is open, if one is; without its last piece where that is not passed on. */
  close(dropsLast: boolean): readonly JsonObject[] {
    const open = this.#open
    if (!open) return []
    if (dropsLast) open.drop()
    this.#open = undefined
    this.#items.set(open.place, open.whole)
    return open.closing
  }
}

/** An item that is not done. */
class OpenItem {
  readonly place: number
  readonly #item: JsonObject
  #part: JsonObject | undefined
  #partPlace = 0
  readonly #said: string[] = []
  readonly #args: string[] = []
  /** The text that the last piece belongs to. */
  #last: string[] = []

  constructor(place: number, item: JsonObject) {
    this.place = place
    this.#item = item
  }

  part({ part, content_index: place }: JsonObject): void {
    this.#part = asObject(part)
    this.#partPlace = Number(place ?? 0)
  }

  add(type: string, delta: string): void {
    this.#last = ARGUMENTS.has(type) ? this.#args : TEXTS.has(type) ? this.#said : []
    this.#last.push(delta)
  }

  drop(): void {
    this.#last.pop()
  }

  /** The item as far as it came. */
  get whole(): JsonObject {
    const { type, content } = this.#item
    if (type === 'function_call') return { ...this.#item, arguments: this.#args.join(''), status: 'incomplete' }
    if (type === 'custom_tool_call') return { ...this.#item, input: this.#args.join(''), status: 'incomplete' }
    if (type !== 'message') return { ...this.#item, status: 'incomplete' }
    const before = Array.isArray(content) ? content.slice(0, this.#partPlace) : []
    return { ...this.#item, content: [...before, this.#saidPart], status: 'incomplete' }
  }

  get closing(): readonly JsonObject[] {
    const item = this.whole
    const about = { item_id: this.#item.id, output_index: this.place }
    const done = { type: 'response.output_item.done', output_index: this.place, item }
    if (this.#item.type !== 'message' || !this.#part) return [done]
    const at = { ...about, content_index: this.#partPlace }
    const text = this.#said.join('')
    const said =
      this.#part.type === 'refusal'
        ? { type: 'response.refusal.done', ...at, refusal: text }
        : { type: 'response.output_text.done', ...at, text, logprobs: [] }
    return [said, { type: 'response.content_part.done', ...at, part: this.#saidPart }, done]
  }

  get #saidPart(): JsonObject {
    const text = this.#said.join('')
    if (this.#part?.type === 'refusal') return { ...this.#part, refusal: text }
    return { type: 'output_text', annotations: [], logprobs: [], ...this.#part, text }
  }
}

const TEXTS: ReadonlySet<string> = new Set(['response.output_text.delta', 'response.refusal.delta'])

const ARGUMENTS: ReadonlySet<string> = new Set([
  'response.function_call_arguments.delta',
  'response.custom_tool_call_input.delta',
])
