import { idOfHash } from '../../gateway/accounts/keys.ts'
import type { AccountRecord } from '../../gateway/store/account-store.ts'
import { statusAt } from '../../gateway/store/key-life.ts'
import type { KeyRecord } from '../../gateway/store/key-store.ts'
import type { EpochMs } from '../../policy/config.ts'
import { listOf, recordFrom } from '../../records/fields.ts'
import { KEY, type KeyLife, type KeyState, type Narrowed, narrowedIn } from '../../records/key.ts'
import { HashFields, type Texts } from './hash-fields.ts'

/** The hash of a key is in its name, and what the key narrows is one field, as JSON. */
type BesideFields = 'hash' | keyof Narrowed

/**
 * The field that has each member of a key. A new member does not compile until it has one. Scripts name them too where they
 * make a key: redis/accounts/mint.lua and rotate.lua.
 */
const KEY_NAMES = {
  account: 'account',
  keyPrefix: 'mask',
  createdAt: 'created',
  number: 'number',
  id: 'id',
  name: 'name',
  origin: 'origin',
  status: 'status',
  expiresAt: 'expires',
  replacedBy: 'replaced',
  lastUsedAt: 'used',
} as const satisfies Record<Exclude<keyof KeyState, BesideFields>, string>

const KEY_HASH = new HashFields(KEY, KEY_NAMES)
const LISTED = listOf(KEY)

/** Fields read from a key, by their names in Redis. */
export const KEY_FIELDS = [...KEY_HASH.names, 'narrow'] as const

export type KeyTexts = Texts<(typeof KEY_FIELDS)[number]>

/** The fields of a key. */
export function keyTexts(key: KeyState): Record<string, string> {
  const narrow = narrowedText(key)
  return { ...KEY_HASH.write(key), ...(narrow !== '' && { narrow }) }
}

/** A key as it lies in Redis. */
export function readKeyState(hash: string, texts: KeyTexts): KeyState {
  const { mask, narrow } = texts
  if (!mask) throw new Error('the store has no whole record of a key')
  const read = { number: 0, ...KEY_HASH.read(texts), ...(narrow && readNarrowed(narrow)) }
  const key: Readonly<Record<string, unknown>> = { ...read, hash, status: statusOf(texts.status) }
  return recordFrom<typeof KEY>(LISTED, ({ member }) => key[member])
}

/** A key as it may be shown at a moment. */
export function readKey(hash: string, texts: KeyTexts, owner: AccountRecord, at: EpochMs): KeyRecord {
  const { number: _number, ...key } = readKeyState(hash, texts)
  const { account, kind, label, terms } = owner
  return { ...key, id: key.id ?? idOfHash(hash), account, kind, label, terms, status: statusAt(key, at) }
}

const statusOf = (status: string | undefined): KeyLife['status'] =>
  status === 'active' || status === 'rotated' ? status : 'revoked'

/** The restrictions of a key as JSON; empty if it has none. */
export function narrowedText(key: Narrowed): string {
  const narrowed = narrowedIn(key)
  return Object.values(narrowed).some(Boolean) ? JSON.stringify(narrowed) : ''
}

export const readNarrowed = (text: string): Narrowed => JSON.parse(text) as Narrowed
