import { type Denied, invalid } from '../../policy/denial.ts'
import { isObject, type JsonObject } from '../json-safety.ts'

/** A hosted tool that a request lists. */
export interface ListedTool {
  /** The declared name. */
  readonly name: string
  /** The model's name for it: its own, or the one with the brand's prefix that the client sent. */
  readonly seenAs: string
}

/** Tools by the name that the model sees. */
export type Listed = ReadonlyMap<string, ListedTool>

/** The names by which a tool of a request is a hosted one. */
export interface ToolNames {
  /** A plain function whose name begins with the brand, `svc_web_search`, is hosted where such a tool is declared. */
  readonly brand: string
  readonly declared: Pick<ReadonlyMap<string, unknown>, 'has'>
}

/** One entry of `tools`: a function of the client, or a hosted tool. */
export type Entry = { readonly hosted: ListedTool } | { readonly hosted?: never; readonly name: string }

/** Reads `tools`: `{type: "hosted", name}`, a function with `hosted: true`, or a plain function named `svc_<tool>`, unless it says `hosted: false`. */
export function readTools({ tools }: JsonObject, names: ToolNames): readonly Entry[] {
  return Array.isArray(tools) ? tools.map(tool => readTool(tool, names)) : []
}

function readTool(tool: unknown, names: ToolNames): Entry {
  if (!isObject(tool)) return { name: '' }
  const name = nameOf(tool)
  const { hosted = isObject(tool.function) ? tool.function.hosted : undefined } = tool
  if (tool.type === 'hosted' || hosted === true) return { hosted: { name: declaredName(name, names), seenAs: name } }
  if (hosted === false) return { name }
  const declared = declaredName(name, names)
  return declared === name ? { name } : { hosted: { name: declared, seenAs: name } }
}

function nameOf(tool: JsonObject): string {
  const { name } = isObject(tool.function) ? tool.function : tool
  return typeof name === 'string' ? name : ''
}

/** The tool that a name stands for: without the prefix of the brand, where only that is declared. */
function declaredName(name: string, { brand, declared }: ToolNames): string {
  const prefix = `${brand}_`
  if (declared.has(name) || !name.startsWith(prefix)) return name
  const rest = name.slice(prefix.length)
  return declared.has(rest) ? rest : name
}

/** The fault of a request for hosted tools, besides their names. */
export function toolsProblem(body: JsonObject, entries: readonly Entry[]): Denied | undefined {
  const wrong = entries.length > 0 ? entriesProblem(body, entries) : undefined
  if (wrong) return wrong
  const { tool_choice: choice } = body
  if (isObject(choice) && choice.type === 'hosted' && !entries.some(({ hosted }) => hosted?.seenAs === choice.name))
    return invalid('tool_choice', `names ${String(choice.name)}, which tools do not list as hosted`)
  return undefined
}

function entriesProblem({ n }: JsonObject, entries: readonly Entry[]): Denied | undefined {
  const seen = new Map<string, number>()
  const hosted = new Map<string, number>()
  for (const [index, entry] of entries.entries()) {
    const name = entry.hosted ? entry.hosted.seenAs : entry.name
    const before = seen.get(name) ?? (entry.hosted && hosted.get(entry.hosted.name))
    if (before !== undefined && (entry.hosted || entries[before]?.hosted))
      return invalid(`tools[${index}]`, `is ${name}, as tools[${before}] is; each name can stand for one tool`)
    seen.set(name, index)
    if (entry.hosted) hosted.set(entry.hosted.name, index)
  }
  return hosted.size > 0 && typeof n === 'number' && n > 1 ? invalid('n', 'must be 1 with hosted tools') : undefined
}
