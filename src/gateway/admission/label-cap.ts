import type { Config } from '../../policy/config.ts'
import type { Caller } from '../../policy/facts.ts'
import type { Labels } from '../../policy/label-values.ts'
import type { LabelStore } from '../store/label-store.ts'

/** The most values of a label that clients of one account may make up. */
export const MOST_VALUES = 1000

/** Recorded in place of all further values. */
const OTHER_VALUE = 'other'

interface Labelled {
  readonly caller: Pick<Caller, 'account' | 'key' | 'kind'>
  readonly labels: Labels
}

/**
 * The labels of a request as they are recorded: values of its key as they are, and those of headers while the account has at most
 * a thousand of that label. Values that the files list are kept beside these, and guests have no others: accounts of guests cost
 * nothing, and the store keeps values for ever. The store is asked for values that this process sees for the first time.
 */
export async function recordedLabels(
  config: Pick<Config, 'labels'>,
  store: Pick<LabelStore, 'take'>,
  { caller, labels }: Labelled,
): Promise<Labels> {
  const known = knownValues(store)
  let recorded = labels
  for (const [label, value] of Object.entries(labels)) {
    const declared = config.labels.get(label)
    if (value === OTHER_VALUE || (declared?.ofKey && caller.key?.labels?.[label] !== undefined)) continue
    const isListed = declared?.values !== undefined
    const mayKeep = isListed || caller.kind !== 'guest'
    if (mayKeep && (await known.keeps(caller.account, label, value, isListed))) continue
    recorded = { ...recorded, [label]: OTHER_VALUE }
  }
  return recorded
}

/** The values in the store that this process knows of. */
class KnownValues {
  readonly #store: Pick<LabelStore, 'take'>
  /** Values by account and label, the one that was used longest ago first. */
  readonly #labels = new Map<string, { readonly values: Set<string>; isFull: boolean }>()

  constructor(store: Pick<LabelStore, 'take'>) {
    this.#store = store
  }

  async keeps(account: string, label: string, value: string, isListed: boolean): Promise<boolean> {
    const name = `${account} ${label}`
    const known = this.#labels.get(name) ?? { values: new Set(), isFull: false }
    this.#labels.delete(name)
    this.#labels.set(name, known)
    const [oldest] = this.#labels.keys()
    if (this.#labels.size > LABELS_KEPT && oldest !== undefined) this.#labels.delete(oldest)
    if (known.values.has(value)) return true
    if (known.isFull && !isListed) return false
    const kept = await this.#store.take({ account, label, value, ...(!isListed && { most: MOST_VALUES }) })
    if (kept === undefined) {
      known.values.add(value)
      return true
    }
    for (const each of kept) known.values.add(each)
    known.isFull = true
    return false
  }
}

/** So that memory does not grow with the accounts: at most a thousand values of 64 bytes each, and few have so many. */
const LABELS_KEPT = 1000

const KNOWN = new WeakMap<Pick<LabelStore, 'take'>, KnownValues>()

function knownValues(store: Pick<LabelStore, 'take'>): KnownValues {
  const known = KNOWN.get(store) ?? new KnownValues(store)
  KNOWN.set(store, known)
  return known
}
