import type { EpochMs, Millis } from '../../policy/config.ts'
import type { Cancel, Clock } from '../ports.ts'
import { type Minute, MOST_BYTES, type SeriesStore } from '../store/series-store.ts'
import { add, type Counts, countsText, isNothing, NOTHING, since } from './counts.ts'

export interface RecorderPorts {
  readonly clock: Clock
  readonly store: SeriesStore
  /** The id of this gateway since its start. */
  readonly gateway: () => string
  /** The counts of all processes of this gateway since its start, as `/metrics` shows them. */
  readonly count: () => Promise<Counts>
}

/**
 * Writes what this gateway counts to the store, minute by minute. While the store is away the minutes of the last hour wait; a
 * gateway that is killed loses what it counted since the last write, 10 s ago at most.
 */
export class SeriesRecorder {
  readonly #ports: RecorderPorts
  #last: Counts = NOTHING
  #lastAt: EpochMs
  /** This gateway's counts in minutes that are not over, or not written. */
  readonly #minutes = new Map<Minute, { counts: Counts; isWritten: boolean }>()
  #running: Promise<void> = Promise.resolve()
  #cancel: Cancel = () => {}
  #isStopped = false

  constructor(ports: RecorderPorts) {
    this.#ports = ports
    this.#lastAt = ports.clock.now()
  }

  /** Records every 10 s and at the end of each minute, until it is stopped. */
  start(): void {
    const { clock } = this.#ports
    const untilNextMinute = MINUTE - (clock.now() % MINUTE)
    this.#cancel = clock.after(Math.min(PERIOD, untilNextMinute), () => {
      void this.record().finally(() => {
        if (!this.#isStopped) this.start()
      })
    })
  }

  /** Records for the last time. */
  stop(): Promise<void> {
    this.#isStopped = true
    this.#cancel()
    return this.record()
  }

  /** Writes all that was counted up to now. Never rejects: what cannot be written waits. */
  record(): Promise<void> {
    this.#running = this.#running.then(() => this.#record()).catch(() => {})
    return this.#running
  }

  async #record(): Promise<void> {
    const { clock, count } = this.#ports
    const counts = await count()
    const now = clock.now()
    const counted = since(counts, this.#last)
    // Counts since the last look belong to the minute of that look, unless this process slept over its end.
    const looked = minuteOf(this.#lastAt)
    const minute = minuteOf(now) - looked > 1 ? minuteOf(now) : looked
    this.#last = counts
    this.#lastAt = now
    if (!isNothing(counted)) {
      const known = this.#minutes.get(minute)?.counts ?? NOTHING
      this.#minutes.set(minute, { counts: add(known, counted), isWritten: false })
    }
    await this.#write(minuteOf(now))
  }

  async #write(current: Minute): Promise<void> {
    const { store, gateway } = this.#ports
    for (const minute of [...this.#minutes.keys()].sort((a, b) => a - b)) {
      const known = this.#minutes.get(minute)
      if (known && !known.isWritten && minute > current - MOST_WAITING) {
        await store.write({ minute, gateway: gateway(), counts: countsText(known.counts, MOST_BYTES) })
        known.isWritten = true
      }
      if (minute < current) this.#minutes.delete(minute)
    }
  }
}

const minuteOf = (at: EpochMs): Minute => Math.floor(at / MINUTE)

const MINUTE: Millis = 60_000
const PERIOD: Millis = 10_000
/** Minutes. */
const MOST_WAITING = 60
