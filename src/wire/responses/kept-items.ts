import { isAbsent } from '../findings.ts'
import { asObject, isObject, type JsonObject } from '../json-safety.ts'

/** The references of a body: the response before it, and the places of items that stand for kept ones. */
export interface References {
  readonly previous?: string
  readonly items: readonly ItemReference[]
}

export interface ItemReference {
  readonly place: number
  readonly id: string
}

/** Undefined where a body takes nothing up again: most bring all of it. */
export function referencesIn({ previous_response_id: previous, input }: JsonObject): References | undefined {
  const items: ItemReference[] = []
  for (const [place, item] of Array.isArray(input) ? input.entries() : [])
    if (isObject(item) && isReference(item) && typeof item.id === 'string') items.push({ place, id: item.id })
  if (typeof previous === 'string') return { previous, items }
  return items.length > 0 ? { items } : undefined
}

/** Items with an id alone are references, whether they say so or not. */
const isReference = ({ type, role, id }: JsonObject): boolean =>
  type === 'item_reference' || (isAbsent(type) && isAbsent(role) && !isAbsent(id))

/** The conversation so far, as items; undefined where it is neither a text nor a list. */
export function itemsOf(input: unknown): readonly unknown[] | undefined {
  if (isAbsent(input)) return []
  if (typeof input !== 'string') return Array.isArray(input) ? input : undefined
  return input === '' ? [] : [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: input }] }]
}

/** The items as they are listed: each with an id and a type, and texts as parts. */
export const listed = (items: readonly unknown[], newId: () => string): readonly JsonObject[] =>
  items.filter(isObject).map(item => {
    const { content } = item
    const isMessage = isAbsent(item.type)
    const id =
      typeof item.id === 'string' && item.id !== ''
        ? item.id
        : `${isMessage || item.type === 'message' ? 'msg' : 'item'}_${newId()}`
    return {
      ...item,
      id,
      ...(isMessage && { type: 'message' }),
      ...(typeof content === 'string' && {
        content: [{ type: item.role === 'assistant' ? 'output_text' : 'input_text', text: content }],
      }),
    }
  })

/** The ids of items, in their order. */
export const idsOf = (items: readonly unknown[]): readonly string[] =>
  items.flatMap(item => (isObject(item) && typeof item.id === 'string' ? [item.id] : []))

/** Whether a backend that keeps nothing can read an item which another backend gave: its reasoning may be there by its id alone. */
export const isReadable = ({ type, content, encrypted_content: sealed }: JsonObject): boolean =>
  type !== 'reasoning' || !isAbsent(sealed) || (Array.isArray(content) && content.length > 0)

/** Whether a response has all that it will ever have, and that is an answer. */
export const isAnswer = ({ status }: JsonObject): boolean => status === 'completed' || status === 'incomplete'

/** The output items of a response. */
export const outputOf = ({ output }: JsonObject): readonly JsonObject[] =>
  Array.isArray(output) ? output.map(asObject) : []
