/** Counts events, and lets a test wait for a number of them. */
export class Tally {
  count = 0
  #waiting: { n: number; resolve: () => void }[] = []

  add(): void {
    this.count++
    for (const { n, resolve } of this.#waiting) if (this.count >= n) resolve()
  }

  async reached(n: number): Promise<void> {
    if (this.count < n) await new Promise<void>(resolve => this.#waiting.push({ n, resolve }))
  }
}
