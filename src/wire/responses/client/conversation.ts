import { signedCall } from '../../call-signatures.ts'
import type { JsonObject } from '../../json-safety.ts'
import type { CallSignature, Reasoning, ReasoningField, SignedThought } from '../../reasoning/sealed-reasoning.ts'
import { chatFieldsOf, reasoningMember } from '../../reasoning/signed-thoughts.ts'
import type { ChatPart } from './read-content.ts'

/**
 * The messages of a chat as they are put together from single items: an answer of the assistant with all its calls is one
 * message, and the results of these follow it directly.
 */
export class Conversation {
  readonly #leading: string[] = []
  readonly #turns: (Turn | JsonObject)[] = []
  /** The assistant's answer that continues with its next item. */
  #open: Turn | undefined
  /** The last answer with a call of this id. */
  readonly #callers = new Map<string, Turn>()
  /** Backends' signatures of calls, by the ids of the calls. */
  readonly #signatures = new Map<unknown, CallSignature>()

  /** Ids of all calls. */
  get callIds(): Iterable<string> {
    return this.#callers.keys()
  }

  /** Templates take one system message, and that at the beginning; what comes later is said in its place. */
  addSystem(text: string): void {
    if (this.#turns.length === 0) {
      if (text !== '') this.#leading.push(text)
    } else this.#add({ role: 'user', content: `<system-reminder>\n${text}\n</system-reminder>` })
  }

  addUser(parts: readonly ChatPart[]): void {
    const [first, ...more] = parts
    if (!first) this.#add({ role: 'user', content: '' })
    else this.#add({ role: 'user', content: first.type === 'text' && more.length === 0 ? first.text : parts })
  }

  /** `isOfTurn`: whether it belongs to the current turn. Older turns send only the signatures of calls. */
  addReasoning({ text, signed, calls = [], field }: Reasoning, isOfTurn: boolean): void {
    for (const signature of calls) this.#signatures.set(signature.call, signature)
    if (!isOfTurn || (text === '' && signed.length === 0)) return
    const turn = this.#answer()
    turn.field ??= field
    if (text !== '') turn.reasoning.push(text)
    turn.signed.push(...signed)
  }

  addAnswer(text: string): void {
    this.#answer().texts.push(text)
  }

  addCall(call: JsonObject, id: string): void {
    const turn = this.#answer()
    turn.calls.push(call)
    this.#callers.set(id, turn)
  }

  /** Whether there is a call of this id before. */
  addResult(id: string, parts: readonly ChatPart[]): boolean {
    const caller = this.#callers.get(id)
    if (!caller) return false
    this.#open = undefined
    const images = parts.filter(part => part.type === 'image_url')
    const texts = parts.flatMap(part => (part.type === 'text' ? part.text : []))
    if (images.length > 0) texts.push(`[${images.length} image(s) of this result follow]`)
    caller.results.push({ role: 'tool', tool_call_id: id, content: texts.join('\n') })
    for (const image of images) caller.images.push(image)
    return true
  }

  messages(): readonly JsonObject[] {
    const messages: JsonObject[] = []
    if (this.#leading.length > 0) messages.push({ role: 'system', content: this.#leading.join('\n\n') })
    for (const turn of this.#turns) {
      if (turn instanceof Turn) turn.writeTo(messages, this.#signatures)
      else messages.push(turn)
    }
    return messages
  }

  #add(message: JsonObject): void {
    this.#open = undefined
    this.#turns.push(message)
  }

  #answer(): Turn {
    if (!this.#open) {
      this.#open = new Turn()
      this.#turns.push(this.#open)
    }
    return this.#open
  }
}

/** One answer of the assistant, and what the tools gave back that it called. */
class Turn {
  readonly reasoning: string[] = []
  /** Where its backend told that. */
  field: ReasoningField | undefined
  readonly signed: SignedThought[] = []
  readonly texts: string[] = []
  readonly calls: JsonObject[] = []
  readonly results: JsonObject[] = []
  /** In the results: messages of tools are texts alone. */
  readonly images: ChatPart[] = []

  writeTo(messages: JsonObject[], signatures: ReadonlyMap<unknown, CallSignature>): void {
    const { reasoning, field, signed, texts, calls, results, images } = this
    // Backends refuse a message that holds reasoning alone.
    if (texts.length === 0 && calls.length === 0) return
    messages.push({
      role: 'assistant',
      content: texts.length > 0 ? texts.join('') : null,
      ...reasoningMember(reasoning.join('\n\n'), field),
      ...chatFieldsOf(signed),
      ...(calls.length > 0 && { tool_calls: calls.map(call => signedCall(call, signatures)) }),
    })
    for (const result of results) messages.push(result)
    if (images.length > 0) messages.push({ role: 'user', content: images })
  }
}
