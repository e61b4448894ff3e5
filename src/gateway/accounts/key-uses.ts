import type { Millis } from '../../policy/config.ts'
import type { Cancel, Clock } from '../ports.ts'
import type { KeyStore, KeyUse } from '../store/key-store.ts'

/**
 * When keys were last used, as seen by this process. The store records it asynchronously: soon after a key's first use, then at
 * most once a minute. A failed write is lost, and so is the last minute in a crash.
 */
export class KeyUses {
  readonly #keys: Pick<KeyStore, 'noteUses'>
  readonly #clock: Clock
  readonly #uses = new Map<string, Use>()
  #next: Cancel | undefined

  constructor(keys: Pick<KeyStore, 'noteUses'>, clock: Clock) {
    this.#keys = keys
    this.#clock = clock
  }

  /** A key was used now. */
  note(hash: string, account: string): void {
    const at = this.#clock.elapsed()
    const known = this.#uses.get(hash)
    if (known) known.at = at
    else this.#uses.set(hash, { account, at, keptAt: undefined })
    this.#next ??= this.#clock.after(SOON, () => this.#keepDue())
  }

  /** Writes the remaining uses to the store, for the last time. */
  async stop(): Promise<void> {
    this.#next?.()
    await this.#keep([...this.#uses].filter(([, { at, keptAt }]) => keptAt === undefined || at > keptAt))
  }

  #keepDue(): void {
    const now = this.#clock.elapsed()
    const due: [string, Use][] = []
    for (const [hash, use] of this.#uses) {
      const { at, keptAt } = use
      if (keptAt !== undefined && now - keptAt < EVERY) continue
      if (keptAt !== undefined && at <= keptAt) this.#uses.delete(hash)
      else due.push([hash, use])
    }
    void this.#keep(due)
    this.#next = this.#uses.size === 0 ? undefined : this.#clock.after(SOON, () => this.#keepDue())
  }

  async #keep(due: readonly [string, Use][]): Promise<void> {
    const now = this.#clock.elapsed()
    const uses = due.map(([hash, { account, at }]): KeyUse => ({ hash, account, ago: now - at }))
    for (const [, use] of due) use.keptAt = now
    // Calls that cannot do without the store report its outage to operators.
    if (uses.length > 0) await this.#keys.noteUses(uses).catch(() => {})
  }
}

interface Use {
  readonly account: string
  /** On the clock of lengths, as all that follows. */
  at: Millis
  /** Undefined before it was kept for the first time. */
  keptAt: Millis | undefined
}

const SOON: Millis = 1000
const EVERY: Millis = 60_000
