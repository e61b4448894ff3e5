import { LABELLED_STEP, type LabelStore, type LabelValue, type TakenValue } from '../../gateway/store/label-store.ts'
import type { Access } from './access.ts'

/** Values of labels, a hash for each account. */
export class RedisLabels implements LabelStore {
  readonly #access: Access

  constructor(access: Access) {
    this.#access = access
  }

  async take({ account, label, value, most }: TakenValue): Promise<readonly string[] | undefined> {
    const keys = [this.#access.layout.of(account).labelValues(account)]
    const values = [label, value, most ?? '']
    const [outcome, ...kept] = await this.#access.control(account, 'label', keys, values, LABELLED_STEP)
    return outcome === 'full' ? kept : undefined
  }
}

/** The value of a field; undefined for the counts of values, which have the names of labels. */
export function labelValueIn(account: string, field: string): LabelValue | undefined {
  const at = field.indexOf('=')
  return at < 0 ? undefined : { account, label: field.slice(0, at), value: field.slice(at + 1) }
}
