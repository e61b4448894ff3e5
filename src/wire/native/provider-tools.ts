import { isKnown, oncePerValue } from '../fast/known-value.ts'
import { asObject, isObject, type JsonObject } from '../json-safety.ts'

/**
 * The tools in a body of Responses or Messages that its provider would run itself, and may charge beside tokens: each once, by its
 * name without the version. A tool counts unless it is known to run at the client.
 */
export function providerToolsIn(body: JsonObject): readonly string[] {
  const names = new Set<string>()
  for (const name of isKnown(body.tools) ? knownNames(body.tools) : namesIn(body.tools)) names.add(name)
  // Tools that are made known in the middle of a conversation.
  for (const item of listOf(body.input)) for (const tool of toolsOf(asObject(item))) addTool(tool, names)
  if (listOf(body.mcp_servers).length > 0) names.add('mcp')
  if (body.container !== undefined && body.container !== null) names.add('code_execution')
  return [...names]
}

function namesIn(tools: unknown): ReadonlySet<string> {
  const names = new Set<string>()
  for (const tool of listOf(tools)) addTool(tool, names)
  return names
}

const knownNames = oncePerValue(namesIn)

/**
 * Those of them that a request can do without: they stand among its tools and nowhere else, and a chat of the request, of
 * which types were left out, has other tools.
 */
export function cuttableIn(body: JsonObject, leftOut: readonly string[]): readonly string[] {
  const { tools: _listed, ...rest } = body
  const elsewhere = new Set(providerToolsIn(rest))
  const inner = listOf(body.tools).flatMap(tool => providerToolsIn(asObject(tool)))
  const names = new Set(leftOut.map(nameOf))
  return [...names].filter(name => !elsewhere.has(name) && !inner.includes(name))
}

/** The tools and the choice of a body without some tools that its provider would run. */
export function withoutTools(body: JsonObject, names: readonly string[]): JsonObject {
  const stays = (tool: unknown): boolean => {
    const { type } = asObject(tool)
    return typeof type !== 'string' || !names.includes(nameOf(type))
  }
  const choice = asObject(body.tool_choice)
  const allowed = Array.isArray(choice.tools) && { tool_choice: { ...choice, tools: choice.tools.filter(stays) } }
  return { tools: toolsOf(body).filter(stays), ...allowed }
}

/** An object without its list counts too: a backend may read it as a list of one. */
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : isObject(value) ? [value] : [])

const toolsOf = ({ tools }: JsonObject): readonly unknown[] => listOf(tools)

function addTool(value: unknown, names: Set<string>): void {
  // A backend may flatten a list in a list.
  if (Array.isArray(value)) for (const inner of value) addTool(inner, names)
  const tool = asObject(value)
  // Those of a namespace.
  for (const inner of toolsOf(tool)) addTool(inner, names)
  const { type } = tool
  if (typeof type !== 'string') return
  const name = nameOf(type)
  if (CLIENTS.has(name) || (name === 'shell' && asObject(tool.environment).type === 'local')) return
  names.add(name)
}

/** `web_search_20250305` and `web_search_preview_2025_03_11` are `web_search`. */
function nameOf(type: string): string {
  const name = type.slice(0, NAME_CHARS).replace(VERSION, '')
  return name === 'mcp_toolset' ? 'mcp' : name
}

const NAME_CHARS = 64

const VERSION = /(?:_preview)?(?:_\d{8}|_\d{4}_\d{2}_\d{2})?$/

/** Types of tools that the client runs itself, and of those that are only about other tools. */
const CLIENTS: ReadonlySet<string> = new Set([
  ...['function', 'custom', 'namespace', 'hosted'],
  ...['local_shell', 'apply_patch', 'bash', 'text_editor', 'memory'],
  ...['computer', 'computer_use', 'computer_toolset', 'browser_toolset'],
  ...['tool_search', 'tool_search_tool_regex', 'tool_search_tool_bm25'],
])
