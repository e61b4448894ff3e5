import type { Config, EpochMs, Millis } from '../../policy/config.ts'
import type { Caller } from '../../policy/facts.ts'
import type { Labels } from '../../policy/label-values.ts'
import type { LabelStore } from '../store/label-store.ts'

/** The maximum of values of a label that clients of one account may invent. */
export const MOST_VALUES = 1000

/** The maximum of new values that one key or sign-in may add in a minute, in each process. */
export const MOST_NEW = 60
const MINUTE: Millis = 60_000

/** Recorded instead of any further value. */
const OTHER_VALUE = 'other'

interface Labelled {
  readonly caller: Pick<Caller, 'account' | 'key' | 'kind'>
  readonly labels: Labels
  readonly at: EpochMs
}

/**
 * The labels of an admitted request as the ledger records them. Values from the key are kept. Values from headers are
 * kept up to a thousand per account and label; values that the files list are kept in addition, and guests get no
 * others, because guest accounts are free and the store keeps values forever. A key adds few values in a minute, so
 * that a client with a new value in each request does not fill the room at once. The store is asked about values that
 * are new to this process.
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
  /** Whether the files list the value. */
  readonly isListed: boolean
  /** The id of the key that sent it; empty for a sign-in. */
  readonly by: string
  readonly at: EpochMs
}

/** The values of one account's label that this process knows. */
interface KnownLabel {
  readonly values: Set<string>
  isFull: boolean
  /** The minute in which they were all read. */
  readIn?: number
}

/** Caches the values in the store. */
class KnownValues {
  readonly #store: Pick<LabelStore, 'take'>
  /** Values by account and label, least recently used first. */
  readonly #labels = new Map<string, KnownLabel>()
  /** How many values each key has tried to add in this minute. */
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
    // The store returns all values if there is no room.
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

  /** Counts a value that a key tries to add; false if it has tried too many in this minute. */
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

/** Bounds the memory: each label has at most a thousand values of 64 bytes, and few have so many. */
const LABELS_KEPT = 1000

const KNOWN = new WeakMap<Pick<LabelStore, 'take'>, KnownValues>()

function knownValues(store: Pick<LabelStore, 'take'>): KnownValues {
  const known = KNOWN.get(store) ?? new KnownValues(store)
  KNOWN.set(store, known)
  return known
}
