import type { Calendar } from '../../policy/calendar.ts'
import type { EpochMs } from '../../policy/config.ts'
import {
  type CounterName,
  isSharedGroup,
  keyOfField,
  NO_KEY,
  SESSIONS,
  windowOfField,
} from '../../policy/limits/rule-claim.ts'
import { NO_CELLS, type RuleCounter } from '../../policy/limits/rule-counter.ts'
import { mayBeginAnew } from '../../policy/limits/rule-seed.ts'
import { crowdedOut, MOST_SESSION_COUNTERS } from '../../policy/limits/session-cell.ts'
import { DirtySet, type WriteBehind } from './dirty-set.ts'
import { put, remove, type Write } from './lmdb.ts'
import { type CounterGroup, type PackedGroup, packGroup, unpackGroup } from './packed-group.ts'
import type { Records } from './records.ts'

/**
 * The counters of rules, in memory, because admission must not wait for the disk. All calls are synchronous. Those of one
 * group are one record: a request with twenty rules writes one. As with the counters of accounts, only what is used is
 * read from disk: what is held comes from the holds.
 */
export class RuleCounters implements WriteBehind {
  readonly #disk: Records['rules']
  readonly #max: number
  readonly #groups = new Map<string, CounterGroup>()
  readonly #dirty = new DirtySet<string>()
  /** The group that was asked for last: a request asks for the counters of few, one after the other. */
  #last: FoundGroup | undefined

  /** Keeps `max` groups in memory, and more only while something is held in them or they are to be written. */
  constructor({ rules }: Pick<Records, 'rules'>, max: number) {
    this.#disk = rules
    this.#max = max
  }

  /** The counter of an account, or of a group that belongs to none; undefined where it never began. */
  find(account: string, { group, field }: CounterName): RuleCounter | undefined {
    return this.#groupOf(account, group)?.counters.get(field)
  }

  of(account: string, name: CounterName): RuleCounter {
    return this.find(account, name) ?? NO_CELLS
  }

  put(account: string, { group, field }: CounterName, counter: RuleCounter): void {
    const { key, counters } = this.#groupOf(account, group) ?? this.#begin(account, group)
    counters.set(field, counter)
    if (group === SESSIONS && counters.size > MOST_SESSION_COUNTERS)
      for (const ended of crowdedOut(counters)) counters.delete(ended)
    this.#dirty.add(key)
  }

  writes({ rules }: Records): Write[] {
    return this.#dirty.begin(key => put(rules, key, packGroup(this.#groups.get(key) ?? new Map())))
  }

  written(): void {
    this.#dirty.written()
  }

  failed(): void {
    this.#dirty.failed()
  }

  /**
   * Writes that remove the counters of which nothing counts any more, and those of keys that ended, of so many groups on disk
   * behind a key; and the last of these, undefined once there is none behind it.
   */
  trims(
    { at, calendar }: TrimMoment,
    behind: string,
    most: number,
    keysOf: (account: string) => ReadonlySet<string>,
  ): { readonly writes: Write[]; readonly last: string | undefined } {
    const range = this.#disk.getRange({ start: behind, limit: most + 1 })
    const page = Array.from(range)
      .filter(({ key }) => key !== behind)
      .slice(0, most)
    return {
      writes: page.flatMap(({ key, value }) => this.#trim(key, value, { at, calendar }, keysOf)),
      last: page[most - 1]?.key,
    }
  }

  /** Accounts make new keys as they like, so that a group that lives on must not keep the counters of all. */
  #trim(
    key: string,
    packed: PackedGroup,
    { at, calendar }: TrimMoment,
    keysOf: (account: string) => ReadonlySet<string>,
  ): Write[] {
    const known = this.#groups.get(key)
    const group = known ?? unpackGroup(packed)
    const before = group.size
    let keys: ReadonlySet<string> | undefined
    const hasEnded = (ofKey = NO_KEY): boolean => {
      if (ofKey === NO_KEY) return false
      keys ??= keysOf(key.slice(0, key.indexOf(' ')))
      return !keys.has(ofKey)
    }
    for (const [field, counter] of group) {
      if (isHeld(counter)) continue
      if (mayBeginAnew(counter, windowOfField(field), at, calendar) || hasEnded(keyOfField(field))) group.delete(field)
    }
    if (known) {
      if (group.size < before) this.#dirty.add(key)
      return []
    }
    if (group.size === 0) return [remove(this.#disk, key)]
    return group.size < before ? [put(this.#disk, key, packGroup(group))] : []
  }

  #groupOf(account: string, group: string): FoundGroup | undefined {
    const last = this.#last
    if (last && last.group === group && last.account === account) return last
    const key = groupKey(account, group)
    const known = this.#groups.get(key)
    if (known) return this.#found(account, group, key, known)
    const packed = this.#disk.get(key)
    return packed && this.#found(account, group, key, this.#remember(key, unpackGroup(packed)))
  }

  #begin(account: string, group: string): FoundGroup {
    const key = groupKey(account, group)
    // Before it can be forgotten again.
    this.#dirty.add(key)
    return this.#found(account, group, key, this.#remember(key, new Map()))
  }

  #found(account: string, group: string, key: string, counters: CounterGroup): FoundGroup {
    this.#last = { account, group, key, counters }
    return this.#last
  }

  #remember(key: string, group: CounterGroup): CounterGroup {
    this.#groups.set(key, group)
    this.#forgetSome()
    // One that was read from disk may be too many already: it is about to be changed.
    this.#groups.set(key, group)
    return group
  }

  #forgetSome(): void {
    let looks = LOOKS
    for (const [key, group] of this.#groups) {
      if (this.#groups.size <= this.#max || looks-- === 0) return
      this.#groups.delete(key)
      if (this.#last?.key === key) this.#last = undefined
      if (this.#dirty.has(key) || isAnyHeld(group)) this.#groups.set(key, group)
    }
  }
}

/** When counters are removed, and the calendar whose days the ledger has. */
interface TrimMoment {
  readonly at: EpochMs
  /** Absent: UTC. */
  readonly calendar?: Calendar | undefined
}

/** A group in memory. */
interface FoundGroup {
  readonly account: string
  readonly group: string
  readonly key: string
  readonly counters: CounterGroup
}

/** So many groups are examined when one too many is in memory: no single request pays for a long search. */
const LOOKS = 8

/** The key of a group on disk. */
export const groupKey = (account: string, group: string): string =>
  isSharedGroup(group) ? group : `${account} ${group}`

const isHeld = (counter: RuleCounter): boolean => counter.some(({ held }) => held > 0)

function isAnyHeld(group: CounterGroup): boolean {
  for (const counter of group.values()) if (isHeld(counter)) return true
  return false
}
