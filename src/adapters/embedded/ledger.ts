import { setImmediate } from 'node:timers/promises'
import { idAt } from '../../gateway/accounts/keys.ts'
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
import { newestRows, type ReadBack, recentRows } from '../../gateway/store/newest-rows.ts'
import { pastRequests } from '../../gateway/store/past-requests.ts'
import { INDEXED_MS } from '../../gateway/store/row-index.ts'
import type { Calendar } from '../../policy/calendar.ts'
import type { EpochMs } from '../../policy/config.ts'
import { dayAt } from '../../policy/counters/account-counters.ts'
import { MOST_AHEAD_MS } from '../../policy/zone.ts'
import type { LedgerRow } from '../../records/ledger-row.ts'
import type { ToolTotal, Total, WasteTotal } from '../../records/sums.ts'
import { countedKeys } from './keys.ts'
import { ledgerRowOf, type PackedRow, unpackRow, wasteKey } from './ledger-rows.ts'
import { pagesOf, remove } from './lmdb.ts'
import type { InvoiceKey } from './records.ts'
import type { StoreState } from './store-state.ts'

/** The ledger and its totals, read from the files in pages. */
export class EmbeddedLedger implements LedgerStore {
  readonly #state: () => StoreState

  /** `state` throws StoreUnavailable once the store is closed. */
  constructor(state: () => StoreState) {
    this.#state = state
  }

  /** Writes a row for each attempt that has none. */
  async recordWaste(rows: readonly Waste[]): Promise<void> {
    const { records, writer, now } = this.#state()
    const settledAt = now()
    for (const { attempt, bill, cause } of rows) {
      const key = wasteKey(bill.requestId, attempt)
      if (writer.rowOf(key) || records.ledger.doesExist(key)) continue
      writer.add({ key, row: { ...bill, kind: 'waste', settledAt, cause }, requests: 1 })
    }
    if (rows.length > 0) await writer.commit()
  }

