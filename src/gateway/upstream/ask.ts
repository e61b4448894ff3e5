import { Buffer } from 'node:buffer'
import type { EpochMs, Millis } from '../../policy/config.ts'
import { causeOf } from '../attempt/outcome.ts'
import type { BackendHead, BackendListener, Cancel, Clock, Exchange } from '../ports.ts'

/** One request that is sent to learn how a replica answers, and how long it may take. */
export interface AskOptions {
  /** Sends it, on a connection of its own where `fresh`. */
  readonly send: (fresh: boolean, listener: BackendListener) => Exchange
  readonly connectTimeout: Millis
  /** Of all of it. */
  readonly limit: Millis
  /** Takes the body of the answer, as it comes. */
  readonly data?: (bytes: Buffer) => void
}

/** What came of it. */
export interface AskResult {
  readonly head?: BackendHead
  /** Why there is no whole answer: `ECONNREFUSED`, `connect timeout`, `timeout`. */
  readonly cause?: string
  /** When it was sent. */
  readonly at: EpochMs
  /** From then on: until the headers came, until the first of the body did, and until it was over. */
  readonly headMs?: Millis
  readonly firstMs?: Millis
  readonly ms: Millis
}

/** Asks one replica once, and once more where a connection that was kept open had ended. `over` gets the result unless it was called off. */
export function askOnce(
  clock: Clock,
  { send, connectTimeout, limit, data }: AskOptions,
  over: (result: AskResult) => void,
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
        // That a connection which was kept open has ended says nothing of the replica.
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

/** The result, with the body as far as that is read. */
export interface AskResultWithBody {
  readonly result: AskResult
  readonly body: Buffer
}

/** The same, with the body of the answer, as far as it is read. Never rejects. */
export function askWhole(clock: Clock, asking: Omit<AskOptions, 'data'>): Promise<AskResultWithBody> {
  const chunks: Buffer[] = []
  let size = 0
  const data = (bytes: Buffer) => {
    size += bytes.length
    if (size <= MAX_BYTES) chunks.push(bytes)
  }
  return new Promise(resolve => {
    askOnce(clock, { ...asking, data }, result => resolve({ result, body: Buffer.concat(chunks) }))
  })
}

/** An answer of one token, or a list of models, is not larger. */
const MAX_BYTES = 1_048_576
