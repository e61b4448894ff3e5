/**
 * Resolves when this turn of the event loop has read what there was to read. Requests that wait for it together take
 * each of their next steps together, one after the other: the code of a step is then in the processor's caches for all
 * but the first of them. Under load that is a third of what a request costs.
 */
export function endOfTurn(): Promise<void> {
  ending ??= new Promise(resolve => {
    setImmediate(() => {
      ending = undefined
      resolve()
    })
  })
  return ending
}

let ending: Promise<void> | undefined

/** Gathers what is given during a turn of the event loop, and hands it on at its end. */
export function atEndOfTurn<T>(take: (all: readonly T[]) => void): (one: T) => void {
  let all: T[] = []
  const end = () => {
    const gathered = all
    all = []
    take(gathered)
  }
  return one => {
    if (all.push(one) === 1) setImmediate(end)
  }
}
