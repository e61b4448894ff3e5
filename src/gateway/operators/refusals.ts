import type { Millis } from '../../policy/config.ts'
import type { Audited } from '../accounts/audited.ts'
import type { Clock } from '../ports.ts'

/**
 * Records refused operators in the audit: one row a minute for equal refusals, and a bounded number for all, so that repeated
 * attempts cannot fill the audit.
 */
export class OperatorRefusals {
  readonly #clock: Clock
  readonly #audited: Audited
  /** When each was last written, the oldest first. */
  readonly #written = new Map<string, Millis>()

  constructor(clock: Clock, audited: Audited) {
    this.#clock = clock
    this.#audited = audited
  }

  /** `asked` is what the operator wanted, `why` why not. Resolves once that is written. */
  async note(by: string, asked: string, why: string): Promise<void> {
    const now = this.#clock.elapsed()
    for (const [refusal, at] of this.#written) {
      if (now - at < MINUTE) break
      this.#written.delete(refusal)
    }
    const refusal = `${by} ${asked}`
    if (this.#written.has(refusal) || this.#written.size >= MOST_ROWS) return
    this.#written.set(refusal, now)
    await this.#audited({ by, action: 'refuse', before: asked, after: why })
  }
}

const MINUTE: Millis = 60_000
/** In a minute. */
const MOST_ROWS = 100
