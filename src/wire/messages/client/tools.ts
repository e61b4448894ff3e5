import { type Findings, isAbsent, quoted } from '../../findings.ts'
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
  const tools = new Tools(isHosted, findings)
  for (const [index, tool] of findings.list('tools', body.tools, TOOLS_MAX).entries())
    tools.add(tool, `tools[${index}]`)
  const choice = asObject(findings.object('tool_choice', body.tool_choice))
  return { chat: tools.chat(choice), ignored: [...tools.ignored], names: tools.names }
}

class Tools {
  readonly names = new ToolNames<string>()
  readonly ignored = new Set<string>()
  readonly #listed: JsonObject[] = []
  /** By the name of each tool: what a choice of it is in a chat; undefined where it is not in the chat. */
  readonly #choices = new Map<string, JsonObject | undefined>()
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

  /** The members of a chat for all tools. */
  chat(choice: JsonObject): JsonObject {
    const chosen = this.#chosen(choice)
    if (this.#listed.length === 0) {
      if (this.ignored.size > 0 && !this.#findings.onlyNative)
        this.#findings.leaveOut('tools', `none of them can run here (${[...this.ignored].join(', ')})`)
      return {}
    }
    return {
      tools: this.#listed,
      ...(chosen !== undefined && { tool_choice: chosen }),
      ...(choice.disable_parallel_tool_use === true && { parallel_tool_calls: false }),
    }
  }

  #addFunction(tool: JsonObject, at: string): void {
    const { input_schema: parameters, strict, input_examples: examples } = tool
    if (Array.isArray(examples) && examples.length > 0) this.#findings.lose('tools.input_examples')
    const name = this.#nameOf(tool, at)
    const description = this.#findings.text(`${at}.description`, tool.description)
    // A schema that is absent would be guessed by each backend in its own way.
    if (!isObject(parameters)) this.#findings.refuse(`${at}.input_schema`, 'must be an object, and is required')
    const sent = this.names.send(name, name, name)
    this.#choices.set(name, { type: 'function', function: { name: sent } })
    this.#listed.push({
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
    this.#choices.set(seenAs, hosted)
    this.#listed.push(hosted)
  }

  /** Tools that the client runs itself, in a form that only the models of this dialect were trained on. */
  #leaveToNative(tool: JsonObject, type: string, at: string): void {
    this.#choices.set(this.#nameOf(tool, at), undefined)
    this.#findings.leaveOut(
      `${at}.type`,
      `${type} is known to models of Anthropic alone; give it as a tool of your own, with an input_schema`,
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
    this.#choices.set(name, undefined)
    this.ignored.add(type)
  }

  #nameOf(tool: JsonObject, at: string): string {
    return this.#findings.requiredText(`${at}.name`, tool.name)
  }

  #chosen(choice: JsonObject): unknown {
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
        return this.#chosenTool(this.#findings.requiredText('tool_choice.name', choice.name))
      default:
        this.#findings.refuse('tool_choice.type', 'must be one of "auto", "any", "tool", "none"')
        return undefined
    }
  }

  #chosenTool(name: string): unknown {
    const chosen = this.#choices.get(name)
    if (chosen) return chosen
    if (this.#choices.has(name)) this.#findings.leaveOut('tool_choice', `${quoted(name)} cannot run here`)
    else this.#findings.refuse('tool_choice.name', `is ${quoted(name)}, which tools do not list`)
    return undefined
  }
}

/** As many as a chat takes. */
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
