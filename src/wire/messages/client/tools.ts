import { Fact, isKnown, know } from '../../fast/known-value.ts'
import { type Findings, isAbsent, quoted } from '../../findings.ts'
import { HostedAnswers } from '../../hosted-answers.ts'
import { asObject, isObject, type JsonObject } from '../../json-safety.ts'
import { ToolNames } from '../../tool-names.ts'

/** The tools of a request as a chat has them. */
export interface ReadTools {
  /** `tools`, `tool_choice` and `parallel_tool_calls`; empty where no tool remains. */
  readonly chat: JsonObject
  /** Types of tools that would run elsewhere, and are not in the chat. */
  readonly ignored: readonly string[]
  readonly names: ToolNames<string>
}

/** Reads `tools` and `tool_choice`. */
export function readTools(body: JsonObject, isHosted: (tool: string) => boolean, findings: Findings): ReadTools {
  const tools = readList(body.tools, isHosted, findings)
  const choice = asObject(findings.object('tool_choice', body.tool_choice))
  return {
    chat: chatOf(tools, choice, findings),
    ignored: [...tools.ignored],
    names: new ToolNames(tools.names),
  }
}

/** The tools of a request, before any of them is chosen. */
interface Tools {
  readonly listed: readonly JsonObject[]
  readonly names: ToolNames<string>
  readonly ignored: ReadonlySet<string>
  /** The chat form of a choice of each tool, by tool name; undefined for a tool that is not in the chat. */
  readonly choices: ReadonlyMap<string, JsonObject | undefined>
}

/** The tools of a known list, where nothing was found in it, and what they depend on beside the list. */
const READ = new Fact<{ readonly tools: Tools; readonly answers: HostedAnswers }>()

function readList(list: unknown, isHosted: (tool: string) => boolean, findings: Findings): Tools {
  const known = READ.of(list)
  if (known?.answers.hold(isHosted)) return known.tools
  const answers = new HostedAnswers()
  const reader = new ToolReader(answers.asking(isHosted), findings)
  for (const [index, tool] of findings.list('tools', list, TOOLS_MAX).entries()) reader.add(tool, `tools[${index}]`)
  const { names, ignored, choices } = reader
  const tools = { listed: reader.listed, names, ignored, choices }
  if (isKnown(list) && findings.isEmpty) {
    know(tools.listed)
    READ.keep(list, { tools, answers })
  }
  return tools
}

class ToolReader {
  readonly names = new ToolNames<string>()
  readonly ignored = new Set<string>()
  readonly listed: JsonObject[] = []
  readonly choices = new Map<string, JsonObject | undefined>()
  readonly #isHosted: (tool: string) => boolean
  readonly #findings: Findings

  constructor(isHosted: (tool: string) => boolean, findings: Findings) {
    this.#isHosted = isHosted
    this.#findings = findings
  }

  add(value: unknown, at: string): void {
    if (!isObject(value)) {
      this.#findings.refuse(at, 'must be an object')
      return
    }
    const tool = value
    const { type } = tool
    if (isAbsent(type) || type === 'custom') this.#addFunction(tool, at)
    else if (type === 'hosted') this.#addHosted(this.#nameOf(tool, at), at)
    else if (typeof type !== 'string' || !TYPE.test(type)) this.#findings.refuse(`${at}.type`, TYPE_PROBLEM)
    else if (CLIENTS.test(type)) this.#leaveToNative(tool, type, at)
    else this.#addOfService(tool, type, at)
  }

