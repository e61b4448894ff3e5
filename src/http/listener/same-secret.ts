import { timingSafeEqual } from 'node:crypto'
import { hashOf } from '../../gateway/accounts/keys.ts'

/** Compares in constant time. Hashes have one length, so the comparison does not reveal that of the secret either. */
export const isSameSecret = (secret: string, sent: string): boolean =>
  sent !== '' && timingSafeEqual(Buffer.from(hashOf(sent)), Buffer.from(hashOf(secret)))
