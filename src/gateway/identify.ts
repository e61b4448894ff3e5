import type { Denial } from '../policy/denial.ts'
import type { Caller } from '../policy/facts.ts'
import { hashOf, isWellFormed } from './keys.ts'
import type { Store } from './store.ts'

/** A caller, and the hash its key is admitted by. */
export interface Identified {
  readonly caller: Caller
  readonly keyHash: string
}

/** Who sends a request, by its Authorization header. Rejects with StoreUnavailable. Spec 5. */
export async function identify(
  store: Store,
  brand: string,
  authorization: string | undefined,
): Promise<Identified | Denial> {
  if (!authorization) return { code: 'NO_AUTH' }
  const token = /^Bearer +(\S+)$/i.exec(authorization)?.[1]
  if (!token?.startsWith(`${brand}_`)) {
    return { code: 'INVALID_TOKEN', problem: `Send \`Authorization: Bearer ${brand}_…\`; this is not a key.` }
  }
  // The checksum refuses a mistyped key without asking the store.
  if (!isWellFormed(brand, token)) return { code: 'INVALID_KEY' }
  const keyHash = hashOf(token)
  const caller = await store.findCaller(keyHash)
  return caller ? { caller, keyHash } : { code: 'INVALID_KEY' }
}
