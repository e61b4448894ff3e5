import { type Findings, isAbsent, quoted } from '../../findings.ts'
import { isObject, type JsonObject } from '../../json-safety.ts'
import { signedItem } from '../../reasoning/details.ts'
import { type Reasoning, unseal } from '../../reasoning/sealed-reasoning.ts'
import { itemNotFound } from '../state.ts'
import { Conversation } from './conversation.ts'
import { readParts, readTexts } from './read-content.ts'
import { ADDITIONAL_TOOLS } from './read-tools.ts'
import type { ClientTools } from './tool-kinds.ts'
import { carriesContent } from './unknown-item.ts'

/** Reads the conversation so far: the instructions, and a text or items. */
export function readInput(body: JsonObject, tools: ClientTools, found: Findings): Conversation {
  const conversation = new Conversation()
  const instructions = found.text('instructions', body.instructions)
  if (instructions !== undefined) conversation.addSystem(instructions)
  const { input } = body
  if (typeof input === 'string') conversation.addUser([{ type: 'text', text: input }])
  else if (Array.isArray(input)) readItems(input, { conversation, tools, found })
  else if (isAbsent(input)) found.refuse('input', 'is required', 'missing_required_parameter')
  else found.refuse('input', 'must be a string or an array', 'invalid_type')
  return conversation
}

interface Reading {
  readonly conversation: Conversation
  readonly tools: ClientTools
  readonly found: Findings
}

function readItems(input: readonly unknown[], reading: Reading): void {
  // Backends read the reasoning of the turn that goes on, and no older one.
  const lastOfUser = input.findLastIndex(item => isObject(item) && typeOf(item) === 'message' && item.role === 'user')
  for (const [i, item] of input.entries()) {
    const field = `input[${i}]`
    if (!isObject(item)) reading.found.refuse(field, 'must be an object', 'invalid_type')
    else if (typeOf(item) !== 'reasoning') readItem(field, item, reading)
    else reading.conversation.addReasoning(reasoningOf(item), i > lastOfUser)
  }
}

/** Messages need no type, and neither do references. */
function typeOf({ type, role, id }: JsonObject): unknown {
  if (!isAbsent(type)) return type
  if (!isAbsent(role)) return 'message'
  return isAbsent(id) ? undefined : 'item_reference'
}

/** Items of services' work, whose results the following texts tell, and tools, which `readTools` reads. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'web_search_call',
  'file_search_call',
  'code_interpreter_call',
  'image_generation_call',
  'mcp_list_tools',
  ADDITIONAL_TOOLS,
])

function readItem(field: string, item: JsonObject, reading: Reading): void {
  const { found } = reading
  const type = found.requiredText(`${field}.type`, typeOf(item))
  switch (type) {
    case 'message':
      readMessage(field, item, reading)
      break
    case 'function_call':
    case 'custom_tool_call':
      readCall(field, type, item, reading)
      break
    case 'function_call_output':
    case 'custom_tool_call_output':
      readResult(field, type, item, reading)
      break
    case 'item_reference':
      found.refuseAs(itemNotFound(field, found.requiredText(`${field}.id`, item.id)))
      break
    default:
      if (LEFT_OUT.has(type)) break
      if (carriesContent(item)) found.leaveOut(`${field}.type`, `Items of type ${quoted(type)} are not supported here.`)
      else found.lose(`input.${type}`)
  }
}

function readMessage(field: string, { role, content }: JsonObject, { conversation, found }: Reading): void {
  const place = `${field}.content`
  switch (found.requiredText(`${field}.role`, role)) {
    case 'user':
      conversation.addUser(readParts(place, content, found))
      break
    case 'assistant':
      conversation.addAnswer(readTexts(place, content, found).join(''))
      break
    case 'system':
    case 'developer':
      conversation.addSystem(readTexts(place, content, found).join('\n\n'))
      break
    default:
      found.refuse(`${field}.role`, 'must be one of "user", "assistant", "system", "developer"', 'invalid_value')
  }
}

/** The model's reasoning: as it is, sealed, or summed up; and the part that its backend signed. */
function reasoningOf(item: JsonObject): Reasoning {
  const { content, encrypted_content, summary } = item
  const sealed = unseal(encrypted_content)
  const text = textsIn(content).join('') || sealed?.text || textsIn(summary).join('\n\n')
  return { ...sealed, text, signed: sealed?.signed ?? signedItem(item) }
}

const textsIn = (parts: unknown): readonly string[] =>
  Array.isArray(parts) ? parts.flatMap(part => (isObject(part) && typeof part.text === 'string' ? part.text : [])) : []

const ID_MAX = 512

function readCall(field: string, type: string, item: JsonObject, { conversation, tools, found }: Reading): void {
  const id = found.requiredText(`${field}.call_id`, item.call_id, ID_MAX)
  const name = found.requiredText(`${field}.name`, item.name)
  const namespace = found.text(`${field}.namespace`, item.namespace)
  const isCustom = type === 'custom_tool_call'
  const args = isCustom
    ? JSON.stringify({ input: found.requiredText(`${field}.input`, item.input) })
    : found.text(`${field}.arguments`, item.arguments) || '{}'
  const kind = isCustom ? 'custom' : 'function'
  const sent = tools.send({ kind, name, ...(namespace !== undefined && { namespace }) })
  conversation.addCall({ id, type: 'function', function: { name: sent, arguments: args } }, id)
}

function readResult(field: string, type: string, item: JsonObject, { conversation, found }: Reading): void {
  const id = found.requiredText(`${field}.call_id`, item.call_id, ID_MAX)
  const parts = readParts(`${field}.output`, item.output, found)
  if (conversation.addResult(id, parts)) return
  const what = type === 'function_call_output' ? 'function call output' : 'custom tool call output'
  found.refuse('input', `No tool call found for ${what} with call_id ${id}.`)
}
