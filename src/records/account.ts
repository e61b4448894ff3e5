import type { EpochMs } from '../policy/config.ts'
import type { OrgTerms, StoredTerms } from '../policy/facts.ts'
import type { Fields, RecordOf } from './fields.ts'
import { jsonOf, list, moment, optional, text, word } from './shape.ts'

// An account and an org, each declared once. A new field is optional, since records without it exist, and has a step in
// gateway/restrictions.ts.

export const ACCOUNT = {
  account: text,
  kind: word<'developer' | 'guest'>(),
  /** The name for people: an operator's choice, else a claim of the token, else the id. */
  label: text,
  terms: jsonOf<StoredTerms>(),
  createdAt: moment,
  /** Hash of its first key, the one without a name, until that is revoked. */
  activeKey: jsonOf<string | null>(),
  /** Hashes, newest first: those that work, and at most KEYS_KEPT that ended. */
  keys: list(text),
  /** When the token was issued that its claims were taken from. */
  believedAt: optional(moment),
  /** Lets one sign-in join; a later one takes its place. */
  invitation: optional(jsonOf<Invitation>()),
  /** Ids of sign-ins that joined: each would else be an account of this id. */
  signIns: optional(list(text)),
  /** Where notices about it go, by its own choice. */
  contacts: optional(jsonOf<Contacts>()),
} satisfies Fields

/** The addresses of an account for notices. Plain JSON. */
export interface Contacts {
  /** Percentages of a limit that it hears of, ascending; absent: all that the files offer. */
  readonly at?: readonly number[]
  /** A mail address that was confirmed. */
  readonly mail?: string
  /** A mail address that waits for its confirmation; a later one takes its place. */
  readonly asked?: Asked
  readonly webhook?: ContactWebhook
}

interface Asked {
  readonly mail: string
  /** The hash of the token in the mail, which is stored nowhere. */
  readonly hash: string
  readonly expiresAt: EpochMs
}

export interface ContactWebhook {
  readonly url: string
  /** `whsec_` and base64. It signs notices, so that it cannot be stored as a hash. */
  readonly secret: string
}

/** An invitation to an account that an operator opened. */
export interface Invitation {
  /** The hash of the secret in its link, which is stored nowhere. */
  readonly hash: string
  readonly expiresAt: EpochMs
}

/** An account as a backup has it. */
export interface AccountState extends RecordOf<typeof ACCOUNT> {}

export const ORG = {
  /** Its name, without `org:`. */
  org: text,
  terms: jsonOf<OrgTerms>(),
  createdAt: moment,
} satisfies Fields

export interface OrgRecord extends RecordOf<typeof ORG> {}
