import type { Millis } from '../../policy/config.ts'
import type { Admitted } from './hold-store.ts'
import type { KeyCaller } from './key-store.ts'

/**
 * Caches the callers behind keys, for a store behind a connection. A key's restrictions never change, and the admission compares
 * everything else about a caller. A cached caller may therefore lead to an admission, and to no other answer.
 */
export class CallerCache {
  readonly #elapsed: () => Millis
  readonly #found = new Map<string, Found>()

  /** `elapsed` is a clock of lengths. */
  constructor(elapsed: () => Millis) {
    this.#elapsed = elapsed
  }

  recall(hash: string): KeyCaller | undefined {
    const found = this.#found.get(hash)
    if (!found) return undefined
    if (this.#elapsed() < found.until) return found.caller
    this.#found.delete(hash)
    return undefined
  }

  /** Keeps the store's fresh answer on a key. */
  keep(hash: string, caller: KeyCaller | undefined): void {
    // Behind the others: the first of them is the oldest.
    this.#found.delete(hash)
    if (!caller) return
    this.#found.set(hash, { caller, until: this.#elapsed() + KEPT })
    const [oldest] = this.#found.keys()
    if (oldest !== undefined && this.#found.size > MOST) this.#found.delete(oldest)
  }

  /** Forgets a caller that an admission found to be another one by now. */
  admitted(hash: string | undefined, admitted: Admitted): void {
    if (hash === undefined || 'denial' in admitted) return
    if (admitted.outcome === 'key-gone' || admitted.outcome === 'stale') this.#found.delete(hash)
  }
}

interface Found {
  readonly caller: KeyCaller
  readonly until: Millis
}

const MOST = 10_000
const KEPT: Millis = 5000
