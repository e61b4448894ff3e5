import type { ReadTerms } from '../../client-dialect.ts'
import { type Findings, isAbsent } from '../../findings.ts'
import { asObject, isObject, type JsonObject } from '../../json-safety.ts'
import { unseal } from '../../reasoning/sealed-reasoning.ts'
import { keptThought } from '../../reasoning/thoughts.ts'
import type { ToolNames } from '../../tool-names.ts'
import { addParts, blocksOf, refuseType, textOf, textPart, textsOf } from './blocks.ts'
import { type AssistantTurn, Turns, type UserTurn } from './turns.ts'

/** The messages of a chat: the system prompt, and the conversation. */
export function readMessages(
  body: JsonObject,
  names: ToolNames<string>,
  texts: ReadTerms['texts'],
  findings: Findings,
): JsonObject[] {
  const reader = new MessageReader(names, texts, findings)
  reader.addSystem(body.system, 'system')
  const messages = findings.list('messages', body.messages)
  if (isAbsent(body.messages)) findings.refuseMissing('messages')
  else if (messages.length === 0) findings.refuse('messages', 'must not be empty')
  for (const [index, message] of messages.entries()) reader.add(message, `messages[${index}]`)
  return reader.chat()
}

class MessageReader {
  readonly #names: ToolNames<string>
  readonly #texts: ReadTerms['texts']
  readonly #findings: Findings
  readonly #system: string[] = []
  readonly #turns = new Turns()

  constructor(names: ToolNames<string>, texts: ReadTerms['texts'], findings: Findings) {
    this.#names = names
    this.#texts = texts
    this.#findings = findings
  }

  addSystem(content: unknown, at: string): void {
    for (const text of this.#systemTexts(content, at)) this.#system.push(text)
  }

  add(message: unknown, at: string): void {
    if (!isObject(message)) this.#findings.refuse(at, 'must be an object')
    const { role, content } = asObject(message)
    if (isAbsent(content)) this.#findings.refuseMissing(`${at}.content`)
    if (role === 'user') this.#addUser(content, `${at}.content`, this.#turns.user)
    else if (role === 'assistant') this.#addAssistant(content, `${at}.content`, this.#turns.assistant)
    else if (role !== 'system') this.#findings.refuse(`${at}.role`, 'must be one of "user", "assistant", "system"')
    else if (this.#turns.last) this.#addReminder(content, `${at}.content`)
    else this.addSystem(content, `${at}.content`)
  }

  chat(): JsonObject[] {
    if (this.#turns.last?.role === 'assistant') this.#findings.leaveOut('messages', PREFILL)
    const chat = this.#turns.chat()
    return this.#system.length > 0 ? [{ role: 'system', content: this.#system.join('\n\n') }, ...chat] : chat
  }

  #systemTexts(content: unknown, at: string): string[] {
    return textsOf(content, at, this.#findings).filter(text => text !== '' && !this.#texts.startsWith(text, BILLING))
  }

  /** Templates of chats take system messages at the beginning alone. It is no word of the user. */
  #addReminder(content: unknown, at: string): void {
    const texts = this.#systemTexts(content, at)
    if (texts.length === 0) return
    this.#turns.user.parts.push(textPart(`${REMINDER}\n${texts.join('\n\n')}\n</system-reminder>`))
  }

  #addUser(content: unknown, at: string, turn: UserTurn): void {
    for (const { block, at: place } of blocksOf(content, at, this.#findings)) {
      if (block.type === 'tool_result') this.#addResult(block, place, turn)
      else {
        addParts(block, place, turn.parts, this.#findings)
        turn.speaks ||= typeof block.text !== 'string' || !this.#texts.startsWith(block.text, REMINDER)
      }
    }
  }

  #addResult(block: JsonObject, at: string, turn: UserTurn): void {
    const id = this.#findings.requiredText(`${at}.tool_use_id`, block.tool_use_id, ID_CHARS)
    const parts: JsonObject[] = []
    for (const { block: inner, at: place } of blocksOf(block.content, `${at}.content`, this.#findings)) {
      if (inner.type === 'tool_reference') parts.push(textPart(this.#reference(inner, place)))
      else addParts(inner, place, parts, this.#findings)
    }
    const texts = parts.flatMap(({ text }) => (typeof text === 'string' ? [text] : []))
    const images = parts.length - texts.length
    for (const part of parts) if (part.type !== 'text') turn.images.push(part)
    if (images > 0) texts.push(`[${images} image(s) of this result follow]`)
    const text = texts.join('\n')
    const content = text === '' && block.is_error === true ? 'The tool failed.' : text
    turn.results.push({ role: 'tool', tool_call_id: id, content })
  }

  /** A tool that a tool search found. The tool is in the chat already. */
  #reference(block: JsonObject, at: string): string {
    const name = this.#findings.requiredText(`${at}.tool_name`, block.tool_name)
    return `The tool ${this.#names.send(name, name, name)} can be called.`
  }

  #addAssistant(content: unknown, at: string, turn: AssistantTurn): void {
    for (const { block, at: place } of blocksOf(content, at, this.#findings)) {
      const { type } = block
      if (type === 'text') turn.text += textOf(block, place, this.#findings)
      else if (type === 'thinking' || type === 'redacted_thinking') addThought(block, turn)
      else if (type === 'tool_use') this.#addCall(block, place, turn)
      else if (typeof type !== 'string' || !OF_SERVICE.test(type)) refuseType(type, place, this.#findings)
    }
  }

  #addCall(block: JsonObject, at: string, turn: AssistantTurn): void {
    const id = this.#findings.requiredText(`${at}.id`, block.id, ID_CHARS)
    const name = this.#findings.requiredText(`${at}.name`, block.name)
    const input = asObject(this.#findings.object(`${at}.input`, block.input))
    const call = { name: this.#names.send(name, name, name), arguments: this.#texts.json(input).toString() }
    turn.calls.push({ id, type: 'function', function: call })
  }
}

const PREFILL = 'the conversation must end with a user message; started answers are not continued here'

/** This line of Claude Code differs from request to request: no prompt that begins with it is found in a cache. */
const BILLING = 'x-anthropic-billing-header:'

const REMINDER = '<system-reminder>'

/** The longest id of a call in a chat, in characters. */
const ID_CHARS = 512

/** Calls that another service ran, and their results. */
const OF_SERVICE = /^(?:server_tool_use|mcp_tool_use|\w+_tool_result)$/

/** Its text for any backend, and for the one that signed it all of it. */
function addThought(block: JsonObject, turn: AssistantTurn): void {
  const { thinking, signature, data } = block
  const sealed = unseal(signature) ?? unseal(data)
  turn.reasoning += typeof thinking === 'string' && thinking !== '' ? thinking : (sealed?.text ?? '')
  turn.signed.push(...(sealed?.signed ?? keptThought(block)))
  for (const signed of sealed?.calls ?? []) turn.signatures.set(signed.call, signed)
  turn.field ??= sealed?.field
}
