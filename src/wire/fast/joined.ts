import type { Steps } from '../steps.ts'

/** Bytes copied in one step: the system takes long to find memory for them. */
const STEP_BYTES = 4_194_304

/** All pieces in one, in steps where they are large. */
export function* joined(pieces: readonly Buffer[]): Steps<Buffer> {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
  if (length <= STEP_BYTES) return Buffer.concat(pieces, length)
  const whole = Buffer.allocUnsafeSlow(length)
  let at = 0
  let rested = 0
  for (const piece of pieces)
    for (let from = 0; from < piece.length; from += STEP_BYTES) {
      if (at - rested >= STEP_BYTES) {
        rested = at
        yield
      }
      at += piece.copy(whole, at, from, from + STEP_BYTES)
    }
  return whole
}
