import type { EpochMs } from '../../policy/config.ts'
import type { CopyFacts, CopyOutcome } from '../../policy/mirror.ts'
import type { Cancel, Client } from '../ports.ts'

/** The copies of one process: how many run, and the bytes of their bodies. They end with the process, and leave no row then. */
export class Mirrors {
  /** How many bytes of bodies of clients there are, and how many there may be. */
  bodies: () => CopyFacts['bodies'] = () => ({ taken: 0, most: 0 })
  readonly #running = new Set<CopyClient>()
  readonly #newest = new Map<string, CopyEnded & { readonly pool: string }>()
  #bytes = 0
  isClosed = false

  /** The present load, on which the judgement on one more copy depends. */
  get load(): Pick<CopyFacts, 'running' | 'bodies'> {
    return { running: { count: this.#running.size, bytes: this.#bytes }, bodies: this.bodies() }
  }

  /** A copy with a body of so many bytes begins. `end` must be called once it is over. */
  begin(bytes: number): { readonly client: CopyClient; readonly end: () => void } {
    const client = new CopyClient()
    this.#running.add(client)
    this.#bytes += bytes
    const end = () => {
      if (this.#running.delete(client)) this.#bytes -= bytes
    }
    return { client, end }
  }

  /** A copy of a request of a model ended at its mirror, or was left out. */
  ended(model: string, pool: string, newest: CopyEnded): void {
    this.#newest.set(model, { pool, ...newest })
  }

  /** The newest copy of a model's requests at a pool; undefined before the first one of this process. */
  newestOf(model: string, pool: string): CopyEnded | undefined {
    const newest = this.#newest.get(model)
    return newest?.pool === pool ? newest : undefined
  }

  /** Calls all copies off, and lets none begin. */
  close(): void {
    this.isClosed = true
    for (const client of [...this.#running]) client.leave()
  }
}

/** When a copy ended or was left out, and how or why. */
export interface CopyEnded {
  readonly at: EpochMs
  readonly outcome: CopyOutcome
}

/** Nobody waits for a copy: its client leaves where the copy is in the way of a request. */
export class CopyClient implements Client {
  gone = false
  /** Its backend is stopped at once. */
  readonly wasCut = true
  readonly #hearers = new Set<() => void>()

  onGone(run: () => void): Cancel {
    if (this.gone) queueMicrotask(run)
    else this.#hearers.add(run)
    return () => this.#hearers.delete(run)
  }

  leave(): void {
    if (this.gone) return
    this.gone = true
    for (const run of [...this.#hearers]) run()
    this.#hearers.clear()
  }
}
