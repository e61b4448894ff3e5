import { setImmediate } from 'node:timers/promises'
import { idAt } from '../../../gateway/accounts/keys.ts'
import {
  type ArchiveStore,
  type LeavingRow,
  LONGEST_ADMISSION_MS,
  placeOf,
  type Waiting,
} from '../../../gateway/store/archive-store.ts'
import type { Millis } from '../../../policy/config.ts'
import { ledgerRowOf, unpackRow } from '../ledger-rows.ts'
import { pagesOf, remove } from '../lmdb.ts'
import type { StoreState } from '../store-state.ts'

/** Rows that leave the files. */
export class EmbeddedArchive implements ArchiveStore {
  readonly #state: () => StoreState
  /** How many rows there are up to a key, so that they are not counted again and again while an archive is away. */
  #counted = { rows: 0, to: '' }

  /** `state` throws StoreUnavailable once the store is closed. */
  constructor(state: () => StoreState) {
    this.#state = state
  }

  /** One process has the files. */
  async lease(): Promise<boolean> {
    this.#state()
    return true
  }

  async release(): Promise<void> {}

  async readLeaving(age: Millis, most: number): Promise<readonly LeavingRow[]> {
    const { records, writer, holds, now } = this.#state()
    await writer.filed()
    const before = now() - age
    const rows: LeavingRow[] = []
    for await (const page of pagesOf(records.ledger, { end: endOf(before) }))
      for (const { key, value } of page) {
        const row = ledgerRowOf(unpackRow(value))
        if (rows.length >= most && row.requestId !== rows.at(-1)?.row.requestId) return rows
        if (row.admittedAt >= before || holds.get(row.requestId)) continue
        rows.push({ key, place: placeOf(row.kind, attemptIn(key)), row })
      }
    return rows
  }

  async remove(rows: readonly LeavingRow[]): Promise<number> {
    const { ledger, commit } = this.#state().records
    const keys = rows.map(({ key }) => key).filter(key => ledger.doesExist(key))
    for (let from = 0; from < keys.length; from += REMOVED_AT_ONCE)
      await commit(keys.slice(from, from + REMOVED_AT_ONCE).map(key => remove(ledger, key)))
    const counted = keys.filter(key => key < this.#counted.to).length
    this.#counted = { ...this.#counted, rows: Math.max(0, this.#counted.rows - counted) }
    return keys.length
  }

  async readWaiting(age: Millis): Promise<Waiting> {
    const { records, writer, now } = this.#state()
    await writer.filed()
    const { ledger } = records
    const end = endOf(now() - age)
    const [first] = ledger.getRange({ end, limit: 1 })
    if (!first) {
      this.#counted = { rows: 0, to: end }
      return { rows: 0 }
    }
    let { rows, to } = this.#counted
    for (let more = true; more && to < end; ) {
      const keys = Array.from(ledger.getKeys({ start: to, end, limit: COUNTED_AT_ONCE }))
      const last = keys.at(-1)
      more = keys.length === COUNTED_AT_ONCE && last !== undefined
      rows += more ? keys.length - 1 : keys.length
      // The next page begins with the last key of this one.
      to = more && last !== undefined ? last : end
      await setImmediate()
    }
    this.#counted = { rows, to }
    return { rows: Math.max(1, rows), oldest: unpackRow(first.value).admittedAt }
  }
}

const COUNTED_AT_ONCE = 1000
/** The larger a commit, the more room it has to find on a disk that may be full. */
const REMOVED_AT_ONCE = 256

/** Before the keys of requests that may be younger. */
const endOf = (before: number): string => idAt(before - LONGEST_ADMISSION_MS)

const attemptIn = (key: string): number => Number(/\+waste(\d+)$/.exec(key)?.[1] ?? 0)
