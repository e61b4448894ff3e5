import { idAt } from '../../../gateway/accounts/keys.ts'
import { StoreUnavailable } from '../../../gateway/store/store.ts'
import type { EpochMs, Millis } from '../../../policy/config.ts'
import { dayAt } from '../../../policy/counters/account-counters.ts'
import { windowOf } from '../../../policy/decision.ts'
import { type Access, timeOf } from '../access.ts'
import { ACCOUNT_FIELDS, ORG_FIELDS } from '../account-hash.ts'
import { type Client, runScript } from '../client.ts'
import { HOLD_FIELDS } from '../hold-text.ts'
import { KEY_FIELDS } from '../key-hash.ts'
import { type Bucket, chunksOf } from '../layout.ts'
import type { BucketNames } from './names.ts'

/** A reply of Redis, as it comes. */
export type Raw = string | number | null | readonly Raw[]
export type Fields = readonly (string | null)[]

/** The contents of one bucket at a moment, but for its rows, its audit and the sums of days that are long over. */
export interface BucketSnapshot {
  /** The clock of Redis, which is another one in tests. */
  readonly time: EpochMs
  /** Rows that were settled up to here were in its sums, and none that were settled later. */
  readonly at: EpochMs
  /** How many rows there were from `young` on. */
  readonly rows: number
  readonly young: string
  /** The first day whose sums are in the snapshot. */
  readonly liveFrom: number
  /** The id of the last entry of its audit. */
  readonly lastAudit: string | undefined
  readonly accounts: ReadonlyMap<string, AccountFields>
  readonly keys: ReadonlyMap<string, Fields>
  readonly orgs: ReadonlyMap<string, Fields>
  /** Records by the rest of their name after `spend:`, `rules:` and so on. */
  readonly spend: ReadonlyMap<string, Fields>
  readonly rules: ReadonlyMap<string, readonly string[]>
  readonly sharedRules: ReadonlyMap<string, readonly string[]>
  readonly guestSpend: ReadonlyMap<string, string | null>
  readonly allowances: ReadonlyMap<string, string | null>
  readonly totals: ReadonlyMap<string, readonly string[]>
  readonly responses: ReadonlyMap<string, readonly string[]>
  readonly holds: readonly HoldFields[]
}

export interface AccountFields {
  readonly account: Fields
  readonly keys: readonly string[]
  readonly counters: Fields
  readonly ring: string | null
}

export type HoldFields = readonly [requestId: string, lease: string, fields: Fields]

/**
 * Reads one bucket and the sums of its rows as of one moment, which separates its rows from later ones. Reads the records outside
 * the sums just before, in parts, so that Redis can serve other clients in between.
 */
export async function readBucket(
  access: Access,
  client: Client,
  bucket: Bucket,
  names: BucketNames,
): Promise<BucketSnapshot> {
  const parts = await partsOf(access, client, bucket, names)
  const spends = new Set(names.spend)
  for (let tries = 0; tries < TRIES; tries++) {
    const { newest, ...sums } = await sumsOf(access, client, bucket, { names, spends })
    const begun = newest.filter(name => !spends.has(name))
    for (const name of begun) spends.add(name)
    if (begun.length > 0) continue
    const snapshot = { ...parts, ...sums }
    if (await isQuiet(access, client, bucket, snapshot)) return snapshot
  }
  throw new StoreUnavailable(TOO_BUSY)
}

/** How often a moment is looked for in which nothing is written. */
export const TRIES = 200

export const TOO_BUSY = 'the store settles too many requests of one account for a backup: try again later'

const fields = (reply: Raw | undefined) => (reply ?? []) as Fields
const texts = (reply: Raw | undefined) => (reply ?? []) as readonly string[]
const text = (reply: Raw | undefined) => (reply ?? null) as string | null

/** Keys before the accounts that name them, and the lists last: a key that is made meanwhile is found by its list. */
async function partsOf(access: Access, client: Client, bucket: Bucket, names: BucketNames) {
  const accounts = names.account ?? []
  const asked = new Commands()
  const keyOf = asked.of(names.key ?? [], hash => ['HMGET', bucket.key(hash), ...KEY_FIELDS])
  const accountOf = asked.of(accounts, id => ['HMGET', bucket.account(id), ...ACCOUNT_FIELDS])
  const keysOf = asked.of(accounts, id => ['LRANGE', bucket.keysOf(id), '0', '-1'])
  const countersOf = asked.of(accounts, id => ['HMGET', bucket.counters(id), 'head', 'counts', 'calendar'])
  const ringOf = asked.of(accounts, id => ['GET', bucket.minute(id)])
  const orgOf = asked.of(names.org ?? [], org => ['HMGET', bucket.org(org), ...ORG_FIELDS])
  const rulesOf = asked.of(names.rules ?? [], name => ['HGETALL', bucket.rulesNamed(name)])
  const sharedOf = asked.of(names['shared-rules'] ?? [], group => ['HGETALL', bucket.sharedRules(group)])
  const guestsOf = asked.of(names['guest-spend'] ?? [], day => ['GET', `${bucket.guestSpend}${day}`])
  const allowanceOf = asked.of(names.allowance ?? [], pool => ['GET', bucket.allowance(pool)])
  const responsesOf = asked.of(names.responses ?? [], id => ['HGETALL', bucket.responses(id)])

  const replies = await asked.readInParts(part => readAtOnce(access, client, bucket, part))
  const [owners, keys] = [accountOf(replies, fields), keysOf(replies, texts)]
  const [counters, rings] = [countersOf(replies, fields), ringOf(replies, text)]
  const known = new Map<string, AccountFields>()
  for (const [id, account] of owners)
    if (account.some(field => field !== null))
      known.set(id, {
        account,
        keys: keys.get(id) ?? [],
        counters: counters.get(id) ?? [],
        ring: rings.get(id) ?? null,
      })
  return {
    accounts: known,
    keys: keyOf(replies, fields),
    orgs: orgOf(replies, fields),
    rules: rulesOf(replies, texts),
    sharedRules: sharedOf(replies, texts),
    guestSpend: guestsOf(replies, text),
    allowances: allowanceOf(replies, text),
    responses: responsesOf(replies, texts),
  }
}

