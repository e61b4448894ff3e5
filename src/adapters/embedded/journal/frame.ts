import { crc32 } from 'node:zlib'

/** A record of the journal: the changes that one write made durable together. */
export interface Frame {
  /** Counts the records of a journal, without gaps; ENDS for the last one of a full segment. */
  readonly number: number
  readonly text: string
}

/** The first bytes of a segment. */
export interface SegmentHead {
  /** The journal that it belongs to. */
  readonly journal: number
  /** Its place among the segments of the journal. */
  readonly ordinal: number
  /** Differs from that of the file that lay in these blocks before, so that a record of that file is none of this one. */
  readonly salt: number
}

/** The records of a segment up to its first byte that is none. */
export interface SegmentScan {
  readonly frames: readonly Frame[]
  /** Whether the journal goes on in the next segment. */
  readonly isFull: boolean
  /** Why the records behind `end` cannot be read although there are some. */
  readonly damage?: string
}

/** The number of the record that ends a full segment. */
export const ENDS = 0

/** A segment begins with these bytes. */
export const HEAD_BYTES = 32
const MAGIC = Buffer.from('svcjrnl1', 'latin1')

/** A record begins with its mark, length, number and checksum. */
export const FRAME_HEAD_BYTES = 20
const MARK = Buffer.from([0xa7, 0x6a, 0x72, 0x31])
const CHECKED_BYTES = 16

export function headBytes({ journal, ordinal, salt }: SegmentHead): Buffer {
  const bytes = Buffer.alloc(HEAD_BYTES)
  MAGIC.copy(bytes)
  bytes.writeUIntLE(journal, 8, 6)
  bytes.writeUIntLE(ordinal, 14, 6)
  bytes.writeUInt32LE(salt, 20)
  bytes.writeUInt32LE(crc32(bytes.subarray(0, HEAD_BYTES - 4)), HEAD_BYTES - 4)
  return bytes
}

/** Reads the head of a segment; undefined where it is none. */
export function readHead(bytes: Buffer): SegmentHead | undefined {
  if (bytes.length < HEAD_BYTES || !bytes.subarray(0, MAGIC.length).equals(MAGIC)) return undefined
  if (bytes.readUInt32LE(HEAD_BYTES - 4) !== crc32(bytes.subarray(0, HEAD_BYTES - 4))) return undefined
  return { journal: bytes.readUIntLE(8, 6), ordinal: bytes.readUIntLE(14, 6), salt: bytes.readUInt32LE(20) }
}

/** The bytes of a record as a segment with this salt takes it. */
export function frameBytes({ number, text }: Frame, salt: number): Buffer {
  const length = Buffer.byteLength(text)
  const bytes = Buffer.allocUnsafe(FRAME_HEAD_BYTES + length)
  MARK.copy(bytes)
  bytes.writeUInt32LE(length, 4)
  bytes.writeUIntLE(number, 8, 6)
  bytes.writeUInt16LE(0, 14)
  bytes.write(text, FRAME_HEAD_BYTES)
  bytes.writeUInt32LE(checksum(bytes, 0, length, salt), CHECKED_BYTES)
  return bytes
}

function checksum(bytes: Buffer, at: number, length: number, salt: number): number {
  const text = bytes.subarray(at + FRAME_HEAD_BYTES, at + FRAME_HEAD_BYTES + length)
  return crc32(text, crc32(bytes.subarray(at, at + CHECKED_BYTES), salt))
}

/**
 * Reads the records of a segment. A record is written only once the one before it is durable, so that whatever follows the
 * last whole record was never acknowledged, unless a whole record follows that.
 */
export function scanSegment(bytes: Buffer, { salt }: SegmentHead): SegmentScan {
  const frames: Frame[] = []
  let end = HEAD_BYTES
  for (let frame = frameAt(bytes, end, salt); frame; frame = frameAt(bytes, end, salt)) {
    end += FRAME_HEAD_BYTES + bytes.readUInt32LE(end + 4)
    if (frame.number === ENDS) return { frames, isFull: true }
    frames.push(frame)
  }
  const behind = frameBehind(bytes, end, salt)
  if (!behind) return { frames, isFull: false }
  const last = frames.at(-1)
  const damage = last
    ? `what follows record ${last.number} of the journal`
    : 'the first record of a segment of the journal'
  return { frames, isFull: false, damage: `${damage} cannot be read` }
}

function frameAt(bytes: Buffer, at: number, salt: number): Frame | undefined {
  if (at + FRAME_HEAD_BYTES > bytes.length || bytes.compare(MARK, 0, MARK.length, at, at + MARK.length) !== 0)
    return undefined
  const length = bytes.readUInt32LE(at + 4)
  if (at + FRAME_HEAD_BYTES + length > bytes.length) return undefined
  if (bytes.readUInt32LE(at + CHECKED_BYTES) !== checksum(bytes, at, length, salt)) return undefined
  const from = at + FRAME_HEAD_BYTES
  return { number: bytes.readUIntLE(at + 8, 6), text: bytes.toString('utf8', from, from + length) }
}

/** The first whole record anywhere behind a place. */
function frameBehind(bytes: Buffer, from: number, salt: number): Frame | undefined {
  for (let at = bytes.indexOf(MARK, from); at >= 0; at = bytes.indexOf(MARK, at + 1)) {
    const frame = frameAt(bytes, at, salt)
    if (frame) return frame
  }
  return undefined
}
