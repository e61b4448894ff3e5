import type { BalanceNews } from '../../gateway/balance/news.ts'
import type { Clock } from '../../gateway/ports.ts'
import type { Millis } from '../../policy/config.ts'

/** News with the process or gateway that it comes from. */
export interface SourcedNews {
  readonly source: string
  readonly news: readonly BalanceNews[]
}

interface RelayPorts {
  readonly clock: Clock
  readonly workers: number
  readonly tell: (slot: number, news: readonly SourcedNews[]) => void
}

/** Has each worker hear what the others sent to replicas: all of it together, so that main tells each of them once. */
export class BalanceRelay {
  readonly #ports: RelayPorts
  #gathered: SourcedNews[] = []

  constructor(ports: RelayPorts) {
    this.#ports = ports
  }

  add(source: string, news: readonly BalanceNews[]): void {
    if (this.#gathered.push({ source, news }) === 1) this.#ports.clock.after(GATHERED, () => this.#pass())
  }

  #pass(): void {
    const all = this.#gathered
    this.#gathered = []
    for (let slot = 0; slot < this.#ports.workers; slot++) {
      const others = all.filter(({ source }) => source !== nameOf(slot))
      if (others.length > 0) this.#ports.tell(slot, others)
    }
  }
}

/** Name of the process in a slot, in alarms and news. */
export const nameOf = (slot: number): string => `worker ${slot}`

const GATHERED: Millis = 3
