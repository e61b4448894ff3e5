import { JsonEnd } from '../../json-end.ts'
import {
  type CallSignature,
  type ReasoningField,
  type SignedThought,
  sealReasoning,
} from '../../reasoning/sealed-reasoning.ts'
import { messageEvent } from '../event.ts'
import { hiddenBlocks, textBlock } from './answer-form.ts'

/** A part of an answer that becomes one block. Keeps the received text that is not written yet. */
export abstract class Segment {
  protected waiting: string[] = []
  #isOpen = false

  /** Whether its block has begun. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  /** Whether it can be written: what names its block has come. */
  get isKnown(): boolean {
    return true
  }

  /** Whether nothing more of it comes once another segment has begun. */
  get isWhole(): boolean {
    return true
  }

  /** Whether nothing may be added to it, since a backend signed it as it is. */
  get isSigned(): boolean {
    return false
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
    return JSON.stringify(textBlock(''))
  }

  protected delta(index: number, text: string): string {
    return deltaEvent(index, `"type":"text_delta","text":${JSON.stringify(text)}`)
  }
}

export class ThinkingSegment extends Segment {
  readonly #isShown: boolean
  readonly #field: ReasoningField | undefined
  readonly #thoughts: string[] = []
  #signed: SignedThought | undefined

  /** `isShown`: the client sees what is thought, and not its signature alone. `field`: where the backend told it. */
  constructor(isShown: boolean, field?: ReasoningField) {
    super()
    this.#isShown = isShown
    this.#field = field
  }

  override get isSigned(): boolean {
    return this.#signed !== undefined
  }

  sign(thought: SignedThought): void {
    this.#signed = thought
  }

  override close(index: number): string {
    const signature = JSON.stringify(this.#signature)
    return deltaEvent(index, `"type":"signature_delta","signature":${signature}`) + super.close(index)
  }

  /** That of the backend where the client has just what it signed. */
  get #signature(): string {
    const text = this.#thoughts.join('')
    const signed = this.#signed
    if (!signed) return sealReasoning(text, [], { field: this.#field })
    const isWhole = this.#isShown && signed.type === 'thinking' && signed.thinking === text
    return isWhole ? signed.signature : sealReasoning(text, [signed], { field: this.#field })
  }

  protected opening(): string {
    return '{"type":"thinking","thinking":"","signature":""}'
  }

  protected delta(index: number, text: string): string {
    this.#thoughts.push(text)
    return this.#isShown ? deltaEvent(index, `"type":"thinking_delta","thinking":${JSON.stringify(text)}`) : ''
  }
}

/** Reasoning that only its backend can read. It is whole when it begins. */
export class RedactedSegment extends Segment {
  readonly #block: SignedThought

  constructor(block: SignedThought) {
    super()
    this.#block = block
  }

  override get isSigned(): boolean {
    return true
  }

  protected opening(): string {
    return JSON.stringify(this.#block)
  }

  protected delta(): string {
    return ''
  }
}

/** A backend's signature of a call, under the call's id for the client. */
export class SignatureSegment extends Segment {
  readonly #call: CallSegment
  readonly #signature: Omit<CallSignature, 'call'>

  constructor(call: CallSegment, signature: Omit<CallSignature, 'call'>) {
    super()
    this.#call = call
    this.#signature = signature
  }

  override get isKnown(): boolean {
    return this.#call.isKnown
  }

  protected opening(): string {
    const calls = [{ call: this.#call.named.id, ...this.#signature }]
    return JSON.stringify(hiddenBlocks({ text: '', signed: [], calls })[0])
  }

  protected delta(): string {
    return ''
  }
}

export class CallSegment extends Segment {
  /** As the backend gave them; empty until they come. */
  id = ''
  name = ''
  #named: ReturnType<CallNaming> | undefined
  readonly #naming: CallNaming
  readonly #end = new JsonEnd()

  constructor(naming: CallNaming) {
    super()
    this.#naming = naming
  }

  override get isKnown(): boolean {
    return this.name !== ''
  }

  /** The call's id and name for the client. */
  get named(): ReturnType<CallNaming> {
    this.#named ??= this.#naming(this)
    return this.#named
  }

  override get isWhole(): boolean {
    return this.#end.isReached
  }

  override add(text: string): void {
    super.add(this.#end.take(text))
  }

  protected opening(): string {
    const { id, name } = this.named
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
