import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/** The key that signs a gateway's backups and proves that nobody changed one: 32 bytes that only its operators have. */
export class BackupKey {
  /** Names the key in a backup's signature without revealing anything about it. */
  readonly id: string
  readonly #secret: Buffer

  constructor(secret: Buffer) {
    if (secret.length !== BackupKey.BYTES) throw new Error(`a backup key has ${BackupKey.BYTES} bytes`)
    this.#secret = secret
    this.id = createHash('sha256').update(`${PURPOSE} id`).update(secret).digest('hex').slice(0, ID_DIGITS)
  }

  static readonly BYTES = 32

  /** The signature of a backup with this SHA-256. */
  sign(digest: Buffer): Buffer {
    return createHmac('sha256', this.#secret).update(PURPOSE).update(digest).digest()
  }

  isSignature(signature: Buffer, digest: Buffer): boolean {
    const own = this.sign(digest)
    return signature.length === own.length && timingSafeEqual(signature, own)
  }
}

const PURPOSE = 'svc-gateway: backups, form 1'
export const ID_DIGITS = 16
