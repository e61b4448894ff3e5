import { batchesOf } from '../../../gateway/batches.ts'
import type { RowState, StoreRecord } from '../../../gateway/store/record.ts'
import { StoreUnavailable } from '../../../gateway/store/store.ts'
import { addWaste, NO_WASTE } from '../../../gateway/store/total-sums.ts'
import type { EpochMs } from '../../../policy/config.ts'
import { addNanoUsd, type NanoUsd, nanoUsd, ZERO_USD } from '../../../policy/nano-usd.ts'
import { dayOfRow, wasteOf } from '../../../records/ledger-row.ts'
import type { WasteTotal } from '../../../records/sums.ts'
import type { Access } from '../access.ts'
import type { Client } from '../client.ts'
import { KEY_FIELDS } from '../key-hash.ts'
import { labelValueIn } from '../labels.ts'
import { type Bucket, chunksOf } from '../layout.ts'
import type { DedicatedConnections } from '../servers/dedicated-connections.ts'
import { readToolTotal, readTotal, readWaste } from '../total-texts.ts'
import { readAuditOf } from './audit-merge.ts'
import { type BucketSnapshot, type Raw, readAtOnce, readBucket, TOO_BUSY, TRIES } from './bucket-snapshot.ts'
import { type BucketNames, namesByBucket, scan } from './names.ts'
import {
  accountState,
  countersState,
  holdState,
  issuedInvoices,
  isWholeKey,
  keyState,
  orgState,
  pairsOf,
  poolState,
  responseStates,
  rulesState,
} from './record-reader.ts'
import { readRowState } from './record-texts.ts'
import { readShares } from './shares.ts'

/**
 * Every record, bucket by bucket, each as of one moment after the call: with all its rows up to there, and no others. An account
 * that began meanwhile is in it whole, or not at all. The shared budget of guests includes requests that ended meanwhile.
 */
