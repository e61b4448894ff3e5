import {
  absent,
  firstBroken,
  type Invalid,
  isCount,
  isObject,
  type JsonObject,
  list,
  number,
  object,
  text,
} from './json.ts'

/** A chat completion request, parsed; fields the demo backend does not know are dropped. */
export interface ChatRequest {
  readonly model: string
  readonly messages: readonly Message[]
  readonly tools: readonly Tool[]
  readonly toolChoice: 'auto' | 'none' | 'required' | { readonly name: string }
  readonly parallelCalls: boolean
  /** The answer must be JSON, and fit the schema if there is one. */
  readonly json?: { readonly schema?: JsonObject }
  /** False only where the request turned thinking off. */
  readonly thinking: boolean
  /** Output tokens of each choice at most; Infinity where the request sets no cap. */
  readonly maxTokens: number
  readonly stop: readonly string[]
  readonly n: number
  readonly stream: boolean
  readonly includeUsage: boolean
}

export interface Message {
  readonly role: string
  /** The text parts, joined. */
  readonly text: string
  readonly calls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[]
  readonly callId?: string
}

export interface Tool {
  readonly name: string
  readonly description: string
  readonly parameters: JsonObject
}

/** Reads a request body, or says what is wrong with it. */
export function parseRequest(body: unknown): ChatRequest | Invalid {
  if (!isObject(body)) return { param: null, message: 'the body must be a JSON object' }
  const tools = list(body.tools).flatMap(toolOf)
  const toolChoice = toolChoiceOf(body.tool_choice)
  const invalid = firstProblem(body) ?? unknownChoice(toolChoice, tools)
  if (invalid) return invalid
  const json = jsonOf(body.response_format)
  return {
    model: text(body.model),
    messages: list(body.messages).map(messageOf),
    tools,
    toolChoice,
    parallelCalls: body.parallel_tool_calls !== false,
    ...(json && { json }),
    thinking: object(body.chat_template_kwargs).enable_thinking !== false,
    maxTokens: number(body.max_completion_tokens) ?? number(body.max_tokens) ?? Number.POSITIVE_INFINITY,
    stop: (Array.isArray(body.stop) ? body.stop : [body.stop]).filter(stop => typeof stop === 'string' && stop !== ''),
    n: number(body.n) ?? 1,
    stream: body.stream === true,
    includeUsage: object(body.stream_options).include_usage === true,
  }
}

function firstProblem(body: JsonObject): Invalid | undefined {
  return firstBroken([
    ['model', typeof body.model === 'string' && body.model !== '', 'must name a model'],
    ['messages', Array.isArray(body.messages) && body.messages.length > 0, 'must be a non-empty array'],
    [
      'messages',
      list(body.messages).every(message => typeof object(message).role === 'string'),
      'must each have a role',
    ],
    ['n', absent(body.n) || isCount(body.n, 4), 'must be an integer from 1 to 4'],
    ['max_tokens', absent(body.max_tokens) || isCount(body.max_tokens), 'must be a positive integer'],
    [
      'max_completion_tokens',
      absent(body.max_completion_tokens) || isCount(body.max_completion_tokens),
      'must be a positive integer',
    ],
  ])
}

function unknownChoice(choice: ChatRequest['toolChoice'], tools: readonly Tool[]): Invalid | undefined {
  const param = 'tool_choice'
  if (choice === 'required' && tools.length === 0) return { param, message: 'tool_choice required needs tools' }
  if (typeof choice === 'string' || tools.some(tool => tool.name === choice.name)) return undefined
  return { param, message: `tool_choice names ${choice.name}, which is not among the tools` }
}

function messageOf(value: unknown): Message {
  const message = object(value)
  const { content } = message
  const calls = list(message.tool_calls).map(entry => {
    const call = object(entry)
    const fn = object(call.function)
    return { id: text(call.id), name: text(fn.name), arguments: text(fn.arguments) }
  })
  return {
    role: text(message.role),
    text: typeof content === 'string' ? content : list(content).map(partText).join(' '),
    calls,
    ...(typeof message.tool_call_id === 'string' && { callId: message.tool_call_id }),
  }
}

function partText(value: unknown): string {
  const part = object(value)
  return part.type === 'text' ? text(part.text) : `[${text(part.type)}]`
}

function toolOf(value: unknown): readonly Tool[] {
  const { name, description, parameters } = object(object(value).function)
  if (typeof name !== 'string') return []
  return [{ name, description: text(description), parameters: object(parameters) }]
}

function toolChoiceOf(value: unknown): ChatRequest['toolChoice'] {
  if (value === 'none' || value === 'required') return value
  const { name } = object(object(value).function)
  return typeof name === 'string' ? { name } : 'auto'
}

function jsonOf(value: unknown): ChatRequest['json'] {
  const format = object(value)
  if (format.type === 'json_object') return {}
  if (format.type !== 'json_schema') return undefined
  const { schema } = object(format.json_schema)
  return isObject(schema) ? { schema } : {}
}
