import { JsonEnd } from '../../json-end.ts'
import { sealReasoning } from '../../sealed-reasoning.ts'
import { messageEvent } from '../message-event.ts'

/** A part of an answer that becomes one block. What came of it and was not written yet is kept. */
export abstract class Segment {
  protected waiting: string[] = []
  #isOpen = false

  /** Whether it can be written: what names its block has come. */
  get isKnown(): boolean {
    return true
  }

  /** Whether nothing more of it comes once another segment has begun. */
  get isWhole(): boolean {
    return true
  }

  add(text: string): void {
    if (text !== '') this.waiting.push(text)
  }

  /** The events that its block has for what came since. */
  write(index: number): string {
    let events = this.#isOpen ? '' : startEvent(index, this.opening())
    this.#isOpen = true
    for (const text of this.waiting) events += this.delta(index, text)
    this.waiting = []
    return events
  }

  /** The last events of its block. */
  close(index: number): string {
    return messageEvent('content_block_stop', `"index":${index}`)
  }

  /** JSON of the block before anything was said. */
  protected abstract opening(): string
  protected abstract delta(index: number, text: string): string
}

export class TextSegment extends Segment {
  protected opening(): string {
    return '{"type":"text","text":""}'
  }

  protected delta(index: number, text: string): string {
    return deltaEvent(index, `"type":"text_delta","text":${JSON.stringify(text)}`)
  }
}

export class ThinkingSegment extends Segment {
  readonly #isShown: boolean
  readonly #thoughts: string[] = []

  /** `isShown`: the client sees what is thought, and not its signature alone. */
  constructor(isShown: boolean) {
    super()
    this.#isShown = isShown
  }

  override close(index: number): string {
    const signature = JSON.stringify(sealReasoning(this.#thoughts.join('')))
    return deltaEvent(index, `"type":"signature_delta","signature":${signature}`) + super.close(index)
  }

  protected opening(): string {
    return '{"type":"thinking","thinking":"","signature":""}'
  }

  protected delta(index: number, text: string): string {
    this.#thoughts.push(text)
    return this.#isShown ? deltaEvent(index, `"type":"thinking_delta","thinking":${JSON.stringify(text)}`) : ''
  }
}

export class CallSegment extends Segment {
  /** As the backend gave them; empty until they come. */
  id = ''
  name = ''
  readonly #naming: CallNaming
  readonly #end = new JsonEnd()

  constructor(naming: CallNaming) {
    super()
    this.#naming = naming
  }

  override get isKnown(): boolean {
    return this.name !== ''
  }

  override get isWhole(): boolean {
    return this.#end.isReached
  }

  override add(text: string): void {
    super.add(this.#end.take(text))
  }

  protected opening(): string {
    const { id, name } = this.#naming(this)
    return `{"type":"tool_use","id":${JSON.stringify(id)},"name":${JSON.stringify(name)},"input":{}}`
  }

  protected delta(index: number, text: string): string {
    return deltaEvent(index, `"type":"input_json_delta","partial_json":${JSON.stringify(text)}`)
  }
}

/** The id and the name that the client gets. */
export type CallNaming = (call: { readonly id: string; readonly name: string }) => {
  readonly id: string
  readonly name: string
}

const startEvent = (index: number, block: string): string =>
  messageEvent('content_block_start', `"index":${index},"content_block":${block}`)

const deltaEvent = (index: number, delta: string): string =>
  messageEvent('content_block_delta', `"index":${index},"delta":{${delta}}`)
