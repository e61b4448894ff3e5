import { crc32 } from 'node:zlib'

/**
 * The end of a backup: the SHA-256 of all bytes before it, as one more member of the gzip file, of always the same length. So
 * `zcat` shows it as the last line, and no byte of the file is outside of what is checked.
 */
export function sealOf(digest: Buffer): Buffer {
  const text = Buffer.from(`${JSON.stringify({ sha256: digest.toString('hex') })}\n`)
  const stored = Buffer.alloc(5)
  stored.writeUInt8(1)
  stored.writeUInt16LE(text.length, 1)
  stored.writeUInt16LE(text.length ^ 0xffff, 3)
  const end = Buffer.alloc(8)
  end.writeUInt32LE(crc32(text))
  end.writeUInt32LE(text.length, 4)
  return Buffer.concat([GZIP, stored, text, end])
}

/** The header of a member without a name and a time. */
const GZIP = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255])

export const SEAL_BYTES: number = sealOf(Buffer.alloc(32)).length
