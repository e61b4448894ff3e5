import { asObject, isObject, type JsonObject } from '../json-safety.ts'
import { withoutFields } from './fields.ts'

/**
 * Whether every backend accepts the form of a chat. Other chats are repaired, because clients resend whole histories and would be
 * refused in every turn: empty lists, nulls, calls without results, arguments that are not text.
 */
export function isSound({ messages, tools, functions, tool_choice, parallel_tool_calls, stop }: JsonObject): boolean {
  if (isEmptyList(tools) || isEmptyList(functions) || isEmptyList(stop)) return false
  if ((isIdleChoice(tool_choice) || parallel_tool_calls !== undefined) && !isFilledList(tools)) return false
  if (isFilledList(tools) && tools.some(hasNullMember)) return false
  return Array.isArray(messages) && everyResultHasCall(messages) && everyCallHasResult(messages)
}

/** Whether every backend accepts a message: it has no calls, or a non-empty list of them with texts as arguments. */
export function isSoundMessage({ content, tool_calls: calls, name, tool_call_id }: JsonObject): boolean {
  if (name === null || name === '' || tool_call_id === null || isEmptyList(content)) return false
  return calls === undefined || (isFilledList(calls) && calls.every(hasTextArguments))
}

/** Repairs what `isSound` and `isSoundMessage` reject. No content is lost. */
export function repaired(body: JsonObject): JsonObject {
  const { tools, functions, tool_choice, stop, messages } = body
  const hasTools = isFilledList(tools)
  const unsent = [
    ...(isEmptyList(tools) ? ['tools'] : []),
    ...(isEmptyList(functions) ? ['functions'] : []),
    ...(isEmptyList(stop) ? ['stop'] : []),
    ...(hasTools ? [] : ['parallel_tool_calls']),
    ...(isIdleChoice(tool_choice) && !hasTools ? ['tool_choice'] : []),
  ]
  const sent = hasTools ? { ...body, tools: tools.map(withoutNulls) } : body
  if (!Array.isArray(messages)) return withoutFields(sent, unsent)
  const called = withCalls(messages.map(message => repairedMessage(asObject(message))))
  return withoutFields({ ...sent, messages: withResults(called) }, unsent)
}

/** The messages and bytes that `repaired` adds to a chat, which count as part of its prompt. */
export function addedByRepair(messages: unknown): { readonly messages: number; readonly textBytes: number } {
  if (!Array.isArray(messages) || !isMended(messages)) return { messages: 0, textBytes: 0 }
  const objects = messages.map(asObject)
  const called = withCalls(objects)
  const ids = called.flatMap((_, at) => idsWithoutResult(called, at))
  const { role, content } = resultOf('')
  const results = ids.reduce((sum: number, id) => sum + role.length + bytesOf(id) + content.length, 0)
  const written = Math.max(0, bytesOfIds(called) - bytesOfIds(objects)) + 2 * emptyArguments(objects)
  return { messages: ids.length, textBytes: results + written }
}

/** Whether a repair adds anything to the messages. */
const isMended = (messages: readonly unknown[]): boolean =>
  !everyCallHasResult(messages) || !everyResultHasCall(messages) || emptyArguments(messages) > 0

const bytesOf = (value: unknown): number => Buffer.byteLength(String(value ?? ''))

const bytesOfIds = (messages: readonly JsonObject[]): number =>
  messages.reduce((sum, { tool_call_id: id }) => sum + bytesOf(id), 0)

/** The number of calls without arguments, not even an empty object. */
function emptyArguments(messages: readonly unknown[]): number {
  let count = 0
  for (const message of messages) {
    const { tool_calls: calls } = asObject(message)
    if (isFilledList(calls)) for (const call of calls) if (asObject(asObject(call).function).arguments === '') count++
  }
  return count
}

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0
const isFilledList = (value: unknown): value is readonly unknown[] => Array.isArray(value) && value.length > 0

/** A choice that needs no tool; backends refuse it in a request without tools. */
const isIdleChoice = (choice: unknown): boolean => choice === 'auto' || choice === 'none' || choice === null

const hasTextArguments = (call: unknown): boolean => {
  const { function: called } = asObject(call)
  return !isObject(called) || (typeof called.arguments === 'string' && called.arguments !== '')
}

/** A tool whose description or parameters are null, which OpenAI refuses. */
function hasNullMember(tool: unknown): boolean {
  const called = asObject(asObject(tool).function)
  for (const name in called) if (called[name] === null) return true
  return false
}

