import { createHash } from 'node:crypto'
import type { PoolFacts } from '../../policy/providers/profile.ts'
import { asObject, isObject, type JsonObject } from '../json-safety.ts'

type IdFacts = Pick<PoolFacts, 'callIds'>

/** Whether a chat has calls whose ids a backend does not take, as other models made them. */
export function hasOtherIds({ messages }: JsonObject, facts: IdFacts | undefined): boolean {
  if (facts === undefined || facts.callIds === 'any' || !Array.isArray(messages)) return false
  return messages.some(message => {
    const { tool_calls: calls, tool_call_id: id } = asObject(message)
    return isOther(id) || (Array.isArray(calls) && calls.some(call => isOther(asObject(call).id)))
  })
}

/** A chat whose calls and results have ids that a backend takes. The same id is sent the same way in each turn. */
export function withAcceptedIds(body: JsonObject, facts: IdFacts | undefined): JsonObject {
  const { messages } = body
  if (!Array.isArray(messages) || !hasOtherIds(body, facts)) return body
  return { ...body, messages: messages.map(message => withIds(asObject(message))) }
}

function withIds(message: JsonObject): JsonObject {
  const { tool_calls: calls, tool_call_id: id } = message
  return {
    ...message,
    ...(isOther(id) && { tool_call_id: nineOf(id) }),
    ...(Array.isArray(calls) && {
      tool_calls: calls.filter(isObject).map(call => (isOther(call.id) ? { ...call, id: nineOf(call.id) } : call)),
    }),
  }
}

const isOther = (id: unknown): id is string => typeof id === 'string' && !NINE.test(id)
const NINE = /^[A-Za-z0-9]{9}$/

/** 36 bits of a digest: two of a thousand calls share them once in 100,000 conversations. */
const nineOf = (id: string): string => createHash('sha256').update(id).digest('hex').slice(0, 9)
