import type { Settings } from '../../config/settings.ts'
import type { Feed } from '../../http/feed.ts'
import type { Millis } from '../../policy/config.ts'
import { Drain, type DrainPorts, type DrainTimes } from '../drain.ts'
import type { OpenParts, Part } from './open-parts.ts'
import type { Upstream } from './upstream.ts'

/** Whether balancers are to send clients. */
export class Readiness {
  #isReady = true

  readonly ready = (): boolean => this.#isReady

  readonly leave = (): void => {
    this.#isReady = false
  }
}

interface TrafficPorts extends Omit<DrainPorts, 'abort' | 'closeFeeds'> {
  readonly upstream: Pick<Upstream, 'close'>
  readonly feed: Pick<Feed, 'end'>
  readonly readiness: Readiness
  /** Announces to other gateways that this process leaves. The promise may last as long as running requests. */
  readonly leaving?: () => Promise<void>
}

/** The requests of a process. Closes by letting them end, in the times that were set before. */
export class Traffic implements Part {
  /** Where nothing else is set, running requests are cut at once. */
  times: DrainTimes = { delay: 0, timeout: 0 }
  readonly #ports: TrafficPorts
  readonly #drain: Drain

  constructor(ports: TrafficPorts) {
    this.#ports = ports
    const { upstream, feed } = ports
    this.#drain = new Drain({ ...ports, abort: () => upstream.close(), closeFeeds: () => feed.end() })
  }

  cut(): void {
    this.#drain.cut()
  }

  async close(): Promise<void> {
    const { readiness, leaving } = this.#ports
    readiness.leave()
    // The store may be away, and running requests need not wait for that.
    const left = leaving?.()
    await this.#drain.run(this.times)
    await left
  }
}

/** A process that serves, with the ways out of it. All of them ask for the same end; the first says how long it may take. */
export function running<App extends { readonly settings: Settings }, Own extends object>(
  parts: OpenParts,
  traffic: Traffic,
  serving: { readonly current: App },
  own: Own,
) {
  let left: Promise<boolean> | undefined
  const leave = (times: DrainTimes): Promise<boolean> => {
    if (!left) {
      traffic.times = times
      left = parts.close()
    }
    return left
  }
  return {
    ...own,
    get app() {
      return serving.current
    },
    leave,
    drain: (): Promise<boolean> => {
      const { drainDelay, drainTimeout } = serving.current.settings.server
      return leave({ delay: drainDelay, timeout: drainTimeout })
    },
    close: async (graceMs: Millis): Promise<void> => {
      if (graceMs <= 0) traffic.cut()
      await leave({ delay: 0, timeout: graceMs })
    },
    cut: (): void => traffic.cut(),
  }
}
