import type { ProbeSettings } from '../../config/settings.ts'
import type { EpochMs, Millis } from '../../policy/config.ts'
import { isOwnFault } from '../own-faults.ts'
import type { Cancel, Clock } from '../ports.ts'
import type { Replica } from './pools.ts'
import type { Probed } from './probe.ts'

/** Failed probes in a row that eject a replica. */
const FAILURES = 2

export interface ProbeLoopPorts {
  readonly clock: Clock
  /** Sends one probe. Calls `over` with its result, and for how long its pool ejects failing replicas. */
  readonly ask: (over: (probed: Probed, outFor: Millis) => void) => Cancel
}

/** Asks one replica again and again, one probe at a time, and updates its breaker. */
export class ProbeLoop implements ProbeSettings {
  readonly path: string
  readonly every: Millis
  readonly #ports: ProbeLoopPorts
  readonly #replica: Replica
  /** In a row. */
  #failures = 0
  #due: EpochMs = 0
  #wait: Cancel = () => {}
  /** Calls off the probe in flight. */
  #probing: Cancel | undefined

  constructor(ports: ProbeLoopPorts, replica: Replica, { path, every }: ProbeSettings) {
    this.path = path
    this.every = every
    this.#ports = ports
    this.#replica = replica
  }

  /** Sends the first probe after a while. */
  start(after: Millis): void {
    this.#replica.breaker.watched = true
    this.#askAfter(after)
  }

  stop(): void {
    this.#replica.breaker.watched = false
    this.#wait()
    this.#probing?.()
  }

  /** The replica was ejected: it is asked as soon as its time is over, if that is sooner. */
  hurry(): void {
    const now = this.#ports.clock.now()
    if (this.#probing === undefined) this.#askAfter(this.#sooner(this.#due - now, now))
  }

  /** An operator's probe was answered. */
  forgive(): void {
    this.#failures = 0
  }

  #askAfter(time: Millis): void {
    const { clock } = this.#ports
    this.#wait()
    this.#due = clock.now() + time
    this.#wait = clock.after(time, () => {
      this.#probing = this.#ports.ask((probed, outFor) => this.#found(probed, outFor))
    })
  }

  #found(probed: Probed, outFor: Millis): void {
    const { breaker } = this.#replica
    const now = this.#ports.clock.now()
    // That we could not ask says nothing of the replica.
    if (probed.error !== undefined && isOwnFault(probed.error)) {
      this.#probing = undefined
      return void this.#askAfter(this.every)
    }
    this.#replica.probed = probed
    this.#failures = probed.ok ? 0 : this.#failures + 1
    if (probed.ok) breaker.probeSucceeded(now)
    else breaker.probeFailed(now, outFor, this.#failures >= FAILURES)
    this.#probing = undefined
    this.#askAfter(this.#sooner(probed.at + this.every - now, now))
  }

  /** The time until the next probe is due, or until the replica may be back. A clock may step back. */
  #sooner(regular: Millis, now: EpochMs): Millis {
    const left = this.#replica.breaker.wait(now)
    return Math.max(0, Math.min(regular, this.every, left > 0 ? left : this.every))
  }
}
