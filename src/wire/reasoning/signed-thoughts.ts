import type { JsonObject } from '../json-safety.ts'
import { detailsOfReasoning, signedInDetails } from './details.ts'
import type { ReasoningField, SignedThought } from './sealed-reasoning.ts'
import { thoughtsOfChat } from './thoughts.ts'

/** Reads from the deltas of a chat, or from a whole message, what the backend signed of its thoughts. */
export class SignedThoughts {
  /** Reasoning since the last signature. */
  #text = ''

  read(delta: JsonObject): readonly SignedThought[] {
    this.#text += reasoningIn(delta)
    const signed = [...thoughtsOfChat(delta), ...signedInDetails(delta.reasoning_details)].map(thought =>
      // Some backends send a signature after its text, in a part of its own.
      thought.type === 'thinking' && thought.thinking === '' ? { ...thought, thinking: this.#text } : thought,
    )
    if (signed.length > 0) this.#text = ''
    return signed
  }
}

/** Signed thoughts as fields of an assistant's message in a chat. */
export function chatFieldsOf(signed: readonly SignedThought[]): JsonObject {
  const blocks = signed.filter(({ type }) => type !== 'reasoning')
  const details = signed.flatMap(thought => (thought.type === 'reasoning' ? detailsOfReasoning(thought) : []))
  return {
    ...(blocks.length > 0 && { thinking_blocks: blocks }),
    ...(details.length > 0 && { reasoning_details: details }),
  }
}

/** The reasoning in a message or a delta. Some backends send the same text under both names. */
export function reasoningIn({ reasoning_content, reasoning }: JsonObject): string {
  if (typeof reasoning_content === 'string' && reasoning_content !== '') return reasoning_content
  return typeof reasoning === 'string' ? reasoning : ''
}

/** Where a message or a delta tells what was thought, if that is not the usual place. */
export function fieldIn(said: JsonObject): ReasoningField | undefined {
  const { reasoning_content: usual, reasoning } = said
  const isUsual = typeof usual === 'string' && usual !== ''
  return !isUsual && typeof reasoning === 'string' && reasoning !== '' ? 'reasoning' : undefined
}

/** Reasoning as a member of an assistant's message in a chat, under the name that its backend used. */
export const reasoningMember = (text: string, field: ReasoningField = 'reasoning_content'): JsonObject =>
  text === '' ? {} : { [field]: text }
