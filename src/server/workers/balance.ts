import type { Cancel, Clock } from '../../gateway/ports.ts'
import type { Millis } from '../../policy/config.ts'

/**
 * A serving worker with its connections in use. Idle connections cause no work, and no answer on them could announce a
 * close.
 */
export interface LoadedWorker {
  readonly slot: number
  readonly connections: number
}

export interface BalancePorts {
  readonly clock: Clock
  /** The serving workers. */
  readonly serving: () => readonly LoadedWorker[]
  /** Has a worker announce the close of `count` connections; `withStreams`: also of those that begin a stream. */
  readonly release: (slot: number, count: number, withStreams: boolean) => void
}

/**
 * Keeps long connections spread over the workers. New connections go to the worker with the fewest, but after a worker
 * was replaced, the others still have all of the old ones. A worker with more than its share therefore closes some, and
 * their clients reconnect and are distributed again.
 */
export class Balance {
  readonly #ports: BalancePorts
  /** Consecutive looks that found a worker above its share. */
  readonly #uneven = new Map<number, number>()
  #stop: Cancel = () => {}

  constructor(ports: BalancePorts) {
    this.#ports = ports
  }

  /** Starts looking, until it is stopped. */
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

/** How many connections a worker should close: half of its excess, so that clients do not all reconnect at once. */
export function tooManyOf(connections: number, share: number): number {
  return connections > Math.max(Math.ceil(share), share * LEEWAY) ? Math.ceil((connections - share) / 2) : 0
}

const LOOK_MS: Millis = 500
/** A worker may have a little more than its share. */
const LEEWAY = 1.1
/**
 * Connections close after streams only if whole answers closed too few within 2 s, because their clients only stream.
 */
const LOOKS_BEFORE_STREAMS = 4
