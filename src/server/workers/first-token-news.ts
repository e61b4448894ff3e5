import type { EpochMs } from '../../policy/config.ts'
import type { FirstTokenCount } from '../../policy/replica-load.ts'

/** How long counts are gathered before other processes hear of them. */
const GATHERED_MS = 100

interface Place {
  readonly pool: string
  readonly replica: string
}

type Gathered = { -readonly [K in keyof FirstTokenCount]: FirstTokenCount[K] } & Place & { at: EpochMs }

/** Passes on how many streams got their first token at each replica, and how many were late: many streams in one message. */
export class FirstTokenNews {
  readonly #say: (news: Gathered & { readonly what: 'first-tokens' }) => void
  readonly #gathered = new Map<string, Gathered>()

  constructor(say: (news: Gathered & { readonly what: 'first-tokens' }) => void) {
    this.#say = say
  }

  add(place: Place, late: boolean, at: EpochMs): void {
    if (this.#gathered.size === 0) setTimeout(() => this.#pass(), GATHERED_MS).unref()
    const key = `${place.pool} ${place.replica}`
    const known = this.#gathered.get(key) ?? { ...place, all: 0, late: 0, at }
    known.all++
    if (late) known.late++
    known.at = at
    this.#gathered.set(key, known)
  }

  #pass(): void {
    for (const each of this.#gathered.values()) this.#say({ ...each, what: 'first-tokens' })
    this.#gathered.clear()
  }
}
