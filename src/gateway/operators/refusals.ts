import type { Millis } from '../../policy/config.ts'
import type { Audited } from '../accounts/audited.ts'
import type { Clock } from '../ports.ts'

/**
 * Writes to the audit what operators were refused. Of the same refusal one row a minute is written, and of all of
 * them no more than so many, so that asking does not fill the audit.
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
