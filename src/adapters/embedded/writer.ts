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

/** The state in memory that must be written. */
interface Memory {
  countersOf(account: string): AccountCounters
  heldOf(requestId: string): OpenHold | undefined
  readonly writeBehind: readonly WriteBehind[]
}

/** Hears of rows. */
export interface RowEvents {
  /** A row is durable, in the journal or in the files. */
  readonly wrote: Wrote
  /** A row is in the files, where reads find it. */
  readonly filed: (row: StoredRow) => void
}

/**
 * Writes ledger rows, totals, counters and holds in shared commits, one at a time: changes during a commit go into the
 * next one. Every commit takes all waiting rows, and the counters and holds as they are at that moment, so that on disk
 * `used` always equals the sum of the rows and the sum of the totals.
 *
 * With a journal changes are durable once it has them, and commits follow behind it. Such a commit is the state as of one record
 * of the journal, whose number is in it: a start repeats the records behind that one, and no other.
 */
export class Writer {
  readonly #records: Records
  readonly #memory: Memory
  readonly #events: RowEvents
  #journal: Journal | undefined
  /** Changes that are in no record of the journal. */
  #steps: Step[] = []
  /** The record whose state the next commit writes, where no journal is attached. */
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
  /** Whether the files may lack changes that a journal had which is given up by now. */
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
    // Else a read may be of a moment before the commit.
    this.#records.ledger.resetReadTxn()
  }

  /** Has changes go to a journal from now on. The files must have all changes so far. */
  attach(journal: Journal): void {
    this.#journal = journal
  }

  /** Ends the journal, of which the files must have all records. */
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
    // The failure goes to the callers that wait for this commit; the next commit follows in any case.
    this.#last = commit.catch(() => {})
    return commit
  }

  /** Waits for more rows to share the commit. */
  async #gather(): Promise<void> {
    for (let turns = this.#crowded ? CROWD_TURNS : 1; turns > 0; turns--) await setImmediate()
  }

  /** Resolves when the journal has all changes so far, or the files where it fails. */
  async #journaled(journal: Journal): Promise<void> {
    this.#crowded = this.#unheard.size >= CROWD
    const appended = this.#seal(journal)
    try {
      await appended.synced
    } catch {
      await this.#fold()
    }
  }

  /** Makes one record of all changes that are in none. */
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
    // The state is that of the last record, so that every change is either in both or in none.
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

  /** The record whose state a commit has, and a segment before which all records are older. */
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
    // The next commit has the changes of all records, also of those that came during this one.
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
/** So many rows behind the journal are written before that time: the larger a commit, the more room it has to find on the disk. */
const FOLDED_ROWS = 256
/** After a commit of so many rows the next one waits some turns of the event loop, to take more rows. Turns are long only under load. */
const CROWD = 4
const CROWD_TURNS = 5
