import { LABELLED_STEP, type LabelStore, type TakenValue } from '../../gateway/store/label-store.ts'
import type { StoreState } from './store-state.ts'

/** Values of labels, in the files: a record for each of them. */
export class EmbeddedLabels implements LabelStore {
  readonly #state: () => StoreState

  /** `state` throws StoreUnavailable once the store is closed. */
  constructor(state: () => StoreState) {
    this.#state = state
  }

  async take({ account, label, value, most }: TakenValue): Promise<readonly string[] | undefined> {
    const { records } = this.#state()
    const { labelValues, write } = records
    return records.change(() => {
      if (labelValues.get([account, label, value])) return undefined
      if (most !== undefined) {
        const kept = [...labelValues.getKeys({ start: [account, label], end: [account, label, LAST] })]
        if (kept.length >= most) return kept.map(([, , each]) => each)
      }
      write.raise(LABELLED_STEP)
      labelValues.put([account, label, value], true)
      return undefined
    })
  }
}

/** Behind every value. */
const LAST = '\uffff'
