import type { EpochMs } from '../../policy/config.ts'
import { type CounterName, isSharedGroup, windowOfField } from '../../policy/limits/rule-claim.ts'
import { isOver, NO_CELLS, type RuleCounter } from '../../policy/limits/rule-counter.ts'
import { DirtySet, type WriteBehind } from './dirty-set.ts'
import { put, remove, type Write } from './lmdb.ts'
import { packCells, unpackCells } from './packed-cells.ts'
import type { Records } from './records.ts'

/**
 * The counters of rules, in memory, because admission must not wait for the disk. All calls are synchronous. As with the
 * counters of accounts, only what is used is read from disk: what is held comes from the holds.
 */
export class RuleCounters implements WriteBehind {
  readonly #disk: Records['rules']
  readonly #max: number
  readonly #counters = new Map<string, RuleCounter>()
  readonly #dirty = new DirtySet<string>()

  /** Keeps `max` counters in memory, and more only while something is held in them or they are to be written. */
  constructor({ rules }: Pick<Records, 'rules'>, max: number) {
    this.#disk = rules
    this.#max = max
  }

  /** The counter of an account, or of a group that belongs to none; undefined where it never began. */
  find(account: string, name: CounterName): RuleCounter | undefined {
    const key = keyOf(account, name)
    return this.#counters.get(key) ?? unpackCells(this.#disk.get(key))
  }

  of(account: string, name: CounterName): RuleCounter {
    return this.find(account, name) ?? NO_CELLS
  }

  put(account: string, name: CounterName, counter: RuleCounter): void {
    const key = keyOf(account, name)
    this.#counters.set(key, counter)
    this.#dirty.add(key)
    this.#forgetSome()
  }

  writes({ rules }: Records): Write[] {
    return this.#dirty.begin(key => put(rules, key, packCells(this.#counters.get(key) ?? NO_CELLS)))
  }

  written(): void {
    this.#dirty.written()
  }

  failed(): void {
    this.#dirty.failed()
  }

  /** What removes the counters on disk of which nothing counts any more, `most` at a time, behind a key; and the last key that was looked at. */
  trims(at: EpochMs, behind: string, most: number): { readonly writes: Write[]; readonly last: string | undefined } {
    const writes: Write[] = []
    let last: string | undefined
    let count = 0
    for (const { key, value } of this.#disk.getRange({ start: behind, limit: most + 1 })) {
      if (key === behind) continue
      count++
      last = key
      if (isOver(value[value.length - 2], windowOfKey(key), at) && !this.#counters.has(key))
        writes.push(remove(this.#disk, key))
    }
    return { writes, last: count < most ? undefined : last }
  }

  #forgetSome(): void {
    let looks = LOOKS
    for (const [key, counter] of this.#counters) {
      if (this.#counters.size <= this.#max || looks-- === 0) return
      this.#counters.delete(key)
      if (this.#dirty.has(key) || counter.some(({ held }) => held > 0)) this.#counters.set(key, counter)
    }
  }
}

/** So many counters are examined when one too many is in memory: no single request pays for a long search. */
const LOOKS = 8

const keyOf = (account: string, { group, field }: CounterName): string =>
  isSharedGroup(group) ? `${group} ${field}` : `${account} ${group} ${field}`

const windowOfKey = (key: string) => windowOfField(key.slice(key.lastIndexOf(' ') + 1))
