import type { Cancel, Clock } from '../../gateway/ports.ts'
import type { Millis } from '../../policy/config.ts'

/** A worker that serves, and its connections in use: idle ones make no work, and nothing can be announced on them. */
export interface LoadedWorker {
  readonly slot: number
  readonly connections: number
}

export interface BalancePorts {
  readonly clock: Clock
  /** The workers that serve now. */
  readonly serving: () => readonly LoadedWorker[]
  /** Has a worker let so many connections go; `withStreams`: also those that begin a stream. */
  readonly release: (slot: number, count: number, withStreams: boolean) => void
}

/**
 * Keeps clients with long connections spread over the workers. New connections go to the worker with the fewest, but after
 * a worker ended and another one took its place, the others still have all of the old ones: a worker with more than its
 * share lets some go, whose clients come back and are dealt out anew.
 */
export class Balance {
  readonly #ports: BalancePorts
  /** Looks in a row that found a worker with too many. */
  readonly #uneven = new Map<number, number>()
  #stop: Cancel = () => {}

  constructor(ports: BalancePorts) {
    this.#ports = ports
  }

  /** Looks from now on, until it is stopped. */
  start(): void {
    this.#stop = this.#ports.clock.after(LOOK_MS, () => {
      this.look()
      this.start()
    })
  }

  stop(): void {
    this.#stop()
  }

  look(): void {
    const serving = this.#ports.serving()
    const share = serving.reduce((sum, { connections }) => sum + connections, 0) / serving.length
    for (const { slot, connections } of serving) {
      const tooMany = tooManyOf(connections, share)
      const before = this.#uneven.get(slot) ?? 0
      if (tooMany === 0 && before === 0) continue
      if (tooMany === 0) this.#uneven.delete(slot)
      else this.#uneven.set(slot, before + 1)
      this.#ports.release(slot, tooMany, tooMany > 0 && before >= LOOKS_BEFORE_STREAMS)
    }
  }
}

/** How many connections a worker is to let go: half of what it has beyond its share, so that they do not all come at once. */
export function tooManyOf(connections: number, share: number): number {
  return connections > Math.max(Math.ceil(share), share * LEEWAY) ? Math.ceil((connections - share) / 2) : 0
}

const LOOK_MS: Millis = 500
/** A worker may have a little more than its share. */
const LEEWAY = 1.1
/** Streams end their connections only where whole answers do not do it in 2 s: then clients have streams alone. */
const LOOKS_BEFORE_STREAMS = 4
