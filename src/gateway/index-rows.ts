import type { Millis } from '../policy/config.ts'
import type { Alarm, Cancel, Clock } from './ports.ts'
import type { LedgerStore } from './store/ledger-store.ts'
import { StoreUnavailable } from './store/store.ts'
import { every } from './timers.ts'

/** Has the ledger take new rows into its index from time to time. While the store is away there are none. */
export const startIndexing = (ledger: Pick<LedgerStore, 'index'>, clock: Clock, alarm: Alarm): Cancel =>
  every(clock, INDEX_MS, () =>
    ledger.index().catch((error: unknown) => {
      if (!(error instanceof StoreUnavailable)) alarm('past requests could not be indexed', { error: String(error) })
    }),
  )

const INDEX_MS: Millis = 10_000
