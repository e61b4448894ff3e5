import type { Millis } from '../../policy/config.ts'
import { isFrozen } from '../../policy/facts.ts'
import { type Listed, Roster } from '../lifetimes.ts'
import type { Cancel, Clock } from '../ports.ts'
import type { KeyStore } from '../store/key-store.ts'

/** A revoked key works nowhere within a second: the look takes the rest of it. */
const EVERY: Millis = 750

/**
 * Finds out that keys stopped working, or their accounts were frozen, while something of them is still open. A process has one; each key is looked up once
 * for all that is open with it, and only while there is something. A store that does not answer ends nothing.
 */
export class KeyWatch {
  readonly #keys: Pick<KeyStore, 'findCaller'>
  readonly #clock: Clock
  readonly #open = new Roster<Watched>()
  #next: Cancel | undefined
  #isLooking = false

  constructor(keys: Pick<KeyStore, 'findCaller'>, clock: Clock) {
    this.#keys = keys
    this.#clock = clock
  }

  /** Runs once the key of this hash works no more, with the reason, unless it is called off. */
  watch(keyHash: string, run: (reason: KeyEnd) => void): Cancel {
    const watched: Watched = { keyHash, run, place: -1 }
    this.#open.add(watched)
    this.#lookLater()
    return () => this.#open.remove(watched)
  }

  stop(): void {
    this.#next?.()
  }

  #lookLater(): void {
    if (this.#next || this.#isLooking || this.#open.size === 0) return
    this.#next = this.#clock.after(EVERY, async () => {
      this.#next = undefined
      this.#isLooking = true
      await this.#look()
      this.#isLooking = false
      this.#lookLater()
    })
  }

  async #look(): Promise<void> {
    const hashes = [...new Set(this.#open.all.map(({ keyHash }) => keyHash))]
    const ends = new Map(await Promise.all(hashes.map(async hash => [hash, await this.#endOf(hash)] as const)))
    for (const watched of this.#open.all) {
      const end = ends.get(watched.keyHash)
      if (end === undefined) continue
      this.#open.remove(watched)
      watched.run(end)
    }
  }

  async #endOf(hash: string): Promise<KeyEnd | undefined> {
    try {
      const caller = await this.#keys.findCaller(hash)
      if (!caller) return 'revoked'
      return isFrozen(caller) ? 'frozen' : undefined
    } catch {
      return undefined
    }
  }
}

/** Why a key works no more: it ended, or an operator froze its account. */
export type KeyEnd = 'revoked' | 'frozen'

interface Watched extends Listed {
  readonly keyHash: string
  readonly run: (reason: KeyEnd) => void
}
