import type { Held } from './holds.ts'
import { put, remove, type Write } from './lmdb.ts'
import type { Records } from './records.ts'

/**
 * Which holds the disk has otherwise than the memory. A new one waits until it is asked for, so that a short request
 * is never written; one that is on disk is written, or removed, with every commit that follows its change, so that
 * it stays as new as the standing beside it.
 */
export class HoldChanges {
  readonly #heldOf: (requestId: string) => Held | undefined
  /** Taken since the last commit that took new ones. Most of them ended before the next. */
  #fresh: string[] = []
  /** On disk, or about to be. */
  readonly #stored = new Set<string>()
  /** Of those on disk. */
  #changed = new Set<string>()
  /** In the commit under way. */
  #writing: { readonly changed: ReadonlySet<string>; readonly removed: readonly string[] } | undefined

  constructor(heldOf: (requestId: string) => Held | undefined) {
    this.#heldOf = heldOf
  }

  /** Notes that a hold was taken. */
  taken(requestId: string): void {
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
      if (held) return put(holds, requestId, held)
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
