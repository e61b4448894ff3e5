import type { EpochMs, Millis } from '../../policy/config.ts'
import type { FirstTokenCount } from '../../policy/replica-load.ts'
import type { FirstToken } from '../attempt/first-token.ts'
import { SlidingCount } from './sliding-count.ts'

/** How long a measured first token counts. */
const SECONDS = 30

interface Wait {
  readonly sentAt: EpochMs
  readonly over: Millis
}

/** How long streams wait for their first token at one replica, as this process measures it and others report it. */
export class FirstTokens {
  readonly #recent = new SlidingCount(SECONDS)
  /** Streams without a first token, those that wait longest first. */
  readonly #waits = new Set<Wait>()
  readonly #counted: (late: boolean, at: EpochMs) => void

  /** `counted` hears of each stream that this process counts. */
  constructor(counted: (late: boolean, at: EpochMs) => void = () => {}) {
    this.#counted = counted
  }

  /** Watches one stream, which is late `over` after it was sent. */
  watch(over: Millis): FirstToken {
    let wait: Wait | undefined
    const isLate = (now: EpochMs) => wait !== undefined && now - wait.sentAt > over
    return {
      sent: now => {
        wait = { sentAt: now, over }
        this.#waits.add(wait)
      },
      came: now => {
        if (wait && this.#waits.delete(wait)) this.#count(isLate(now), now)
      },
      ended: now => {
        if (wait && this.#waits.delete(wait) && isLate(now)) this.#count(true, now)
      },
    }
  }

  /** Adds what another process counted. */
  add(now: EpochMs, { all, late }: FirstTokenCount): void {
    this.#recent.add(now, all, late)
  }

  /** The streams of the last 30 s, with those that are late by now. */
  count(now: EpochMs): FirstTokenCount {
    for (const wait of this.#waits) {
      if (now - wait.sentAt <= wait.over) break
      this.#waits.delete(wait)
      this.#count(true, now)
    }
    const { all, marked } = this.#recent.share(now)
    return { all, late: marked }
  }

  #count(late: boolean, now: EpochMs): void {
    this.#recent.add(now, 1, late ? 1 : 0)
    this.#counted(late, now)
  }
}
