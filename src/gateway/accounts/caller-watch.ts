import type { Millis } from '../../policy/config.ts'
import { type Caller, isFrozen } from '../../policy/facts.ts'
import { type Listed, Roster } from '../lifetimes.ts'
import type { Cancel, Clock } from '../ports.ts'
import type { Store } from '../store/store.ts'

/** A revoked key works nowhere within a second: the look takes the rest of it. */
const EVERY: Millis = 750

/**
 * Finds out that keys stopped working, and that accounts were frozen, while something of them is still open. A process has
 * one; each key, and each account that signed in, is looked up once for all that is open with it, and only while there is
 * something. A store that does not answer ends nothing.
 */
export class CallerWatch {
  readonly #store: WatchedStore
  readonly #clock: Clock
  readonly #open = new Roster<Watched>()
  #next: Cancel | undefined
  #isLooking = false

  constructor(store: WatchedStore, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  /** Runs once nothing more is served for this caller, with the reason, unless it is called off. */
  watch({ caller: { account }, keyHash }: Watching, run: (reason: CallerEnd) => void): Cancel {
    const watched: Watched = { account, keyHash, run, place: -1 }
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
    const callers = new Map(this.#open.all.map(watched => [nameOf(watched), watched]))
    const looked = Array.from(callers, async ([name, watched]) => [name, await this.#endOf(watched)] as const)
    const ends = new Map(await Promise.all(looked))
    for (const watched of this.#open.all) {
      const end = ends.get(nameOf(watched))
      if (end === undefined) continue
      this.#open.remove(watched)
      watched.run(end)
    }
  }

  async #endOf({ account, keyHash }: Watched): Promise<CallerEnd | undefined> {
    try {
      if (keyHash === undefined) return (await this.#isFrozen(account)) ? 'frozen' : undefined
      const caller = await this.#store.keys.findCaller(keyHash)
      if (!caller) return 'revoked'
      return isFrozen(caller) ? 'frozen' : undefined
    } catch {
      return undefined
    }
  }

  async #isFrozen(account: string): Promise<boolean> {
    const { accounts, orgs } = this.#store
    const { terms = {} } = (await accounts.find(account)) ?? {}
    const org = terms.org === undefined ? undefined : await orgs.find(terms.org)
    return isFrozen({ terms, ...(org && { orgTerms: org.terms }) })
  }
}

/** Who has something open; without a key by a sign-in. */
interface Watching {
  readonly caller: Pick<Caller, 'account'>
  readonly keyHash?: string
}

/** The store's facets that a watch takes. */
interface WatchedStore {
  readonly keys: Pick<Store['keys'], 'findCaller'>
  readonly accounts: Pick<Store['accounts'], 'find'>
  readonly orgs: Pick<Store['orgs'], 'find'>
}

/** Why nothing more is served: the key ended, or an operator froze its account. */
export type CallerEnd = 'revoked' | 'frozen'

interface Watched extends Listed {
  readonly account: string
  /** Undefined for a sign-in, which ends with its token. */
  readonly keyHash: string | undefined
  readonly run: (reason: CallerEnd) => void
}

const nameOf = ({ account, keyHash }: Watched): string => keyHash ?? account
