import { marked } from '../cache-marks.ts'
import { asObject, isObject, type JsonObject } from '../json-safety.ts'

/** `tools` and `tool_choice` of a chat, as Messages has them; empty where there are no tools. */
export function toolsOfChat(chat: JsonObject): {
  readonly tools?: readonly JsonObject[]
  readonly tool_choice?: JsonObject
} {
  const { mode, only } = choiceOf(chat.tool_choice)
  const all = Array.isArray(chat.tools) ? chat.tools.filter(isObject).flatMap(toolOf) : []
  const tools = only ? all.filter(({ name }) => only.has(name)) : all
  if (tools.length === 0) return {}
  const choice = choiceAs(mode, chat.parallel_tool_calls === false)
  return { tools, ...(choice && { tool_choice: choice }) }
}

/** Whether a choice leaves the model no answer but a call. */
export const isForced = (choice: JsonObject | undefined): boolean => choice?.type === 'any' || choice?.type === 'tool'

function toolOf(tool: JsonObject): JsonObject[] {
  const { function: declared } = tool
  if (!isObject(declared)) return []
  const { name, description, parameters, strict } = declared
  const made = {
    name,
    ...(typeof description === 'string' && description !== '' && { description }),
    // `type` is required here.
    input_schema: isObject(parameters) ? { type: 'object', ...parameters } : { type: 'object', properties: {} },
    // False is the default, and not known to every version.
    ...(strict === true && { strict }),
  }
  return [marked(made, tool, declared)]
}

/** The choice of tools: as the model likes, none, any, or the tool of this name. */
type Mode = 'auto' | 'none' | 'required' | { readonly name: unknown } | undefined

/** `only` are the names that `allowed_tools` leaves. */
function choiceOf(choice: unknown): { readonly mode: Mode; readonly only?: ReadonlySet<unknown> } {
  if (choice === 'auto' || choice === 'none' || choice === 'required') return { mode: choice }
  if (!isObject(choice)) return { mode: undefined }
  const { function: called, allowed_tools } = choice
  if (isObject(called)) return { mode: { name: called.name } }
  if (!isObject(allowed_tools)) return { mode: undefined }
  const { mode, tools } = allowed_tools
  const names = Array.isArray(tools) ? tools.map(tool => asObject(asObject(tool).function).name) : []
  return { mode: mode === 'required' ? 'required' : 'auto', only: new Set(names) }
}

function choiceAs(mode: Mode, isSerial: boolean): JsonObject | undefined {
  if (mode === 'none') return { type: 'none' }
  const serial = isSerial ? { disable_parallel_tool_use: true } : {}
  if (mode === 'required') return { type: 'any', ...serial }
  if (typeof mode === 'object') return { type: 'tool', name: mode.name, ...serial }
  return mode === 'auto' || isSerial ? { type: 'auto', ...serial } : undefined
}
