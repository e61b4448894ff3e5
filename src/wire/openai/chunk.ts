import type { Mutable } from '../../policy/decision.ts'
import { isObject, type JsonObject } from '../json-safety.ts'
import type { DeltaReader } from '../tools/delta-reader.ts'
import { deltaTokens, outputBytesOf, readUsage, type Usage } from './usage.ts'

/** What stands in place of an event when all was said. */
export const DONE = '[DONE]'

/** What one event of a backend's stream says. */
export type Chunk =
  | { readonly kind: 'done' }
  /** Not JSON, or not an object. */
  | { readonly kind: 'malformed' }
  | { readonly kind: 'error'; readonly error: unknown }
  | DeltaChunk

export interface DeltaChunk {
  readonly kind: 'delta'
  /** Bytes of content, reasoning and tool calls; 0 for a role or usage alone. */
  readonly outputBytes: number
  /** Tokens that its backend made for it at the least. */
  readonly tokens: number
  /** Indexes of the choices in it, and of those that finished with it. */
  readonly choices: readonly number[]
  readonly finished: readonly number[]
  readonly usage?: Usage
  /** Set where it has a part of a call. */
  readonly hasCall?: true
  /** The event as the client gets it, or nothing for a usage chunk it did not ask for. */
  readonly data: string | undefined
}

export interface ChunkTerms {
  /** Set where a stream whose backend says that it is done is whole without a finish reason. */
  readonly endsUnfinished?: true
  /** The model of the pool that serves, which the answer names. */
  readonly model: string
  readonly usageWanted: boolean
  /** For backends that leave `id` out. */
  readonly id: string
  /** Seconds since the epoch, for backends that leave `created` out. */
  readonly created: number
  /** Reads a round of an answer with hosted tools, of which the client sees a part. */
  readonly deltas?: DeltaReader
}

/** Reads the data of one event, and how it is passed on. */
export const readChunk = (data: string, terms: ChunkTerms): Chunk =>
  data === DONE ? { kind: 'done' } : readParsed(data, parse(data), terms)

/** Reads an event that is parsed already. */
export function readParsed(data: string, chunk: unknown, terms: ChunkTerms): Chunk {
  if (!isObject(chunk)) return { kind: 'malformed' }
  if (chunk.error !== undefined && chunk.error !== null) return { kind: 'error', error: chunk.error }

  const choices: number[] = []
  const finished: number[] = []
  let outputBytes = 0
  let tokens = 0
  const said = Array.isArray(chunk.choices) ? chunk.choices : NO_CHOICES
  for (const choice of said) {
    if (!isObject(choice)) continue
    const { index, finish_reason, delta } = choice
    const place = typeof index === 'number' ? index : 0
    choices.push(place)
    if (typeof finish_reason === 'string' && finish_reason !== '') finished.push(place)
    outputBytes += outputBytesOf(delta)
    tokens += deltaTokens(delta)
  }
  const sent = terms.deltas ? terms.deltas.forClient(chunk) : forClient(data, chunk, choices.length, terms)
  const usage = readUsage(chunk.usage)
  const read: Mutable<DeltaChunk> = { kind: 'delta', outputBytes, tokens, choices, finished, data: sent }
  if (usage) read.usage = usage
  if (said.some(hasCallPart)) read.hasCall = true
  return read
}

function hasCallPart(choice: unknown): boolean {
  if (!isObject(choice)) return false
  const { delta, finish_reason: finish } = choice
  if (finish === 'tool_calls' || finish === 'function_call') return true
  if (!isObject(delta)) return false
  const { tool_calls: calls, function_call: call } = delta
  return isObject(call) || (Array.isArray(calls) && calls.length > 0)
}

const NO_CHOICES: readonly unknown[] = []

/** The event untouched where it can be: numbers we did not read are never printed anew. */
function forClient(data: string, chunk: JsonObject, choices: number, terms: ChunkTerms): string | undefined {
  const usageUnasked = isObject(chunk.usage) && !terms.usageWanted
  if (usageUnasked && choices === 0) return undefined
  const complete =
    chunk.model === terms.model &&
    chunk.object === 'chat.completion.chunk' &&
    typeof chunk.created === 'number' &&
    typeof chunk.id === 'string'
  if (complete && !usageUnasked) return data
  const { usage, ...rest } = chunk
  return JSON.stringify({
    id: terms.id,
    created: terms.created,
    ...rest,
    object: 'chat.completion.chunk',
    model: terms.model,
    ...(!usageUnasked && usage !== undefined && { usage }),
  })
}

export function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Backends are not trusted to send JSON; the caller treats nothing as malformed.
    return undefined
  }
}

/** FastAPI's: a text, or a list of what is wrong where. */
function detailText(detail: unknown): string {
  const [first] = Array.isArray(detail) ? detail : [detail]
  if (isObject(first) && typeof first.msg === 'string') {
    const place = Array.isArray(first.loc) ? first.loc.join('.') : ''
    return place === '' ? first.msg : `${place}: ${first.msg}`
  }
  return typeof first === 'string' ? first : REPORTED
}

const REPORTED = 'the backend reported an error'

/** The text of an error in any of the forms backends use. */
export function errorText(error: unknown): string {
  if (typeof error === 'string') return error
  if (isObject(error) && typeof error.message === 'string') return error.message
  if (isObject(error) && error.detail !== undefined) return detailText(error.detail)
  return REPORTED
}
