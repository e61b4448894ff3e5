/** A source that can be paused. */
export interface Paced {
  pause(): void
  resume(): void
  isPaused(): boolean
}

/** Bytes of all bodies and whole answers that are received in one turn of the event loop, which takes some milliseconds. */
const TURN_BYTES = 2_000_000
/** Connections resumed per turn: each may bring two pieces of 64 KB before it is paused again. */
const RESUMED = 16

let received = 0
let isCounting = false
let paused: Paced[] = []

/**
 * Counts bytes that came of a body or a whole answer. When a turn of the event loop has received its share, the connection is paused until
 * one that follows: otherwise node reads up to two megabytes of every connection that has them before it does anything else.
 */
export function paced(connection: Paced, bytes: number): void {
  received += bytes
  if (!isCounting) {
    isCounting = true
    setImmediate(nextTurn)
  }
  if (received <= TURN_BYTES || connection.isPaused()) return
  connection.pause()
  paused.push(connection)
}

/** Those that have waited longest come first. */
function nextTurn(): void {
  received = 0
  isCounting = paused.length > RESUMED
  const resumed = paused.slice(0, RESUMED)
  paused = paused.slice(RESUMED)
  for (const connection of resumed) connection.resume()
  if (isCounting) setImmediate(nextTurn)
}