export async function* dumpRedis(access: Access): AsyncGenerator<StoreRecord, void, undefined> {
  const dedicated = await access.dedicated()
  try {
    yield* new Dumping(access, dedicated).run()
  } catch (error) {
    if (error instanceof StoreUnavailable) throw error
    throw new StoreUnavailable(`the store broke off: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    })
  } finally {
    dedicated.close()
  }
}

type Records = AsyncGenerator<StoreRecord, void, undefined>

class Dumping {
  readonly #access: Access
  readonly #dedicated: DedicatedConnections
  /** The last entry of the audit of each bucket. */
  readonly #audits = new Map<string, string>()
  /** The sum of the guests' holds, by the day of their admission. */
  readonly #heldByGuests = new Map<number, NanoUsd>()
  readonly #guestDays = new Map<number, NanoUsd>()
  /** The moment of the costs of failed attempts, where one bucket has them for all: in no cluster. */
  #waste: EpochMs | undefined
  readonly #wasted = new WasteTotals()

  constructor(access: Access, dedicated: DedicatedConnections) {
    this.#access = access
    this.#dedicated = dedicated
  }

  async *run(): Records {
    const { layout, epoch } = this.#access
    const [minted] = await this.#dedicated.run(layout.meta, client => client.hmGet(layout.meta, ['minted']))
    yield ['store', { minted: Number(minted ?? 0), epoch }]
    const days = await this.#wasteDays()
    if (!layout.isCluster) this.#waste = await this.#readWaste(layout.pools, days)
    for await (const buckets of namesByBucket(this.#dedicated, layout))
      for (const [name, names] of buckets) yield* this.#bucket(layout.bucket(name), name, names, days)
    yield* this.#guests()
    yield* this.#labels()
    yield* this.#fleet()
    for (const total of this.#wasted.all()) yield ['waste', total]
    yield* readAuditOf(this.#dedicated, layout, this.#audits)
  }

  async *#bucket(bucket: Bucket, name: string, names: BucketNames, days: ReadonlySet<string>): Records {
    const { layout } = this.#access
    const waste = this.#waste ?? (await this.#readWaste(bucket, days))
    const { client } = await this.#dedicated.to(bucket.epoch)
    const snapshot = await readBucket(this.#access, client, bucket, names)
    if (snapshot.lastAudit !== undefined) this.#audits.set(name, snapshot.lastAudit)
    const apart = layout.isCluster ? await readShares(this.#dedicated, layout, snapshot.holds) : undefined
    for (const [requestId, lease, fields] of snapshot.holds)
      yield* this.#hold(holdState(requestId, lease, fields, apart?.get(requestId)))
    yield* this.#accounts(bucket, snapshot)
    for (const [org, fields] of snapshot.orgs) yield* orgState(org, fields)
    for (const [of, fields] of snapshot.rules) yield rulesState(of, fields)
    for (const [group, fields] of snapshot.sharedRules) yield rulesState(group, fields, true)
    for (const [pool, text] of snapshot.allowances) yield poolState(pool, text)
    for (const [day, sum] of snapshot.guestSpend) this.#guestDays.set(Number(day), nanoUsd(Number(sum ?? 0)))
    yield* this.#oldDays(bucket, names, snapshot)
    for (const [day, fields] of snapshot.totals) yield* totalsIn(day, pairsOf(fields), snapshot)
    yield* this.#rows(bucket, snapshot, waste)
    for (const [account, fields] of snapshot.responses) yield* responseStates(client, bucket, account, fields)
    yield* invoicesOf(client, bucket, names, snapshot)
    yield* valuesOf(client, bucket, snapshot)
  }

  async *#accounts(bucket: Bucket, { accounts, keys, spend }: BucketSnapshot): Records {
    const used = usedIn(spend)
    for (const [account, { account: fields, keys: hashes, counters, ring }] of accounts) {
      yield accountState(account, fields, hashes, hash => keys.get(hash))
      const windows = used.get(account)
      if (counters[1] || windows) yield countersState(account, counters, ring, Object.fromEntries(windows ?? []))
    }
    for (const [hash, fields] of keys) if (isWholeKey(fields)) yield keyState(hash, fields)
    // Those that were made since the names were read.
    const fresh = Array.from(accounts.values(), each => each.keys.filter(hash => !keys.has(hash))).flat()
    for (const hash of fresh) {
      const key = bucket.key(hash)
      yield keyState(hash, await this.#dedicated.run(key, client => client.hmGet(key, [...KEY_FIELDS])))
    }
  }

  *#hold(held: ReturnType<typeof holdState>): Generator<StoreRecord> {
    if (!held) return
    yield ['hold', held.state]
    if (!held.shared) return
    const { day, cost } = held.shared
    this.#heldByGuests.set(day, addNanoUsd(this.#heldByGuests.get(day) ?? ZERO_USD, nanoUsd(cost)))
  }

  async *#oldDays(bucket: Bucket, { totals }: BucketNames, snapshot: BucketSnapshot): Records {
    for (const day of namedDays(totals)) if (day < snapshot.liveFrom) yield* this.#oldTotals(bucket, day, snapshot)
  }

  /** Totals of days before those in the snapshot. They are read after it: a row that came since would be in them. */
  async *#oldTotals(bucket: Bucket, day: number, snapshot: BucketSnapshot): Records {
    const [totals, tools] = await this.#dedicated.run(bucket.epoch, client =>
      Promise.all([client.hGetAll(bucket.totals(day)), client.hGetAll(bucket.toolTotals(day))]),
    )
    yield* totalsIn(String(day), Object.entries(totals), snapshot)
    yield* totalsIn(`${day}:tools`, Object.entries(tools), snapshot)
  }

  /** The rows that the sums of the snapshot have. */
  async *#rows(bucket: Bucket, snapshot: BucketSnapshot, waste: EpochMs): Records {
    const { at, young, liveFrom, accounts } = snapshot
    let count = 0
    for await (const text of rowTexts(this.#dedicated, bucket.ledger)) {
      const row = readRowState(text)
      if (row.settledAt > at) {
        if (row.kind !== 'waste' && dayOfRow(row) < liveFrom) throw new StoreUnavailable(DISTURBED)
        continue
      }
      if (text >= young) count++
      if (!accounts.has(row.account)) continue
      yield ['row', row]
      if (row.kind === 'waste' && row.settledAt > waste) this.#wasted.add(wasteTotalOf(row))
    }
    if (count !== snapshot.rows) throw new StoreUnavailable(DISTURBED)
  }

  async #wasteDays(): Promise<ReadonlySet<string>> {
    const days = new Set<string>()
    for await (const name of scan(this.#dedicated, this.#access.layout.like('{??}:waste:*')))
      days.add(name.slice(name.lastIndexOf(':') + 1))
    return days
  }

  /** Adds the costs of failed attempts, up to the end of a millisecond in which none came, which it resolves to: rows of later ones are added. */
  async #readWaste(bucket: Bucket, days: ReadonlySet<string>): Promise<EpochMs> {
    const commands = Array.from(days, day => ['HGETALL', bucket.waste(Number(day))])
    const { client } = await this.#dedicated.to(bucket.epoch)
    for (let tries = 0; tries < TRIES; tries++) {
      const read = await readAtOnce(this.#access, client, bucket, commands)
      let next = read
      while (next.time === read.time) next = await readAtOnce(this.#access, client, bucket, commands)
      if (JSON.stringify(next.replies) !== JSON.stringify(read.replies)) continue
      return this.#addWaste(days, read)
    }
    throw new StoreUnavailable(TOO_BUSY)
  }

  #addWaste(days: ReadonlySet<string>, { replies, at }: Awaited<ReturnType<typeof readAtOnce>>): EpochMs {
    for (const total of wasteIn(days, replies)) this.#wasted.add(total)
    return at
  }

  *#guests(): Generator<StoreRecord> {
    for (const [day, sum] of this.#guestDays) {
      const used = nanoUsd(Math.max(0, sum - (this.#heldByGuests.get(day) ?? 0)))
      yield ['guests', { day, used }]
    }
  }

  async *#fleet(): Records {
    const { drained } = this.#access.layout.fleet
    const places = await this.#dedicated.run(drained, client => client.hKeys(drained))
    if (places.length > 0) yield ['fleet', { drained: places.map(place => JSON.parse(place)) }]
  }

  async *#labels(): Records {
    const { layout } = this.#access
    const labelOf = (name: string) => layout.within(name).slice(layout.within(name).indexOf(':') + 1)
    for await (const names of batchesOf(scan(this.#dedicated, layout.like('opened:*')), PAGE)) {
      const accounts = await Promise.all(names.map(name => this.#dedicated.run(name, client => client.get(name))))
      for (const [place, name] of names.entries()) {
        const account = accounts[place]
        if (account) yield ['opened', { label: labelOf(name), account }]
      }
    }
    for await (const names of batchesOf(scan(this.#dedicated, layout.like('label:*')), PAGE)) {
      const accounts = await Promise.all(names.map(name => this.#dedicated.run(name, client => client.sMembers(name))))
      for (const [place, name] of names.entries())
        for (const account of accounts[place] ?? []) yield ['labelled', { label: labelOf(name), account }]
    }
  }
}

/** Rows of a bucket in the order of their ids. */
async function* rowTexts(dedicated: DedicatedConnections, key: string): AsyncGenerator<string, void, undefined> {
  for (let from = '-'; ; ) {
    const options = { BY: 'LEX', LIMIT: { offset: 0, count: PAGE } } as const
    const min = from
    const page = await dedicated.run(key, client => client.zRange(key, min, '+', options))
    yield* page
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) return
    from = `(${last}`
  }
}

/** Names or records that are read together. */
const PAGE = 1000

const DISTURBED =
  "a request that started days ago was settled during the backup, or Redis's clock was set back: try again"

async function* invoicesOf(client: Client, bucket: Bucket, names: BucketNames, { accounts }: BucketSnapshot): Records {
  for (const account of names.invoices ?? []) if (accounts.has(account)) yield* issuedInvoices(client, bucket, account)
}

/** Read after the rows, so that no row has a value that is not among them. */
async function* valuesOf(client: Client, bucket: Bucket, { accounts }: BucketSnapshot): Records {
  for (const batch of chunksOf([...accounts.keys()], PAGE)) {
    const fields = await Promise.all(batch.map(account => client.hKeys(bucket.labelValues(account))))
    for (const [place, account] of batch.entries())
      for (const field of fields[place] ?? []) {
        const value = labelValueIn(account, field)
        if (value) yield ['value', value]
      }
  }
}

/** The spend of each billing window, by account. */
function usedIn(spend: BucketSnapshot['spend']): ReadonlyMap<string, readonly (readonly [number, NanoUsd])[]> {
  const used = new Map<string, (readonly [number, NanoUsd])[]>()
  for (const [name, [sum]] of spend) {
    if (sum === null || sum === undefined) continue
    const at = name.lastIndexOf(':')
    const windows = used.get(name.slice(0, at)) ?? []
    used.set(name.slice(0, at), windows)
    windows.push([Number(name.slice(at + 1)), nanoUsd(Number(sum))])
  }
  return used
}

const namedDays = (names: readonly string[] = []): number[] => names.filter(name => /^\d+$/.test(name)).map(Number)

/** Sums by their fields, but for those of accounts that began since the names were read. */
function* totalsIn(
  name: string,
  fields: Iterable<readonly [string, string]>,
  { accounts }: BucketSnapshot,
): Generator<StoreRecord> {
  const [day = '', tools] = name.split(':')
  for (const [field, sums] of fields) {
    if (!accounts.has(field.slice(0, field.indexOf(' ')))) continue
    if (tools) yield ['tools', readToolTotal(Number(day), field, sums)]
    else yield ['total', readTotal(Number(day), field, sums)]
  }
}

const wasteIn = (days: ReadonlySet<string>, replies: readonly Raw[]): readonly WasteTotal[] =>
  Array.from(days).flatMap((day, place) =>
    pairsOf((replies[place] ?? []) as readonly string[]).map(([pool, sums]) => readWaste(Number(day), pool, sums)),
  )

const wasteTotalOf = (row: RowState): WasteTotal => ({
  day: dayOfRow(row),
  pool: wasteOf(row),
  ...addWaste(NO_WASTE, { ...row, attempts: 1 }),
})

/** The costs of failed attempts by day and pool. */
class WasteTotals {
  readonly #totals = new Map<string, WasteTotal>()

  all(): Iterable<WasteTotal> {
    return this.#totals.values()
  }

  add({ day, pool, ...more }: WasteTotal): void {
    const name = `${day} ${pool}`
    this.#totals.set(name, { day, pool, ...addWaste(this.#totals.get(name) ?? NO_WASTE, more) })
  }
}
