import type { DecisionSettings } from '../../config/settings.ts'
import type { Alarm, Cancel, Clock, DecisionLog } from '../../gateway/ports.ts'
import type { Millis } from '../../policy/config.ts'
import type { DecisionRecord } from '../../policy/record.ts'
import { lineOf } from './line.ts'
import { Lines, Rotation } from './rotation.ts'

export interface DecisionLogPorts {
  /** The settings at this moment. */
  readonly settings: () => DecisionSettings
  readonly clock: Clock
  readonly alarm: Alarm
}

/** How many lines were written and dropped so far. */
export interface LineCounts {
  readonly written: number
  readonly dropped: number
}

/** The decision log in files: a JSON line for each decision, written behind the requests. */
export class DecisionFiles implements DecisionLog {
  readonly #ports: DecisionLogPorts
  readonly #rotation: Rotation
  readonly #counts = { written: 0, dropped: 0 }
  /** The lines that wait, and those of the write in flight, if there is one. */
  #lines = new Lines()
  #written = new Lines()
  #gathering: Cancel | undefined
  #writing: Promise<void> | undefined
  /** Lines dropped since writing began to fail. */
  #lost = 0

  constructor(ports: DecisionLogPorts) {
    this.#ports = ports
    this.#rotation = new Rotation(ports.settings)
  }

  get counts(): LineCounts {
    return this.#counts
  }

  write(record: DecisionRecord): void {
    const line = lineOf(record)
    if (line.length > MOST_LINE) this.#lose(1, 'a line is too long')
    else if (this.#lines.length + line.length > MOST_BYTES) this.#lose(1, 'the disk is too slow')
    else this.#add(line)
  }

  #add(line: string): void {
    this.#lines.add(line)
    if (this.#writing) return
    if (this.#lines.length > GATHER_BYTES) this.#begin()
    else this.#gathering ??= this.#ports.clock.after(GATHER_MS, () => this.#begin())
  }

  /** Writes the waiting lines, and closes the file. Never rejects. */
  async close(): Promise<void> {
    await this.#writing
    while (this.#lines.count > 0) {
      this.#begin()
      await this.#writing
    }
    await this.#rotation.close().catch(() => {})
  }

  #begin(): void {
    this.#gathering?.()
    this.#gathering = undefined
    this.#writing = this.#writeAll().finally(() => {
      this.#writing = undefined
      if (this.#lines.count > 0) this.#gathering ??= this.#ports.clock.after(GATHER_MS, () => this.#begin())
    })
  }

  async #writeAll(): Promise<void> {
    const lines = this.#lines
    this.#lines = this.#written
    this.#written = lines
    try {
      await this.#rotation.append(lines)
      this.#counts.written += lines.count
      this.#recover()
    } catch (error) {
      await this.#rotation.close().catch(() => {})
      this.#lose(lines.count, error instanceof Error ? error.message : String(error))
    } finally {
      lines.clear()
    }
  }

  /** One alarm, however long it lasts. */
  #lose(count: number, error: string): void {
    const isNew = this.#lost === 0
    this.#lost += count
    this.#counts.dropped += count
    if (!isNew) return
    const { directory } = this.#ports.settings()
    this.#ports.alarm('the decision log cannot be written: decisions are dropped, requests go on', { directory, error })
  }

  #recover(): void {
    if (this.#lost === 0) return
    this.#ports.alarm('the decision log is written again', { dropped: this.#lost })
    this.#lost = 0
  }
}

/** Lines within this time share a write. A crash loses at most these, and the write in flight. */
const GATHER_MS: Millis = 50
/** Bytes written at once. */
const GATHER_BYTES = 1_000_000
/** The most bytes that wait for a slow disk. */
const MOST_BYTES = 8_000_000
/** No honest request has a longer line under any configuration. */
const MOST_LINE = 500_000
