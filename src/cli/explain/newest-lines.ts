import { open } from 'node:fs/promises'
import type { LinePart } from './decision-lines.ts'

const CHUNK_BYTES = 1 << 20
const NEWLINE = 0x0a

/** The lines of files, oldest file first, from the last line of the last one back to the first of all. */
export async function* newestParts(files: readonly string[]): AsyncGenerator<LinePart, void, undefined> {
  for (const file of files.toReversed()) yield* backwards(file)
}

/** Rejects where the file cannot be read. */
async function* backwards(file: string): AsyncGenerator<LinePart, void, undefined> {
  const handle = await open(file)
  try {
    // The beginning of a chunk is the end of a line that begins before it.
    let rest = Buffer.alloc(0)
    for (let { size: end } = await handle.stat(); end > 0; end -= Math.min(end, CHUNK_BYTES)) {
      const start = Math.max(0, end - CHUNK_BYTES)
      const { buffer, bytesRead: bytes } = await handle.read(Buffer.alloc(end - start), 0, end - start, start)
      const text = Buffer.concat([buffer.subarray(0, bytes), rest])
      const first = start === 0 ? -1 : text.indexOf(NEWLINE)
      const isWithin = start > 0 && first === -1
      rest = text.subarray(0, isWithin ? text.length : Math.max(0, first))
      yield {
        lines: isWithin
          ? []
          : text
              .toString('utf8', first + 1)
              .split('\n')
              .reverse(),
        bytes,
      }
    }
  } finally {
    await handle.close()
  }
}
