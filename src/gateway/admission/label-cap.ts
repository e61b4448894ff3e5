import type { Config, EpochMs, Millis } from '../../policy/config.ts'
import type { Caller } from '../../policy/facts.ts'
import type { Labels } from '../../policy/label-values.ts'
import type { LabelStore } from '../store/label-store.ts'

/** The most values of a label that clients of one account may make up. */
export const MOST_VALUES = 1000

/** The most values that one key, or a sign-in, may add in a minute to those of its account, in each process. */
export const MOST_NEW = 60
const MINUTE: Millis = 60_000

/** Recorded in place of all further values. */
const OTHER_VALUE = 'other'

interface Labelled {
  readonly caller: Pick<Caller, 'account' | 'key' | 'kind'>
  readonly labels: Labels
  readonly at: EpochMs
}

/**
 * The labels of an admitted request as they are recorded: values of its key as they are, and those of headers while the account has at most
 * a thousand of that label. Values that the files list are kept beside these, and guests have no others: accounts of guests cost
 * nothing, and the store keeps values for ever. A key adds few values in a minute, so that a client that sends another one with each
 * request does not take all the room at once. The store is asked for values that this process sees for the first time.
 */
export async function recordedLabels(
  config: Pick<Config, 'labels'>,
  store: Pick<LabelStore, 'take'>,
  { caller, labels, at }: Labelled,
): Promise<Labels> {
  const known = knownValues(store)
  let recorded = labels
  for (const [label, value] of Object.entries(labels)) {
    const declared = config.labels.get(label)
    if (value === OTHER_VALUE || (declared?.ofKey && caller.key?.labels?.[label] !== undefined)) continue
    const isListed = declared?.values !== undefined
    const mayKeep = isListed || caller.kind !== 'guest'
    if (
      mayKeep &&
      (await known.keeps({ account: caller.account, label, value, isListed, by: caller.key?.id ?? '', at }))
    )
      continue
    recorded = { ...recorded, [label]: OTHER_VALUE }
  }
  return recorded
}

interface SentValue {
  readonly account: string
  readonly label: string
  readonly value: string
  /** Whether the files list it. */
  readonly isListed: boolean
  /** The id of the key that sent it; empty for a sign-in. */
  readonly by: string
  readonly at: EpochMs
}

/** The values of a label of an account that this process knows of. */
interface KnownLabel {
  readonly values: Set<string>
  isFull: boolean
  /** The minute in which all of them were read. */
  readIn?: number
}

/** The values in the store that this process knows of. */
class KnownValues {
  readonly #store: Pick<LabelStore, 'take'>
  /** Values by account and label, the one that was used longest ago first. */
  readonly #labels = new Map<string, KnownLabel>()
  /** How many values each key asked to add in this minute. */
  readonly #asked = new Map<string, number>()
  #minute = 0

  constructor(store: Pick<LabelStore, 'take'>) {
    this.#store = store
  }

  async keeps(sent: SentValue): Promise<boolean> {
    const { account, label, value, isListed, at } = sent
    const known = this.#known(`${account} ${label}`)
    if (known.values.has(value)) return true
    if (known.isFull && !isListed) return false
    const minute = Math.floor(at / MINUTE)
    const mayAdd = isListed || this.#mayAdd(sent, minute)
    if (!mayAdd && known.readIn === minute) return false
    // The store answers with all values where there is room for none.
    const room = isListed ? {} : { most: mayAdd ? MOST_VALUES : 0 }
    const kept = await this.#store.take({ account, label, value, ...room })
    if (kept === undefined) {
      known.values.add(value)
      return true
    }
    for (const each of kept) known.values.add(each)
    if (mayAdd) known.isFull = true
    else known.readIn = minute
    return false
  }

  #known(name: string): KnownLabel {
    const known = this.#labels.get(name) ?? { values: new Set(), isFull: false }
    this.#labels.delete(name)
    this.#labels.set(name, known)
    const [oldest] = this.#labels.keys()
    if (this.#labels.size > LABELS_KEPT && oldest !== undefined) this.#labels.delete(oldest)
    return known
  }

  /** Counts a value that a key asks to add; false where it has asked for enough in this minute. */
  #mayAdd({ account, by }: SentValue, minute: number): boolean {
    if (this.#minute !== minute) this.#asked.clear()
    this.#minute = minute
    const name = `${account} ${by}`
    const asked = this.#asked.get(name) ?? 0
    if (asked >= MOST_NEW) return false
    this.#asked.set(name, asked + 1)
    return true
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
