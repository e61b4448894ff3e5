import { randomInt } from 'node:crypto'
import { closeSync, constants, fdatasync, openSync, write } from 'node:fs'
import { type FileHandle, open, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { synced } from '../../../gateway/synced.ts'
import { HEAD_BYTES, headBytes, type SegmentHead } from './frame.ts'

/** A file of the journal, whose blocks are allocated before records are written into them: a sync then has no size to write. */
export class Segment {
  readonly head: SegmentHead
  readonly path: string
  readonly #file: number
  #end = HEAD_BYTES

  constructor(path: string, head: SegmentHead) {
    this.path = path
    this.head = head
    this.#file = openSync(path, constants.O_WRONLY | SYNCED)
  }

  /** Whether so many bytes more fit, and the record that says where the journal goes on. */
  hasRoomFor(bytes: number): boolean {
    return this.#end + bytes + LAST_BYTES <= SEGMENT_BYTES
  }

  get isHalfFull(): boolean {
    return this.#end > SEGMENT_BYTES / 2
  }

  /** Appends bytes. Resolves when they are on disk. */
  append(bytes: Buffer): Promise<void> {
    const at = this.#end
    this.#end += bytes.length
    return new Promise((resolve, reject) => {
      write(this.#file, bytes, 0, bytes.length, at, (error, written) => {
        if (error || written < bytes.length) reject(error ?? new Error('the disk took a part of a record'))
        else if (SYNCED) resolve()
        else fdatasync(this.#file, error => (error ? reject(error) : resolve()))
      })
    })
  }

  close(): void {
    closeSync(this.#file)
  }
}

/** Has the system sync within the write: one call for both. macOS would leave it in the cache of the disk. */
const SYNCED = process.platform === 'linux' ? constants.O_DSYNC : 0

/** The bytes of each segment. */
export const SEGMENT_BYTES = 4 * 2 ** 20
/** Room for the record behind which the journal goes on in the next segment. */
const LAST_BYTES = 64

export const segmentName = (ordinal: number): string => `${String(ordinal).padStart(10, '0')}.segment`

/** Allocates a segment, from a file that is of no use any more where there is one. Resolves when it is on disk. */
export async function makeSegment(
  directory: string,
  { journal, ordinal }: Omit<SegmentHead, 'salt'>,
  used?: string,
): Promise<Segment> {
  const path = join(directory, segmentName(ordinal))
  const part = join(directory, 'next.part')
  if (used) await rename(used, part)
  const head = { journal, ordinal, salt: randomInt(2 ** 32) }
  const file = await open(part, used ? 'r+' : 'w', 0o600)
  try {
    await file.write(headBytes(head), 0, HEAD_BYTES, 0)
    if (!used) await fill(file)
    await file.datasync()
  } finally {
    await file.close()
  }
  await rename(part, path)
  await synced(directory)
  return new Segment(path, head)
}

async function fill(file: FileHandle): Promise<void> {
  for (let at = HEAD_BYTES; at < SEGMENT_BYTES; ) {
    const { bytesWritten } = await file.write(ZEROS, 0, Math.min(ZEROS.length, SEGMENT_BYTES - at), at)
    at += bytesWritten
  }
}

const ZEROS = Buffer.alloc(2 ** 18)
