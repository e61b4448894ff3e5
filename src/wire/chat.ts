import type { Denial } from '../policy/denial.ts'
import type { CapField, ChatAsk } from '../policy/facts.ts'
import { readCompletion } from './answer.ts'
import { invalid, isDenial, isObject, type JsonObject } from './body.ts'
import { chatSchema } from './chat.schema.ts'
import { refusedField } from './refused.ts'
import type { WireRequest } from './request.ts'
import { hostedChat } from './tools/hosted-chat.ts'
import { readTools, type ToolNames, toolsProblem } from './tools/listed.ts'
import { unmarked } from './tools/round-body.ts'
import { readValid, validator } from './validate.ts'

const validate = validator(chatSchema)

const NO_HOSTED: ToolNames = { brand: '', declared: new Map() }

/** Reads the body of POST /v1/chat/completions. Spec 4.2. */
export function readChat(bytes: Buffer, names = NO_HOSTED): WireRequest | Denial {
  const parsed = readValid(bytes, refusedField, validate)
  if (isDenial(parsed)) return parsed
  const { body } = parsed
  const cap = capOf(body)
  if (cap === 'unequal') return invalid('max_completion_tokens', 'differs from max_tokens; send one of them')

  const entries = readTools(body, names)
  const wrong = toolsProblem(body, entries)
  if (wrong) return wrong

  const { model, n, stream, stream_options, chat_template_kwargs } = body
  const thinking = isObject(chat_template_kwargs) ? chat_template_kwargs.enable_thinking : undefined
  const hosted = entries.flatMap(entry => entry.hosted?.name ?? [])
  const { messages, images, textBytes } = weigh(body)
  const request: ChatAsk = {
    kind: 'chat',
    ...(typeof model === 'string' && { model }),
    stream: stream === true,
    messages,
    images,
    textBytes,
    tools: entries.length,
    ...(hosted.length > 0 && { hosted }),
    ...(cap && { cap }),
    choices: typeof n === 'number' ? n : 1,
    ...(typeof thinking === 'boolean' && { thinking }),
  }
  const bodyOf = (sent: JsonObject, backendModel: string, output: number) =>
    backendChat(sent, request, backendModel, output)
  const chat = hostedChat(body, entries, bodyOf)
  const usageWanted = isObject(stream_options) && stream_options.include_usage === true
  return {
    request,
    path: '/chat/completions',
    routedText: () => routedText(body.messages),
    ...(request.stream && { stream: { usageWanted, choices: request.choices } }),
    ...(chat && { hosted: chat }),
    bodyFor: (backendModel, output) => bodyOf(unmarked(body), backendModel, output),
    readAnswer: readCompletion,
  }
}

/** The body for one backend: its own model name, the granted cap, and usage always asked for. */
function backendChat(body: JsonObject, request: ChatAsk, model: string, output: number): string {
  // Rest instead of delete: the body is shared by the attempts.
  const { model: _named, max_tokens: _cap, max_completion_tokens: _newerCap, stream_options, ...rest } = body
  const options = request.stream ? { ...asObject(stream_options), include_usage: true } : stream_options
  // What is ours first: to add to a copy of the rest would cost ten times as much.
  return JSON.stringify({
    model,
    [request.cap?.field ?? 'max_tokens']: output,
    ...(options !== undefined && { stream_options: options }),
    ...rest,
  })
}

function capOf(body: JsonObject): ChatAsk['cap'] | 'unequal' {
  const read = (field: CapField) => {
    const tokens = body[field]
    return typeof tokens === 'number' ? { field, tokens } : undefined
  }
  const older = read('max_tokens')
  const newer = read('max_completion_tokens')
  if (older && newer && older.tokens !== newer.tokens) return 'unequal'
  return newer ?? older
}

/** UTF-8 bytes of what may enter the prompt, messages and images counted. Image data is not text. */
function weigh(body: JsonObject): { messages: number; images: number; textBytes: number } {
  const messages = Array.isArray(body.messages) ? body.messages : []
  const weight = { messages: messages.length, images: 0, textBytes: 0 }
  const add = (value: unknown): void => {
    if (typeof value === 'string') weight.textBytes += Buffer.byteLength(value)
    else if (Array.isArray(value)) value.forEach(add)
    else if (isObject(value)) {
      const { image_url, ...rest } = value
      if (isObject(image_url)) weight.images++
      else add(image_url)
      Object.values(rest).forEach(add)
    }
  }
  add(messages)
  // Templates print these as JSON, so their punctuation counts too.
  for (const field of ['tools', 'functions', 'response_format']) {
    if (body[field] !== undefined && body[field] !== null)
      weight.textBytes += Buffer.byteLength(JSON.stringify(body[field]))
  }
  return weight
}

/** What routes look at, however long a message is: the beginning of what the user said last. */
const ROUTED_CHARS = 4096

function routedText(messages: unknown): string {
  const last = Array.isArray(messages)
    ? messages.findLast(message => isObject(message) && message.role === 'user')
    : undefined
  const { content } = asObject(last)
  if (typeof content === 'string') return content.slice(0, ROUTED_CHARS)
  let text = ''
  for (const part of Array.isArray(content) ? content : []) {
    if (isObject(part) && typeof part.text === 'string') text += `${part.text.slice(0, ROUTED_CHARS)}\n`
    if (text.length >= ROUTED_CHARS) break
  }
  return text.slice(0, ROUTED_CHARS)
}

const asObject = (value: unknown): JsonObject => (isObject(value) ? value : {})