function withoutNulls(tool: unknown): JsonObject {
  const known = asObject(tool)
  if (!hasNullMember(known)) return known
  const members = Object.entries(asObject(known.function)).filter(([, value]) => value !== null)
  return { ...known, function: Object.fromEntries(members) }
}

/** Whether each tool result answers one call of the preceding assistant message. */
function everyResultHasCall(messages: readonly unknown[]): boolean {
  let open: Set<unknown> | undefined
  for (const message of messages) {
    const { role, tool_calls, tool_call_id } = asObject(message)
    if (role !== 'tool') open = isFilledList(tool_calls) ? new Set(tool_calls.map(idOfCall)) : undefined
    else if (!open?.delete(tool_call_id)) return false
  }
  return true
}

const idOfCall = (call: unknown): unknown => asObject(call).id

/**
 * The messages with every result matched to a call. A client that trims its history may keep a result without its call;
 * that becomes a user message after the other results. A result without an id answers the first call that lacks one.
 */
function withCalls(messages: readonly JsonObject[]): readonly JsonObject[] {
  const after: JsonObject[] = []
  const strays: JsonObject[] = []
  let open = new Set<unknown>()
  for (const [at, message] of messages.entries()) {
    if (message.role !== 'tool') {
      after.push(...strays.splice(0), message)
      open = new Set(isFilledList(message.tool_calls) ? message.tool_calls.map(idOfCall) : [])
      continue
    }
    const id = message.tool_call_id ?? idWithoutResult(messages, at, open)
    if (open.delete(id)) after.push({ ...message, tool_call_id: id })
    else strays.push(asUser(message))
  }
  return [...after, ...strays]
}

/** The first call that the results from a position on leave unanswered. */
function idWithoutResult(messages: readonly JsonObject[], at: number, open: ReadonlySet<unknown>): unknown {
  const answered = new Set<unknown>()
  for (let next = at; messages[next]?.role === 'tool'; next++) answered.add(messages[next]?.tool_call_id)
  return [...open].find(id => !answered.has(id))
}

function asUser({ tool_call_id: _call, name: _name, ...message }: JsonObject): JsonObject {
  return { ...message, role: 'user', content: message.content ?? '' }
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

/** The ids of calls that the results after a position leave unanswered. */
function missing(calls: readonly unknown[], messages: readonly unknown[], at: number): readonly unknown[] {
  const left = new Set(calls.map(call => asObject(call).id))
  for (let next = at + 1; left.size > 0 && next < messages.length; next++) {
    const { role, tool_call_id } = asObject(messages[next])
    if (role !== 'tool') break
    left.delete(tool_call_id)
  }
  return [...left]
}

/** Adds a result to each unanswered call: after a user stopped an agent, or a client lost a result. */
const withResults = (messages: readonly JsonObject[]): readonly JsonObject[] =>
  messages.flatMap((message, at) => [message, ...idsWithoutResult(messages, at).map(resultOf)])

const resultOf = (id: unknown) => ({ role: 'tool', tool_call_id: id, content: INTERRUPTED })

/** The ids of unanswered calls, if the last of their results, or the calls themselves, are at a position. */
function idsWithoutResult(messages: readonly JsonObject[], at: number): readonly unknown[] {
  // Only at the last result, so that thousands of results are not scanned once for each.
  if (messages[at + 1]?.role === 'tool') return []
  const before = callerBefore(messages, at)
  if (before === undefined) return []
  const calls = messages[before]?.tool_calls
  return isFilledList(calls) ? missing(calls, messages, before) : []
}

/** The position of the message whose results end at a position, or of that message itself. */
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
    ...(isEmptyList(rest.content) && { content: '' }),
    // An assistant message without calls needs content.
    ...(!hasCalls && message.role === 'assistant' && (rest.content ?? null) === null && { content: '' }),
    ...(hasCalls && { tool_calls: calls.map(withTextArguments) }),
    ...(name !== undefined && name !== null && name !== '' && { name }),
    ...(tool_call_id !== undefined && tool_call_id !== null && { tool_call_id }),
  }
}

function withTextArguments(call: unknown): JsonObject {
  const known = asObject(call)
  if (hasTextArguments(known)) return known
  const called = asObject(known.function)
  return { ...known, function: { ...called, arguments: JSON.stringify(called.arguments || {}) } }
}
