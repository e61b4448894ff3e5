import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import { constants, createInflateRaw, deflateRaw } from 'node:zlib'
import type { Denied } from '../../policy/denial.ts'
import { joined } from '../../wire/fast/joined.ts'
import type { Steps } from '../../wire/steps.ts'
import { atOnce } from '../answer/copy.ts'

/**
 * Encrypts kept responses, with AES-256-GCM. A sealed response opens under its account and id alone, so that a program that
 * can write into the store can give no account what another one said.
 */
export class Sealer {
  /** Newest first. */
  readonly #keys: readonly KeyObject[]

  /** `secrets` are texts of 32 random bytes; the first one encrypts, all of them open. */
  constructor(secrets: readonly string[]) {
    this.#keys = secrets.map(secret => createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', PURPOSE, KEY_BYTES))))
  }

  /** `nonce` are 12 random bytes, never used before. `inTurn` does what blocks the event loop. */
  async seal({ account, id }: Whose, text: string | Buffer, nonce: Buffer, inTurn = atOnce): Promise<Buffer> {
    const [key] = this.#keys
    if (!key) throw new Error('there is no key to seal with')
    const packed = await deflate(text, { level: constants.Z_BEST_SPEED })
    return inTurn(encrypted(packed, { key, nonce, binding: bindingOf(account, id) }))
  }

  /**
   * Undefined where it was not sealed by one of the keys for this account and id, or was changed since, or is larger than a
   * response may be. `hold` is asked for room as the text grows: how large it is shows only then.
   */
  async open({ account, id }: Whose, sealed: Buffer, hold: Hold = ROOMY): Promise<Opened | Denied | undefined> {
    if (sealed.length < HEAD_BYTES + TAG_BYTES || sealed[0] !== FORM[0]) return undefined
    const packed = this.#decrypt(sealed, bindingOf(account, id))
    if (!packed) return undefined
    return inflated(packed, hold)
  }

  /** Whether it was sealed for this account and id. */
  isFor({ account, id }: Whose, sealed: Buffer): boolean {
    return sealed.length >= HEAD_BYTES + TAG_BYTES && this.#decrypt(sealed, bindingOf(account, id)) !== undefined
  }

  #decrypt(sealed: Buffer, binding: Buffer): Buffer | undefined {
    const nonce = sealed.subarray(FORM.length, HEAD_BYTES)
    const body = sealed.subarray(HEAD_BYTES, -TAG_BYTES)
    for (const key of this.#keys) {
      const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
      decipher.setAAD(binding).setAuthTag(sealed.subarray(-TAG_BYTES))
      try {
        return Buffer.concat([decipher.update(body), decipher.final()])
      } catch {
        // Another key sealed it, or it was changed: the next key tells.
      }
    }
    return undefined
  }
}

interface Encrypting {
  readonly key: KeyObject
  readonly nonce: Buffer
  readonly binding: Buffer
}

function* encrypted(packed: Buffer, { key, nonce, binding }: Encrypting): Steps<Buffer> {
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(binding)
  const pieces = [FORM, nonce]
  for (let at = 0; at < packed.length; at += STEP_BYTES) {
    if (at > 0) yield
    pieces.push(cipher.update(packed.subarray(at, at + STEP_BYTES)))
  }
  return yield* joined([...pieces, cipher.final(), cipher.getAuthTag()])
}

/** Bytes encrypted in one step, which takes a few milliseconds. */
const STEP_BYTES = 4_194_304

export interface Whose {
  readonly account: string
  readonly id: string
}

/** The most UTF-8 bytes of a text that is sealed: what opens it reads no more. */
export const MOST_BYTES = 64_000_000

export const NONCE_BYTES = 12

const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
const TAG_BYTES = 16
const PURPOSE = 'svc-gateway: kept responses, form 1'
/** The first byte of what is sealed. */
const FORM = Buffer.from([1])
const HEAD_BYTES = FORM.length + NONCE_BYTES

const bindingOf = (account: string, id: string): Buffer => Buffer.from(JSON.stringify([account, id]))

const deflate = promisify<string | Buffer, { level: number }, Buffer>(deflateRaw)

/** An opened seal. */
export interface Opened {
  /** The UTF-8 of its text. */
  readonly pieces: readonly Buffer[]
  /** Bytes of all of them. */
  readonly bytes: number
}

/** Takes room in memory for more bytes, or says that there is none. Throws where nobody waits for them any more. */
export type Hold = (bytes: number) => Denied | undefined

const ROOMY: Hold = () => undefined

/** The pieces of the text, and the text. */
const COPIES = 2

/** Piece by piece, so that what has no room is not inflated to its end. Undefined where another program sealed it, or it is too large. */
function inflated(packed: Buffer, hold: Hold): Promise<Opened | Denied | undefined> {
  return new Promise((resolve, reject) => {
    const inflater = createInflateRaw({ chunkSize: packed.length > SMALL_BYTES ? PIECE_BYTES : SMALL_BYTES })
    const pieces: Buffer[] = []
    let bytes = 0
    const stop = (outcome: Denied | undefined) => {
      inflater.destroy()
      resolve(outcome)
    }
    inflater.on('data', (piece: Buffer) => {
      try {
        bytes += piece.length
        if (bytes > MOST_BYTES) return stop(undefined)
        const crowded = hold(COPIES * piece.length)
        if (crowded) return stop(crowded)
        pieces.push(piece)
      } catch (error) {
        inflater.destroy()
        reject(error)
      }
    })
    inflater.on('end', () => resolve({ pieces, bytes }))
    inflater.on('error', () => resolve(undefined))
    inflater.end(packed)
  })
}

/** Each piece is a turn of the event loop and of a thread: large texts have few of them. */
const PIECE_BYTES = 262_144
const SMALL_BYTES = 16_384
