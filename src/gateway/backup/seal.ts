import { crc32 } from 'node:zlib'
import { type BackupKey, ID_DIGITS } from './key.ts'

/** The end of a backup. */
export interface Seal {
  /** The SHA-256 of all bytes before. */
  readonly digest: Buffer
  /** Who signed that. Absent in backups of gateways before 0.3. */
  readonly signature?: { readonly key: string; readonly bytes: Buffer }
  /** How many bytes of the file it takes. */
  readonly length: number
}

/**
 * The end of a backup: the SHA-256 of all bytes before it and the signature of that, as one more member of the gzip file. So
 * `zcat` shows it as the last line, and no byte of the file is outside of what is checked. Without a key it is not signed.
 */
export const sealOf = (digest: Buffer, key?: BackupKey): Buffer =>
  memberOf({
    sha256: digest.toString('hex'),
    ...(key && { key: key.id, hmac: key.sign(digest).toString('hex') }),
  })

/** The seal in the last bytes of a file; undefined where there is none. */
export function readSeal(end: Buffer): Seal | undefined {
  for (const length of [SEAL_BYTES, UNSIGNED_BYTES]) {
    if (end.length < length) continue
    const member = end.subarray(-length)
    const parsed = FORM.exec(member.toString('latin1', TEXT_AT))?.groups
    const { sha256 = '', key, hmac } = parsed ?? {}
    const text = { sha256, ...(key !== undefined && { key, hmac }) }
    if (!parsed || !memberOf(text).equals(member)) continue
    const digest = Buffer.from(sha256, 'hex')
    return { digest, length, ...(key !== undefined && { signature: { key, bytes: Buffer.from(hmac ?? '', 'hex') } }) }
  }
  return undefined
}

const FORM = /^\{"sha256":"(?<sha256>[0-9a-f]{64})"(?:,"key":"(?<key>[0-9a-f]+)","hmac":"(?<hmac>[0-9a-f]{64})")?\}\n/

/** A member of a gzip file that holds one line as it is. */
function memberOf(line: object): Buffer {
  const text = Buffer.from(`${JSON.stringify(line)}\n`)
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
const TEXT_AT = GZIP.length + 5

const UNSIGNED_BYTES = memberOf({ sha256: '0'.repeat(64) }).length
/** Bytes of a signed seal, the longest one. */
export const SEAL_BYTES: number = memberOf({
  ...{ sha256: '0'.repeat(64), key: '0'.repeat(ID_DIGITS), hmac: '0'.repeat(64) },
}).length
