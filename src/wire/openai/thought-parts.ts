import type { PoolFacts } from '../../policy/providers/profile.ts'
import { asObject, type JsonObject } from '../json-safety.ts'
import { reasoningIn } from '../reasoning/signed-thoughts.ts'

type ThoughtFacts = Pick<PoolFacts, 'thoughts'>

/** Whether a chat tells thoughts in members of messages that a backend takes as parts of their content. */
export function hasOtherThoughts({ messages }: JsonObject, facts: ThoughtFacts | undefined): boolean {
  if (facts?.thoughts !== 'parts' || !Array.isArray(messages)) return false
  return messages.some(message => 'reasoning_content' in asObject(message) || 'reasoning' in asObject(message))
}

/** A chat whose thoughts are where a backend accepts them. */
export function withAcceptedThoughts(body: JsonObject, facts: ThoughtFacts | undefined): JsonObject {
  const { messages } = body
  if (!Array.isArray(messages) || !hasOtherThoughts(body, facts)) return body
  return { ...body, messages: messages.map(message => withParts(asObject(message))) }
}

/** Its thoughts before all else that it says; those of a backend that thought nothing are left out. */
function withParts(message: JsonObject): JsonObject {
  const text = reasoningIn(message)
  const { reasoning_content: _thoughts, reasoning: _same, ...rest } = message
  if (text === '') return rest
  const { content } = rest
  const said = typeof content === 'string' && content !== '' ? [{ type: 'text', text: content }] : []
  const thought = { type: 'thinking', thinking: [{ type: 'text', text }], closed: true }
  return { ...rest, content: [thought, ...(Array.isArray(content) ? content : said)] }
}
