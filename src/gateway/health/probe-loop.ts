import type { ProbeSettings } from '../../config/settings.ts'
import type { EpochMs, Millis } from '../../policy/config.ts'
import { isOwnFault } from '../own-faults.ts'
import type { ProbeResult, Replica } from '../pools/replica.ts'
import type { Cancel, Clock } from '../ports.ts'

/** Failed probes in a row that eject a replica. */
const FAILURES = 2

export interface ProbeLoopPorts {
  readonly clock: Clock
  /** Sends one probe. Calls `over` with its result, and for how long its pool ejects failing replicas. */
  readonly probe: (over: (result: ProbeResult, outFor: Millis) => void) => Cancel
}

/** Probes one replica again and again, one probe at a time, and updates its breaker. */
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
    this.#probeAfter(after)
  }

  stop(): void {
    this.#replica.breaker.watched = false
    this.#wait()
    this.#probing?.()
  }

  /** The replica was ejected: it is probed as soon as the ejection is over, if that is sooner. */
  hurry(): void {
    const now = this.#ports.clock.now()
    if (this.#probing === undefined) this.#probeAfter(this.#sooner(this.#due - now, now))
  }

  /** An operator's probe was answered. */
  forgive(): void {
    this.#failures = 0
  }

  #probeAfter(time: Millis): void {
    const { clock } = this.#ports
    this.#wait()
    this.#due = clock.now() + time
    this.#wait = clock.after(time, () => {
      this.#probing = this.#ports.probe((result, outFor) => this.#found(result, outFor))
    })
  }

  #found(result: ProbeResult, outFor: Millis): void {
    const { breaker } = this.#replica
    const now = this.#ports.clock.now()
    // A fault of this process is no fault of the replica.
    if (result.error !== undefined && isOwnFault(result.error)) {
      this.#probing = undefined
      return void this.#probeAfter(this.every)
    }
    this.#replica.probed = result
    this.#failures = result.ok ? 0 : this.#failures + 1
    if (result.ok) breaker.probeSucceeded(now)
    else breaker.probeFailed(now, outFor, this.#failures >= FAILURES)
    this.#probing = undefined
    this.#probeAfter(this.#sooner(result.at + this.every - now, now))
  }

  /** The time until the next probe is due, or until the replica may be back. A clock may step back. */
  #sooner(regular: Millis, now: EpochMs): Millis {
    const left = this.#replica.breaker.wait(now)
    return Math.max(0, Math.min(regular, this.every, left > 0 ? left : this.every))
  }
}
