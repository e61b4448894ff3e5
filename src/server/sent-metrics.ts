import type { Registry } from 'prom-client'
import type { SendingService } from '../adapters/otlp/collector.ts'
import type { CountedMetrics } from '../adapters/otlp/metrics.ts'
import type { MetricsCollector } from '../config/settings.ts'
import type { Alarm } from '../gateway/ports.ts'

/** Where metrics are sent, as the configuration that serves says. */
export class SentMetrics {
  readonly #service: SendingService
  readonly #registries: () => Promise<readonly Registry[]>
  readonly #alarm: Alarm
  #open: { readonly collector: string; close(): Promise<void> } | undefined
  #following: Promise<void> = Promise.resolve()

  constructor(service: SendingService, registries: () => Promise<readonly Registry[]>, alarm: Alarm) {
    this.#service = service
    this.#registries = registries
    this.#alarm = alarm
  }

  /** Sends only to this collector from now on. An unchanged collector is not restarted. */
  follow(collector: MetricsCollector | undefined): void {
    this.#following = this.#following.then(() => this.#follow(collector))
  }

  /** Sends them once more. Resolves when that is done, or given up. */
  async close(): Promise<void> {
    this.follow(undefined)
    await this.#following
  }

  async #follow(collector: MetricsCollector | undefined): Promise<void> {
    const name = collector ? nameOf(collector) : ''
    if (name === (this.#open?.collector ?? '')) return
    const before = this.#open
    this.#open = undefined
    if (collector) {
      // Imported late: a gateway that sends none does not load OpenTelemetry.
      const { sendMetrics } = await import('../adapters/otlp/metrics.ts')
      const counted = () => this.#counted()
      this.#open = { collector: name, ...sendMetrics(collector, this.#service, counted, this.#alarm) }
    }
    await before?.close()
  }

  async #counted(): Promise<CountedMetrics> {
    const all = await Promise.all((await this.#registries()).map(registry => registry.getMetricsAsJSON()))
    return all.flat() as unknown as CountedMetrics
  }
}

const nameOf = ({ endpoint, every, headers }: MetricsCollector): string =>
  JSON.stringify([endpoint, every, Array.from(headers, ([name, secret]) => [name, secret.reveal()])])
