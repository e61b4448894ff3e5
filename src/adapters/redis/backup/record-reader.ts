import type { RulesState, StoreRecord } from '../../../gateway/store/record.ts'
import { storedTerms } from '../../../policy/facts.ts'
import { storedReadings } from '../../../policy/limits/readings.ts'
import { type NanoUsd, nanoUsd } from '../../../policy/nano-usd.ts'
import type { PoolBudget } from '../../../policy/pool-budget.ts'
import { ACCOUNT } from '../../../records/account.ts'
import { type Complete, listOf, present, recordFrom } from '../../../records/fields.ts'
import type { HoldState } from '../../../records/hold.ts'
import { ACCOUNT_FIELDS, ORG_FIELDS, readAccount, readOrg } from '../account-hash.ts'
import type { Client } from '../client.ts'
import { readReadings } from '../codec.ts'
import { readCounters, SHARE_TEXT } from '../counter-texts.ts'
import { holdTexts, readCheckpoint, readHold } from '../hold-text.ts'
import { KEY_FIELDS, readKeyState } from '../key-hash.ts'
import type { Bucket } from '../layout.ts'
import { textsBy } from '../places.ts'
import { readHead } from '../response-head.ts'
import { readHeldRules } from '../rule-texts.ts'
import type { Fields } from './bucket-snapshot.ts'
import { type Share, withShare } from './shares.ts'

// Records of Redis in the form that belongs to no store.

/** `keyOf` gives the fields of a key by its hash. */
export function accountState(
  account: string,
  fields: Fields,
  keys: readonly string[],
  keyOf: (hash: string) => Fields | undefined,
): StoreRecord {
  const found = readAccount(account, textsBy(ACCOUNT_FIELDS, fields))
  if (!found) throw new Error(`the store has no whole record of account ${account}`)
  const { text: _text, key, change: _change, terms, believedAt, ...record } = found
  // A device keeps its one key here, ended.
  const isActive = key !== '' && textsBy(KEY_FIELDS, keyOf(key) ?? []).status !== 'revoked'
  const own = { terms: storedTerms(terms), activeKey: isActive ? key : null, keys, believedAt: believedAt || undefined }
  const state: Readonly<Record<string, unknown>> = { ...record, ...own }
  return ['account', recordFrom<typeof ACCOUNT>(OF_ACCOUNT, ({ member }) => state[member])]
}

const OF_ACCOUNT = listOf(ACCOUNT)

export const keyState = (hash: string, fields: Fields | (string | null)[]): StoreRecord => [
  'key',
  readKeyState(hash, textsBy(KEY_FIELDS, fields)),
]

/** False for one that was revoked ahead of its mint. */
export const isWholeKey = (fields: Fields): boolean => textsBy(KEY_FIELDS, fields).mask !== undefined

export function* orgState(org: string, fields: Fields): Generator<StoreRecord> {
  const record = readOrg(org, textsBy(ORG_FIELDS, fields))
  if (record) yield ['org', record]
}

export function countersState(
  account: string,
  [head, counts, calendar]: Fields,
  ring: string | null,
  used: Readonly<Record<number, NanoUsd>>,
): StoreRecord {
  const read = counts ? readCounters({ head, counts, calendar, ring }) : { minute: [], calendar: [] }
  return ['counters', { account, minute: read.minute, calendar: read.calendar, used }]
}

/** Groups of accounts have the account in their names. */
const GROUP = /^([\s\S]*):(account|user:[^:]*)$/

export function rulesState(name: string, fields: readonly string[], isShared = false): StoreRecord {
  const [, account = '', group = name] = (isShared ? undefined : GROUP.exec(name)) ?? []
  const texts = new Map(pairsOf(fields))
  const counters: RulesState['counters'][number][] = []
  for (const [field, newest] of texts) {
    if (field.startsWith('~')) continue
    const older = (texts.get(`~${field}`) ?? '').split(';').slice(1)
    counters.push([field, [...older, newest].filter(Boolean).map(usedIn)])
  }
  return ['rules', { account, group, counters }]
}

function usedIn(cell: string): readonly [number, number] {
  const [index, used] = cell.split(',')
  return [Number(index), Number(used)]
}

export function poolState(pool: string, text: string | null): StoreRecord {
  const hour: PoolBudget = Array.from((text ?? '').matchAll(/(\d+) (\d+)/g), ([, minute, cost]) => ({
    minute: Number(minute),
    cost: nanoUsd(Number(cost)),
  }))
  return ['pool', { pool, hour }]
}

/** A running request, and what it holds of what guests share. `share` is what it holds apart from its account. */
export function holdState(requestId: string, lease: string, fields: Fields, share?: Share) {
  const { state, account, window, hold: text, readings, checkpoint, resumed, ...kept } = holdTexts(fields)
  // One that ran on after it was charged is an orphan again until its gateway gives a sign of life.
  if (state !== 'open' || resumed || !account || !text) return undefined
  const shared = kept.shared || share?.shared
  const rules = withShare(readHeldRules([kept.rules, kept.cells, kept.weight]), share)
  const held: Complete<HoldState> = {
    hold: readHold(text, { requestId, account, window: Number(window) }, rules),
    readings: storedReadings(readReadings(readings ?? '')),
    leaseUntil: Number(lease),
    soFar: checkpoint ? readCheckpoint(checkpoint) : undefined,
    shared: shared ? true : undefined,
  }
  return { state: present<HoldState>(held), shared: shared ? SHARE_TEXT.read(shared) : undefined }
}

/** The kept responses of an account, oldest first, without those that expire meanwhile. */
export async function* responseStates(
  client: Client,
  bucket: Bucket,
  account: string,
  fields: readonly string[],
): AsyncGenerator<StoreRecord, void, undefined> {
  const kept = pairsOf(fields).filter(([id]) => !id.startsWith(' '))
  const heads = kept.map(([id, text]) => readHead(id, text))
  for (const { place: _place, bytes: _bytes, ...state } of heads.sort((a, b) => a.place - b.place)) {
    const sealed = await client.withTypeMapping({ [BLOB]: Buffer }).get(bucket.response(account, state.id))
    if (sealed) yield ['response', { account, ...state, sealed: sealed.toString('base64') }]
  }
}

/** The issued invoices of an account. */
export async function* issuedInvoices(
  client: Client,
  bucket: Bucket,
  account: string,
): AsyncGenerator<StoreRecord, void, undefined> {
  const kept = await client.hGetAll(bucket.invoices(account))
  for (const text of Object.values(kept)) yield ['invoice', JSON.parse(text)]
}

/** RESP's name of the type of texts. */
const BLOB = 36

/** The pairs of a reply to HGETALL. */
export const pairsOf = (fields: readonly string[]): (readonly [string, string])[] =>
  Array.from({ length: fields.length / 2 }, (_, at) => [fields[2 * at] ?? '', fields[2 * at + 1] ?? ''])
