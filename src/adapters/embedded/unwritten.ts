import type { Write } from './lmdb.ts'
import type { Records } from './records.ts'

/** What is in memory and goes to the disk, as it is, with the next commit. */
export interface Kept {
  /** The changes for the next commit; `written` or `failed` must follow. */
  writes(records: Records): Write[]
  written(): void
  failed(): void
}

/** Which records the disk has otherwise than the memory. */
export class Unwritten<K> {
  #changed = new Set<K>()
  /** In the commit under way. */
  #writing: ReadonlySet<K> = new Set()

  add(key: K): void {
    this.#changed.add(key)
  }

  /** What a commit begins with; `written` or `failed` must follow. */
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
