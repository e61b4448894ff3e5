import {
  type Behaviour,
  chunk,
  type Exchange,
  MODEL,
  SSE_HEADERS,
  type StreamOptions,
  status,
  stream,
  write,
  writeChunks,
} from '../behaviours.ts'
import type { BackendProblem } from '../refusals.ts'

/** How a stream is cut: after `until`, which lets a test wait until the client has read the chunks. */
export interface CutOptions extends Pick<StreamOptions, 'chunks' | 'model' | 'roleChunk' | 'gapMs'> {
  /** Sent after the chunks when given; [DONE] never is. */
  readonly finish?: string
  readonly until?: Promise<unknown>
}

/** Chunks, then a TCP reset. */
export const streamThenReset = (options: CutOptions): Behaviour =>
  streamThen(options, exchange => exchange.takeOver().resetAndDestroy())

/** Chunks, then a clean end of the body without [DONE], and unless asked for without a finish reason. */
export const streamThenEnd = (options: CutOptions): Behaviour => streamThen(options, ({ response }) => response.end())

/** Chunks, then the end of the connection in the middle of a chunked body. */
export const streamThenClose = (options: CutOptions): Behaviour =>
  streamThen(options, exchange => exchange.takeOver().end())

/** Chunks, then an HTTP chunk that is shorter than its length says, and the end of the connection. */
export const streamThenCutChunk = (options: CutOptions): Behaviour =>
  streamThen(options, exchange => exchange.takeOver().end('ff\r\ndata: {"choi'))

/** Chunks, then bytes that are no HTTP chunk. */
export const streamThenBadChunk = (options: CutOptions): Behaviour =>
  streamThen(options, exchange => exchange.takeOver().end('banana\r\n'))

/** Chunks, then an error event and [DONE]. */
export const streamThenError = (options: CutOptions & { readonly problem: BackendProblem }): Behaviour =>
  streamThen(options, ({ response }) =>
    response.end(`data: ${JSON.stringify({ error: options.problem })}\n\ndata: [DONE]\n\n`),
  )

/** Chunks, then silence on an open connection. */
export const streamThenHang = (options: CutOptions): Behaviour => streamThen(options, () => {})

/** Chunks around an event that is not JSON; all else is well-formed. */
export function garbledStream(before: readonly string[], after: readonly string[]): Behaviour {
  return async exchange => {
    await writeChunks(exchange, { chunks: before })
    await write(exchange.response, 'data: {"choices":[{"delta":{"cont\n\n')
    await stream({ chunks: after, roleChunk: false })(exchange)
  }
}

/** This failure with a body that ends with the connection, as in HTTP/1.0: every cut looks like an end. */
export const closeDelimited =
  (behaviour: Behaviour): Behaviour =>
  exchange => {
    exchange.response.removeHeader('transfer-encoding')
    return behaviour(exchange)
  }

/** A 200 that promises a JSON body, sends half of it and resets. */
export const cutBody = (value: unknown): Behaviour => halfBody(value, exchange => exchange.takeOver().resetAndDestroy())

/** A 200 whose Content-Length promises twice what comes before the connection ends. */
export const shortBody = (value: unknown): Behaviour => halfBody(value, exchange => exchange.takeOver().end())

/** A 200 that promises a JSON body, sends half of it, and then nothing. */
export const halfThenHang = (value: unknown): Behaviour => halfBody(value, () => {})

/** A 200 with JSON that is no JSON. */
export const malformed: Behaviour = status(200, '{"choices":[', { 'content-type': 'application/json' })

/** A 200 with a JSON string of this many bytes, as fast as they are taken. */
export function oversized(bytes: number): Behaviour {
  return async ({ response }) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    await write(response, '"')
    const piece = Buffer.alloc(65_536, 'a')
    for (let sent = 2; sent < bytes && !response.destroyed; sent += piece.length)
      await write(response, piece.subarray(0, bytes - sent))
    response.end('"')
  }
}

/** A 200 with more header bytes than any client takes. */
export const headerOverflow: Behaviour = exchange =>
  void exchange.takeOver().end(`HTTP/1.1 200 OK\r\nx-much: ${'a'.repeat(131_072)}\r\ncontent-length: 2\r\n\r\n{}`)

/** These bytes on the bare socket in place of an HTTP response, then the end. */
export const raw =
  (bytes: string | Uint8Array): Behaviour =>
  exchange =>
    void exchange.takeOver().end(bytes)

/** A TCP reset before any header. */
export const reset: Behaviour = exchange => void exchange.takeOver().resetAndDestroy()

/** The end of the connection before any header. */
export const close: Behaviour = exchange => void exchange.takeOver().end()

/**
 * A keep-alive connection that the backend gives up just as the next request arrives: on a connection that
 * served a request before it is `how`, on a fresh one `otherwise`.
 */
export const staleIfReused =
  (otherwise: Behaviour, how: Behaviour = close): Behaviour =>
  exchange =>
    exchange.reused ? how(exchange) : otherwise(exchange)

/** Nothing at all, on an open connection. */
export const hang: Behaviour = () => {}

/** The headers of an event stream, then nothing. */
export const headersThenHang: Behaviour = ({ response }) => response.writeHead(200, SSE_HEADERS).flushHeaders()

function streamThen(options: CutOptions, last: (exchange: Exchange) => void): Behaviour {
  return async exchange => {
    const { finish, model = MODEL, until } = options
    await writeChunks(exchange, options)
    if (finish !== undefined) await write(exchange.response, chunk(model, {}, finish))
    await until
    last(exchange)
  }
}

function halfBody(value: unknown, last: (exchange: Exchange) => void): Behaviour {
  return async exchange => {
    const { response } = exchange
    const bytes = Buffer.from(JSON.stringify(value))
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': bytes.length })
    await write(response, bytes.subarray(0, bytes.length / 2))
    last(exchange)
  }
}
