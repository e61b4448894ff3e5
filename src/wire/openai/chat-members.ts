import { asObject, isObject, type JsonObject } from '../json-safety.ts'

const names = (text: string): ReadonlySet<string> => new Set(text.split(' '))

/**
 * What messages and tools may hold for a backend to read, all of it weighed. Assistants' messages are sent back as they
 * were received, so that what backends add to them is known too: reasoning, and marks that they want to see again.
 */
const MESSAGE = names(
  'role content name tool_calls tool_call_id function_call refusal annotations audio reasoning reasoning_content reasoning_details thinking_blocks extra_content provider_specific_fields',
)
const TEXT_PART = names('type text')
const IMAGE_PART = names('type image_url')
const IMAGE = names('url detail')
const TOOL_CALL = names('id type function index extra_content provider_specific_fields')
const CALLED = names('name arguments')
const TOOL = names('type function hosted name')
const FUNCTION = names('name description parameters strict hosted')
/** Of `functions`, which tools came after. */
const OLD_FUNCTION = names('name description parameters')

/** Whether messages and tools hold nothing else. */
export function isPlain({ messages, tools, functions }: JsonObject): boolean {
  return every(messages, isPlainMessage) && every(tools, isPlainTool) && every(functions, isPlainFunction)
}

function isPlainMessage(message: JsonObject): boolean {
  if (!has(message, MESSAGE)) return false
  const { content, tool_calls, function_call } = message
  return (
    (typeof content === 'string' || every(content, isPlainPart)) &&
    (tool_calls === undefined || every(tool_calls, isPlainCall)) &&
    (function_call === undefined || has(asObject(function_call), CALLED))
  )
}

const isPlainPart = (part: JsonObject): boolean =>
  part.type === 'text' ? has(part, TEXT_PART) : has(part, IMAGE_PART) && has(asObject(part.image_url), IMAGE)

const isPlainCall = (call: JsonObject): boolean => has(call, TOOL_CALL) && has(asObject(call.function), CALLED)

const isPlainTool = (tool: JsonObject): boolean => has(tool, TOOL) && has(asObject(tool.function), FUNCTION)

const isPlainFunction = (each: JsonObject): boolean => has(each, OLD_FUNCTION)

function every(list: unknown, plain: (item: JsonObject) => boolean): boolean {
  if (!Array.isArray(list)) return true
  for (const item of list) if (!plain(asObject(item))) return false
  return true
}

function has(object: JsonObject, known: ReadonlySet<string>): boolean {
  for (const name in object) if (!known.has(name)) return false
  return true
}

/** A body with nothing else in its messages and tools: no cache marks, no links of parts that are no images. */
export function plainly(body: JsonObject): JsonObject {
  const { messages, tools, functions } = body
  return {
    ...body,
    ...(Array.isArray(messages) && { messages: messages.map(message => plainMessage(asObject(message))) }),
    ...(Array.isArray(tools) && { tools: tools.map(tool => withFunction(only(tool, TOOL), FUNCTION)) }),
    ...(Array.isArray(functions) && { functions: functions.map(each => only(each, OLD_FUNCTION)) }),
  }
}

function plainMessage(message: JsonObject): JsonObject {
  const { content, tool_calls, function_call } = message
  return {
    ...only(message, MESSAGE),
    ...(Array.isArray(content) && { content: content.map(part => plainPart(asObject(part))) }),
    ...(Array.isArray(tool_calls) && {
      tool_calls: tool_calls.map(call => withFunction(only(call, TOOL_CALL), CALLED)),
    }),
    ...(isObject(function_call) && { function_call: only(function_call, CALLED) }),
  }
}

function plainPart(part: JsonObject): JsonObject {
  if (part.type === 'text') return only(part, TEXT_PART)
  const image = only(part, IMAGE_PART)
  return isObject(image.image_url) ? { ...image, image_url: only(image.image_url, IMAGE) } : image
}

const withFunction = (object: JsonObject, known: ReadonlySet<string>): JsonObject =>
  isObject(object.function) ? { ...object, function: only(object.function, known) } : object

const only = (value: unknown, known: ReadonlySet<string>): JsonObject =>
  Object.fromEntries(Object.entries(asObject(value)).filter(([name]) => known.has(name)))