  async *readRows(query: LedgerQuery = {}): AsyncGenerator<LedgerRow, void, undefined> {
    await this.#state().writer.filed()
    for await (const page of pagesOf(this.#state().records.ledger)) {
      for (const { value } of page) {
        const row = rowOf(value)
        if (isAsked(row, query)) yield row
      }
    }
  }

  readNewest(query: NewestQuery): Promise<NewestRows> {
    return newestRows(this.#readBack, query)
  }

  readRecent(query: RecentQuery): AsyncIterable<LedgerRow> {
    return recentRows(this.#readBack, query)
  }

  readPast(query: PastQuery): Promise<PastRequests> {
    return pastRequests([{ readBack: this.#readBack, index: this.#state().index }], query, LOOK)
  }

  async index(): Promise<void> {
    for (let read = 0; read < INDEXED_AT_ONCE; read += INDEX_PAGE) {
      const { records, index, now } = this.#state()
      // Else a page may be of a moment before rows that the index has heard of.
      records.ledger.resetReadTxn()
      const start = index.end ?? idAt(now() - INDEXED_MS)
      const page = Array.from(records.ledger.getRange({ start, exclusiveStart: true, limit: INDEX_PAGE }))
      for (const { key, value } of page) index.add({ place: key, row: rowOf(value) })
      if (page.length < INDEX_PAGE) return
      await setImmediate()
    }
  }

  readonly #readBack: ReadBack = async (before, limit) => {
    await this.#state().writer.filed()
    const start = before === undefined ? {} : { start: before, exclusiveStart: true }
    const page = Array.from(this.#state().records.ledger.getRange({ ...start, reverse: true, limit }))
    return page.map(({ key, value }) => ({ place: key, row: rowOf(value) }))
  }

  async readRequest(requestId: string): Promise<readonly LedgerRow[]> {
    const { records, writer } = this.#state()
    await writer.filed()
    const { ledger } = records
    const page = Array.from(ledger.getRange({ start: requestId, end: `${requestId}${LAST_NAME}` }))
    return page.map(({ value }) => rowOf(value)).filter(row => row.requestId === requestId)
  }

  async *readTotals(query: AccountTotalsQuery = {}): AsyncGenerator<Total, void, undefined> {
    const { records, writer, now } = this.#state()
    await writer.filed()
    for (const range of rangesOf(query, dayAt(now() + MOST_AHEAD_MS))) {
      for await (const page of pagesOf(records.totals, range)) {
        for (const { key, value } of page) {
          const [day, account, plan, model, ofKey] = key
          const of = { day, account, plan, model, ...(ofKey !== undefined && { key: ofKey }) }
          if (query.account === undefined || query.account === account) yield { ...of, ...value }
        }
      }
    }
  }

  async *readTools(query: Omit<AccountTotalsQuery, 'among'> = {}): AsyncGenerator<ToolTotal, void, undefined> {
    const { records, writer, now } = this.#state()
    await writer.filed()
    for (const range of rangesOf(query, dayAt(now() + MOST_AHEAD_MS))) {
      for await (const page of pagesOf(records.toolTotals, range)) {
        for (const { key, value } of page) {
          const [day, account, plan, model, tool, ofKey] = key
          if (query.account !== undefined && query.account !== account) continue
          const of = { day, account, plan, model, tool, ...(ofKey !== undefined && { key: ofKey }) }
          yield { ...of, calls: value.requests, cost: value.cost }
        }
      }
    }
  }

  async *readWaste(query: TotalsQuery = {}): AsyncGenerator<WasteTotal, void, undefined> {
    const { records, writer } = this.#state()
    await writer.filed()
    const { waste } = records
    for await (const page of pagesOf(waste, daysOf(query))) {
      for (const { key, value } of page) {
        const [day, pool] = key
        const { requests: attempts, ...sums } = value
        yield { day, pool, attempts, ...sums }
      }
    }
  }

  async keepInvoice(invoice: IssuedInvoice): Promise<IssuedInvoice> {
    const { records } = this.#state()
    const { invoices } = records
    const key: InvoiceKey = [invoice.account, invoice.month]
    return records.change(
      () => {
        const kept = invoices.get(key)
        if (!kept) invoices.put(key, invoice)
        return kept ?? invoice
      },
      { records: 1, bytes: JSON.stringify(invoice).length },
    )
  }

  async readInvoices(account: string, months: readonly string[]): Promise<readonly IssuedInvoice[]> {
    const { invoices } = this.#state().records
    return months.flatMap(month => invoices.get([account, month]) ?? [])
  }

  /** Rows of running requests stay. Counters of rules of which nothing counts any more go as well. */
  async trim(before: EpochMs, at: EpochMs = this.#state().now(), calendar?: Calendar): Promise<number> {
    await this.#trimRules(at, calendar)
    const { records, writer, holds } = this.#state()
    await writer.filed()
    const { ledger, commit } = records
    let removed = 0
    for await (const page of pagesOf(ledger)) {
      const old = page.filter(({ value }) => {
        const { admittedAt, requestId } = unpackRow(value)
        return admittedAt < before && !holds.get(requestId)
      })
      if (old.length > 0) await commit(old.map(({ key }) => remove(ledger, key)))
      removed += old.length
    }
    return removed
  }

  async #trimRules(at: EpochMs, calendar: Calendar | undefined): Promise<void> {
    const { records, rules } = this.#state()
    const keysOf = (account: string) => countedKeys(records, account, at)
    for (let behind: string | undefined = ''; behind !== undefined; ) {
      const { writes, last } = rules.trims({ at, calendar }, behind, GROUPS_AT_ONCE, keysOf)
      if (writes.length > 0) await records.commit(writes)
      else await setImmediate()
      behind = last
    }
  }
}

const GROUPS_AT_ONCE = 256
/** How far one look at the past goes. */
/** Rows that one call takes into the index, and how many of them without a pause. */
const INDEXED_AT_ONCE = 100_000
const INDEX_PAGE = 256
const LOOK = { page: 256, atOnce: 1, most: 100_000 }

const rowOf = (value: PackedRow): LedgerRow => ledgerRowOf(unpackRow(value))

/** Where totals lie: of one account, which may be one of very many, in a range of its own for each day. */
function rangesOf({ since, until = Number.POSITIVE_INFINITY, account }: AccountTotalsQuery, today: number) {
  if (since === undefined || account === undefined)
    return [daysOf({ ...(since !== undefined && { since }), ...(Number.isFinite(until) && { until }) })]
  const end = Math.min(until, today + 1)
  const days = Array.from({ length: Math.max(0, end - since) }, (_, index) => since + index)
  return days.map(day => ({ start: [day, account], end: [day, account, LAST_NAME] }))
}

const daysOf = ({ since, until }: TotalsQuery) => ({
  ...(since !== undefined && { start: [since] }),
  ...(until !== undefined && { end: [until] }),
})

/** Behind the name of every plan. */
const LAST_NAME = '\uffff'
