import { isObject, type JsonObject } from '../../src/wire/json-safety.ts'
import { SseSplitter } from '../../src/wire/sse.ts'

/** The content of a chat answer, whether whole or in chunks. */
export interface JoinedChat {
  content: string
  reasoning: string
  refusal: string
  calls: { id: unknown; name: unknown; arguments: string }[]
  thinking?: unknown
  details?: unknown
  finish?: unknown
  stop?: unknown
  usage?: unknown
  error?: unknown
  done: boolean
}

/** Joins the chunks of a stream in the public form. */
export function joinedStream(bytes: Buffer): JoinedChat {
  const splitter = new SseSplitter()
  const joined = empty()
  for (const data of [...splitter.push(bytes), ...splitter.end()]) {
    if (joined.done) throw new Error(`after the end: ${data}`)
    if (data === '[DONE]') joined.done = true
    else take(JSON.parse(data), joined)
  }
  return joined
}

/** The content of a whole completion. */
export function joinedWhole(bytes: Buffer | undefined): JoinedChat {
  const completion = JSON.parse(String(bytes))
  const { message, ...choice } = completion.choices[0]
  const joined = { ...empty(), done: true }
  const tool_calls = message.tool_calls?.map((call: object, index: number) => ({ ...call, index }))
  take({ ...completion, choices: [{ ...choice, delta: { ...message, ...(tool_calls && { tool_calls }) } }] }, joined)
  return joined
}

const empty = (): JoinedChat => ({ content: '', reasoning: '', refusal: '', calls: [], done: false })

function take({ choices, usage, error }: JsonObject, joined: JoinedChat): void {
  if (error !== undefined) joined.error = error
  if (isObject(usage)) joined.usage = usage
  const [choice] = Array.isArray(choices) ? choices : []
  if (!isObject(choice) || !isObject(choice.delta)) return
  const { content, reasoning_content, refusal, tool_calls, thinking_blocks, reasoning_details } = choice.delta
  joined.content += content ?? ''
  joined.reasoning += reasoning_content ?? ''
  joined.refusal += refusal ?? ''
  for (const call of Array.isArray(tool_calls) ? tool_calls : []) takeCall(call, joined)
  const { finish_reason: finish, stop_reason: stop } = choice
  const once = { thinking: thinking_blocks, details: reasoning_details, finish: finish ?? undefined, stop }
  for (const [name, value] of Object.entries(once)) if (value !== undefined) Object.assign(joined, { [name]: value })
}

function takeCall(call: { index: number; id: unknown; function: JsonObject }, { calls }: JoinedChat): void {
  const { name, arguments: args } = call.function
  const open = calls[call.index] ?? { id: call.id, name, arguments: '' }
  open.arguments += args ?? ''
  calls[call.index] = open
}
