import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Seen } from './backend.ts'

/** The arguments of a behaviour: the request, and the two ways to reply to it. */
export interface Exchange {
  readonly seen: Seen
  readonly response: ServerResponse
  /** Whether the connection served a request before this one. */
  readonly reused: boolean
  /** The raw socket; whatever happens to it from here on is not counted as the client's doing. */
  takeOver(): Socket
}

/** A backend's handling of one request. */
export type Behaviour = (exchange: Exchange) => void | Promise<void>

/** Token counts as they stand on the wire, extra details included. */
export interface WireUsage {
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly total_tokens: number
  readonly [detail: string]: unknown
}

/** The usage in answers and streams by default. */
export const USAGE: WireUsage = { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 }
/** The backends' default model name. */
export const MODEL = 'test-model'
const ID = 'chatcmpl-test'
const CREATED = 1_700_000_000

export interface AnswerOptions {
  readonly content: string | null
  /** `null` leaves it out. */
  readonly usage?: WireUsage | null
  readonly model?: string
  readonly finish?: string
  /** With what a backend added to each. */
  readonly toolCalls?: readonly {
    readonly id: string
    readonly name: string
    readonly arguments: string
    readonly extra_content?: object
  }[]
  readonly reasoning?: string
  /** More top-level fields. */
  readonly extra?: Readonly<Record<string, unknown>>
}

/** A whole chat completion. */
export function answer(options: AnswerOptions): Behaviour {
  const { content, usage = USAGE, model = MODEL, toolCalls, reasoning, extra } = options
  const tool_calls = toolCalls?.map(({ id, name, arguments: args, ...added }) => ({
    id,
    type: 'function',
    function: { name, arguments: args },
    ...added,
  }))
  const message = {
    role: 'assistant',
    content,
    ...(reasoning !== undefined && { reasoning_content: reasoning }),
    ...(tool_calls && { tool_calls }),
  }
  const finish_reason = options.finish ?? (toolCalls ? 'tool_calls' : 'stop')
  return json({
    id: ID,
    object: 'chat.completion',
    created: CREATED,
    model,
    choices: [{ index: 0, message, finish_reason }],
    ...(usage && { usage }),
    ...extra,
  })
}

export interface StreamOptions {
  /** A text is a delta's content; an object is the delta itself. */
  readonly chunks: readonly (string | Readonly<Record<string, unknown>>)[]
  /** Sent always when given, never when `null`, by default USAGE when the request asked for usage. */
  readonly usage?: WireUsage | null
  readonly model?: string
  /** `null` leaves the finishing chunk out. */
  readonly finish?: string | null
  /** Whether [DONE] ends it. */
  readonly done?: boolean
  /** Whether the first chunk carries the role and empty content. */
  readonly roleChunk?: boolean
  /** A pause before each chunk. */
  readonly gapMs?: number
}

/** A streamed chat completion, by default a well-formed one. */
export function stream(options: StreamOptions): Behaviour {
  const { finish = 'stop', done = true, model = MODEL } = options
  return async exchange => {
    const { response, seen } = exchange
    await writeChunks(exchange, options)
    if (finish !== null) await write(response, chunk(model, {}, finish))
    const usage = options.usage === undefined && asksUsage(seen) ? USAGE : options.usage
    if (usage) await write(response, event({ ...envelope(model), choices: [], usage }))
    if (done) await write(response, 'data: [DONE]\n\n')
    response.end()
  }
}

/** Exactly this text as an event stream, in slices that start at the given byte offsets. */
export function sse(text: string, { splits = [] }: { readonly splits?: readonly number[] } = {}): Behaviour {
  return async ({ response }) => {
    response.writeHead(200, SSE_HEADERS)
    const bytes = Buffer.from(text)
    const bounds = [0, ...splits, bytes.length]
    for (const [i, start] of bounds.slice(0, -1).entries()) {
      await write(response, bytes.subarray(start, bounds[i + 1]))
      // Long enough for the slices to arrive apart.
      if (splits.length > 0) await sleep(2)
    }
    response.end()
  }
}

/** Any status; an object is sent as JSON, a text as it is. */
export function status(code: number, body: unknown = '', headers: OutgoingHttpHeaders = {}): Behaviour {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const type = typeof body === 'string' ? 'text/plain' : 'application/json'
  return ({ response }) => void response.writeHead(code, { 'content-type': type, ...headers }).end(text)
}

/** A 200 with this value as JSON. */
export const json = (value: unknown): Behaviour =>
  status(200, JSON.stringify(value), { 'content-type': 'application/json' })

/** A 200 whose JSON arrives in pieces, with a pause before each; the headers come first. */
export function slow(value: unknown, { pieces, gapMs }: { pieces: number; gapMs: number }): Behaviour {
  return async ({ response }) => {
    const bytes = Buffer.from(JSON.stringify(value))
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': bytes.length }).flushHeaders()
    const size = Math.ceil(bytes.length / pieces)
    for (let at = 0; at < bytes.length; at += size) {
      await sleep(gapMs)
      await write(response, bytes.subarray(at, at + size))
    }
    response.end()
  }
}

/** The headers of every event stream here. */
export const SSE_HEADERS = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' }

/** A stream of which everything comes in one write. */
export function streamAtOnce(content: string): Behaviour {
  return ({ response }) => {
    response.writeHead(200, SSE_HEADERS)
    response.end(`${chunk(MODEL, { content }, null)}${chunk(MODEL, {}, 'stop')}data: [DONE]\n\n`)
  }
}

/** The beginning of a stream: headers, role and chunks. Or more of one whose headers are out. */
export async function writeChunks({ response }: Exchange, options: Omit<StreamOptions, 'usage'>): Promise<void> {
  const { chunks, model = MODEL, roleChunk = true, gapMs = 0 } = options
  if (!response.headersSent) response.writeHead(200, SSE_HEADERS).flushHeaders()
  if (roleChunk) await write(response, chunk(model, { role: 'assistant', content: '' }, null))
  for (const piece of chunks) {
    if (response.destroyed) return
    if (gapMs > 0) await sleep(gapMs)
    await write(response, chunk(model, typeof piece === 'string' ? { content: piece } : piece, null))
  }
}

/** Resolves when the bytes are with the kernel, or the connection is gone. */
export function write(response: ServerResponse, bytes: string | Uint8Array): Promise<void> {
  return new Promise(resolve => {
    if (response.destroyed) return resolve()
    response.once('close', resolve)
    response.write(bytes, () => {
      response.off('close', resolve)
      resolve()
    })
  })
}

const asksUsage = ({ body }: Seen): boolean =>
  JSON.stringify(body.stream_options ?? {}).includes('"include_usage":true')
const envelope = (model: string) => ({ id: ID, object: 'chat.completion.chunk', created: CREATED, model })
const event = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`

/** One event of a stream, for tests that compose their own with `sse`. */
export function chunk(model: string, delta: object, finish_reason: string | null): string {
  return event({ ...envelope(model), choices: [{ index: 0, delta, finish_reason }] })
}
