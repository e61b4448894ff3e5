import { idAt } from '../../gateway/accounts/keys.ts'
import {
  type ArchiveStore,
  type LeavingRow,
  LONGEST_ADMISSION_MS,
  placeOf,
  type Waiting,
} from '../../gateway/store/archive-store.ts'
import type { EpochMs, Millis } from '../../policy/config.ts'
import type { Access } from './access.ts'
import { BUCKETS, bucketOf, chunksOf, GATEWAYS } from './layout.ts'
import { mergedRows } from './merged-rows.ts'
import { readRow } from './row-text.ts'

/** Rows that leave the buckets, by the clock of Redis. */
export class RedisArchive implements ArchiveStore {
  readonly #access: Access

  constructor(access: Access) {
    this.#access = access
  }

  async lease(holder: string, forMs: Millis): Promise<boolean> {
    const keys = [this.#access.layout.of(GATEWAYS).archiver]
    const [outcome] = await this.#access.script(GATEWAYS, 'lease', keys, [holder, forMs])
    return outcome === 'leased'
  }

  async release(holder: string): Promise<void> {
    await this.lease(holder, 0)
  }

  async readLeaving(age: Millis, most: number): Promise<readonly LeavingRow[]> {
    const { ask, layout, now } = this.#access
    const before = (await now()) - age
    const rows: LeavingRow[] = []
    const ledgers = BUCKETS.map(bucket => layout.bucket(bucket).ledger)
    for await (const key of mergedRows(ask, ledgers, { size: PAGE, end: endOf(before) })) {
      const row = readRow(key)
      if (rows.length >= most && row.requestId !== rows.at(-1)?.row.requestId) break
      if (row.admittedAt < before) rows.push({ key, place: placeOf(row.kind, attemptIn(key)), row })
    }
    const running = await this.#runningAmong(rows)
    return running.size === 0 ? rows : rows.filter(({ row }) => !running.has(row.requestId))
  }

  /** Requests that have failed attempts, and go on: as a session of days may. */
  async #runningAmong(rows: readonly LeavingRow[]): Promise<ReadonlySet<string>> {
    const { ask, layout } = this.#access
    const charged = new Set(rows.flatMap(({ place, row }) => (place === CHARGED ? [row.requestId] : [])))
    const others = new Map(
      rows.flatMap(({ row }) => (charged.has(row.requestId) ? [] : [[row.requestId, row.account]])),
    )
    const stateOf = ([requestId, account]: readonly [string, string]) => {
      const hold = layout.of(account).hold(requestId)
      return ask(hold, client => client.hGet(hold, 'state'))
    }
    const states = await Promise.all([...others].map(stateOf))
    return new Set([...others.keys()].filter((_, at) => states[at] === 'open'))
  }

  async remove(rows: readonly LeavingRow[]): Promise<number> {
    const { ask, layout } = this.#access
    const byBucket = new Map<string, string[]>()
    for (const { key, row } of rows) {
      const bucket = bucketOf(row.account)
      byBucket.set(bucket, [...(byBucket.get(bucket) ?? []), key])
    }
    let removed = 0
    for (const page of chunksOf([...byBucket], BUCKETS_AT_ONCE)) {
      const each = page.map(([bucket, keys]) => {
        const { ledger } = layout.bucket(bucket)
        return ask(ledger, client => client.zRem(ledger, keys))
      })
      for (const count of await Promise.all(each)) removed += count
    }
    return removed
  }

  async readWaiting(age: Millis): Promise<Waiting> {
    const { ask, layout, now } = this.#access
    const end = `(${endOf((await now()) - age)}`
    let rows = 0
    let oldest: EpochMs | undefined
    for (const page of chunksOf(layout.buckets(), BUCKETS_AT_ONCE)) {
      const counts = await Promise.all(
        page.map(({ ledger }) => ask(ledger, client => client.zLexCount(ledger, '-', end))),
      )
      const some = page.filter((_, at) => (counts[at] ?? 0) > 0)
      const LIMIT = { offset: 0, count: 1 }
      const firsts = some.map(({ ledger }) =>
        ask(ledger, client => client.zRange(ledger, '-', end, { BY: 'LEX', LIMIT })),
      )
      for (const count of counts) rows += count
      for (const [first] of await Promise.all(firsts))
        if (first !== undefined) oldest = Math.min(oldest ?? Number.POSITIVE_INFINITY, readRow(first).admittedAt)
    }
    return oldest === undefined ? { rows } : { rows, oldest }
  }
}

const CHARGED = placeOf('settle')

/** Rows of each bucket that are read at once. */
const PAGE = 32
const BUCKETS_AT_ONCE = 64

/** Before the rows of requests that may be younger. */
const endOf = (before: EpochMs): string => idAt(before - LONGEST_ADMISSION_MS)

/** The attempt's number, which redis/ledger/waste.lua writes behind the id: 3, and the number in four digits. */
const attemptIn = (key: string): number => Number(/^\S+ 3(\d{4,}) /.exec(key)?.[1] ?? 0)
