import { setImmediate } from 'node:timers/promises'
import { idAt, idOfHash } from '../../gateway/accounts/keys.ts'
import type { IssuedInvoice } from '../../gateway/store/issued-invoice.ts'
import {
  type AccountTotalsQuery,
  isAsked,
  type LedgerQuery,
  type LedgerStore,
  type NewestQuery,
  type NewestRows,
  type PastQuery,
  type PastRequests,
  type RecentQuery,
  type TotalsQuery,
  type Waste,
} from '../../gateway/store/ledger-store.ts'
import { newestRows, type Placed, type ReadBack, recentRows } from '../../gateway/store/newest-rows.ts'
import { pastRequests } from '../../gateway/store/past-requests.ts'
import { INDEXED_MS, RowIndex } from '../../gateway/store/row-index.ts'
import type { EpochMs, Millis } from '../../policy/config.ts'
import { dayAt } from '../../policy/counters/account-counters.ts'
import { MOST_AHEAD_MS } from '../../policy/zone.ts'
import { dayOfRow, type LedgerRow, wasteOf } from '../../records/ledger-row.ts'
import type { ToolTotal, Total, WasteTotal } from '../../records/sums.ts'
import type { Access } from './access.ts'
import { BUCKETS, type Bucket, bucketOf, chunksOf } from './layout.ts'
import { mergedRows, RowReader } from './merged-rows.ts'
import { readRow, restOf, whoseOf } from './row-text.ts'
import { readToolTotal, readTotal, readWaste, sumsText } from './total-texts.ts'

/** The ledger and its totals, which lie in the buckets of their accounts and are read in pages. */
export class RedisLedger implements LedgerStore {
  readonly #access: Access
  /** An index of the newest rows of each bucket. */
  readonly #indexes = new Map<string, RowIndex>()

  constructor(access: Access) {
    this.#access = access
  }

