import type { ArchiveReader, IdRange } from '../../../gateway/archive/archive.ts'
import { PAID } from '../../../gateway/store/archive-store.ts'
import type { LedgerQuery, NewestQuery, PastQuery, PastRequests } from '../../../gateway/store/ledger-store.ts'
import type { LedgerRow } from '../../../records/ledger-row.ts'
import { type Ask, type Connections, isTableMissing } from './connection.ts'
import type { LedgerTable } from './ledger-table.ts'
import { READ, rowOfRecord, type TableRecord } from './table-rows.ts'
import { Where } from './where.ts'

/** Reads the table, a page at a time: no transaction stays open for as long as a client takes to read. */
export class TableReads implements ArchiveReader {
  readonly #connections: Connections
  readonly #table: LedgerTable

  constructor(connections: Connections, table: LedgerTable) {
    this.#connections = connections
    this.#table = table
  }

  async *readRows(query: LedgerQuery, range: IdRange): AsyncGenerator<LedgerRow, void, undefined> {
    let behind: readonly [string, number] | undefined
    for (;;) {
      const where = new Where()
      where.range(range)
      where.asked(query)
      if (behind) where.add('(request_id, place) > (?, ?)', ...behind)
      const sql = `${this.#select(where)} ORDER BY request_id, place LIMIT ${PAGE}`
      const page = await this.#read([], ask => ask<TableRecord>(sql, where.values))
      for (const record of page) yield rowOfRecord(record)
      const last = page.at(-1)
      if (!last || page.length < PAGE) return
      behind = [String(last.request_id), Number(last.place)]
    }
  }

  readNewest({ account, before, limit }: NewestQuery, range: IdRange): Promise<readonly LedgerRow[]> {
    const where = new Where()
    where.range(range)
    where.add('account = ?', account)
    where.add('place <= ?', PAID)
    if (before !== undefined) where.add('request_id < ?', before)
    // All rows of the last one, which may have two.
    const newest = `SELECT request_id FROM ${this.#table.rows} WHERE ${where.text} AND place = 1
      ORDER BY request_id DESC LIMIT ${limit + 1}`
    const sql = `${this.#select(where)} AND request_id >= (SELECT min(request_id) FROM (${newest}) AS newest)
      ORDER BY request_id DESC, place DESC`
    return this.#read([], async ask => (await ask<TableRecord>(sql, where.values)).map(rowOfRecord))
  }

  /** Looks at a bounded number of rows, of an account or a key, or of all. */
  readPast(query: PastQuery, range: IdRange): Promise<PastRequests> {
    const where = new Where()
    where.range(range)
    where.asked(query)
    if (query.before !== undefined) where.add('request_id < ?', query.before)
    return this.#read({ requests: [] }, ask => this.#past(ask, query, where))
  }

  async #past(ask: Ask, query: PastQuery, where: Where): Promise<PastRequests> {
    const { rows } = this.#table
    const [bound] = await ask<{ request_id: string }>(
      `SELECT request_id FROM ${rows} WHERE ${where.text} ORDER BY request_id DESC OFFSET ${LOOK} LIMIT 1`,
      where.values,
    )
    if (bound) where.add('request_id >= ?', bound.request_id)
    const having = new Where(where.values)
    having.meant(query)
    const found = await ask<{ request_id: string }>(
      `SELECT request_id FROM ${rows} WHERE ${where.text} GROUP BY request_id HAVING ${having.text}
        ORDER BY request_id DESC LIMIT ${query.limit + 1}`,
      having.values,
    )
    const ids = found.slice(0, query.limit).map(({ request_id }) => request_id)
    const records = await ask<TableRecord>(
      `SELECT ${READ} FROM ${rows} AS ledger WHERE request_id = ANY($1) ORDER BY request_id DESC, place`,
      [ids],
    )
    const next = found.length > query.limit ? ids.at(-1) : bound?.request_id
    return { requests: byRequest(records.map(rowOfRecord)), ...(next !== undefined && { next }) }
  }

  readRequest(requestId: string): Promise<readonly LedgerRow[]> {
    const sql = `SELECT ${READ} FROM ${this.#table.rows} AS ledger WHERE request_id = $1 ORDER BY place`
    return this.#read([], async ask => (await ask<TableRecord>(sql, [requestId])).map(rowOfRecord))
  }

  #select(where: Where): string {
    return `SELECT ${READ} FROM ${this.#table.rows} AS ledger WHERE ${where.text}`
  }

  /** Before the first row is archived there may be no table. */
  async #read<T>(none: T, run: (ask: Ask) => Promise<T>): Promise<T> {
    return this.#connections.transact('read', run).catch(error => {
      if (isTableMissing(error)) return none
      throw error
    })
  }
}

/** Rows that are read at once. */
const PAGE = 1000
/** Rows that one look at the past goes over. */
const LOOK = 200_000

function byRequest(rows: readonly LedgerRow[]): readonly (readonly LedgerRow[])[] {
  const requests: LedgerRow[][] = []
  for (const row of rows) {
    const last = requests.at(-1)
    if (last?.[0]?.requestId === row.requestId) last.push(row)
    else requests.push([row])
  }
  return requests
}
