import { type Behaviour, SSE_HEADERS, type StreamOptions, write, writeChunks } from './behaviours.ts'

/** How a stream is cut: after `until`, which lets a test wait until the client has read the chunks. */
export interface CutOptions extends Pick<StreamOptions, 'chunks' | 'model' | 'roleChunk' | 'gapMs'> {
  readonly until?: Promise<unknown>
}

/** Chunks, then a TCP reset. */
export function streamThenReset(options: CutOptions): Behaviour {
  return async exchange => {
    await writeChunks(exchange, options)
    await options.until
    exchange.takeOver().resetAndDestroy()
  }
}

/** Chunks, then a clean end of the body with neither a finish reason nor [DONE]. */
export function streamThenEnd(options: CutOptions): Behaviour {
  return async exchange => {
    await writeChunks(exchange, options)
    await options.until
    exchange.response.end()
  }
}

/** Chunks, then silence on an open connection. */
export function streamThenHang(options: CutOptions): Behaviour {
  return exchange => writeChunks(exchange, options)
}

/** A 200 that promises a JSON body, sends half of it and resets. */
export function cutBody(value: unknown): Behaviour {
  return async ({ response, takeOver }) => {
    const bytes = Buffer.from(JSON.stringify(value))
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': bytes.length })
    await write(response, bytes.subarray(0, bytes.length / 2))
    takeOver().resetAndDestroy()
  }
}

/** These bytes on the bare socket in place of an HTTP response, then the end. */
export const raw =
  (bytes: string | Uint8Array): Behaviour =>
  exchange =>
    void exchange.takeOver().end(bytes)

/** A TCP reset before any header. */
export const reset: Behaviour = exchange => void exchange.takeOver().resetAndDestroy()

/** Nothing at all, on an open connection. */
export const hang: Behaviour = () => {}

/** The headers of an event stream, then nothing. */
export const headersThenHang: Behaviour = ({ response }) => response.writeHead(200, SSE_HEADERS).flushHeaders()
