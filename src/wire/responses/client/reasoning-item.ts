import type { JsonObject } from '../../json-safety.ts'
import {
  type CallSignature,
  type ReasoningField,
  type SignedThought,
  sealReasoning,
} from '../../reasoning/sealed-reasoning.ts'
import type { OutputSink } from './output-sink.ts'
import type { Wanted } from './wanted.ts'

/** The model's reasoning, written as a summary or in full. */
export class ReasoningItem {
  readonly place: number
  readonly #id: string
  readonly #form: ReasoningForm
  readonly #wantsSeal: boolean
  readonly #sink: OutputSink
  #text = ''
  #signed: readonly SignedThought[] = []
  #calls: readonly CallSignature[] = []
  #field: ReasoningField | undefined

  constructor(place: number, { summaries, sealed }: Wanted, sink: OutputSink) {
    this.place = place
    this.#id = sink.newId('rs_')
    this.#form = summaries ? SUMMARY : IN_THE_OPEN
    this.#wantsSeal = sealed
    this.#sink = sink
    const item = { id: this.#id, type: 'reasoning', status: 'in_progress', summary: [] }
    sink.emit('response.output_item.added', { output_index: place, item: summaries ? item : { ...item, content: [] } })
  }

  /** Whether nothing may be added to it, since a backend signed it as it is. */
  get isSigned(): boolean {
    return this.#signed.length > 0
  }

  sign(signed: readonly SignedThought[]): void {
    this.#signed = signed
  }

  /** Holds what a backend signed of a call, which has no other place in a response. */
  signCall(signature: CallSignature): void {
    this.#calls = [...this.#calls, signature]
  }

  /** `field`: where the backend told it. */
  add(delta: string, field?: ReasoningField): void {
    this.#field ??= field
    if (this.#text === '') this.#emit(`${this.#form.partEvent}.added`, { part: this.#part() })
    this.#text += delta
    this.#emit(`${this.#form.textEvent}.delta`, { delta })
  }

  close(status: string): JsonObject {
    const part = this.#part()
    const parts = this.#text === '' ? [] : [part]
    if (parts.length > 0) {
      this.#emit(`${this.#form.textEvent}.done`, { text: this.#text })
      this.#emit(`${this.#form.partEvent}.done`, { part })
    }
    const item = {
      id: this.#id,
      type: 'reasoning',
      status,
      ...(this.#form === SUMMARY ? { summary: parts } : { summary: [], content: parts }),
      ...(this.#mustBeSealed && { encrypted_content: this.#sealed }),
    }
    this.#sink.emit('response.output_item.done', { output_index: this.place, item })
    return item
  }

  /** Calls and signatures, which only a seal can carry, are sealed even for clients that did not ask for it. */
  get #mustBeSealed(): boolean {
    return this.#wantsSeal || this.#calls.length > 0 || this.#field !== undefined
  }

  /** A Responses backend receives its own seal unchanged. */
  get #sealed(): string {
    const [only, ...others] = this.#signed
    if (only?.type === 'reasoning' && others.length === 0) return only.encrypted_content
    return sealReasoning(this.#text, this.#signed, { calls: this.#calls, field: this.#field })
  }

  #part(): JsonObject {
    return { type: this.#form.partType, text: this.#text }
  }

  #emit(type: string, fields: JsonObject): void {
    this.#sink.emit(type, { item_id: this.#id, output_index: this.place, [this.#form.index]: 0, ...fields })
  }
}

interface ReasoningForm {
  readonly partEvent: string
  readonly textEvent: string
  readonly partType: string
  readonly index: string
}

const SUMMARY: ReasoningForm = {
  partEvent: 'response.reasoning_summary_part',
  textEvent: 'response.reasoning_summary_text',
  partType: 'summary_text',
  index: 'summary_index',
}

const IN_THE_OPEN: ReasoningForm = {
  partEvent: 'response.content_part',
  textEvent: 'response.reasoning_text',
  partType: 'reasoning_text',
  index: 'content_index',
}
