/** An open part of a gateway. `close` resolves to false if it could not write everything in time. */
export interface Part {
  close(): unknown
}

/** The open parts of a process. They close in the reverse order of their opening. */
export class OpenParts {
  /** Parts of one floor need nothing of each other. */
  readonly #floors: Part[][] = []

  /** Closes before all that were added earlier. */
  add<P extends Part>(part: P): P {
    this.#floors.push([part])
    return part
  }

  /** Closes together with the one that was added last. */
  addBeside<P extends Part>(part: P): P {
    const top = this.#floors.at(-1)
    if (!top) return this.add(part)
    top.push(part)
    return part
  }

  /** Closes all of them, also where one fails to. Resolves with whether everything was written; rejects with the first failure. */
  async close(): Promise<boolean> {
    let isWritten = true
    const failures: unknown[] = []
    for (let floor = this.#floors.pop(); floor; floor = this.#floors.pop()) {
      const ends = await Promise.allSettled(floor.map(async part => part.close()))
      for (const end of ends) {
        if (end.status === 'rejected') failures.push(end.reason)
        else if (end.value === false) isWritten = false
      }
    }
    if (failures.length > 0) throw failures[0]
    return isWritten
  }
}

/** Opens the parts of a process. Where one fails to open, those that are open close, and the failure is that of the one. */
export async function opening<T>(open: (parts: OpenParts) => Promise<T>): Promise<T> {
  const parts = new OpenParts()
  try {
    return await open(parts)
  } catch (error) {
    await parts.close().catch(() => {})
    throw error
  }
}
