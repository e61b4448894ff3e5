import { type FileHandle, open } from 'node:fs/promises'
import type { EpochMs, Millis } from '../../policy/config.ts'
import { LINE_VERSION } from '../../wire/decision-line.ts'
import { type LogFile, logsIn } from './rotation.ts'

/**
 * The line of a request in the files of a directory, whose lines are nearly in the order of their times: it is looked for
 * from the time in its id on, and no file is read whole. Undefined where there is none. No read waits in this thread.
 */
export async function findDecision(directory: string, requestId: string, longest: Millis): Promise<string | undefined> {
  const from = timeOf(requestId)
  if (from === undefined) return undefined
  const mark = Buffer.from(`{"v":${LINE_VERSION},"id":${JSON.stringify(requestId)},`)
  const sought = { mark, from: from - DISORDER, until: from + longest + DISORDER }
  for (const files of await logsIn(directory).catch(unlessMissing)) {
    const line = await findIn(files, sought)
    if (line !== undefined) return line
  }
  return undefined
}

async function findIn(files: readonly LogFile[], sought: Sought): Promise<string | undefined> {
  const handles: FileHandle[] = []
  try {
    // One by one: a file that is removed meanwhile must not leave the others open.
    for (const { path } of files) handles.push(await open(path))
    return await search(handles, await startOf(handles, sought.from), sought)
  } finally {
    await Promise.all(handles.map(handle => handle.close()))
  }
}

/** An id begins with its time: ten digits of base 32 after `req_`. */
function timeOf(requestId: string): EpochMs | undefined {
  const digits = /^req_([0-9A-HJKMNP-TV-Z]{10})[0-9A-HJKMNP-TV-Z]{16}$/.exec(requestId)?.[1]
  if (digits === undefined) return undefined
  return Array.from(digits).reduce((time, digit) => time * 32 + BASE32.indexOf(digit), 0)
}

const BASE32 = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** There is no log yet. */
function unlessMissing(error: unknown): [] {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
  throw error
}

interface Sought {
  /** How the line begins. */
  readonly mark: Buffer
  /** No line before this time is it, and none after the other. */
  readonly from: EpochMs
  readonly until: EpochMs
}

interface Place {
  readonly file: number
  readonly at: number
}

/** Where the first line that is not before `from` begins, or a place some lines before. */
async function startOf(handles: readonly FileHandle[], from: EpochMs): Promise<Place> {
  let file = handles.length - 1
  while (file > 0 && ((await timeAt(handles[file], 0)) ?? Number.POSITIVE_INFINITY) >= from) file--
  const { size = 0 } = (await handles[file]?.stat()) ?? {}
  let [before, behind] = [0, size]
  while (behind - before > CHUNK_BYTES) {
    const middle = Math.floor((before + behind) / 2)
    const time = await timeAt(handles[file], middle)
    if (time !== undefined && time < from) before = middle
    else behind = middle
  }
  return { file: Math.max(0, file), at: before }
}

/** The time of the first line that begins at this byte or behind it; undefined where none does in reach. */
async function timeAt(handle: FileHandle | undefined, at: number): Promise<EpochMs | undefined> {
  for (const length of [CHUNK_BYTES, LONGEST_LINE]) {
    const time = LINE_TIME.exec((await chunkAt(handle, at, length)).toString('latin1'))?.[1]
    if (time !== undefined) return Number(time)
  }
  return undefined
}

/** Where a line says when it was decided; quotes of clients are escaped. */
const LINE_TIME = /(?:^|\n)\{"v":\d+,"id":"[^"]*","at":(\d+)/

/** Reads on until the line is there, or lines are too late to be it. */
async function search(handles: readonly FileHandle[], start: Place, { mark, until }: Sought) {
  let left = MOST_BYTES
  for (let { file, at } = start; file < handles.length; file++, at = 0) {
    for (;;) {
      const chunk = await chunkAt(handles[file], at, 2 * CHUNK_BYTES)
      const found = chunk.indexOf(mark)
      if (found !== -1) return lineAt(handles[file], at + found)
      const time = Number(LINE_TIME.exec(chunk.toString('latin1'))?.[1] ?? 0)
      left -= CHUNK_BYTES
      if (time > until || left < 0) return undefined
      if (chunk.length < 2 * CHUNK_BYTES) break
      // The two halves overlap: a mark may begin in one and end in the next.
      at += CHUNK_BYTES
    }
  }
  return undefined
}

async function lineAt(handle: FileHandle | undefined, at: number): Promise<string | undefined> {
  const chunk = await chunkAt(handle, at, LONGEST_LINE)
  const end = chunk.indexOf('\n')
  return end === -1 ? undefined : chunk.toString('utf8', 0, end)
}

async function chunkAt(handle: FileHandle | undefined, at: number, length: number): Promise<Buffer> {
  if (!handle) return Buffer.alloc(0)
  const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(length), 0, length, at)
  return buffer.subarray(0, bytesRead)
}

/** How far lines may be out of order: each is written when the store has answered. */
const DISORDER: Millis = 2000
const CHUNK_BYTES = 1 << 16
/** Bytes of the longest line that the log writes, and a newline. */
const LONGEST_LINE = 1 << 19
/** A log that is written at hundreds of megabytes a minute is not searched further. */
const MOST_BYTES = 1 << 26
