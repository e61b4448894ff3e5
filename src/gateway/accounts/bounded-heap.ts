/** The smallest of many items, as far as there is room: a heap with the largest of them on top, which leaves first. */
export class BoundedHeap<T> {
  readonly #room: number
  readonly #compare: (a: T, b: T) => number
  readonly #heap: T[] = []

  constructor(room: number, compare: (a: T, b: T) => number) {
    this.#room = room
    this.#compare = compare
  }

  /** True if another item must replace a larger one. */
  get isFull(): boolean {
    return this.#heap.length >= this.#room
  }

  /** Whether this item would stay, if it were offered now. */
  takes(item: T): boolean {
    const [largest] = this.#heap
    return !this.isFull || (largest !== undefined && this.#compare(item, largest) < 0)
  }

  offer(item: T): void {
    if (!this.isFull) this.#rise(this.#heap.push(item) - 1, item)
    else if (this.takes(item)) this.#sink(0, item)
  }

  inOrder(): T[] {
    return [...this.#heap].sort(this.#compare)
  }

  #rise(from: number, item: T): void {
    const heap = this.#heap
    let at = from
    while (at > 0) {
      const above = (at - 1) >> 1
      const parent = heap[above] as T
      if (this.#compare(item, parent) <= 0) break
      heap[at] = parent
      at = above
    }
    heap[at] = item
  }

  #sink(from: number, item: T): void {
    const heap = this.#heap
    let at = from
    for (;;) {
      let below = 2 * at + 1
      if (below >= heap.length) break
      if (below + 1 < heap.length && this.#compare(heap[below + 1] as T, heap[below] as T) > 0) below++
      const child = heap[below] as T
      if (this.#compare(item, child) >= 0) break
      heap[at] = child
      at = below
    }
    heap[at] = item
  }
}
