import { HOLDS } from '../../gateway/upstream/inquiries.ts'
import type { Verdict } from '../../gateway/upstream/question.ts'
import type { Millis } from '../../policy/config.ts'

/**
 * The gateway's own questions to replicas, of all workers: the first worker that has one asks it, and the others that want
 * to know meanwhile, or soon after, get what it found.
 */
export class Questions {
  readonly #elapsed: () => Millis
  readonly #asked = new Map<string, Asked>()

  constructor(elapsed: () => Millis) {
    this.#elapsed = elapsed
  }

  /** Resolves with undefined where the worker of this slot is to ask, and else with what another one finds. */
  claim(slot: number, question: string): Promise<Verdict | undefined> {
    const now = this.#elapsed()
    const known = this.#asked.get(question)
    if (known && (!known.isOver || now - known.at < HOLDS)) return known.verdict
    let find: (verdict: Verdict) => void = () => {}
    const verdict = new Promise<Verdict>(resolve => {
      find = resolve
    })
    this.#asked.set(question, { slot, at: now, verdict, find, isOver: false })
    return NOT_ASKED
  }

  found(slot: number, question: string, verdict: Verdict): void {
    const asked = this.#asked.get(question)
    if (asked?.slot === slot) end(asked, verdict)
  }

  /** A worker ended: what it asked, another one may ask. */
  end(slot: number): void {
    for (const [question, asked] of this.#asked) {
      if (asked.slot !== slot || asked.isOver) continue
      this.#asked.delete(question)
      end(asked, { kind: 'unknown' })
    }
  }
}

interface Asked {
  readonly slot: number
  readonly at: Millis
  readonly verdict: Promise<Verdict>
  readonly find: (verdict: Verdict) => void
  isOver: boolean
}

function end(asked: Asked, verdict: Verdict): void {
  asked.isOver = true
  asked.find(verdict)
}

const NOT_ASKED: Promise<undefined> = Promise.resolve(undefined)
