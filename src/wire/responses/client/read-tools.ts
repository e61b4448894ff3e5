import type { ReadTerms } from '../../client-dialect.ts'
import { Fact, isKnown, know, oncePerValue } from '../../fast/known-value.ts'
import { type Findings, quoted } from '../../findings.ts'
import { HostedAnswers } from '../../hosted-answers.ts'
import { isObject, type JsonObject } from '../../json-safety.ts'
import { type TextTool, textFunction } from '../../openai/custom-tools.ts'
import { ClientTools } from './tool-kinds.ts'

/** An item of the input that brings more tools, as Codex sends it with each request. */
export const ADDITIONAL_TOOLS = 'additional_tools'

/** Reads the list of tools, and those that items of the input bring. */
export function readTools(body: JsonObject, terms: ReadTerms, found: Findings): ToolsRead {
  const items = Array.isArray(body.input) ? [...body.input.entries()].filter(([, item]) => bringsTools(item)) : []
  return items.length > 0 ? readLists(body.tools, items, terms, found) : readListed(body.tools, terms, found)
}

const bringsTools = (item: unknown): boolean => isObject(item) && item.type === ADDITIONAL_TOOLS

/** The tools of a known list, where nothing was found in it, and what they depend on beside the list. */
const READ = new Fact<{ readonly read: ToolsRead; readonly answers: HostedAnswers }>()

function readListed(list: unknown, terms: ReadTerms, found: Findings): ToolsRead {
  if (!isKnown(list)) return readLists(list, [], terms, found)
  const known = READ.of(list)
  if (known?.answers.hold(terms.isHosted)) return shared(known.read)
  const answers = new HostedAnswers()
  const read = readLists(list, [], { ...terms, isHosted: answers.asking(terms.isHosted) }, found)
  if (!found.isEmpty) return read
  know(read.listed)
  READ.keep(list, { read, answers })
  return shared(read)
}

/** Gives each request its own names: it may add some, which are no other request's. */
const shared = (read: ToolsRead): ToolsRead => ({ ...read, tools: new ClientTools(read.tools) })

function readLists(
  list: unknown,
  items: readonly (readonly [number, unknown])[],
  terms: ReadTerms,
  found: Findings,
): ToolsRead {
  const listed: ListedTool[] = []
  const ignored = new Map<string, string>()
  const tools = new ClientTools()
  const seen: Seen = { listed, own: new Map(), hosted: new Set(), ignored, tools, terms, found }
  readList('tools', list, seen)
  for (const [i, item] of items) if (isObject(item)) readList(`input[${i}].tools`, item.tools, seen)
  found.list('tools', listed, TOOLS_MAX)
  const [first] = ignored
  if (first && listed.length === 0) found.leaveOut(first[1], runsElsewhere(first[0]))
  return { listed, ignored: [...ignored.keys()], tools }
}

export interface ToolsRead {
  readonly listed: readonly ListedTool[]
  /** Types of tools that are left out. */
  readonly ignored: readonly string[]
  /** Those of the client, by the names that backends get. */
  readonly tools: ClientTools
}

/** Tools as a chat lists them. */
export const chatsOf = (listed: readonly ListedTool[]): readonly JsonObject[] =>
  isKnown(listed) ? knownChatsOf(listed) : listed.map(({ chat }) => chat)

const knownChatsOf = oncePerValue((listed: readonly ListedTool[]) => know(listed.map(({ chat }) => chat)))

/** A tool of the chat. */
export interface ListedTool {
  readonly chat: JsonObject
  /** As a choice of tools names it. */
  readonly kind: 'function' | 'custom' | 'hosted'
  readonly name: string
  readonly namespace?: string
  /** The name that the backend gets. */
  readonly sent: string
}

/** The hosted tool that stands for a tool which the service itself would run. */
export function hostedFor(type: string, terms: ReadTerms): string | undefined {
  if (terms.isHosted(type)) return type
  return type.startsWith(WEB_SEARCH) && terms.isHosted(WEB_SEARCH) ? WEB_SEARCH : undefined
}

export const runsElsewhere = (type: string): string =>
  `Tools of type ${quoted(type)} do not run here: use functions, custom tools or hosted tools.`

export const TOOLS_MAX = 1024
const WEB_SEARCH = 'web_search'
/** Agents list these in each request, whether the model needs them or not. */
const IGNORED = /^(?:web_search[a-z0-9_]{0,54}|image_generation|tool_search|local_shell)$/
const HOSTED_NAME = /^[A-Za-z0-9_-]{1,64}$/

/** The tools collected while the list is read. */
interface Seen {
  readonly listed: ListedTool[]
  /** Where the client's own tools stand in it, by the names that the backend gets. */
  readonly own: Map<string, number>
  readonly hosted: Set<string>
  /** The field of the first one, by type. */
  readonly ignored: Map<string, string>
  readonly tools: ClientTools
  readonly terms: ReadTerms
  readonly found: Findings
}

