/** A line of two texts beside each other; undefined where one of them has none. */
export interface Pair {
  readonly from: Line | undefined
  readonly to: Line | undefined
}

interface Line {
  readonly number: number
  readonly text: string
}

/** The differences between two texts, with a few lines around them. Each part is a list of lines that follow each other. */
export function partsOf(from: string | null, to: string | null): readonly (readonly Pair[])[] {
  const pairs = paired(linesOf(from), linesOf(to))
  const near = pairs.map((_, at) =>
    pairs.slice(Math.max(0, at - AROUND), at + AROUND + 1).some(({ from, to }) => from?.text !== to?.text),
  )
  const parts: Pair[][] = []
  pairs.forEach((pair, at) => {
    if (!near[at]) return
    if (!near[at - 1]) parts.push([])
    parts.at(-1)?.push(pair)
  })
  return parts
}

const AROUND = 3

const linesOf = (text: string | null): readonly Line[] =>
  text === null
    ? []
    : text
        .replace(/\n$/, '')
        .split('\n')
        .map((line, at) => ({ number: at + 1, text: line }))

/** Lines that both have stand beside each other; what was changed stands beside what it became. */
function paired(from: readonly Line[], to: readonly Line[]): readonly Pair[] {
  let head = 0
  while (head < from.length && head < to.length && from[head]?.text === to[head]?.text) head++
  let tail = 0
  const isSame = (back: number) => from.at(-back)?.text === to.at(-back)?.text
  while (tail < Math.min(from.length, to.length) - head && isSame(tail + 1)) tail++
  const same = (at: number, shift: number): Pair => ({ from: from[at], to: to[at + shift] })
  const ends = from.length - tail
  return [
    ...from.slice(0, head).map((_, at) => same(at, 0)),
    ...middle(from.slice(head, ends), to.slice(head, to.length - tail)),
    ...from.slice(ends).map((_, at) => same(ends + at, to.length - from.length)),
  ]
}

/** More are not looked at: then all of them count as changed. */
const MOST_CELLS = 4_000_000

/** Pairs the lines of the longest common subsequence. */
function middle(from: readonly Line[], to: readonly Line[]): readonly Pair[] {
  const width = to.length + 1
  if ((from.length + 1) * width > MOST_CELLS) return changed(from, to)
  const lengths = new Uint32Array((from.length + 1) * width)
  const at = (i: number, j: number) => lengths[i * width + j] ?? 0
  for (let i = from.length - 1; i >= 0; i--)
    for (let j = to.length - 1; j >= 0; j--)
      lengths[i * width + j] =
        from[i]?.text === to[j]?.text ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
  const pairs: Pair[] = []
  let [i, j, gone, come] = [0, 0, 0, 0]
  const flush = () => {
    pairs.push(...changed(from.slice(gone, i), to.slice(come, j)))
  }
  while (i < from.length && j < to.length) {
    if (from[i]?.text === to[j]?.text) {
      flush()
      pairs.push({ from: from[i++], to: to[j++] })
      gone = i
      come = j
    } else if (at(i + 1, j) >= at(i, j + 1)) i++
    else j++
  }
  i = from.length
  j = to.length
  flush()
  return pairs
}

const changed = (from: readonly Line[], to: readonly Line[]): readonly Pair[] =>
  Array.from({ length: Math.max(from.length, to.length) }, (_, at) => ({ from: from[at], to: to[at] }))
