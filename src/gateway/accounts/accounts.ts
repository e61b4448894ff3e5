import type { Random } from '../ports.ts'
import type { KeyStore, Minted } from '../store/key-store.ts'
import type { KeyWish } from './key-wish.ts'
import { type FreshKey, newAccountId, newFreshKey } from './keys.ts'

/**
 * The plain form of a label, which looks the same (NFKC): without full-width letters, ligatures, separate accents,
 * unusual blanks or invisible characters. Empty if nothing is left.
 */
export const plainLabel = (label: string): string =>
  // Accents separated by something invisible combine once it is removed.
  label.normalize('NFKC').replace(UNSEEN, '').normalize('NFKC').trim()

/** Invisible characters that count as letters or marks. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\u2800]/gu

/** Whether a text is meant as an id. No label has this form: an account with such a label would be taken for another one. */
export const isId = (named: string): boolean => /^(?:acct|dev)_/.test(named)

/** Whether a text is the id of a key. */
export const isKeyId = (named: string): boolean => /^key_[0-9A-Za-z]+$/.test(named)

/** Whether a text is meant as an org. No label has this form. */
export const isOrg = (named: string): boolean => named.startsWith('org:')

/** The name of an org; undefined if the text is not meant as one. */
export const orgIn = (named: string): string | undefined => (isOrg(named) ? named.slice('org:'.length) : undefined)

/** A mint, and the full value of a new key, which is shown once. */
export type MintedKey = Minted & { readonly value?: string }

/** Creates a key for the account that operators call `label`; `by` is the operator. */
export async function mintKey(
  keys: KeyStore,
  random: Random,
  { brand, label, plan, keepsPlan, most, by, wish, fresh = newFreshKey(brand, random) }: OperatorMint,
): Promise<MintedKey> {
  const minted = await keys.mint({
    ...wish,
    key: fresh.key,
    owner: { label, override: plan, newAccount: newAccountId(random), ...(keepsPlan && { keepsPlan: true as const }) },
    most,
    by,
  })
  return minted.outcome === 'minted' ? { ...minted, value: fresh.value } : minted
}

interface OperatorMint {
  readonly brand: string
  readonly label: string
  readonly plan: string
  /** True if an existing account stays on its plan. */
  readonly keepsPlan?: boolean
  /** The maximum of valid keys of the account. */
  readonly most: number
  readonly by: string
  readonly wish?: KeyWish
  readonly fresh?: FreshKey
}

/** A mask also works without its ellipsis, which is hard to type. */
export const asMask = (named: string): string => (named.endsWith('…') ? named : `${named.replace(/\.{3}$/, '')}…`)
