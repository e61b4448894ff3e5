import type { Readable } from 'node:stream'
import type { LineOut } from '../log/line-out.ts'

/**
 * Passes on what another process says: each line whole, in its order. They go where the lines of this process go, which
 * neither waits for a disk nor loses a line without counting it.
 */
export function relayLines(from: Readable, into: Pick<LineOut, 'write'>): void {
  let rest: Buffer = Buffer.alloc(0)
  from.on('data', (chunk: Buffer) => {
    const end = chunk.lastIndexOf(NEWLINE)
    if (end < 0) {
      rest = Buffer.concat([rest, chunk])
      return
    }
    const lines = chunk.subarray(0, end)
    into.write(String(rest.length === 0 ? lines : Buffer.concat([rest, lines])))
    rest = Buffer.from(chunk.subarray(end + 1))
  })
  // A killed process may leave its last line unfinished.
  from.on('end', () => {
    if (rest.length > 0) into.write(String(rest))
  })
}

const NEWLINE = 0x0a
