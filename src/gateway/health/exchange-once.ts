import { Buffer } from 'node:buffer'
import type { EpochMs, Millis } from '../../policy/config.ts'
import { causeOf } from '../attempt/outcome.ts'
import type { BackendHead, BackendListener, Cancel, Clock, Exchange } from '../ports.ts'

/** One request of the gateway's own to a replica, and how long it may take. */
export interface ExchangeOptions {
  /** Sends it, on a connection of its own where `fresh`. */
  readonly send: (fresh: boolean, listener: BackendListener) => Exchange
  readonly connectTimeout: Millis
  /** The longest that the whole exchange may take. */
  readonly limit: Millis
  /** Takes the body of the answer, piece by piece. */
  readonly data?: (bytes: Buffer) => void
}

/** How the exchange ended. */
export interface ExchangeResult {
  readonly head?: BackendHead
  /** Why there is no whole answer: `ECONNREFUSED`, `connect timeout`, `timeout`. */
  readonly cause?: string
  /** When it was sent. */
  readonly at: EpochMs
  /** From then on: until the headers came, until the first byte of the body came, and until the exchange ended. */
  readonly headMs?: Millis
  readonly firstMs?: Millis
  readonly ms: Millis
}

/**
 * Sends a replica one request, which health checks, probes and `svcctl doctor` do. It is sent again on a new connection
 * where the replica had closed the one that was kept open. `over` gets the result unless the exchange was called off.
 */
export function exchangeOnce(
  clock: Clock,
  { send, connectTimeout, limit, data }: ExchangeOptions,
  over: (result: ExchangeResult) => void,
): Cancel {
  const at = clock.now()
  const from = clock.elapsed()
  const spent = () => clock.elapsed() - from
  let head: BackendHead | undefined
  let headMs: Millis | undefined
  let firstMs: Millis | undefined
  let stop: Cancel = () => {}
  const cancel = () => {
    callOffLimit()
    stop()
  }
  const end = (cause?: string) => {
    cancel()
    over({
      ...(head && { head }),
      ...(cause !== undefined && { cause }),
      at,
      ...(headMs !== undefined && { headMs }),
      ...(firstMs !== undefined && { firstMs }),
      ms: spent(),
    })
  }
  const begin = (fresh: boolean) => {
    const callOff = clock.after(connectTimeout, () => end('connect timeout'))
    const exchange = send(fresh, {
      connected: callOff,
      head: each => {
        head = each
        headMs = spent()
      },
      data: bytes => {
        firstMs ??= spent()
        data?.(bytes)
      },
      end: () => end(),
      failed: (error, stale) => {
        callOff()
        // A healthy replica also closes idle connections.
        if (stale && !fresh) begin(true)
        else end(causeOf(error))
      },
    })
    stop = () => {
      callOff()
      exchange.abort()
    }
  }
  const callOffLimit = clock.after(limit, () => end('timeout'))
  begin(false)
  return cancel
}

/** The result, with the first MAX_BYTES of the body. */
export interface ExchangeResultWithBody {
  readonly result: ExchangeResult
  readonly body: Buffer
}

/** Like `exchangeOnce`, with the body of the answer. Never rejects. */
export function exchangeWhole(clock: Clock, options: Omit<ExchangeOptions, 'data'>): Promise<ExchangeResultWithBody> {
  const chunks: Buffer[] = []
  let size = 0
  const data = (bytes: Buffer) => {
    size += bytes.length
    if (size <= MAX_BYTES) chunks.push(bytes)
  }
  return new Promise(resolve => {
    exchangeOnce(clock, { ...options, data }, result => resolve({ result, body: Buffer.concat(chunks) }))
  })
}

/** Larger than any answer of one token and any list of models. */
const MAX_BYTES = 1_048_576
