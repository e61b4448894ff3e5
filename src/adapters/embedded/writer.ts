import { setImmediate } from 'node:timers/promises'
import type { Wrote } from '../../gateway/store/ledger-store.ts'
import type { Millis } from '../../policy/config.ts'
import type { AccountCounters, Hold } from '../../policy/counters/account-counters.ts'
import { packCounters } from './account-counters.ts'
import { DirtyHolds, type WriteBehind } from './dirty-set.ts'
import type { Appended, Journal } from './journal/journal.ts'
import type { Step } from './journal/steps.ts'
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
import type { OpenHold } from './open-holds.ts'
import type { Records } from './records.ts'

/** The in-memory state that is written to disk. */
interface Memory {
  countersOf(account: string): AccountCounters
  heldOf(requestId: string): OpenHold | undefined
  readonly writeBehind: readonly WriteBehind[]
}

/** Callbacks about rows. */
export interface RowEvents {
  /** The row is durable, in the journal or in the files. */
  readonly wrote: Wrote
  /** The row is in the files, where reads find it. */
  readonly filed: (row: StoredRow) => void
}

/**
 * Writes ledger rows, totals, counters and holds in shared commits, one at a time; changes during a commit go into the
 * next. A commit takes all waiting rows, and the counters and holds of that moment, so that on disk `used` always
 * equals the sum of the rows and the sum of the totals. With a journal, changes are durable once the journal has them,
 * and commits follow. Such a commit is the state as of one journal record and contains its number; a start replays
 * exactly the records after it.
 */
export class Writer {
  readonly #records: Records
  readonly #memory: Memory
  readonly #events: RowEvents
  #journal: Journal | undefined
  /** Changes not yet in a journal record. */
  #steps: Step[] = []
  /** The journal record whose state the next commit writes, if no journal is attached. */
  #number: number | undefined
  /** Rows that are not yet durable. */
  readonly #unheard = new Set<Entry>()
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
  #lastFold: Promise<void> = Promise.resolve()
  #nextFold: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #failing = false
  /** Whether the files may lack changes of a journal that was given up. */
  #isBehind = false
  #crowded = false
  #stopped = false

  constructor(records: Records, memory: Memory, events: RowEvents) {
    this.#records = records
    this.#memory = memory
    this.#events = events
    this.#holds = new DirtyHolds(requestId => memory.heldOf(requestId))
  }

  /** True from a failed commit to the next one that succeeds. */
  get failing(): boolean {
    return this.#failing
  }

  /** A row that is not yet written. */
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