  /** Each row is written with its part of the totals, or not at all. */
  async recordWaste(rows: readonly Waste[]): Promise<void> {
    await Promise.all(rows.map(row => this.#record(row)))
  }

  /** Rows in the order of request ids, merged from all buckets or read from that of one account. */
  async *readRows(query: LedgerQuery = {}): AsyncGenerator<LedgerRow, void, undefined> {
    const { ask, layout } = this.#access
    const { account } = query
    const buckets = account === undefined ? BUCKETS : [bucketOf(account)]
    const size = account === undefined ? SMALL_PAGE : PAGE
    const ledgers = buckets.map(bucket => layout.bucket(bucket).ledger)
    for await (const text of mergedRows(ask, ledgers, { size })) {
      const row = readRow(text)
      if (isAsked(row, query)) yield row
    }
  }

  /** Looks at the rows of the account's bucket. */
  readNewest(query: NewestQuery): Promise<NewestRows> {
    return newestRows(this.#readBackOf(this.#access.layout.of(query.account).ledger), query)
  }

  /** In rounds, so that the newest rows of every bucket are read before the bound is met. */
  async *readRecent({ since, most }: RecentQuery): AsyncGenerator<LedgerRow, void, undefined> {
    const { layout } = this.#access
    let open = BUCKETS.map(bucket =>
      recentRows(this.#readBackOf(layout.bucket(bucket).ledger), { since, most }, SMALL_PAGE),
    )
    for (let left = most; open.length > 0 && left > 0; ) {
      const goOn: typeof open = []
      for (const page of chunksOf(open, BUCKETS_AT_ONCE))
        for (const [place, rows] of (await Promise.all(page.map(reader => someOf(reader, SMALL_PAGE)))).entries()) {
          yield* rows
          left -= rows.length
          const reader = page[place]
          if (reader && rows.length === SMALL_PAGE) goOn.push(reader)
        }
      open = goOn
    }
  }

  readonly #readBackOf =
    (key: string): ReadBack =>
    async (before, count) => {
      const from = before === undefined ? '+' : `(${before}`
      const options = { BY: 'LEX', REV: true, LIMIT: { offset: 0, count } } as const
      const page = await this.#access.ask(key, client => client.zRange(key, from, '-', options))
      return page.map(placed)
    }

  /** Looks at the rows of the account's bucket, or of all. */
  async readPast(query: PastQuery): Promise<PastRequests> {
    const { layout } = this.#access
    const isOne = query.account !== undefined
    const buckets = isOne ? [layout.of(query.account)] : layout.buckets()
    const tracks = await Promise.all(
      buckets.map(async ({ ledger }) => ({ readBack: this.#readBackOf(ledger), index: await this.#indexOf(ledger) })),
    )
    return pastRequests(tracks, query, isOne ? LOOK_AT_ONE : LOOK_AT_ALL)
  }

  /** A page of every bucket, but for rows of requests that may still be running. */
  async index(): Promise<void> {
    const { ask, layout, now } = this.#access
    const at = await now()
    const read = async (key: string) => {
      const index = this.#indexes.get(key) ?? new RowIndex(INDEX_SIZE)
      this.#indexes.set(key, index)
      const min = index.end === undefined ? `[${idAt(at - INDEXED_MS)}` : `(${index.end}${BEHIND}`
      const options = { BY: 'LEX', LIMIT: { offset: 0, count: PAGE } } as const
      const page = await ask(key, client => client.zRange(key, min, `(${idAt(at - UNDER_WAY_MS)}`, options))
      for (const text of page) index.add(placed(text))
    }
    for (const page of chunksOf(layout.buckets(), INDEXED_AT_ONCE)) {
      await Promise.all(page.map(({ ledger }) => read(ledger)))
      await setImmediate()
    }
  }

  /** Undefined, and begun anew, where another gateway wrote a row among those that it has, or removed some. */
  async #indexOf(key: string): Promise<RowIndex | undefined> {
    const index = this.#indexes.get(key)
    const { start, end } = index ?? {}
    if (!index || start === undefined || end === undefined) return undefined
    const { count } = index
    if ((await this.#access.ask(key, client => client.zLexCount(key, `[${start}`, `(${end}${BEHIND}`))) === count)
      return index
    this.#indexes.delete(key)
    return undefined
  }

  /** Searches all buckets: an id does not reveal its account. */
  async readRequest(requestId: string): Promise<readonly LedgerRow[]> {
    const { ask, layout } = this.#access
    const found: string[] = []
    const read = ({ ledger }: Bucket) =>
      ask(ledger, client => client.zRange(ledger, `[${requestId} `, `(${requestId}${BEHIND}`, { BY: 'LEX' }))
    for (const page of chunksOf(layout.buckets(), BUCKETS_AT_ONCE))
      for (const rows of await Promise.all(page.map(read))) found.push(...rows)
    return found.map(readRow)
  }

  /** Oldest day first. */
  async *readTotals(query: AccountTotalsQuery = {}): AsyncGenerator<Total, void, undefined> {
    const { account, among } = query
    const days = await this.#daysOf(query)
    if (account !== undefined && among)
      return yield* this.#totalsAmong(account, days, await this.#namesOf(account, among))
    if (account !== undefined) return yield* this.#totalsOf(account, days)
    for (const day of days)
      for (const page of chunksOf(BUCKETS, BUCKETS_AT_ONCE))
        for (const totals of await Promise.all(page.map(bucket => this.#totalsIn(bucket, day)))) yield* totals
  }

  /** Oldest day first. */
  async *readTools(query: Omit<AccountTotalsQuery, 'among'> = {}): AsyncGenerator<ToolTotal, void, undefined> {
    const { account } = query
    const buckets = account === undefined ? BUCKETS : [bucketOf(account)]
    for (const day of await this.#daysOf(query))
      for (const page of chunksOf(buckets, BUCKETS_AT_ONCE))
        for (const totals of await Promise.all(page.map(bucket => this.#toolTotalsIn(bucket, day))))
          yield* account === undefined ? totals : totals.filter(total => total.account === account)
  }

  async #toolTotalsIn(bucket: string, day: number): Promise<readonly ToolTotal[]> {
    const { ask, layout } = this.#access
    const key = layout.bucket(bucket).toolTotals(day)
    const fields = await ask(key, client => client.hGetAll(key))
    return Object.entries(fields).map(([who, sums]) => readToolTotal(day, who, sums))
  }

  async *#totalsOf(account: string, days: readonly number[]): AsyncGenerator<Total, void, undefined> {
    const bucket = bucketOf(account)
    for (const page of chunksOf(days, DAYS_AT_ONCE))
      for (const totals of await Promise.all(page.map(day => this.#totalsIn(bucket, day))))
        yield* totals.filter(total => total.account === account)
  }

  /** Sums by their names, and of days that have few all that there are. */
  async *#totalsAmong(account: string, days: readonly number[], names: readonly string[]) {
    const { ask, layout } = this.#access
    const bucket = layout.of(account)
    const most = Math.max(names.length, FEW)
    for (const page of chunksOf(days, DAYS_AT_ONCE)) {
      const sizes = await Promise.all(page.map(day => ask(bucket.epoch, client => client.hLen(bucket.totals(day)))))
      yield* this.#totalsOf(
        account,
        page.filter((_day, place) => (sizes[place] ?? 0) <= most),
      )
      for (const [place, day] of page.entries())
        if ((sizes[place] ?? 0) > most) yield* this.#totalsBy(names, bucket, day)
    }
  }

  async *#totalsBy(names: readonly string[], bucket: Bucket, day: number): AsyncGenerator<Total, void, undefined> {
    for (const page of chunksOf(names, NAMES_AT_ONCE)) {
      const found = await this.#access.ask(bucket.epoch, client => client.hmGet(bucket.totals(day), [...page]))
      for (const [place, sums] of found.entries()) if (sums) yield readTotal(day, page[place] ?? '', sums)
    }
  }

  /** The names that sums of an account can have. */
  async #namesOf(account: string, { plans, models }: NonNullable<AccountTotalsQuery['among']>): Promise<string[]> {
    const { ask, layout } = this.#access
    const bucket = layout.of(account)
    const hashes = await ask(bucket.epoch, client => client.lRange(bucket.keysOf(account), 0, -1))
    const ids = await Promise.all(
      hashes.map(
        async hash => (await ask(bucket.epoch, client => client.hGet(bucket.key(hash), 'id'))) ?? idOfHash(hash),
      ),
    )
    const endings = ['', ...new Set(ids.map(id => ` ${id}`))]
    return plans.flatMap(plan => models.flatMap(model => endings.map(key => `${account} ${plan} ${model}${key}`)))
  }

  async #totalsIn(bucket: string, day: number): Promise<readonly Total[]> {
    const { ask, layout } = this.#access
    const key = layout.bucket(bucket).totals(day)
    const fields = await ask(key, client => client.hGetAll(key))
    return Object.entries(fields).map(([who, sums]) => readTotal(day, who, sums))
  }

  /** Oldest day first. */
  async *readWaste(query: TotalsQuery = {}): AsyncGenerator<WasteTotal, void, undefined> {
    const { ask, layout } = this.#access
    for (const page of chunksOf(await this.#daysOf(query), DAYS_AT_ONCE)) {
      const read = page.map(async day => {
        const keys = layout.wasteOn(day)
        const found = await Promise.all(keys.map(key => ask(key, client => client.hGetAll(key))))
        return [day, wasteIn(found)] as const
      })
      for (const [day, pools] of await Promise.all(read))
        for (const [pool, sums] of pools) yield readWaste(day, pool, sums)
    }
  }

  async keepInvoice(invoice: IssuedInvoice): Promise<IssuedInvoice> {
    const { account, month } = invoice
    const key = this.#access.layout.of(account).invoices(account)
    const [, kept = ''] = await this.#access.control(account, 'invoice', [key], [month, JSON.stringify(invoice)])
    return JSON.parse(kept) as IssuedInvoice
  }

  async readInvoices(account: string, months: readonly string[]): Promise<readonly IssuedInvoice[]> {
    const { ask, layout } = this.#access
    if (months.length === 0) return []
    const key = layout.of(account).invoices(account)
    const texts = await ask(key, client => client.hmGet(key, [...months]))
    return texts.flatMap(text => (text === null ? [] : [JSON.parse(text) as IssuedInvoice]))
  }

  /** Removes a page of every bucket at a time. */
  async trim(before: EpochMs): Promise<number> {
    const { ask, layout } = this.#access
    let removed = 0
    for (const bucket of BUCKETS) {
      const key = layout.bucket(bucket).ledger
      const reader = new RowReader(ask, key, { size: PAGE })
      await reader.fill()
      for (let text = reader.first; text !== undefined; text = reader.first) {
        const old: string[] = []
        let page: string | undefined = text
        while (page !== undefined && old.length < PAGE && readRow(page).admittedAt < before) {
          old.push(page)
          await reader.advance()
          page = reader.first
        }
        if (old.length > 0) removed += await ask(key, client => client.zRem(key, old))
        // Ids are in the order of time, so that the rows after this one are younger still.
        if (page !== undefined && old.length < PAGE) break
      }
    }
    return removed
  }

  async #record({ attempt, bill, cause }: Waste): Promise<void> {
    const { requestId, account, admittedAt } = bill
    const { layout } = this.#access
    const keys = [layout.of(account).ledger, layout.wasteOf(account, dayOfRow(bill))]
    const sums = sumsText({ ...bill, requests: 1 })
    const values = [requestId, attempt, sums, whoseOf(bill), restOf(bill, cause), wasteOf(bill)]
    const [outcome] = await this.#access.change(account, 'waste', keys, values)
    if (outcome === 'recorded') this.#access.wrote({ ...bill, kind: 'waste', settledAt: admittedAt, cause }, 1)
  }

  /** The days that are asked for, of those from the first of the store to today. */
  async #daysOf({ since = 0, until = Number.POSITIVE_INFINITY, account }: AccountTotalsQuery): Promise<number[]> {
    const { layout, now } = this.#access
    const at = await now(account === undefined ? layout.meta : layout.of(account).epoch)
    // Days of zones in the east begin before those of UTC, and days of zones in the west after them.
    const end = Math.min(until, dayAt(at + MOST_AHEAD_MS) + 1)
    const first = Math.max(since, this.#access.since - 1)
    return Array.from({ length: Math.max(0, end - first) }, (_, index) => first + index)
  }
}

/** A row with what tells it from others: the id of its request and its name. Those of a bucket are in the order of their texts. */
function placed(text: string): Placed {
  const row = readRow(text)
  return { place: text.slice(0, text.indexOf(' ', row.requestId.length + 1)), row }
}

/** The next items of a reader; fewer at its end. */
async function someOf<T>(reader: AsyncGenerator<T, void, undefined>, most: number): Promise<T[]> {
  const some: T[] = []
  while (some.length < most) {
    const next = await reader.next()
    if (next.done) break
    some.push(next.value)
  }
  return some
}

const PAGE = 256
/** Rows of each bucket held at once while all buckets are read side by side. */
const SMALL_PAGE = 32
const BUCKETS_AT_ONCE = 64
/** Sorts after a place, and after all texts that begin with it and a blank. */
const BEHIND = '!'
/** Together they index two million rows of all buckets in 18 MB. */
const INDEX_SIZE = { rows: 32, blocks: 256 }
/** Most requests have no more rows after this time: those of sessions that last longer have their bucket read again. */
const UNDER_WAY_MS: Millis = 300_000
/** Buckets whose rows are taken into the index without a pause. */
const INDEXED_AT_ONCE = 2
/** How far one look at the past goes. */
const LOOK_AT_ONE = { page: PAGE, atOnce: 1, most: 20_000 }
const LOOK_AT_ALL = { page: SMALL_PAGE, atOnce: 64, most: 20_000 }
/** Days that are read together. */
const DAYS_AT_ONCE = 64

/** Sums that are read together by their names. */
const NAMES_AT_ONCE = 1000
/** The sums of a day and a bucket are read whole where there are no more. */
const FEW = 500

/** The sums of each pool, of all records of a day. */
function wasteIn(records: readonly Readonly<Record<string, string>>[]): ReadonlyMap<string, string> {
  const all = new Map<string, string>()
  for (const record of records)
    for (const [pool, text] of Object.entries(record)) all.set(pool, addedTexts(all.get(pool) ?? '', text))
  return all
}

/** Two texts of numbers, added up place by place. */
function addedTexts(one: string, other: string): string {
  if (one === '') return other
  const [a, b] = [one.split(' ').map(Number), other.split(' ').map(Number)]
  return Array.from({ length: Math.max(a.length, b.length) }, (_, at) => (a[at] ?? 0) + (b[at] ?? 0)).join(' ')
}