function readList(field: string, tools: unknown, seen: Seen): void {
  for (const [i, tool] of seen.found.list(field, tools, TOOLS_MAX).entries()) readTool(`${field}[${i}]`, tool, seen)
}

function readTool(field: string, tool: unknown, seen: Seen, namespace?: string): void {
  // The lists of namespaces are bounded one by one, and all of them at the end.
  if (seen.listed.length > TOOLS_MAX) return
  if (!isObject(tool)) {
    seen.found.refuse(field, 'must be an object', 'invalid_type')
    return
  }
  const type = seen.found.requiredText(`${field}.type`, tool.type)
  switch (type) {
    case 'function':
    case 'custom':
      addOwn(clientTool(field, type, tool, seen, namespace), seen)
      break
    case 'namespace':
      readNamespace(field, tool, seen, namespace)
      break
    case 'hosted':
      addHosted(hostedName(field, tool, seen.found), seen)
      break
    default:
      readBuiltIn(field, type, seen)
  }
}

function readNamespace(field: string, tool: JsonObject, seen: Seen, outer?: string): void {
  const { found } = seen
  if (outer !== undefined) {
    found.refuse(`${field}.type`, 'must not be a namespace in another one', 'invalid_value')
    return
  }
  const name = found.requiredText(`${field}.name`, tool.name)
  for (const [i, inner] of found.list(`${field}.tools`, tool.tools, TOOLS_MAX).entries())
    readTool(`${field}.tools[${i}]`, inner, seen, name)
}

function hostedName(field: string, tool: JsonObject, found: Findings): string {
  const name = found.requiredText(`${field}.name`, tool.name)
  if (!HOSTED_NAME.test(name))
    found.refuse(`${field}.name`, 'must be 1 to 64 letters, digits, _ and -', 'invalid_value')
  return name
}

/** A tool that the input brings anew takes the place of the one of that name: backends refuse a name that is listed twice. */
function addOwn(tool: ListedTool, { listed, own }: Seen): void {
  const at = own.get(tool.sent) ?? listed.length
  own.set(tool.sent, at)
  listed[at] = tool
}

/** Both `web_search` and `web_search_preview` may stand for it. */
function addHosted(name: string, { listed, hosted }: Seen): void {
  if (hosted.has(name)) return
  hosted.add(name)
  listed.push({ kind: 'hosted', name, sent: name, chat: { type: 'hosted', name } })
}

function readBuiltIn(field: string, type: string, seen: Seen): void {
  const hosted = hostedFor(type, seen.terms)
  if (hosted !== undefined) addHosted(hosted, seen)
  else if (!IGNORED.test(type)) seen.found.leaveOut(`${field}.type`, runsElsewhere(type))
  else if (!seen.ignored.has(type)) seen.ignored.set(type, `${field}.type`)
}

function clientTool(
  field: string,
  kind: 'function' | 'custom',
  tool: JsonObject,
  { tools, found }: Seen,
  namespace?: string,
): ListedTool {
  const name = found.requiredText(`${field}.name`, tool.name)
  if (name === '') found.refuse(`${field}.name`, 'must not be empty', 'invalid_value')
  const description = found.text(`${field}.description`, tool.description)
  const named = { kind, name, ...(namespace !== undefined && { namespace }) }
  const sent = tools.send(named)
  const declared =
    kind === 'custom'
      ? customFunction(field, sent, description, tool, found)
      : plainFunction(field, sent, description, tool, found)
  return { ...named, sent, chat: { type: 'function', function: declared } }
}

function plainFunction(
  field: string,
  name: string,
  description: string | undefined,
  tool: JsonObject,
  found: Findings,
): JsonObject {
  const parameters = found.object(`${field}.parameters`, tool.parameters) ?? { type: 'object', properties: {} }
  const strict = found.boolean(`${field}.strict`, tool.strict)
  return {
    name,
    ...(description !== undefined && { description }),
    parameters,
    ...(strict !== undefined && { strict }),
  }
}

function customFunction(
  field: string,
  name: string,
  description: string | undefined,
  tool: JsonObject,
  found: Findings,
): JsonObject {
  return textFunction({ name, description, grammar: grammarOf(`${field}.format`, tool, found) })
}

function grammarOf(field: string, tool: JsonObject, found: Findings): TextTool['grammar'] {
  const format = found.object(field, tool.format)
  if (format?.type !== 'grammar') return undefined
  const syntax = found.requiredText(`${field}.syntax`, format.syntax)
  const definition = found.requiredText(`${field}.definition`, format.definition)
  return { syntax, definition }
}
