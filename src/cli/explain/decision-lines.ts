import { closeSync, openSync, readSync } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { logsIn } from '../../adapters/decisions/rotation.ts'
import { CommandFailed, exitCodes } from '../../server/failure.ts'
import { LINE_VERSION } from '../../wire/decision-line.ts'
import { textOf } from '../../wire/json-bytes.ts'

/** A part of a log: whole lines, and how many bytes of it have been read. */
interface LinePart {
  readonly lines: readonly string[]
  readonly bytes: number
}

/** The files of a log, oldest first: one file, or those of a directory. Fails with wrong usage where there are none. */
export const filesAt = async (path: string): Promise<readonly string[]> => (await logsAt(path)).flat()

/** The logs at a path, where each worker of a gateway has one of its own. */
export async function logsAt(path: string): Promise<readonly (readonly string[])[]> {
  try {
    if (!(await stat(path)).isDirectory()) return [[path]]
    const logs = await logsIn(path)
    if (logs.length > 0) return logs.map(files => files.map(file => file.path))
  } catch (error) {
    throw noLog(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
  throw noLog(`${path} has no decision log: its first file would be decisions-000001.ndjson`)
}

const noLog = (message: string): CommandFailed => new CommandFailed(`✗ ${message}`, exitCodes.usage)

/** Bytes of all files together. */
export async function sizeOf(files: readonly string[]): Promise<number> {
  const sizes = await Promise.all(files.map(async file => (await stat(file)).size))
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** The lines of files, one after the other; `-` is stdin. */
export async function* partsOf(files: readonly string[]): AsyncGenerator<LinePart, void, undefined> {
  for (const file of files) yield* linesOf(file === '-' ? process.stdin : chunksOf(file))
}

/** Synchronous reads: the thread pool would double the cost. A chunk is invalid after the next read. */
function* chunksOf(file: string): Generator<Buffer, void, undefined> {
  const descriptor = openSync(file, 'r')
  try {
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
    for (;;) {
      const length = readSync(descriptor, buffer)
      if (length === 0) return
      yield buffer.subarray(0, length)
    }
  } finally {
    closeSync(descriptor)
  }
}

/** As much as caches of a processor hold: larger chunks take longer. */
const CHUNK_BYTES = 1 << 16

/** The last line may lack its newline. */
async function* linesOf(
  chunks: AsyncIterable<Buffer | string> | Iterable<Buffer>,
): AsyncGenerator<LinePart, void, undefined> {
  // Bytes, since a chunk may end within a character, and lines are all that is decoded.
  let rest: Buffer[] = []
  let held = 0
  for await (const chunk of chunks) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
    const first = bytes.indexOf(NEWLINE)
    const last = bytes.lastIndexOf(NEWLINE)
    const lines = first === -1 ? [] : [textOf(Buffer.concat([...rest, bytes.subarray(0, first)]))]
    if (last > first) lines.push(...textOf(bytes.subarray(first + 1, last)).split('\n'))
    const left = Buffer.from(bytes.subarray(last + 1))
    if (first !== -1) [rest, held] = [[], 0]
    rest.push(left)
    held = atMost(held + left.length)
    yield { lines, bytes: bytes.length }
  }
  yield { lines: [textOf(Buffer.concat(rest))], bytes: 0 }
}

const NEWLINE = 0x0a

/** Thirty times what a gateway writes: a file with a longer line is no decision log, and is not held in memory. */
const LONGEST_LINE_BYTES = 16_000_000

function atMost(bytes: number): number {
  if (bytes > LONGEST_LINE_BYTES)
    throw noLog(`a line is longer than ${LONGEST_LINE_BYTES / 1e6} MB: this is not a decision log`)
  return bytes
}

/** The line of a request, newest files first; undefined where no file has it. */
export async function findLine(files: readonly string[], requestId: string): Promise<string | undefined> {
  // Where a line says whose it is; quotes of clients are escaped.
  const start = `{"v":${LINE_VERSION},"id":${JSON.stringify(requestId)},`
  for (const file of files.toReversed()) {
    for await (const { lines } of partsOf([file])) {
      const found = lines.find(line => line.startsWith(start))
      if (found !== undefined) return found
    }
  }
  return undefined
}

/** The lines of logs, newest first: of several logs by the times of their lines. */
export async function* newestOf(logs: readonly (readonly string[])[]): AsyncGenerator<LinePart, void, undefined> {
  const [only, ...others] = logs
  if (only && others.length === 0) return yield* newestParts(only)
  const readers = logs.map(files => new NewestLines(files))
  await Promise.all(readers.map(reader => reader.next()))
  for (;;) {
    const [newest] = readers.filter(({ line }) => line !== undefined).sort((a, b) => b.at - a.at)
    if (newest?.line === undefined) return
    yield { lines: [newest.line], bytes: newest.line.length + 1 }
    await newest.next()
  }
}

/** One line of a log after the other, from its last one back. */
class NewestLines {
  /** Undefined behind the first line of all. */
  line: string | undefined
  at = 0
  readonly #parts: AsyncGenerator<LinePart, void, undefined>
  #lines: readonly string[] = []
  #read = 0

  constructor(files: readonly string[]) {
    this.#parts = newestParts(files)
  }

  async next(): Promise<void> {
    while (this.#read >= this.#lines.length) {
      const { value, done } = await this.#parts.next()
      this.#lines = done ? [] : value.lines.filter(line => line !== '')
      this.#read = 0
      if (done) {
        this.line = undefined
        return
      }
    }
    this.line = this.#lines[this.#read++]
    // A line that a crash cut short has no time: it stays where it is.
    this.at = Number(LINE_TIME.exec(this.line ?? '')?.[1] ?? this.at)
  }
}

const LINE_TIME = /^\{"v":\d+,"id":"[^"]*","at":(\d+)/

/** The lines of files, oldest file first, from the last line of the last one back to the first of all. */
export async function* newestParts(files: readonly string[]): AsyncGenerator<LinePart, void, undefined> {
  for (const file of files.toReversed()) yield* backwards(file)
}

/** Rejects where the file cannot be read. */
async function* backwards(file: string): AsyncGenerator<LinePart, void, undefined> {
  const handle = await open(file)
  try {
    // The beginning of a chunk is the end of a line that begins before it. The last piece comes first.
    let rest: Buffer[] = []
    let held = 0
    for (let { size: end } = await handle.stat(); end > 0; end -= Math.min(end, BACKWARD_CHUNK_BYTES)) {
      const start = Math.max(0, end - BACKWARD_CHUNK_BYTES)
      const { buffer, bytesRead: bytes } = await handle.read(Buffer.alloc(end - start), 0, end - start, start)
      const chunk = buffer.subarray(0, bytes)
      const first = start === 0 ? -1 : chunk.indexOf(NEWLINE)
      if (start > 0 && first === -1) {
        rest.push(chunk)
        held = atMost(held + bytes)
        yield { lines: [], bytes }
        continue
      }
      const text = Buffer.concat([chunk.subarray(first + 1), ...rest.reverse()])
      rest = [chunk.subarray(0, Math.max(0, first))]
      held = rest[0]?.length ?? 0
      yield { lines: text.toString('utf8').split('\n').reverse(), bytes }
    }
  } finally {
    await handle.close()
  }
}

/** Larger than a part that is read forwards: each chunk waits for a thread. */
const BACKWARD_CHUNK_BYTES = 1 << 20