  /** Notes a change, in the order of changes. Each is durable with the next commit. */
  note(...step: Step): void {
    if (this.#journal) this.#steps.push(step)
  }

  /** Adds a row to the next commit. Waste does not change the counters of its account. */
  add(entry: Entry): void {
    const { key, row, requests, later = null, tools = null } = entry
    this.#entries.set(key, entry)
    this.#unheard.add(entry)
    if (row.kind !== 'waste') this.#changed.add(row.account)
    if (!this.#journal) return
    this.#steps.push(['row', key, packRow(row), requests, later, tools])
    if (this.#entries.size >= (this.#records.room.shortage ? 1 : FOLDED_ROWS)) this.flush().catch(() => {})
    else this.#later(WRITE_BEHIND_MS)
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

  /** Resolves when all changes so far are in the files. Rejects as `commit` does. */
  flush(): Promise<void> {
    this.#due = true
    return this.#journal ? this.#fold() : this.commit()
  }

  /** Writes all changes so far into the files, as the state of a record of the journal. Rejects as `commit` does. */
  fold(number: number): Promise<void> {
    this.#due = true
    this.#number = number
    return this.#fold()
  }

  /** Resolves when the files have all rows so far. Rejects as `commit` does. */
  async filed(): Promise<void> {
    if (!this.#journal && !this.#isBehind) return
    if (this.#entries.size + this.#writingEntries.size === 0) return
    await this.flush()
    // Otherwise a read might see the state before the commit.
    this.#records.ledger.resetReadTxn()
  }

  /** Sends changes to a journal from now on. The files must have all changes so far. */
  attach(journal: Journal): void {
    this.#journal = journal
  }

  /** Detaches the journal. The files must have all of its records. */
  async detach(): Promise<void> {
    await this.#last
    const journal = this.#journal
    this.#journal = undefined
    await journal?.close()
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
        return this.#journal ? this.#journaled(this.#journal) : this.#fold()
      })
    // Callers that wait for this commit get the failure; the next commit follows in any case.
    this.#last = commit.catch(() => {})
    return commit
  }

  /** Waits for more rows to share the commit. */
  async #gather(): Promise<void> {
    for (let turns = this.#crowded ? CROWD_TURNS : 1; turns > 0; turns--) await setImmediate()
  }

  /** Resolves when the journal has all changes so far, or the files if it fails. */
  async #journaled(journal: Journal): Promise<void> {
    this.#crowded = this.#unheard.size >= CROWD
    const appended = this.#seal(journal)
    try {
      await appended.synced
    } catch {
      await this.#fold()
    }
  }

  /** Appends one record with all pending changes. */
  #seal(journal: Journal): Appended {
    if (this.#steps.length === 0) return journal.last
    const appended = journal.append(JSON.stringify(this.#steps))
    this.#steps = []
    const rows = [...this.#unheard]
    const heard = () => {
      for (const entry of rows) this.#heard(entry)
    }
    return { ...appended, synced: appended.synced.then(heard) }
  }

  #heard(entry: Entry): void {
    if (this.#unheard.delete(entry)) this.#events.wrote(entry.row, entry.requests)
  }

  #fold(): Promise<void> {
    this.#nextFold ??= this.#foldNext()
    return this.#nextFold
  }

  #foldNext(): Promise<void> {
    const fold = this.#lastFold.then(() => {
      this.#nextFold = undefined
      return this.#commit()
    })
    this.#lastFold = fold.catch(() => {})
    return fold
  }

  async #commit(): Promise<void> {
    const journal = this.#journal
    const segment = journal?.ordinal
    // The state matches the last record, so that every change is in both or in neither.
    const sealed = journal && this.#seal(journal)
    const entries = this.#entries
    if (!journal) this.#crowded = entries.size >= CROWD
    this.#writingEntries = entries
    this.#entries = new Map()
    this.#writing = this.#changed
    this.#changed = new Set()
    try {
      const writes = this.#writes([...entries.values()], this.#writing)
      const number = sealed?.number ?? this.#number
      if (writes.length > 0) writes.push(...this.#marks(number, segment))
      await sealed?.synced.catch(() => {})
      if (writes.length > 0) await this.#records.commit(writes)
      if (writes.length > 0 && segment !== undefined) journal?.freeBefore(segment)
      this.#committed(entries)
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

  /** The number of the record whose state a commit has, and of a segment before which all records are older. */
  #marks(number: number | undefined, segment: number | undefined): Write[] {
    const { meta } = this.#records
    const marks = number === undefined ? [] : [put(meta, 'folded', number)]
    return segment === undefined ? marks : [...marks, put(meta, 'segment', segment)]
  }

  #committed(entries: ReadonlyMap<string, Entry>): void {
    for (const entry of entries.values()) {
      this.#heard(entry)
      this.#events.filed(entry.row)
    }
    this.#holds.written()
    for (const kept of this.#memory.writeBehind) kept.written()
    this.#failing = false
    this.#isBehind = false
    if (!this.#journal?.hasFailed) return
    // The next commit includes the changes of all records, also of those during this commit.
    this.#number = this.#journal.last.number
    this.#isBehind = true
    this.#journal = undefined
    this.#steps = []
  }

  #writes(entries: readonly Entry[], accounts: ReadonlySet<string>): Write[] {
    const { ledger, standings } = this.#records
    const holds = this.#holds.writes(this.#records, this.#due || this.#journal !== undefined)
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
      // Totals are sums: if the failed commit reached the disk after all, its rows must not be added twice.
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
      // `failing` reports the failure, and another try follows.
      this.flush().catch(() => {})
    }, delay).unref()
  }
}

/** Changes without a settlement wait this long at most. A crash loses no more than that. */
const WRITE_BEHIND_MS: Millis = 250
const RETRY_MS: Millis = 1000
/**
 * This many rows behind the journal are written before that time: the larger a commit, the more free space it needs on
 * disk.
 */
const FOLDED_ROWS = 256
/**
 * After a commit of this many rows, the next waits some turns of the event loop to take more. Turns are long only under
 * load.
 */
const CROWD = 4
const CROWD_TURNS = 5