  #addFunction(tool: JsonObject, at: string): void {
    const { input_schema: parameters, strict, input_examples: examples } = tool
    if (Array.isArray(examples) && examples.length > 0) this.#findings.lose('tools.input_examples')
    const name = this.#nameOf(tool, at)
    const description = this.#findings.text(`${at}.description`, tool.description)
    // A schema that is absent would be guessed by each backend in its own way.
    if (!isObject(parameters)) this.#findings.refuse(`${at}.input_schema`, 'must be an object, and is required')
    const sent = this.names.send(name, name, name)
    this.choices.set(name, { type: 'function', function: { name: sent } })
    this.listed.push({
      type: 'function',
      function: {
        name: sent,
        ...(description !== undefined && { description }),
        parameters,
        ...(typeof strict === 'boolean' && { strict }),
      },
    })
  }

  #addHosted(name: string, at: string, seenAs = name): void {
    if (!CHAT_NAME.test(name)) this.#findings.refuse(`${at}.name`, 'must be 1 to 64 letters, digits, _ and -')
    const hosted = { type: 'hosted', name }
    this.choices.set(seenAs, hosted)
    this.listed.push(hosted)
  }

  /** Tools that the client runs itself, in a form that only the models of this dialect were trained on. */
  #leaveToNative(tool: JsonObject, type: string, at: string): void {
    this.choices.set(this.#nameOf(tool, at), undefined)
    this.#findings.leaveOut(
      `${at}.type`,
      `only Anthropic's models know ${type}; send it as your own tool, with an input_schema`,
    )
  }

  /** Tools that the service runs: one of the gateway's own where such a tool is declared. */
  #addOfService(tool: JsonObject, type: string, at: string): void {
    const name = typeof tool.name === 'string' ? tool.name : ''
    const hosted = [name, type.replace(VERSION, '')].find(each => CHAT_NAME.test(each) && this.#isHosted(each))
    if (hosted !== undefined) {
      this.#addHosted(hosted, at, name || hosted)
      return
    }
    this.choices.set(name, undefined)
    this.ignored.add(type)
  }

  #nameOf(tool: JsonObject, at: string): string {
    return this.#findings.requiredText(`${at}.name`, tool.name)
  }
}

/** The members of a chat for all tools. */
function chatOf(tools: Tools, choice: JsonObject, findings: Findings): JsonObject {
  const { listed, ignored } = tools
  const chosen = chosenOf(tools, choice, findings)
  if (listed.length === 0) {
    if (ignored.size > 0 && !findings.onlyNative)
      findings.leaveOut('tools', `none of these can run here: ${[...ignored].join(', ')}`)
    return {}
  }
  return {
    tools: listed,
    ...(chosen !== undefined && { tool_choice: chosen }),
    ...(choice.disable_parallel_tool_use === true && { parallel_tool_calls: false }),
  }
}

function chosenOf(tools: Tools, choice: JsonObject, findings: Findings): unknown {
  switch (choice.type) {
    case undefined:
    case null:
      return undefined
    case 'auto':
    case 'none':
      return choice.type
    case 'any':
      return 'required'
    case 'tool':
      return chosenTool(tools, findings.requiredText('tool_choice.name', choice.name), findings)
    default:
      findings.refuse('tool_choice.type', 'must be one of "auto", "any", "tool", "none"')
      return undefined
  }
}

function chosenTool({ choices }: Tools, name: string, findings: Findings): unknown {
  const chosen = choices.get(name)
  if (chosen) return chosen
  if (choices.has(name)) findings.leaveOut('tool_choice', `${quoted(name)} cannot run here`)
  else findings.refuse('tool_choice.name', `is ${quoted(name)}, which tools do not list`)
  return undefined
}

/** The most that a chat takes. */
const TOOLS_MAX = 1024

/** Types go into a header. */
const TYPE = /^[\w.-]{1,64}$/
const TYPE_PROBLEM = 'must be 1 to 64 letters, digits, _, . and -'

/** Tools of Anthropic that clients run themselves. */
const CLIENTS = /^(?:bash|text_editor|computer|memory)_/

/** The end of Anthropic's tool types: the day of the version. */
const VERSION = /_\d{8}$/

/** Names of tools that a chat takes. */
const CHAT_NAME = /^[A-Za-z0-9_-]{1,64}$/
