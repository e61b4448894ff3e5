import type { LoadSettings } from '../../config/settings.ts'
import type { EpochMs, Millis } from '../../policy/time.ts'
import type { AlarmMessage } from '../alarm-messages.ts'
import { isOwnFault } from '../own-faults.ts'
import type { Replica } from '../pools/replica.ts'
import type { Alarm, Cancel, Clock } from '../ports.ts'
import { ENGINES } from './engine-metrics.ts'
import type { LoadResult } from './read-load.ts'

/** After so long without a readable report, operators are alarmed. */
const ALARM_AFTER: Millis = 30_000

export interface LoadLoopPorts {
  readonly clock: Clock
  readonly alarm: Alarm
  readonly read: (over: (result: LoadResult) => void) => Cancel
}

/** The replica whose load is read. */
export interface LoadSource {
  readonly pool: string
  readonly replica: Replica
  readonly load: LoadSettings
}

/** Reads the load of one replica again and again, one reading at a time. Never ejects it. */
export class LoadLoop {
  readonly load: LoadSettings
  readonly #ports: LoadLoopPorts
  readonly #source: LoadSource
  #wait: Cancel = () => {}
  #reading: Cancel = () => {}
  /** When a report could be read last, or the first was waited for. */
  #readableAt: EpochMs
  #isAlarmed = false

  constructor(ports: LoadLoopPorts, source: LoadSource) {
    this.load = source.load
    this.#ports = ports
    this.#source = source
    this.#readableAt = ports.clock.now()
  }

  /** Reads for the first time after a while. */
  start(after: Millis): void {
    this.#readAfter(after)
  }

  /** For good. */
  stop(): void {
    this.#wait()
    this.#reading()
  }

  /** The files no longer ask for this: an alarm that it raised is over. */
  dismiss(): void {
    this.stop()
    this.#calm('the load of a replica is no longer read')
  }

  #readAfter(time: Millis): void {
    const { clock, read } = this.#ports
    this.#wait()
    this.#wait = clock.after(time, () => {
      this.#reading = read(result => this.#took(result))
    })
  }

  #took(result: LoadResult): void {
    const now = this.#ports.clock.now()
    if ('reading' in result) this.#heard(result, now)
    // A fault of this process is no fault of the engine.
    else if (!isOwnFault(result.error)) this.#missed(result.error, now)
    // A clock that was set back must not delay the next reading.
    this.#readAfter(Math.max(0, Math.min(result.at + this.load.every - now, this.load.every)))
  }

  #heard({ at, reading }: Extract<LoadResult, { reading: unknown }>, now: EpochMs): void {
    const { cachesPrefixes: _, ...report } = reading
    const { pool, replica } = this.#source
    this.#readableAt = now
    this.#calm('the load of a replica is read again')
    const isRestarted = replica.reported({ at, ...report })
    if (isRestarted) this.#ports.alarm('an engine restarted: its caches are empty', { pool, replica: replica.url })
  }

  #missed(error: string, now: EpochMs): void {
    if (now < this.#readableAt) this.#readableAt = now
    if (this.#isAlarmed || now - this.#readableAt < ALARM_AFTER) return
    this.#isAlarmed = true
    const { pool, replica } = this.#source
    const { from, url } = this.load
    this.#ports.alarm('the load of a replica cannot be read; the gateway goes by its own counts', {
      ...{ pool, replica: replica.url, metrics: url, error },
      hint: ENGINES[from].hint,
    })
  }

  #calm(message: AlarmMessage): void {
    if (!this.#isAlarmed) return
    this.#isAlarmed = false
    const { pool, replica } = this.#source
    this.#ports.alarm(message, { pool, replica: replica.url })
  }
}
