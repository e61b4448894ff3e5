import { setImmediate } from 'node:timers/promises'
import type { Wrote } from '../../gateway/store/ledger-store.ts'
import type { Millis } from '../../policy/config.ts'
import type { Hold, Standing } from '../../policy/standing.ts'
import { HoldChanges } from './hold-changes.ts'
import type { Held } from './holds.ts'
import { type Entry, lateKey, packRow, type StoredRow } from './ledger-rows.ts'
import { put, type Write } from './lmdb.ts'
import type { Records } from './records.ts'
import { packStanding } from './standings.ts'
import { Tally, type TotalKey, totalKey, type WasteKey, wasteTotalKey } from './totals.ts'
import type { Kept } from './unwritten.ts'

/** What changed without a settlement waits this long at most. A crash forgets no more than that. */
const WRITE_BEHIND_MS: Millis = 250
const RETRY_MS: Millis = 1000
/** A commit of so many rows was a crowd's. The next one waits for more of them, some turns of the event loop: they are long on a busy one only. */
const CROWD = 4
const CROWD_TURNS = 5

/** The present, as it is to be written. */
interface Memory {
  standingOf(account: string): Standing
  heldOf(requestId: string): Held | undefined
  readonly kept: readonly Kept[]
}

/**
 * Writes ledger rows, totals, standings and holds in shared commits, one under way at a time: whatever arrives while
 * one is being written goes into the next. Every commit takes all rows that wait, and the standings and holds as they
 * are at that moment, so that what is on disk always has `used` equal to the sum of its rows and of its totals.
 */
export class Writer {
  readonly #records: Records
  readonly #memory: Memory
  readonly #wrote: Wrote
  /** Charged or wasted, and not yet on disk. */
  #entries = new Map<string, Entry>()
  /** Those in the commit under way. */
  #writingEntries = new Map<string, Entry>()
  readonly #holds: HoldChanges
  /** Accounts whose standing is newer than on disk. */
  #changed = new Set<string>()
  /** Accounts in the commit under way. */
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
    this.#holds = new HoldChanges(requestId => memory.heldOf(requestId))
  }

  /** True from a failed commit to the next one that succeeds. */
  get failing(): boolean {
    return this.#failing
  }

  /** A row that is still to be written. */
  rowOf(key: string): StoredRow | undefined {
    return (this.#entries.get(key) ?? this.#writingEntries.get(key))?.row
  }

  /** Whether the standing on disk is as new as the one in memory. */
  isWritten(account: string): boolean {
    return !this.#changed.has(account) && !this.#writing.has(account)
  }

  /** Has a new hold and the standing of its account written, soon. */
  taken({ account, requestId }: Hold): void {
    this.#changed.add(account)
    this.#holds.taken(requestId)
    this.#later(WRITE_BEHIND_MS)
  }

  /** Has a hold and the standing of its account written, soon. */
  changed(hold: Hold): void {
    this.#changed.add(hold.account)
    this.renewed(hold)
  }

  /** Has a hold written, soon. */
  renewed({ requestId }: Hold): void {
    this.#holds.changed(requestId)
    this.#later(WRITE_BEHIND_MS)
  }

  /** Has what is kept beside the holds written, soon. */
  soon(): void {
    this.#later(WRITE_BEHIND_MS)
  }

  /** Notes that the hold is on disk. */
  found({ requestId }: Hold): void {
    this.#holds.found(requestId)
  }

  /** Has a row written with the next commit. Waste changes nothing of its account. */
  add(entry: Entry): void {
    this.#entries.set(entry.key, entry)
    if (entry.row.kind !== 'waste') this.#changed.add(entry.row.account)
  }

  /** Has a row and the standing of its account written. Resolves when both are on disk. */
  charged(entry: Entry): Promise<void> {
    this.add(entry)
    return this.commit()
  }

  /** Resolves when no row of the request is still to be written. */
  async settled(requestId: string): Promise<void> {
    if (this.rowOf(requestId) || this.rowOf(lateKey(requestId))) await this.commit()
  }

  /** Resolves when all of what changed so far is on disk, but new holds. Rejects with StoreUnavailable; it is then tried again. */
  commit(): Promise<void> {
    this.#next ??= this.#commitNext()
    return this.#next
  }

  /** Resolves when all of what changed so far is on disk. Rejects as `commit` does. */
  flush(): Promise<void> {
    this.#due = true
    return this.commit()
  }

  /** Starts no further commit by itself. */
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
    // Whoever asked for the commit hears of its failure; the one after it goes on.
    this.#last = commit.catch(() => {})
    return commit
  }

  /** Answers that end before it resolves share the commit. */
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
      for (const kept of this.#memory.kept) kept.written()
      this.#failing = false
    } catch (error) {
      this.#failing = true
      for (const [key, entry] of this.#entries) entries.set(key, entry)
      this.#entries = entries
      for (const account of this.#writing) this.#changed.add(account)
      this.#holds.failed()
      for (const kept of this.#memory.kept) kept.failed()
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
      ...Array.from(accounts, account => put(standings, account, packStanding(this.#memory.standingOf(account)))),
      ...this.#memory.kept.flatMap(kept => kept.writes(this.#records)),
      ...holds,
    ]
  }

  #totalWrites(entries: readonly Entry[]): Write[] {
    const { ledger, totals, waste } = this.#records
    const [tally, wasted] = [new Tally<TotalKey>(), new Tally<WasteKey>()]
    for (const { key, row, requests } of entries) {
      // Totals are added to: a row of a commit that failed must not be counted twice, should it be on disk after all.
      if (this.#failing && ledger.doesExist(key)) continue
      if (row.kind === 'waste') wasted.add(wasteTotalKey(row), row, requests)
      else tally.add(totalKey(row), row, requests)
    }
    return [...tally.writes(totals, key => totals.get(key)), ...wasted.writes(waste, key => waste.get(key))]
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
