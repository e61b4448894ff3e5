import type { ServerResponse } from 'node:http'
import type { Cancel, Clock } from '../../gateway/ports.ts'
import type { Millis } from '../../policy/config.ts'

/** A client that reads more slowly than this on the average, and is slow to begin with, loses an answer that waits in memory. */
const BYTES_PER_SECOND = 32_768
const SLOW_START: Millis = 60_000

/** Bytes handed to a connection at once: TLS would keep another copy of all that it is given. */
const PIECE_BYTES = 262_144

/** Ends a response with a large body, no faster than its client reads. */
export function endInPieces(response: ServerResponse, bytes: Buffer): void {
  let at = 0
  const next = () => {
    if (response.destroyed) return
    while (bytes.length - at > PIECE_BYTES) {
      const piece = bytes.subarray(at, at + PIECE_BYTES)
      at += PIECE_BYTES
      // A connection that takes a piece at once says so in the same turn of the event loop: others get theirs in between.
      if (!response.write(piece)) return void response.once('drain', () => setImmediate(next))
    }
    response.end(bytes.subarray(at))
  }
  next()
}

/** Runs `late` unless it is called off before a client of a decent pace would have read so many bytes. */
export const watchReader = (clock: Pick<Clock, 'after'>, bytes: number, late: () => void): Cancel =>
  clock.after(SLOW_START + (bytes / BYTES_PER_SECOND) * 1000, late)
