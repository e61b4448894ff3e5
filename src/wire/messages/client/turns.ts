import { signedCall } from '../../call-signatures.ts'
import type { JsonObject } from '../../json-safety.ts'
import type { CallSignature, ReasoningField, SignedThought } from '../../reasoning/sealed-reasoning.ts'
import { chatFieldsOf, reasoningMember } from '../../reasoning/signed-thoughts.ts'

/** A conversation as it is read: messages of one role that follow each other are one turn. */
export class Turns {
  readonly #turns: Turn[] = []

  /** The current user turn, or a new one. */
  get user(): UserTurn {
    const last = this.#turns.at(-1)
    if (last?.role === 'user') return last
    const turn: UserTurn = { role: 'user', results: [], images: [], parts: [], speaks: false }
    this.#turns.push(turn)
    return turn
  }

  /** The current assistant turn, or a new one. */
  get assistant(): AssistantTurn {
    const last = this.#turns.at(-1)
    if (last?.role === 'assistant') return last
    const turn: AssistantTurn = {
      ...{ role: 'assistant' as const, text: '', reasoning: '', signed: [] },
      ...{ signatures: new Map(), calls: [] },
    }
    this.#turns.push(turn)
    return turn
  }

  get last(): Turn | undefined {
    return this.#turns.at(-1)
  }

  /** Reasoning belongs to the calls that the model is still at: what it thought before the user spoke last is not sent. */
  chat(): JsonObject[] {
    const spoke = this.#turns.findLastIndex(turn => turn.role === 'user' && turn.speaks && turn.results.length === 0)
    const chat: JsonObject[] = []
    for (const [index, turn] of this.#turns.entries()) {
      if (turn.role === 'assistant') chat.push(assistantMessage(turn, index > spoke))
      else addUserMessages(turn, chat)
    }
    return chat
  }
}

type Turn = UserTurn | AssistantTurn

export interface UserTurn {
  readonly role: 'user'
  /** Results of tools, as messages of a chat. */
  readonly results: JsonObject[]
  /** Images in them, which results of a chat cannot hold. */
  readonly images: JsonObject[]
  readonly parts: JsonObject[]
  /** Whether the user said something: reminders are written by the client. */
  speaks: boolean
}

export interface AssistantTurn {
  readonly role: 'assistant'
  text: string
  reasoning: string
  /** Where its backend told that. */
  field?: ReasoningField | undefined
  readonly signed: SignedThought[]
  /** Signatures of calls, by the ids of the calls. */
  readonly signatures: Map<unknown, CallSignature>
  readonly calls: JsonObject[]
}

function assistantMessage(turn: AssistantTurn, thinks: boolean): JsonObject {
  const { text, reasoning, field, signed, signatures, calls } = turn
  return {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    ...(thinks && reasoningMember(reasoning, field)),
    ...(thinks && chatFieldsOf(signed)),
    // Gemini checks the signatures of all calls, however old.
    ...(calls.length > 0 && { tool_calls: calls.map(call => signedCall(call, signatures)) }),
  }
}

/** Results come first: a chat wants them right after the calls. */
function addUserMessages({ results, images, parts }: UserTurn, chat: JsonObject[]): void {
  for (const result of results) chat.push(result)
  const shown = images.length > 0 ? images.concat(parts) : parts
  if (shown.length > 0 || results.length === 0) chat.push({ role: 'user', content: contentOf(shown) })
}

/** Text alone is no list of parts: some templates take nothing else. */
function contentOf(parts: readonly JsonObject[]): unknown {
  const [first] = parts
  if (!first) return ''
  return parts.length === 1 && first.type === 'text' ? first.text : parts
}
