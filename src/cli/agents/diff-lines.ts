/** The changed lines of two texts, with two lines around them. */
export function diffLines(before: string, after: string): readonly string[] {
  const [from, to] = [linesOf(before), linesOf(after)]
  let start = 0
  while (start < from.length && start < to.length && from[start] === to[start]) start++
  let [fromEnd, toEnd] = [from.length, to.length]
  while (fromEnd > start && toEnd > start && from[fromEnd - 1] === to[toEnd - 1]) {
    fromEnd--
    toEnd--
  }
  const changed = changesOf(from.slice(start, fromEnd), to.slice(start, toEnd))
  const lead = from.slice(Math.max(0, start - AROUND), start).map(line => `  ${line}`)
  const trail = from.slice(fromEnd, fromEnd + AROUND).map(line => `  ${line}`)
  return [...lead, ...changed, ...trail]
}

const AROUND = 2

const linesOf = (text: string): readonly string[] => (text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/))

/** The changes by the longest common subsequence; very long texts are shown as replaced. */
function changesOf(from: readonly string[], to: readonly string[]): readonly string[] {
  if (from.length * to.length > MOST_COMPARED) return [...from.map(removed), ...to.map(added)]
  const lengths = commonLengths(from, to)
  const common = (row: number, column: number) => lengths[row]?.[column] ?? 0
  const changes: string[] = []
  let [row, column] = [0, 0]
  while (row < from.length && column < to.length) {
    const [one = '', other = ''] = [from[row], to[column]]
    if (one === other) {
      changes.push(`  ${one}`)
      row++
      column++
      continue
    }
    const leaves = common(row + 1, column) >= common(row, column + 1)
    changes.push(leaves ? removed(one) : added(other))
    if (leaves) row++
    else column++
  }
  return [...changes, ...from.slice(row).map(removed), ...to.slice(column).map(added)]
}

const removed = (line: string): string => `- ${line}`
const added = (line: string): string => `+ ${line}`

/** How many lines the rests of both texts have in common, from each place on. */
function commonLengths(from: readonly string[], to: readonly string[]): readonly (readonly number[])[] {
  const lengths = Array.from({ length: from.length + 1 }, () => new Array<number>(to.length + 1).fill(0))
  for (const [row, line] of [...from.entries()].reverse())
    for (const [column, other] of [...to.entries()].reverse()) {
      const [here = [], below = []] = [lengths[row], lengths[row + 1]]
      here[column] = line === other ? (below[column + 1] ?? 0) + 1 : Math.max(below[column] ?? 0, here[column + 1] ?? 0)
    }
  return lengths
}

const MOST_COMPARED = 1_000_000
