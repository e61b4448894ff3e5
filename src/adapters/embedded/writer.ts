import { setImmediate } from 'node:timers/promises'
import type { LedgerRow } from '../../gateway/store.ts'
import type { Millis } from '../../policy/config.ts'
import type { Standing } from '../../policy/standing.ts'
import { put, type Records } from './records.ts'

/** A standing that changed without a settlement waits this long at most. A crash forgets no more than that. */
const WRITE_BEHIND_MS: Millis = 250
const RETRY_MS: Millis = 1000

/**
 * Writes ledger rows and standings in shared commits, one under way at a time: whatever arrives while one is
 * being written goes into the next. Every commit takes all rows that wait and the standings as they are at that
 * moment, so that what is on disk always has `used` equal to the sum of its rows.
 */
export class Writer {
  readonly #records: Records
  readonly #standingOf: (account: string) => Standing
  /** Charged, and not yet on disk. */
  readonly #rows = new Map<string, LedgerRow>()
  /** Accounts whose standing is newer than on disk. */
  #changed = new Set<string>()
  /** Accounts in the commit under way. */
  #writing = new Set<string>()
  #last: Promise<void> = Promise.resolve()
  #next: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #failing = false
  #stopped = false

  constructor(records: Records, standingOf: (account: string) => Standing) {
    this.#records = records
    this.#standingOf = standingOf
  }

  /** True from a failed commit to the next one that succeeds. */
  get failing(): boolean {
    return this.#failing
  }

  /** Whether the request was charged and its row is still to be written. */
  isWriting(requestId: string): boolean {
    return this.#rows.has(requestId)
  }

  /** Whether the standing on disk is as new as the one in memory. */
  isWritten(account: string): boolean {
    return !this.#changed.has(account) && !this.#writing.has(account)
  }

  /** Has the standing of an account written, soon. */
  changed(account: string): void {
    this.#changed.add(account)
    this.#later(WRITE_BEHIND_MS)
  }

  /** Has a row and the standing of its account written. Resolves when both are on disk. */
  charged(row: LedgerRow): Promise<void> {
    this.#rows.set(row.requestId, row)
    this.#changed.add(row.account)
    return this.flush()
  }

  /** Resolves when all of what changed so far is on disk. Rejects with StoreUnavailable; it is then tried again. */
  flush(): Promise<void> {
    this.#next ??= this.#commitNext()
    return this.#next
  }

  /** Starts no further commit by itself. */
  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
  }

  #commitNext(): Promise<void> {
    const commit = this.#last
      // Answers that end in the same turn of the event loop share the commit.
      .then(() => setImmediate())
      .then(() => {
        this.#next = undefined
        return this.#commit()
      })
    // Whoever asked for the commit hears of its failure; the one after it goes on.
    this.#last = commit.catch(() => {})
    return commit
  }

  async #commit(): Promise<void> {
    const rows = [...this.#rows.values()]
    if (rows.length === 0 && this.#changed.size === 0) return
    this.#writing = this.#changed
    this.#changed = new Set()
    try {
      await this.#write(rows, this.#writing)
      for (const { requestId } of rows) this.#rows.delete(requestId)
      this.#failing = false
    } catch (error) {
      this.#failing = true
      for (const account of this.#writing) this.#changed.add(account)
      this.#later(RETRY_MS)
      throw error
    } finally {
      this.#writing = new Set()
    }
  }

  #write(rows: readonly LedgerRow[], accounts: ReadonlySet<string>): Promise<void> {
    const { ledger, standings, commit } = this.#records
    return commit([
      ...rows.map(row => put(ledger, row.requestId, row)),
      ...Array.from(accounts, account => put(standings, account, this.#standingOf(account))),
    ])
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
