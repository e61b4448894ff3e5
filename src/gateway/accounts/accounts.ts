import type { Random } from '../ports.ts'
import type { KeyStore, Minted } from '../store/key-store.ts'
import type { KeyWish } from './key-wish.ts'
import { type FreshKey, newAccountId, newFreshKey } from './keys.ts'

/**
 * Whether a label has the one form that looks like it: letters of full width, ligatures, accents that stand alone and blanks of
 * other widths (NFKC) are others that look the same, and what takes no room at all is none. Where it has not, the label that it looks
 * like; empty where there is none.
 */
export const plainLabel = (label: string): string =>
  // Accents that something invisible separated combine once it is removed.
  label.normalize('NFKC').replace(UNSEEN, '').normalize('NFKC').trim()

/** Characters without a shape that are letters or marks by their category. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\u2800]/gu

/** Whether a text is meant as an id. No label has this form: an account with such a label would be taken for another one. */
export const isId = (named: string): boolean => /^(?:acct|dev)_/.test(named)

/** Whether a text is the id of a key. */
export const isKeyId = (named: string): boolean => /^key_[0-9A-Za-z]+$/.test(named)

/** Whether a text is meant as an org. No label has this form. */
export const isOrg = (named: string): boolean => named.startsWith('org:')

/** The name of the org that is meant; undefined where none is. */
export const orgIn = (named: string): string | undefined => (isOrg(named) ? named.slice('org:'.length) : undefined)

/** A mint, and the full key value where one was made: it is shown once. */
export type MintedKey = Minted & { readonly value?: string }

/** Makes a key for the account that operators call `label`; `by` is the operator. */
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
  /** How many keys of the account may work at a time. */
  readonly most: number
  readonly by: string
  readonly wish?: KeyWish
  readonly fresh?: FreshKey
}

/** A mask is as good without its ellipsis, which is hard to type. */
export const asMask = (named: string): string => (named.endsWith('…') ? named : `${named.replace(/\.{3}$/, '')}…`)
