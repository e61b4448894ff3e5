import type { JsonObject } from '../../json-safety.ts'
import type { OutputSink } from './output-sink.ts'

/** The model's message: parts of text, or of a refusal. */
export class MessageItem {
  readonly place: number
  readonly #id: string
  readonly #sink: OutputSink
  readonly #closed: JsonObject[] = []
  #open: OpenPart | undefined

  constructor(place: number, sink: OutputSink) {
    this.place = place
    this.#id = sink.newId('msg_')
    this.#sink = sink
    sink.emit('response.output_item.added', { output_index: place, item: this.#item('in_progress') })
  }

  add(type: PartType, delta: string, logprobs: readonly JsonObject[]): void {
    if (this.#open?.type !== type) this.#begin(type)
    const part = this.#open
    if (!part || delta === '') return
    part.text += delta
    this.#keep(part, logprobs)
    this.#emit(`response.${type}.delta`, type === 'output_text' ? { delta, logprobs } : { delta })
  }

  /** For the events that close the part. A stream has told them by then. */
  #keep(part: OpenPart, logprobs: readonly JsonObject[]): void {
    for (const logprob of logprobs) {
      part.likelihoods += 1 + (Array.isArray(logprob.top_logprobs) ? logprob.top_logprobs.length : 0)
      part.logprobs.push(logprob)
    }
    if (part.likelihoods > MOST_LIKELIHOODS && this.#sink.isStreamed()) part.logprobs.length = 0
  }

  close(status: string): JsonObject {
    this.#closePart()
    const item = this.#item(status)
    this.#sink.emit('response.output_item.done', { output_index: this.place, item })
    return item
  }

  #begin(type: PartType): void {
    this.#closePart()
    this.#open = { type, text: '', logprobs: [], likelihoods: 0 }
    this.#emit('response.content_part.added', { part: written(this.#open) })
  }

  #closePart(): void {
    const part = this.#open
    if (!part) return
    const { type, text, logprobs } = part
    this.#emit(`response.${type}.done`, type === 'output_text' ? { text, logprobs } : { refusal: text })
    this.#emit('response.content_part.done', { part: written(part) })
    this.#closed.push(written(part))
    this.#open = undefined
  }

  #item(status: string): JsonObject {
    return { id: this.#id, type: 'message', status, role: 'assistant', content: [...this.#closed] }
  }

  #emit(type: string, fields: JsonObject): void {
    const content_index = this.#closed.length
    this.#sink.emit(type, { item_id: this.#id, output_index: this.place, content_index, ...fields })
  }
}

type PartType = 'output_text' | 'refusal'

interface OpenPart {
  readonly type: PartType
  text: string
  readonly logprobs: JsonObject[]
  /** Bytes of its tokens and their alternatives. */
  likelihoods: number
}

/** Four closing events say them again, at 100 bytes each; more of a stream would be kept at a multiple of that until its end. */
const MOST_LIKELIHOODS = 10_000

const written = ({ type, text, logprobs }: OpenPart): JsonObject =>
  type === 'output_text' ? { type, text, annotations: [], logprobs: [...logprobs] } : { type, refusal: text }
