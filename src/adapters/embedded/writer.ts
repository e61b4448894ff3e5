import { setImmediate } from 'node:timers/promises'
import type { Wrote } from '../../gateway/store/ledger-store.ts'
import type { Millis } from '../../policy/config.ts'
import type { AccountCounters, Hold } from '../../policy/counters/account-counters.ts'
import { packCounters } from './account-counters.ts'
import { DirtyHolds, type WriteBehind } from './dirty-set.ts'
import type { OpenHold } from './holds.ts'
import {
  addTools,
  type Entry,
  lateKey,
  packRow,
  type StoredRow,
  Tally,
  type TotalKey,
  toolWrites,
  totalKey,
  type WasteKey,
  wasteTotalKey,
} from './ledger-rows.ts'
import { put, type Write } from './lmdb.ts'
import type { Records } from './records.ts'

/** The state in memory that must be written. */
interface Memory {
  countersOf(account: string): AccountCounters
  heldOf(requestId: string): OpenHold | undefined
  readonly writeBehind: readonly WriteBehind[]
}

/**
 * Writes ledger rows, totals, counters and holds in shared commits, one at a time: changes during a commit go into the
 * next one. Every commit takes all waiting rows, and the counters and holds as they are at that moment, so that on disk
 * `used` always equals the sum of the rows and the sum of the totals.
 */
export class Writer {
  readonly #records: Records
  readonly #memory: Memory
  readonly #wrote: Wrote
  /** Rows that are not yet on disk. */
  #entries = new Map<string, Entry>()
  /** The rows in the commit in flight. */
  #writingEntries = new Map<string, Entry>()
  readonly #holds: DirtyHolds
  /** Accounts whose counters are newer than on disk. */
  #changed = new Set<string>()
  /** Accounts in the commit in flight. */
  #writing = new Set<string>()
  /** Whether the next commit takes new holds too. */
  #due = false
  #last: Promise<void> = Promise.resolve()
  #next: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #failing = false
  #crowded = false
  #stopped = false

  constructor(records: Records, memory: Memory, wrote: Wrote = () => {}) {
    this.#records = records
    this.#memory = memory
    this.#wrote = wrote
    this.#holds = new DirtyHolds(requestId => memory.heldOf(requestId))
  }

  /** True from a failed commit to the next one that succeeds. */
  get failing(): boolean {
    return this.#failing
  }

  /** A row that is still to be written. */
  rowOf(key: string): StoredRow | undefined {
    return (this.#entries.get(key) ?? this.#writingEntries.get(key))?.row
  }

  /** Whether the counters on disk are as new as those in memory. */
  isWritten(account: string): boolean {
    return !this.#changed.has(account) && !this.#writing.has(account)
  }

  /** Schedules the write of a new hold and of the counters of its account. */
  admitted({ account, requestId }: Hold): void {
    this.#changed.add(account)
    this.#holds.admitted(requestId)
    this.#later(WRITE_BEHIND_MS)
  }

  /** Schedules the write of a hold and of the counters of its account. */
  changed(hold: Hold): void {
    this.#changed.add(hold.account)
    this.renewed(hold)
  }

  /** Schedules the write of a hold. */
  renewed({ requestId }: Hold): void {
    this.#holds.changed(requestId)
    this.#later(WRITE_BEHIND_MS)
  }

  /** Schedules a commit, for changes of the state that is written behind. */
  soon(): void {
    this.#later(WRITE_BEHIND_MS)
  }

  /** Notes that the hold is on disk. */
  found({ requestId }: Hold): void {
    this.#holds.found(requestId)
  }

  /** Adds a row to the next commit. Waste does not change the counters of its account. */
  add(entry: Entry): void {
    this.#entries.set(entry.key, entry)
    if (entry.row.kind !== 'waste') this.#changed.add(entry.row.account)
  }

  /** Writes a row and the counters of its account. Resolves when both are on disk. */
  charged(entry: Entry): Promise<void> {
    this.add(entry)
    return this.commit()
  }

  /** Resolves when no row of the request is still to be written. */
  async settled(requestId: string): Promise<void> {
    if (this.rowOf(requestId) || this.rowOf(lateKey(requestId))) await this.commit()
  }

  /** Resolves when all changes so far, but for new holds, are on disk. Rejects with StoreUnavailable; the commit is then tried again. */
  commit(): Promise<void> {
    this.#next ??= this.#commitNext()
    return this.#next
  }

  /** Resolves when all changes so far are on disk. Rejects as `commit` does. */
  flush(): Promise<void> {
    this.#due = true
    return this.commit()
  }

  /** Stops scheduled commits. */
  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
  }

