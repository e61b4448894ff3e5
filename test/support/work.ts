/**
 * Counts what a computation does with texts, bytes and collections: characters and bytes that are searched, split or copied, and
 * elements that are visited. It is the same on every machine, so that a test can say that work grows with the input and not
 * with its square. Only what `run` does itself is counted; parallel work of the same thread counts too.
 */
export async function workOf(run: () => unknown): Promise<number> {
  let work = 0
  const add = (amount: number) => {
    work += amount
  }
  const restore = patchAll(add)
  try {
    await run()
  } finally {
    restore()
  }
  return work
}

type Add = (amount: number) => void
type Method = (this: never, ...given: never[]) => unknown

function patchAll(add: Add): () => void {
  const patched = [
    ...TEXT.map(name => patch(String.prototype, name, before => counting(before, add))),
    ...COPYING.map(name => patch(Array.prototype, name, before => counting(before, add))),
    ...[String.prototype, Array.prototype].map(of => patch(of, 'indexOf', before => searching(before, add))),
    ...[String.prototype, Array.prototype].map(of => patch(of, 'includes', () => includes as unknown as Method)),
    ...VISITING.map(name => patch(Array.prototype, name, before => visiting(before, add))),
    ...[Array.prototype, Map.prototype, Set.prototype].map(of =>
      patch(of, Symbol.iterator, before => stepping(before, add)),
    ),
    ...(['keys', 'values', 'entries'] as const).map(name =>
      patch(Object, name, before => afterwards(before, (list: readonly unknown[]) => add(list.length))),
    ),
    patch(Buffer, 'concat', before => afterwards(before, (bytes: Buffer) => add(bytes.length))),
  ]
  return () => {
    for (const undo of patched) undo()
  }
}

const TEXT = ['split', 'replace', 'replaceAll', 'match', 'matchAll'] as const
const COPYING = ['slice', 'concat', 'toReversed', 'toSorted', 'join'] as const
const VISITING = ['find', 'findIndex', 'filter', 'map', 'flatMap', 'some', 'every', 'forEach', 'reduce'] as const

const size = (of: unknown): number => (of as { length: number }).length

/** Uses `indexOf`, which is counted. */
function includes(this: { indexOf(sought: unknown, from?: number): number }, sought: unknown, from?: number): boolean {
  return this.indexOf(sought, from) !== -1
}

function patch<T extends object, K extends keyof T>(of: T, name: K, change: (before: Method) => Method): () => void {
  const before = of[name]
  of[name] = change(before as Method) as T[K]
  return () => {
    of[name] = before
  }
}

/** Counts all of what the method is called on. */
const counting = (before: Method, add: Add): Method =>
  function (this: never, ...given) {
    add(size(this))
    return Reflect.apply(before, this, given)
  }

/** Counts up to what is found. */
const searching = (before: Method, add: Add): Method =>
  function (this: never, ...given) {
    const found = Reflect.apply(before, this, given) as number
    add((found === -1 ? size(this) : found) - Math.max(0, Number(given[1] ?? 0)))
    return found
  }

/** Counts each call of the function that is given. */
const visiting = (before: Method, add: Add): Method =>
  function (this: never, ...given) {
    const [visit, ...more] = given as unknown as [Method, ...never[]]
    const counted = function (this: never, ...each: never[]) {
      add(1)
      return Reflect.apply(visit, this, each)
    }
    return Reflect.apply(before, this, [counted, ...more])
  }

/** Counts each step of the iterator. */
const stepping = (before: Method, add: Add): Method =>
  function (this: never, ...given) {
    const steps = Reflect.apply(before, this, given) as Iterator<unknown>
    const counted: IterableIterator<unknown> = {
      next: () => {
        add(1)
        return steps.next()
      },
      return: value => steps.return?.(value) ?? { done: true, value },
      [Symbol.iterator]: () => counted,
    }
    return counted
  }

const afterwards = <T>(before: Method, note: (result: T) => void): Method =>
  function (this: never, ...given) {
    const result = Reflect.apply(before, this, given)
    note(result as T)
    return result
  }
