import type { Alarm } from '../../../gateway/ports.ts'

/** Alarms once when commits begin to fail on the disk, with the cause, and once when a commit succeeds again. */
export class WriteFailures {
  readonly #alarm: Alarm
  #since: number | undefined

  constructor(alarm: Alarm = () => {}) {
    this.#alarm = alarm
  }

  failed(cause: unknown): void {
    if (this.#since !== undefined) return
    this.#since = performance.now()
    this.#alarm('the store is down', { cause: cause instanceof Error ? cause.message : String(cause) })
  }

  written(): void {
    if (this.#since === undefined) return
    this.#alarm('the store is back', { ms: Math.round(performance.now() - this.#since) })
    this.#since = undefined
  }
}
