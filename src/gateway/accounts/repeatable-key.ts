import { createHmac, randomBytes } from 'node:crypto'
import type { KeyStore } from '../store/key-store.ts'
import { keyOf } from './keys.ts'

/** A mint or rotation that may be repeated. */
export interface Repeatable {
  /** The operator's `Idempotency-Key`. */
  readonly repeatKey: string
  /** Who sends it: for another operator it means another key. */
  readonly by: string
  /** The path of the call; with its body it tells keys apart: another body means another key. */
  readonly path: string
  readonly body: object
}

/**
 * The value of a key that a repetition gets again. It is derived from what was sent and from a secret of the store, so that it lies
 * nowhere: who reads the store does not know what was sent, and who knows that cannot read the store.
 */
export async function repeatableKey(
  keys: Pick<KeyStore, 'keepMintSecret'>,
  brand: string,
  { repeatKey, by, path, body }: Repeatable,
): Promise<string> {
  const secret = await keys.keepMintSecret(randomBytes(SECRET_BYTES).toString('base64url'))
  return keyOf(
    brand,
    createHmac('sha256', secret)
      .update(JSON.stringify([path, by, repeatKey, sorted(body)]))
      .digest(),
  )
}

const SECRET_BYTES = 32

/** Two bodies that say the same are the same, in whatever order their fields are. */
const sorted = (body: object): readonly unknown[] =>
  Object.entries(body).sort(([one], [other]) => (one < other ? -1 : 1))

/** Nobody finds a shorter one that is random, and no header is longer. */
export const REPEAT_KEY = /^[\x21-\x7e]{20,255}$/
