import type { TraceSettings } from '../config/settings.ts'
import type { Alarm, Traces } from '../gateway/ports.ts'
import { version } from './version.ts'

/** Traces of the snapshots of a process. */
export class Tracing {
  readonly #closing = new Set<Promise<void>>()
  readonly #alarm: Alarm

  constructor(alarm: Alarm) {
    this.#alarm = alarm
  }

  /** `close` is to be called once no request of it is under way; what waits is then sent behind its back. */
  async open(settings: TraceSettings | undefined): Promise<{ readonly traces?: Traces; readonly close: () => void }> {
    if (!settings) return { close: () => {} }
    // Imported late: a gateway without traces does not load OpenTelemetry.
    const { openTraces } = await import('../adapters/traces/traces.ts')
    const { traces, close } = openTraces(settings, { name: 'svc-gateway', version }, this.#alarm)
    return {
      traces,
      close: () => {
        const closed = close().finally(() => this.#closing.delete(closed))
        this.#closing.add(closed)
      },
    }
  }

  /** Resolves once what waited in those that are closed was sent, or given up. */
  async closed(): Promise<void> {
    await Promise.all(this.#closing)
  }
}