  #commitNext(): Promise<void> {
    const commit = this.#last
      .then(() => this.#gather())
      .then(() => {
        this.#next = undefined
        return this.#commit()
      })
    // The failure goes to the callers that wait for this commit; the next commit follows in any case.
    this.#last = commit.catch(() => {})
    return commit
  }

  /** Waits for more rows to share the commit. */
  async #gather(): Promise<void> {
    for (let turns = this.#crowded ? CROWD_TURNS : 1; turns > 0; turns--) await setImmediate()
  }

  async #commit(): Promise<void> {
    const entries = this.#entries
    this.#crowded = entries.size >= CROWD
    this.#writingEntries = entries
    this.#entries = new Map()
    this.#writing = this.#changed
    this.#changed = new Set()
    try {
      const writes = this.#writes([...entries.values()], this.#writing)
      if (writes.length > 0) await this.#records.commit(writes)
      for (const { row, requests } of entries.values()) this.#wrote(row, requests)
      this.#holds.written()
      for (const kept of this.#memory.writeBehind) kept.written()
      this.#failing = false
    } catch (error) {
      this.#failing = true
      for (const [key, entry] of this.#entries) entries.set(key, entry)
      this.#entries = entries
      for (const account of this.#writing) this.#changed.add(account)
      this.#holds.failed()
      for (const kept of this.#memory.writeBehind) kept.failed()
      this.#later(RETRY_MS)
      throw error
    } finally {
      this.#writingEntries = new Map()
      this.#writing = new Set()
    }
  }

  #writes(entries: readonly Entry[], accounts: ReadonlySet<string>): Write[] {
    const { ledger, standings } = this.#records
    const holds = this.#holds.writes(this.#records, this.#due)
    this.#due = false
    return [
      ...entries.map(({ key, row }) => put(ledger, key, packRow(row))),
      ...this.#totalWrites(entries),
      ...Array.from(accounts, account => put(standings, account, packCounters(this.#memory.countersOf(account)))),
      ...this.#memory.writeBehind.flatMap(kept => kept.writes(this.#records)),
      ...holds,
    ]
  }

  #totalWrites(entries: readonly Entry[]): Write[] {
    const { ledger, totals, waste, toolTotals } = this.#records
    const [tally, wasted] = [new Tally<TotalKey>(), new Tally<WasteKey>()]
    for (const { key, row, requests, later, tools } of entries) {
      // Totals are added to: a row of a commit that failed must not be counted twice, should it be on disk after all.
      if (this.#failing && ledger.doesExist(key)) continue
      if (row.kind === 'waste') wasted.add(wasteTotalKey(row), row, requests)
      else addTools(tally.add(totalKey(row), row, requests, later), tools ?? row)
    }
    return [
      ...tally.writes(totals, key => totals.get(key)),
      ...wasted.writes(waste, key => waste.get(key)),
      ...toolWrites(tally, toolTotals),
    ]
  }

  #later(delay: Millis): void {
    if (this.#timer || this.#stopped) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      // The failure shows in `failing`, and is followed by another try.
      this.flush().catch(() => {})
    }, delay).unref()
  }
}

/** Changes without a settlement wait this long at most. A crash loses no more than that. */
const WRITE_BEHIND_MS: Millis = 250
const RETRY_MS: Millis = 1000
/** After a commit of so many rows the next one waits some turns of the event loop, to take more rows. Turns are long only under load. */
const CROWD = 4
const CROWD_TURNS = 5
