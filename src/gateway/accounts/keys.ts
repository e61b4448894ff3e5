import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { EpochMs } from '../../policy/config.ts'
import type { Random } from '../ports.ts'
import type { NewKey } from '../store/key-store.ts'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** Crockford's: no I, L, O, U, and in the order of ASCII, so that ids sort by time. */
const BASE32 = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const SECRET = 36
const CHECKSUM = 6
const MASK = 4

/** A new key: the brand, 36 random characters (214 bits) and a checksum. Shown once; only its hash is stored. */
export const newKey = (brand: string, random: Random): string => withChecksum(`${brand}_${base62(SECRET, random)}`)

/** The key of 32 random bytes, in the same form. */
export function keyOf(brand: string, bytes: Buffer): string {
  // 2^256 is 2^42 times the number of such secrets, so that truncation adds no bias.
  let rest = BigInt(`0x${bytes.toString('hex')}`)
  let secret = ''
  while (secret.length < SECRET) {
    secret = BASE62.charAt(Number(rest % 62n)) + secret
    rest /= 62n
  }
  return withChecksum(`${brand}_${secret}`)
}

/** Whether a text can be a key at all, so that a mistyped one is refused without a look-up. */
export function isWellFormed(brand: string, text: string): boolean {
  const prefix = `${brand}_`
  if (text.length !== prefix.length + SECRET + CHECKSUM || !text.startsWith(prefix)) return false
  return text.endsWith(checksumOf(text.slice(0, -CHECKSUM))) && /^[0-9A-Za-z]+$/.test(text.slice(prefix.length))
}

/** SHA-256 in hex: what is stored in place of a key. Keys are random, so a slow hash would add nothing. */
export const hashOf = (key: string): string => hash('sha256', key)

/** A key as it may be shown, `svc_7Hq2…`. */
export const maskOf = (key: string): string => `${key.slice(0, key.lastIndexOf('_') + 1 + MASK)}…`

/** Masks anything that looks like a key in untrusted text: of any brand, also of another gateway. */
export const withoutKeys = (text: string): string =>
  text.includes('_') || text.includes('%')
    ? text.replace(/((?:_|%5f)[0-9a-z]{4})[0-9a-z]{38}/gi, (_, shown: string) => `${shown}…`)
    : text

/** The id of a key that was minted without one. It is of the hash, which says nothing of the key itself. */
export const idOfHash = (hash: string): string => `key_${hash.slice(0, 16)}`

/** The stored form of a key. Its id is of random bytes, and no part of the key. */
export const toStoredKey = (key: string, random: Random): NewKey => ({
  ...storedKeyOf(key),
  id: `key_${base62(16, random)}`,
})

/** A key to be made, and its stored form. */
export interface FreshKey {
  readonly value: string
  readonly key: NewKey
}

export function newFreshKey(brand: string, random: Random): FreshKey {
  const value = newKey(brand, random)
  return { value, key: toStoredKey(value, random) }
}

/** The stored form of a derived key; its id is derived too. */
export const storedKeyOf = (key: string): NewKey => ({ hash: hashOf(key), prefix: maskOf(key) })

export const newAccountId = (random: Random): string => `acct_${base62(20, random)}`

/** `req_` and a ULID: ids of later milliseconds sort later. */
export function newRequestId(now: EpochMs, random: Random): string {
  const high = Math.floor(now / LOW)
  const low = now % LOW
  const time = pair(high >> 20) + pair(high >> 10) + pair(high) + pair(low >> 10) + pair(low)
  const bytes = random(16)
  let chance = ''
  for (let at = 0; at < 16; at += 2) chance += pair((digitOf(bytes[at]) << 5) | digitOf(bytes[at + 1]))
  return `req_${time}${chance}`
}

/** Before the id of every request of this moment, and behind those of moments before. */
export const idAt = (at: EpochMs): string =>
  newRequestId(Math.max(0, at), bytes => Buffer.alloc(bytes)).slice(0, MOMENT)

/** When the id of a request was made, a moment before its admission. NaN for a text that is not an id. */
export function momentOf(requestId: string): EpochMs {
  const digits = requestId.slice(MOMENT - TIME_DIGITS, MOMENT)
  if (digits.length < TIME_DIGITS) return Number.NaN
  return Array.from(digits).reduce((sum, digit) => {
    const value = BASE32.indexOf(digit)
    return value === -1 ? Number.NaN : sum * BASE32.length + value
  }, 0)
}

/** `req_` and the time. */
const MOMENT = 14
const TIME_DIGITS = 10

/** Milliseconds have more bits than what shifts numbers. */
const LOW = 2 ** 20
/** Digits of base 32, two at a time. */
const PAIRS = Array.from({ length: 1024 }, (_, number) => BASE32.charAt(number >> 5) + BASE32.charAt(number & 31))

/** The digits of the ten lowest bits. */
const pair = (number: number): string => PAIRS[number & 1023] ?? ''
const digitOf = (byte = 0): number => byte & 31

const withChecksum = (key: string): string => key + checksumOf(key)

const checksumOf = (text: string): string => {
  let rest = crc32(text)
  let digits = ''
  for (let place = 0; place < CHECKSUM; place++) {
    digits = BASE62.charAt(rest % 62) + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}

function base62(length: number, random: Random): string {
  let text = ''
  while (text.length < length) {
    for (const byte of random(length - text.length)) {
      // 248 is 4 × 62: the eight bytes above it would make some characters likelier than others.
      if (byte < 248) text += BASE62.charAt(byte % 62)
    }
  }
  return text
}

/** Random bytes drawn many at once, which costs a small part of drawing each by itself. For ids, not for secrets. */
export function pooled(random: Random, size = 4096): Random {
  let pool: Uint8Array = new Uint8Array()
  let at = 0
  return length => {
    if (at + length > pool.length) {
      pool = random(Math.max(size, length))
      at = 0
    }
    at += length
    return pool.subarray(at - length, at)
  }
}
