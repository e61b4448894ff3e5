import { asObject, isObject, type JsonObject } from '../json-safety.ts'
import { isSealed, type SignedThought } from './sealed-reasoning.ts'

/**
 * Reasoning that its backend sealed, in the form that OpenRouter gave it in chats: clients send `reasoning_details` back
 * as they were, and the model goes on from its own thoughts.
 */
export function detailsOfReasoning({ id, summary, encrypted_content: data }: JsonObject): readonly JsonObject[] {
  // This gateway's own seal says nothing to a backend.
  if (typeof data !== 'string' || data === '' || isSealed(data)) return []
  const texts = Array.isArray(summary) ? summary.map(part => asObject(part).text) : []
  return [
    ...texts.map(text => ({ type: 'reasoning.summary', summary: text, id, format: FORMAT })),
    { type: 'reasoning.encrypted', data, ...(id !== '' && { id }), format: FORMAT },
  ]
}

/** The signed reasoning of an item that a client brings along: without its summary, which says less. */
export function signedItem({ id, encrypted_content: data }: JsonObject): readonly SignedThought[] {
  if (typeof data !== 'string' || data === '' || isSealed(data)) return []
  return [{ type: 'reasoning', id: typeof id === 'string' ? id : '', encrypted_content: data }]
}

export const signedInDetails = (details: unknown): readonly SignedThought[] =>
  reasoningOfDetails(details).flatMap(signedItem)

/** The items of reasoning that such details were made of. */
export function reasoningOfDetails(details: unknown): readonly JsonObject[] {
  const ours = Array.isArray(details) ? details.filter(isObject).filter(({ format }) => format === FORMAT) : []
  let summary: JsonObject[] = []
  return ours.flatMap(({ type, summary: text, data, id }) => {
    if (type === 'reasoning.summary') summary.push({ type: 'summary_text', text })
    if (type !== 'reasoning.encrypted' || typeof data !== 'string') return []
    const item = { type: 'reasoning', ...(typeof id === 'string' && { id }), summary, encrypted_content: data }
    summary = []
    return [item]
  })
}

const FORMAT = 'openai-responses-v1'
