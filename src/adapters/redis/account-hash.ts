import type { AccountRecord } from '../../gateway/store/account-store.ts'
import {
  ACCOUNT,
  type AccountState,
  type Contacts,
  type Invitation,
  ORG,
  type OrgRecord,
} from '../../records/account.ts'
import { readTerms } from './codec.ts'
import { HashFields, type Texts } from './hash-fields.ts'

/**
 * The id of an account is in its name; its terms are JSON that scripts compare, its keys a list beside the active one, and who signs in
 * to it JSON as well.
 */
type BesideFields = 'account' | 'terms' | 'activeKey' | 'keys' | 'invitation' | 'signIns' | 'contacts'

/** The field that has each member of an account. A new member does not compile until it has one. */
const ACCOUNT_NAMES = {
  kind: 'kind',
  label: 'label',
  createdAt: 'created',
  believedAt: 'believed',
} as const satisfies Record<Exclude<keyof AccountState, BesideFields>, string>

export const ACCOUNT_HASH = new HashFields(ACCOUNT, ACCOUNT_NAMES)

/** The field that has each member of an org, whose name and terms lie as those of an account. */
const ORG_NAMES = { createdAt: 'created' } as const satisfies Record<Exclude<keyof OrgRecord, 'org' | 'terms'>, string>

export const ORG_HASH = new HashFields(ORG, ORG_NAMES)

/** Fields read from an org, by their names in Redis. */
export const ORG_FIELDS = ['terms', ...ORG_HASH.names] as const

/** Undefined when there is no such org. */
export function readOrg(org: string, texts: Texts): OrgRecord | undefined {
  const { terms } = texts
  if (!terms) return undefined
  const { createdAt = 0, ...read } = ORG_HASH.read(texts)
  return { ...read, org, terms: readTerms(terms), createdAt }
}

/** Fields read from an account, by their names in Redis. */
export const ACCOUNT_FIELDS = [
  ...ACCOUNT_HASH.names,
  'terms',
  'key',
  'change',
  'invitation',
  'sign-ins',
  'contacts',
] as const

type AccountTexts = Texts<(typeof ACCOUNT_FIELDS)[number]>

/** An account as it lies in Redis. */
export interface StoredAccount extends AccountRecord {
  /** The exact text of the terms, which scripts compare. */
  readonly text: string
  /** Hash of the active key, or of the one a device has. */
  readonly key: string
  /** The issue time of the token whose claims the account has. */
  readonly believedAt: number
  /** The last change of its terms, which scripts compare too; empty where there was none, or an older gateway made it. */
  readonly change: string
}

/** Undefined when there is no such account. */
export function readAccount(account: string, texts: AccountTexts): StoredAccount | undefined {
  const { terms: text, key = '', change = '' } = texts
  if (!text) return undefined
  const { kind, label = account, createdAt = 0, believedAt = 0, ...read } = ACCOUNT_HASH.read(texts)
  const record = {
    ...read,
    ...readSignIns(texts),
    ...(texts.contacts && { contacts: JSON.parse(texts.contacts) as Contacts }),
    account,
    kind: kind === 'guest' ? kind : 'developer',
    label,
    createdAt,
  } as const
  return { ...record, terms: readTerms(text), text, key, believedAt, change }
}

type SignIns = Pick<AccountState, 'invitation' | 'signIns'>

function readSignIns({ invitation, 'sign-ins': signIns }: AccountTexts): SignIns {
  return {
    ...(invitation && { invitation: JSON.parse(invitation) as Invitation }),
    ...(signIns && { signIns: JSON.parse(signIns) as readonly string[] }),
  }
}

/** The fields that say who signs in to an account; empty where nobody does, or is invited. */
export const signInTexts = ({ invitation, signIns = [] }: SignIns) => ({
  invitation: invitation ? JSON.stringify(invitation) : '',
  'sign-ins': signIns.length > 0 ? JSON.stringify(signIns) : '',
})

/** The field that says where notices of an account go; empty where it chose nothing. */
export const contactsText = (contacts: Contacts | undefined): string =>
  contacts && Object.keys(contacts).length > 0 ? JSON.stringify(contacts) : ''

/** Without what Redis alone has of it. */
export const recordOf = ({ text, key, believedAt, change, ...record }: StoredAccount): AccountRecord => record
