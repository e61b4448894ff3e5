import {
  inMinutes,
  KEPT_MINUTES,
  type Minute,
  MOST_WRITERS,
  type SeriesRecord,
  type SeriesStore,
} from '../../gateway/store/series-store.ts'
import type { StoreState } from './store-state.ts'

/** The minutes of the gateway that owns the store, and of those that owned it before. */
export class EmbeddedSeries implements SeriesStore {
  readonly #state: () => StoreState

  /** `state` throws StoreUnavailable once the store is closed. */
  constructor(state: () => StoreState) {
    this.#state = state
  }

  async write({ minute, gateway, counts }: SeriesRecord): Promise<void> {
    const { records } = this.#state()
    const { series } = records
    await records.change(() => {
      const isKnown = series.get([minute, gateway]) !== undefined
      if (!isKnown && series.getKeysCount({ start: [minute, ''], end: [minute + 1, ''] }) >= MOST_WRITERS) return
      series.put([minute, gateway], counts)
      const old = [...series.getKeys({ end: [minute - KEPT_MINUTES + 1, ''], limit: REMOVED_AT_ONCE })]
      for (const key of old) series.remove(key)
    })
  }

  async read(from: Minute): Promise<readonly SeriesRecord[]> {
    const { series } = this.#state().records
    const kept = series.getRange({ start: [from, ''] }).map(({ key: [minute, gateway], value: counts }) => ({
      ...{ minute, gateway, counts },
    }))
    return inMinutes([...kept])
  }
}

/** More than is written, so that the minutes of a gateway that was stopped for long go soon, in small commits. */
const REMOVED_AT_ONCE = 16
