import type { AccountRecord } from '../../gateway/store/account-store.ts'
import type { KeyRecord } from '../../gateway/store/key-store.ts'
import type { EpochMs } from '../../policy/config.ts'
import { type Caller, type StoredTerms, storedTerms, type Terms, termsOfStored } from '../../policy/facts.ts'

type Fields = readonly (string | null | undefined)[]

export const ACCOUNT_FIELDS = ['kind', 'label', 'terms', 'created', 'key', 'believed']
export const KEY_FIELDS = ['mask', 'status', 'created']

/** An account as it lies in Redis. */
export interface StoredAccount extends AccountRecord {
  /** The exact text of the terms, which scripts compare. */
  readonly text: string
  /** Hash of the active key, or of the one a device has. */
  readonly key: string
  /** When the token was issued whose claims the account has. */
  readonly believedAt: EpochMs
}

/** Undefined when there is no such account. */
export function readAccount(
  account: string,
  [kind, label, text, created, key, believed]: Fields,
): StoredAccount | undefined {
  if (!text) return undefined
  return {
    account,
    kind: kindOf(kind),
    label: label ?? account,
    terms: readTerms(text),
    createdAt: Number(created),
    text,
    key: key ?? '',
    believedAt: Number(believed ?? 0),
  }
}

export const recordOf = ({ account, kind, label, terms, createdAt }: AccountRecord): AccountRecord => ({
  account,
  kind,
  label,
  terms,
  createdAt,
})

export function readKey(hash: string, [mask, status, created]: Fields, owner: AccountRecord): KeyRecord {
  if (!mask) throw new Error(`the store has no whole record of a key of account ${owner.account}`)
  const { account, kind, label, terms } = owner
  return { hash, keyPrefix: mask, account, kind, label, terms, status: statusOf(status), createdAt: Number(created) }
}

export const readTerms = (text: string): Terms => termsOfStored(JSON.parse(text) as StoredTerms)

/** The text of terms; the same for equal terms with any order of members. */
export function termsText(terms: Terms): string {
  const { override, claimed, overage, grants } = storedTerms(terms)
  const sorted = Object.entries(grants ?? {}).sort(([a], [b]) => Number(a) - Number(b))
  return JSON.stringify({
    ...(override !== undefined && { override }),
    ...(claimed !== undefined && { claimed }),
    ...(overage !== undefined && { overage }),
    ...(sorted.length > 0 && { grants: Object.fromEntries(sorted) }),
  })
}

const kindOf = (kind: string | null | undefined): Caller['kind'] => (kind === 'guest' ? 'guest' : 'developer')
const statusOf = (status: string | null | undefined): KeyRecord['status'] =>
  status === 'active' || status === 'rotated' ? status : 'revoked'
