/** Work that blocks the event loop, in steps of some milliseconds: at each `yield` the work of others may come between. */
export type Steps<T> = Generator<undefined, T, undefined>

/** Does all of it at once. */
export function allAtOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/** Work that is done in one step. */
// biome-ignore lint/correctness/useYield: it has one step.
export function* oneStep<T>(work: () => T): Steps<T> {
  return work()
}
