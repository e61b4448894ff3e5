import type { Millis } from '../../policy/config.ts'
import type { Alarm, Cancel, Clock } from '../ports.ts'
import type { ArchiveStore, Waiting } from '../store/archive-store.ts'
import { StoreUnavailable } from '../store/store.ts'
import { every } from '../timers.ts'
import { type Archive, ArchiveUnavailable } from './archive.ts'

/** The state of archiving in this process. */
export interface Archiving {
  /** The archive's name for operators. */
  readonly to: string
  /** Whether rows are read back from there. */
  readonly isReadBack: boolean
  /** Whether this process archives: else another one on the same store does. */
  readonly isHere: boolean
  /** Rows that this process removed from the store, after the archive had them. */
  readonly archived: number
  /** Attempts that failed. */
  readonly failures: number
  /** Why the last attempt failed; absent where it did not. */
  readonly lastError?: string
  /** Rows that are old enough to be in the archive and are not, as of the last look. */
  readonly waiting: Waiting
  /** How much older than they have to be the oldest of them is. */
  readonly lagMs: Millis
}

export interface ArchiverPorts {
  readonly store: ArchiveStore
  readonly archive: Pick<Archive, 'shown' | 'reader' | 'write'>
  /** How long rows stay in the store, at least. */
  readonly keep: () => Millis
  /** Different in each process. */
  readonly holder: string
  readonly clock: Clock
  readonly alarm: Alarm
}

/**
 * Takes rows that are old enough from the store to the archive: a batch is removed from the store once the archive has it, and
 * what is not removed for any reason comes again. So nothing is kept of how far it came, and nothing can be lost by that.
 */
export class Archiver {
  readonly #ports: ArchiverPorts
  readonly #stop: Cancel
  #isStopped = false
  #run: Promise<void> = Promise.resolve()
  #isHere = false
  #archived = 0
  #failures = 0
  #inSuccession = 0
  #lastError: string | undefined
  #waiting: Waiting = { rows: 0 }
  #lagMs: Millis = 0
  #retryAt: Millis = 0
  #alarmedAt: Millis | undefined

  constructor(ports: ArchiverPorts) {
    this.#ports = ports
    this.#stop = every(ports.clock, TURN_MS, () => this.turn())
  }

  get state(): Archiving {
    return {
      to: this.#ports.archive.shown,
      isReadBack: this.#ports.archive.reader !== undefined,
      isHere: this.#isHere,
      archived: this.#archived,
      failures: this.#failures,
      ...(this.#lastError !== undefined && { lastError: this.#lastError }),
      waiting: this.#waiting,
      lagMs: this.#lagMs,
    }
  }

  /** Archives all that is old enough, unless another process does. Never rejects. */
  turn(): Promise<void> {
    this.#run = this.#run.then(() => this.#turn())
    return this.#run
  }

  /** Resolves once the batch in flight has finished, and another process may continue. */
  async close(): Promise<void> {
    this.#isStopped = true
    this.#stop()
    await this.#run
    if (this.#isHere) await this.#ports.store.release(this.#ports.holder).catch(() => {})
  }

  async #turn(): Promise<void> {
    const { store, clock } = this.#ports
    if (this.#isStopped) return
    try {
      if (clock.elapsed() >= this.#retryAt && (await this.#lease())) await this.#archive()
    } catch (error) {
      this.#fail(error)
    }
    await store.readWaiting(this.#ports.keep()).then(
      waiting => this.#saw(waiting),
      // An outage of the store has its own alarm.
      () => {},
    )
  }

  async #lease(): Promise<boolean> {
    const { store, holder } = this.#ports
    this.#isHere = false
    this.#isHere = await store.lease(holder, LEASE_MS)
    return this.#isHere
  }

  async #archive(): Promise<void> {
    const { store, archive, keep, clock } = this.#ports
    while (!this.#isStopped) {
      const rows = await store.readLeaving(keep(), BATCH)
      if (rows.length > 0) await archive.write(rows)
      this.#succeed()
      if (rows.length === 0) return
      // Another process may have written the rows since; that does no harm, but one is enough.
      if (!(await this.#lease())) return
      this.#archived += await store.remove(rows)
      if (rows.length < BATCH) return
      await new Promise<void>(resolve => clock.after(PAUSE_MS, resolve))
    }
  }

  #succeed(): void {
    if (this.#alarmedAt !== undefined) this.#ports.alarm('the archive of the ledger takes rows again')
    this.#alarmedAt = undefined
    this.#lastError = undefined
    this.#inSuccession = 0
    this.#retryAt = 0
  }

  #fail(error: unknown): void {
    const { archive, alarm, clock } = this.#ports
    // A store that is away has alarms of its own, and nothing can be read of it.
    if (error instanceof StoreUnavailable && !(error instanceof ArchiveUnavailable)) return
    this.#failures++
    this.#inSuccession++
    this.#lastError = error instanceof Error ? error.message : String(error)
    const now = clock.elapsed()
    this.#retryAt = now + Math.min(LONGEST_RETRY_MS, TURN_MS * 2 ** (this.#inSuccession - 1)) - TURN_MS
    if (this.#alarmedAt !== undefined && now - this.#alarmedAt < ALARM_MS) return
    this.#alarmedAt = now
    alarm('the archive of the ledger takes no rows; they stay in the store', {
      archive: archive.shown,
      error: this.#lastError,
      waiting: this.#waiting.rows,
    })
  }

  #saw(waiting: Waiting): void {
    const { clock, keep } = this.#ports
    this.#waiting = waiting
    this.#lagMs = waiting.oldest === undefined ? 0 : Math.max(0, clock.now() - keep() - waiting.oldest)
  }
}

const TURN_MS: Millis = 10_000
/** Longer than a batch takes; a process that dies is followed by another one after it. */
const LEASE_MS: Millis = 60_000
/** Rows that go together: few, so that requests get their turn meanwhile. */
const BATCH = 1000
/** Between two batches, for the same reason. */
const PAUSE_MS: Millis = 25
const LONGEST_RETRY_MS: Millis = 60_000
/** Between two alarms of one outage. */
const ALARM_MS: Millis = 3_600_000
