import { put, remove, type Write } from './lmdb.ts'
import { type OpenHold, storedHold } from './open-holds.ts'
import type { Records } from './records.ts'

/** State in memory that is written, as it is at that moment, with the next commit. */
export interface WriteBehind {
  /** The changes for the next commit; `written` or `failed` must follow. */
  writes(records: Records): Write[]
  written(): void
  failed(): void
}

/** The keys of records that are newer in memory than on disk. */
export class DirtySet<K> {
  #changed = new Set<K>()
  /** The keys in the commit in flight. */
  #writing: ReadonlySet<K> = new Set()

  add(key: K): void {
    this.#changed.add(key)
  }

  /** Whether the record is newer in memory than on disk. */
  has(key: K): boolean {
    return this.#changed.has(key) || this.#writing.has(key)
  }

  /** The writes of all dirty records; `written` or `failed` must follow. */
  begin(writeOf: (key: K) => Write): Write[] {
    this.#writing = this.#changed
    this.#changed = new Set()
    return Array.from(this.#writing, writeOf)
  }

  written(): void {
    this.#writing = new Set()
  }

  failed(): void {
    for (const key of this.#writing) this.#changed.add(key)
    this.#writing = new Set()
  }
}

/**
 * The holds that are newer in memory than on disk. A new hold is written only by commits that ask for new ones, so that
 * a short request is never written. A hold on disk is written, or removed, by the first commit after its change, so
 * that it is as new as the counters beside it.
 */
export class DirtyHolds {
  readonly #heldOf: (requestId: string) => OpenHold | undefined
  /** Holds since the last commit that wrote new ones. Most of them end before the next. */
  #fresh: string[] = []
  /** Holds that are on disk, or in the commit in flight. */
  readonly #stored = new Set<string>()
  /** Holds on disk that changed since. */
  #changed = new Set<string>()
  /** The records in the commit in flight. */
  #writing: { readonly changed: ReadonlySet<string>; readonly removed: readonly string[] } | undefined

  constructor(heldOf: (requestId: string) => OpenHold | undefined) {
    this.#heldOf = heldOf
  }

  /** Notes a new hold. */
  admitted(requestId: string): void {
    this.#fresh.push(requestId)
  }

  /** Notes that a hold changed or ended. */
  changed(requestId: string): void {
    if (this.#stored.has(requestId)) this.#changed.add(requestId)
  }

  /** Notes that a hold of an earlier process is on disk. */
  found(requestId: string): void {
    this.#stored.add(requestId)
  }

  /** The changes for the next commit; `written` or `failed` must follow. */
  writes({ holds }: Records, fresh: boolean): Write[] {
    if (fresh) {
      for (const requestId of this.#fresh) if (this.#heldOf(requestId)) this.#changed.add(requestId)
      this.#fresh = []
    }
    const changed = this.#changed
    const removed: string[] = []
    this.#changed = new Set()
    this.#writing = { changed, removed }
    return Array.from(changed, requestId => {
      this.#stored.add(requestId)
      const held = this.#heldOf(requestId)
      if (held) return put(holds, requestId, storedHold(held))
      removed.push(requestId)
      return remove(holds, requestId)
    })
  }

  written(): void {
    for (const requestId of this.#writing?.removed ?? []) this.#stored.delete(requestId)
    this.#writing = undefined
  }

  failed(): void {
    for (const requestId of this.#writing?.changed ?? []) this.#changed.add(requestId)
    this.#writing = undefined
  }
}
