import { hashOf, isWellFormed, maskOf, newAccountId, newKey } from './keys.ts'
import type { Random } from './ports.ts'
import type { KeyRecord, Minted, Store } from './store.ts'

/** How operators may call an account: one line of text, so that no listing can be forged with it. */
export const LABEL = '^[^\\p{Cc}\\p{Zl}\\p{Zp}]{1,200}$'

/** A mint, and the full key value where one was made: it is shown once. */
export type MintedKey = Minted & { readonly value?: string }

/** Makes a key for the account that operators call `label`. */
export async function mintKey(
  store: Store,
  random: Random,
  { brand, label, plan }: { brand: string; label: string; plan: string },
): Promise<MintedKey> {
  const value = newKey(brand, random)
  const minted = await store.mintKey({
    keyHash: hashOf(value),
    keyPrefix: maskOf(value),
    label,
    plan,
    newAccount: newAccountId(random),
  })
  return minted.outcome === 'minted' ? { ...minted, value } : minted
}

/** How a key was named did not lead to exactly one active key. */
export type Unrevoked = 'unknown' | 'ambiguous'

/** Ends the key with this full or masked value. */
export async function revokeKey(store: Store, brand: string, named: string): Promise<KeyRecord | Unrevoked> {
  if (isWellFormed(brand, named)) return (await store.revokeKey(hashOf(named))) ?? 'unknown'
  const keys = await store.listKeys()
  const [key, another] = keys.filter(({ keyPrefix, status }) => status === 'active' && keyPrefix === asMask(named))
  if (another) return 'ambiguous'
  return (key && (await store.revokeKey(key.hash))) ?? 'unknown'
}

/** The mask is as good without its ellipsis, which is hard to type. */
const asMask = (named: string): string => (named.endsWith('…') ? named : `${named.replace(/\.{3}$/, '')}…`)
