import type { ReadTerms } from '../../client-dialect.ts'
import { type Findings, isAbsent, quoted } from '../../findings.ts'
import { isObject, type JsonObject } from '../../json-safety.ts'
import { hostedFor, type ListedTool, runsElsewhere, TOOLS_MAX } from './read-tools.ts'

/** Reads which of the tools the model may call, and which it must. Backends refuse a choice without tools. */
export function readChoice(
  choice: unknown,
  listed: readonly ListedTool[],
  terms: ReadTerms,
  found: Findings,
): ToolsChosen {
  if (isAbsent(choice)) return { offered: listed }
  if (typeof choice === 'string') return { offered: listed, choice: readMode('tool_choice', choice, MODES, found) }
  if (!isObject(choice)) {
    found.refuse('tool_choice', 'must be a string or an object', 'invalid_type')
    return { offered: listed }
  }
  if (choice.type === 'allowed_tools') return readAllowed(choice, listed, terms, found)
  return { offered: listed, choice: readForced(choice, listed, terms, found) }
}

export interface ToolsChosen {
  /** The tools that are sent. */
  readonly offered: readonly ListedTool[]
  readonly choice?: unknown
}

const MODES = ['none', 'auto', 'required']

function readMode(field: string, mode: string, modes: readonly string[], found: Findings): string | undefined {
  if (modes.includes(mode)) return mode
  return found.refuse(field, `must be one of ${modes.map(each => `"${each}"`).join(', ')}`, 'invalid_value')
}

function readAllowed(
  choice: JsonObject,
  listed: readonly ListedTool[],
  terms: ReadTerms,
  found: Findings,
): ToolsChosen {
  const mode = found.requiredText('tool_choice.mode', choice.mode)
  const offered = new Set<ListedTool>()
  for (const [i, tool] of found.list('tool_choice.tools', choice.tools, TOOLS_MAX).entries()) {
    const field = `tool_choice.tools[${i}]`
    if (!isObject(tool)) found.refuse(field, 'must be an object', 'invalid_type')
    else for (const each of allowedBy(field, tool, listed, terms, found)) offered.add(each)
  }
  return {
    offered: listed.filter(tool => offered.has(tool)),
    choice: readMode('tool_choice.mode', mode, ['auto', 'required'], found),
  }
}

/** Those that the service itself would run are not among the tools, and allow nothing. */
function allowedBy(
  field: string,
  tool: JsonObject,
  listed: readonly ListedTool[],
  terms: ReadTerms,
  found: Findings,
): readonly ListedTool[] {
  const type = found.requiredText(`${field}.type`, tool.type)
  const name = found.text(`${field}.name`, tool.name)
  if (type === 'namespace') return listed.filter(({ namespace }) => namespace !== undefined && namespace === name)
  if (!isListed(type)) return hostedNamed(hostedFor(type, terms), listed)
  const named = toolNamed(tool, listed)
  if (named) return [named]
  found.refuse(field, notAmongTools(name ?? ''), 'invalid_value')
  return []
}

function readForced(choice: JsonObject, listed: readonly ListedTool[], terms: ReadTerms, found: Findings): unknown {
  const type = found.requiredText('tool_choice.type', choice.type)
  if (!isListed(type)) {
    const [hosted] = hostedNamed(hostedFor(type, terms), listed)
    return hosted ? { type: 'hosted', name: hosted.name } : found.leaveOut('tool_choice.type', runsElsewhere(type))
  }
  const name = found.requiredText('tool_choice.name', choice.name)
  const tool = toolNamed(choice, listed)
  if (!tool) return found.refuse('tool_choice', notAmongTools(name), 'invalid_value')
  return tool.kind === 'hosted' ? { type: 'hosted', name } : { type: 'function', function: { name: tool.sent } }
}

const hostedNamed = (name: string | undefined, listed: readonly ListedTool[]): readonly ListedTool[] =>
  listed.filter(tool => tool.kind === 'hosted' && tool.name === name)

const isListed = (type: string): boolean => type === 'function' || type === 'custom' || type === 'hosted'

/** A choice may leave out the namespace of a tool, or write it before the name as backends get it. */
const toolNamed = ({ type, name, namespace }: JsonObject, listed: readonly ListedTool[]): ListedTool | undefined =>
  listed.find(tool => tool.kind === type && tool.name === name && tool.namespace === (namespace ?? undefined)) ??
  listed.find(tool => tool.kind === type && (tool.name === name || tool.sent === name) && isAbsent(namespace))

const notAmongTools = (name: string): string => `Tool choice ${quoted(name)} not found in 'tools' parameter.`
