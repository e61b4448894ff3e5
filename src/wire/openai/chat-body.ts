import type { CapField, ChatAsk } from '../../policy/facts.ts'
import { spliced } from '../fast/splice.ts'
import { asObject, isObject } from '../json-safety.ts'
import { isMarked, unmarked } from '../tools/round-body.ts'
import type { JsonObject, OutlinedBody } from './body.ts'
import { plainly } from './chat-members.ts'
import { withoutFields } from './fields.ts'

/** A chat, and what of its body no backend is sent. */
export interface SortedChat {
  readonly request: ChatAsk
  /** Whether its messages and tools hold nothing that is not known. */
  readonly isPlain: boolean
  /** Fields of the body. */
  readonly unsent: readonly string[]
}

/** What of a body is sent. */
export function sentOf(body: JsonObject, { isPlain, unsent }: Omit<SortedChat, 'request'>): JsonObject {
  const sent = withoutFields(body, unsent)
  return isPlain ? sent : plainly(sent)
}

/** The body for one backend: its own model name, the granted cap, and usage always asked for. */
export function backendChat(parsed: OutlinedBody, chat: SortedChat, model: string, output: number): Buffer {
  const { outline, texts, written } = parsed
  const { request, isPlain, unsent } = chat
  const cap = capField(request)
  const otherCap = cap === 'max_tokens' ? outline.max_completion_tokens : outline.max_tokens
  // One of two caps has to go, and so has every mark of a tool.
  if (!written || !isPlain || otherCap !== undefined || isMarked(outline)) {
    return writtenAnew(unmarked(sentOf(texts.whole(), chat)), request, model, output)
  }
  const changes = [
    { name: 'model', json: JSON.stringify(model) },
    { name: cap, json: String(output) },
  ]
  if (request.stream) changes.push({ name: 'stream_options', json: streamOptionsJson(outline) })
  return spliced(written, changes, unsent)
}

/** The same without the client's bytes, of a body that it could have sent. */
export function writtenAnew(body: JsonObject, request: ChatAsk, model: string, output: number): Buffer {
  // Rest instead of delete: the body is shared by the attempts.
  const { model: _named, max_tokens: _cap, max_completion_tokens: _newerCap, stream_options, ...rest } = body
  const options = request.stream ? streamOptions(body) : stream_options
  // What is ours first: to add to a copy of the rest would cost ten times as much.
  const anew = {
    model,
    [capField(request)]: output,
    ...(options !== undefined && { stream_options: options }),
    ...rest,
  }
  return Buffer.from(JSON.stringify(anew))
}

const capField = ({ cap }: ChatAsk): CapField => cap?.field ?? 'max_tokens'

const streamOptions = ({ stream_options }: JsonObject): JsonObject => ({
  ...asObject(stream_options),
  include_usage: true,
})

/** Most clients leave them out. */
const streamOptionsJson = (body: JsonObject): string =>
  isObject(body.stream_options) ? JSON.stringify(streamOptions(body)) : '{"include_usage":true}'
