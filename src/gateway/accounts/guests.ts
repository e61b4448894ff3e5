import { createHmac } from 'node:crypto'
import type { Secret } from '../../config/settings.ts'
import type { Millis } from '../../policy/config.ts'
import type { EventCount } from '../store/account-store.ts'
import type { Store } from '../store/store.ts'
import { keyOf, storedKeyOf } from './keys.ts'

const HOUR: Millis = 3_600_000

/** The outcome for a device that asks for its key. */
export type GuestKey =
  | { readonly outcome: 'key'; readonly value: string }
  /** An operator ended it; the device gets no other. */
  | { readonly outcome: 'ended' }
  /** Where it calls from has brought enough new devices for now. */
  | { readonly outcome: 'wait'; readonly retryAfterMs: Millis }

export interface GuestAsk {
  readonly brand: string
  /** Newest first; at least one. */
  readonly secrets: readonly Secret[]
  readonly deviceId: string
  /** The counts that a new device adds to. */
  readonly counts: readonly EventCount[]
  /** An operator who asks for it. */
  readonly by?: string
}

/** The key of a device: the same one on every call and every gateway, though only its hash is stored. */
export async function guestKey(
  store: Pick<Store, 'keys' | 'accounts'>,
  { brand, secrets, deviceId, counts, by }: GuestAsk,
): Promise<GuestKey> {
  const [newest] = secrets
  if (!newest) throw new Error('guests are served, and there is no secret to derive their keys from')
  for (const secret of secrets) {
    const known = await store.keys.findGuest(guestAccount(brand, secret, deviceId))
    if (!known) continue
    if (known.status !== 'active') return { outcome: 'ended' }
    return { outcome: 'key', value: guestValue(brand, secret, deviceId) }
  }
  const retryAfterMs = await store.accounts.countEvent(counts, HOUR)
  if (retryAfterMs > 0) return { outcome: 'wait', retryAfterMs }
  const value = guestValue(brand, newest, deviceId)
  const guest = {
    account: guestAccount(brand, newest, deviceId),
    key: storedKeyOf(value),
    ...(by !== undefined && { by }),
  }
  const { status } = await store.keys.mintGuest(guest)
  return status === 'active' ? { outcome: 'key', value } : { outcome: 'ended' }
}

/**
 * The account of a device; the device cannot be found from it. Whether the device has a key shows only to a client that
 * knows the device or the secret. Under another brand it is another account: the device's key begins with the brand, and has to work.
 */
const guestAccount = (brand: string, secret: Secret, deviceId: string): string =>
  `dev_${hmac(secret, `guest-account\0v1\0${brand}\0`, deviceId).toString('hex').slice(0, 40)}`

const guestValue = (brand: string, secret: Secret, deviceId: string): string =>
  keyOf(brand, hmac(secret, 'guest\0v1\0', deviceId))

/** The label keeps what is derived for one purpose from being good for another. */
const hmac = (secret: Secret, label: string, deviceId: string): Buffer =>
  createHmac('sha256', secret.reveal()).update(label).update(deviceId).digest()