/** Records that are read without a pause. */
const PART = 500

interface SumNames {
  readonly names: BucketNames
  /** Names of spend, to which those of the present month of UTC are added. */
  readonly spends: Set<string>
}

/**
 * Reads the sums of the rows and the running requests in one step. `newest` names the spend of the month in which each account was
 * last admitted, and of the one before: of another calendar than UTC only the account knows them.
 */
async function sumsOf(access: Access, client: Client, bucket: Bucket, { names, spends }: SumNames) {
  const now = await access.now()
  const young = idAt(now - YOUNG_MS)
  const liveFrom = dayAt(now) - LIVE_DAYS
  const accounts = names.account ?? []
  for (const at of [now - YOUNG_MS, now, now + YOUNG_MS])
    for (const id of accounts) spends.add(`${id}:${windowOf(at).start}`)
  const days = Array.from({ length: dayAt(now) + 2 - liveFrom }, (_, index) => liveFrom + index)
  const totals = days.flatMap(day => [String(day), `${day}:tools`])

  const asked = new Commands()
  const rows = asked.one(['ZLEXCOUNT', bucket.ledger, `[${young}`, '+'])
  const audit = asked.one(['XREVRANGE', bucket.audit, '+', '-', 'COUNT', '1'])
  const spendOf = asked.of([...spends], name => ['HMGET', bucket.spendNamed(name), 'used', 'held'])
  const totalsOf = asked.of(totals, day => ['HGETALL', bucket.totals(day)])
  const newestOf = asked.of(accounts, id => ['HMGET', bucket.account(id), 'window', 'window_before'])
  const { time, at, replies, holds } = await readAtOnce(access, client, bucket, asked.commands)
  const [last] = (replies[audit] ?? []) as readonly [string, Raw][]
  return {
    ...{ time, at, young, liveFrom, holds },
    rows: Number(replies[rows] ?? 0),
    lastAudit: last?.[0],
    spend: spendOf(replies, fields),
    totals: totalsOf(replies, texts),
    newest: Array.from(newestOf(replies, fields)).flatMap(([id, windows]) =>
      windows.flatMap(window => (window ? [`${id}:${window}`] : [])),
    ),
  }
}

/** Rows from here on are counted: none of them is removed meanwhile because it is old. */
const YOUNG_MS: Millis = 86_400_000
/** So many days before today are in a snapshot: requests that run longer are few. */
const LIVE_DAYS = 2

/** Whether no row came between the snapshot and the end of its millisecond: times of rows have no digits behind that. */
async function isQuiet(access: Access, client: Client, bucket: Bucket, { time, rows, young }: BucketSnapshot) {
  for (;;) {
    const look = await readAtOnce(access, client, bucket, [['ZLEXCOUNT', bucket.ledger, `[${young}`, '+']])
    if (Number(look.replies[0]) !== rows) return false
    // One that was set back is as good.
    if (look.time !== time) return true
  }
}

/** Replies to commands that read one bucket, and its holds, as of one moment. */
export async function readAtOnce(
  access: Access,
  client: Client,
  bucket: Bucket,
  commands: readonly (readonly string[])[],
) {
  const keys = [bucket.epoch, bucket.leases, bucket.hold('')]
  const reply = (await runScript(client, 'snapshot', keys, [
    access.knownEpoch,
    '',
    JSON.stringify(commands),
    ...HOLD_FIELDS,
  ])) as Raw
  const [outcome, time, replies, holds] = reply as readonly [
    string,
    readonly string[],
    readonly Raw[],
    readonly HoldFields[],
  ]
  if (outcome !== 'read') throw new StoreUnavailable('Redis was emptied or replaced during the backup')
  return { time: timeOf(time), at: access.momentOf(time), replies, holds }
}

/** Commands, and how their replies are found again. */
class Commands {
  readonly commands: (readonly string[])[] = []

  /** The place of its reply. */
  one(command: readonly string[]): number {
    return this.commands.push(command) - 1
  }

  /** The replies to all of them. */
  async readInParts(
    read: (part: readonly (readonly string[])[]) => Promise<{ readonly replies: readonly Raw[] }>,
  ): Promise<readonly Raw[]> {
    const replies: Raw[] = []
    for (const part of chunksOf(this.commands, PART))
      for (const reply of (await read(part)).replies) replies.push(reply)
    return replies
  }

  of(names: readonly string[], commandOf: (name: string) => readonly string[]) {
    const first = this.commands.length
    for (const name of names) this.commands.push(commandOf(name))
    return <T>(replies: readonly Raw[], read: (reply: Raw | undefined) => T): ReadonlyMap<string, T> =>
      new Map(names.map((name, place) => [name, read(replies[first + place])]))
  }
}
