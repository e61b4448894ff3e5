import { isObject, type JsonObject } from '../json-safety.ts'
import { isSealed, type SignedThought } from './sealed-reasoning.ts'

/**
 * The thoughts of an assistant's message in a chat that Messages takes back: only those that a backend of this API signed.
 * Clients keep them as they were received in `thinking_blocks`, or in `reasoning_details`.
 */
export function thoughtsOfChat({ thinking_blocks, reasoning_details }: JsonObject): readonly SignedThought[] {
  if (Array.isArray(thinking_blocks)) return thinking_blocks.filter(isObject).flatMap(keptThought)
  return Array.isArray(reasoning_details) ? reasoning_details.filter(isObject).flatMap(detailedThought) : []
}

/** A block of an answer that its client has to send back as it is; none where it would be refused. */
export function keptThought({ type, thinking, signature, data }: JsonObject): readonly SignedThought[] {
  if (type === 'redacted_thinking') return typeof data === 'string' ? [{ type, data }] : []
  if (type !== 'thinking' || !isSigned(signature)) return []
  return [{ type, thinking: typeof thinking === 'string' ? thinking : '', signature }]
}

/** Whether a text is a backend's signature: this gateway's own seal is none. */
const isSigned = (signature: unknown): signature is string =>
  typeof signature === 'string' && signature !== '' && !isSealed(signature)

/** As OpenRouter tells them. */
function detailedThought({ type, format, text, signature, data }: JsonObject): readonly SignedThought[] {
  if (typeof format !== 'string' || !format.startsWith('anthropic')) return []
  if (type === 'reasoning.encrypted') return keptThought({ type: 'redacted_thinking', data })
  return keptThought({ type: 'thinking', thinking: text, signature })
}
