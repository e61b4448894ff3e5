import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { logFiles } from '../adapters/decisions/files.ts'
import { CommandFailed, exitCodes } from './talk.ts'

const CHUNK_BYTES = 1 << 20

/** A part of a log: whole lines, and how many bytes of it have been read. */
export interface LinePart {
  readonly lines: readonly string[]
  readonly bytes: number
}

/** The files of a log, oldest first: one file, or those of a directory. Fails with wrong usage where there are none. */
export async function filesAt(path: string): Promise<readonly string[]> {
  try {
    if (!(await stat(path)).isDirectory()) return [path]
    const files = await logFiles(path)
    if (files.length > 0) return files.map(file => file.path)
  } catch (error) {
    throw noLog(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
  throw noLog(`there is no decision log in ${path}: decisions-000001.ndjson would be its first file`)
}

const noLog = (message: string): CommandFailed => new CommandFailed(`✗ ${message}`, exitCodes.usage)

/** Bytes of all files together. */
export async function sizeOf(files: readonly string[]): Promise<number> {
  const sizes = await Promise.all(files.map(async file => (await stat(file)).size))
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** The lines of files, one after the other; `-` is stdin. */
export async function* partsOf(files: readonly string[]): AsyncGenerator<LinePart, void, undefined> {
  for (const file of files) {
    const stream = file === '-' ? process.stdin : createReadStream(file, { highWaterMark: CHUNK_BYTES })
    yield* linesOf(stream)
  }
}

/** What is not ended by a newline is a line too, if the last one. */
async function* linesOf(stream: AsyncIterable<Buffer | string>): AsyncGenerator<LinePart, void, undefined> {
  // Bytes, since a chunk may end within a character, and lines are all that is decoded.
  let rest: Buffer[] = []
  for await (const chunk of stream) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
    const end = bytes.lastIndexOf(NEWLINE)
    if (end === -1) rest.push(bytes)
    else {
      const whole = Buffer.concat([...rest, bytes.subarray(0, end)])
      rest = [bytes.subarray(end + 1)]
      yield { lines: whole.toString('utf8').split('\n'), bytes: bytes.length }
      continue
    }
    yield { lines: [], bytes: bytes.length }
  }
  yield { lines: [Buffer.concat(rest).toString('utf8')], bytes: 0 }
}

const NEWLINE = 0x0a

/** The line of a request, newest files first; undefined where no file has it. */
export async function findLine(files: readonly string[], requestId: string): Promise<string | undefined> {
  // Where a line says whose it is; quotes of clients are escaped.
  const start = `{"v":1,"id":${JSON.stringify(requestId)},`
  for (const file of files.toReversed()) {
    for await (const { lines } of partsOf([file])) {
      const found = lines.find(line => line.startsWith(start))
      if (found !== undefined) return found
    }
  }
  return undefined
}
