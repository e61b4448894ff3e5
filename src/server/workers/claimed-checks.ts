import type { HealthVerdict } from '../../gateway/health/check.ts'
import { HOLDS } from '../../gateway/health/checks.ts'
import type { Millis } from '../../policy/config.ts'

/**
 * The health checks of all workers: the first worker that needs one runs it, and the others that need it meanwhile, or
 * soon after, get its verdict.
 */
export class ClaimedChecks {
  readonly #elapsed: () => Millis
  readonly #claimed = new Map<string, Claimed>()

  constructor(elapsed: () => Millis) {
    this.#elapsed = elapsed
  }

  /** Resolves with undefined where the worker of this slot is to run the check, and else with another worker's verdict. */
  claim(slot: number, check: string): Promise<HealthVerdict | undefined> {
    const now = this.#elapsed()
    const known = this.#claimed.get(check)
    if (known && (!known.isOver || now - known.at < HOLDS)) return known.verdict
    let find: (verdict: HealthVerdict) => void = () => {}
    const verdict = new Promise<HealthVerdict>(resolve => {
      find = resolve
    })
    this.#claimed.set(check, { slot, at: now, verdict, find, isOver: false })
    return NOT_CLAIMED
  }

  found(slot: number, check: string, verdict: HealthVerdict): void {
    const claimed = this.#claimed.get(check)
    if (claimed?.slot === slot) end(claimed, verdict)
  }

  /** A worker ended: another one may run the checks that it claimed. */
  end(slot: number): void {
    for (const [check, claimed] of this.#claimed) {
      if (claimed.slot !== slot || claimed.isOver) continue
      this.#claimed.delete(check)
      end(claimed, { kind: 'unknown' })
    }
  }
}

interface Claimed {
  readonly slot: number
  readonly at: Millis
  readonly verdict: Promise<HealthVerdict>
  readonly find: (verdict: HealthVerdict) => void
  isOver: boolean
}

function end(claimed: Claimed, verdict: HealthVerdict): void {
  claimed.isOver = true
  claimed.find(verdict)
}

const NOT_CLAIMED: Promise<undefined> = Promise.resolve(undefined)
