import { asObject, isObject, type JsonObject } from '../json-safety.ts'
import { withoutFields } from './fields.ts'

/**
 * Whether every backend takes a chat as it is written, as far as its form goes. What is mended otherwise is what clients send whole
 * histories with, so that a refusal would repeat for good: empty lists, nulls, calls without results, arguments that are no text.
 */
export function isSound({ messages, tools, functions, tool_choice }: JsonObject): boolean {
  if (isEmptyList(tools) || isEmptyList(functions)) return false
  if (isIdleChoice(tool_choice) && !isFilledList(tools)) return false
  return Array.isArray(messages) && everyCallHasResult(messages)
}

/** Whether a message is one that every backend takes: its calls are none, or a list of some with texts for arguments. */
export function isSoundMessage({ tool_calls: calls, name, tool_call_id }: JsonObject): boolean {
  if (calls === undefined) return name !== null && tool_call_id !== null
  return isFilledList(calls) && calls.every(hasTextArguments) && name !== null && tool_call_id !== null
}

/** The chat with what `isSound` and `isSoundMessage` miss. Nothing that says anything is lost. */
export function repaired(body: JsonObject): JsonObject {
  const { tools, functions, tool_choice, messages } = body
  const hasNone = isEmptyList(tools)
  const unsent = [
    ...(hasNone ? ['tools', 'parallel_tool_calls'] : []),
    ...(isEmptyList(functions) ? ['functions'] : []),
    ...(isIdleChoice(tool_choice) && !isFilledList(tools) ? ['tool_choice'] : []),
  ]
  if (!Array.isArray(messages)) return withoutFields(body, unsent)
  const whole = withResults(messages.map(message => repairedMessage(asObject(message))))
  return withoutFields({ ...body, messages: whole }, unsent)
}

/** The messages and bytes that `repaired` adds to a chat: its prompt weighs them as well. */
export function addedByRepair(messages: unknown): { readonly messages: number; readonly textBytes: number } {
  if (!Array.isArray(messages) || everyCallHasResult(messages)) return { messages: 0, textBytes: 0 }
  const objects = messages.map(asObject)
  const ids = objects.flatMap((_, at) => idsWithoutResult(objects, at))
  const { role, content } = resultOf('')
  const textBytes = ids.reduce(
    (sum: number, id) => sum + role.length + Buffer.byteLength(String(id)) + content.length,
    0,
  )
  return { messages: ids.length, textBytes }
}

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0
const isFilledList = (value: unknown): value is readonly unknown[] => Array.isArray(value) && value.length > 0

/** A choice that asks for no tool, which backends refuse beside no tools. */
const isIdleChoice = (choice: unknown): boolean => choice === 'auto' || choice === 'none' || choice === null

const hasTextArguments = (call: unknown): boolean => {
  const { function: called } = asObject(call)
  return !isObject(called) || typeof called.arguments === 'string'
}

function everyCallHasResult(messages: readonly unknown[]): boolean {
  let at = 0
  for (const message of messages) {
    const calls = asObject(message).tool_calls
    if (calls !== undefined && isFilledList(calls) && missing(calls, messages, at).length > 0) return false
    at++
  }
  return true
}

/** The ids of calls that none of the results behind the message at a place answers. */
function missing(calls: readonly unknown[], messages: readonly unknown[], at: number): readonly unknown[] {
  const left = new Set(calls.map(call => asObject(call).id))
  for (let next = at + 1; left.size > 0 && next < messages.length; next++) {
    const { role, tool_call_id } = asObject(messages[next])
    if (role !== 'tool') break
    left.delete(tool_call_id)
  }
  return [...left]
}

/** A result for each call that has none: a user who stopped an agent, or a client that lost one, goes on behind it. */
const withResults = (messages: readonly JsonObject[]): readonly JsonObject[] =>
  messages.flatMap((message, at) => [message, ...idsWithoutResult(messages, at).map(resultOf)])

const resultOf = (id: unknown) => ({ role: 'tool', tool_call_id: id, content: INTERRUPTED })

/** The ids of calls that have no result, where the last of their results, or they themselves, stand at a place. */
function idsWithoutResult(messages: readonly JsonObject[], at: number): readonly unknown[] {
  // Only behind the last of them, so that thousands of results are not walked through for each.
  if (messages[at + 1]?.role === 'tool') return []
  const before = callerBefore(messages, at)
  if (before === undefined) return []
  const calls = messages[before]?.tool_calls
  return isFilledList(calls) ? missing(calls, messages, before) : []
}

/** The place of the message whose calls end with the results at a place, or with itself. */
function callerBefore(messages: readonly JsonObject[], at: number): number | undefined {
  let place = at
  while (place >= 0 && messages[place]?.role === 'tool') place--
  return isFilledList(messages[place]?.tool_calls) ? place : undefined
}

const INTERRUPTED = 'The call was interrupted and has no result.'

function repairedMessage(message: JsonObject): JsonObject {
  if (isSoundMessage(message)) return message
  const { tool_calls: calls, name, tool_call_id, ...rest } = message
  const hasCalls = isFilledList(calls)
  return {
    ...rest,
    // Without calls an assistant has to have said something.
    ...(!hasCalls && message.role === 'assistant' && (rest.content ?? null) === null && { content: '' }),
    ...(hasCalls && { tool_calls: calls.map(withTextArguments) }),
    ...(name !== undefined && name !== null && { name }),
    ...(tool_call_id !== undefined && tool_call_id !== null && { tool_call_id }),
  }
}

function withTextArguments(call: unknown): JsonObject {
  const known = asObject(call)
  if (hasTextArguments(known)) return known
  const called = asObject(known.function)
  return { ...known, function: { ...called, arguments: JSON.stringify(called.arguments ?? {}) } }
}
