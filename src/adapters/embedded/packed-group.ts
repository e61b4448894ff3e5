import type { Cell, RuleCounter } from '../../policy/limits/rule-counter.ts'

/** The counters of one group, by field. */
export type CounterGroup = Map<string, RuleCounter>

/** A group on disk: after each field, the index and the used amount of each of its cells. Reservations are known from the holds. */
export type PackedGroup = readonly (string | number)[]

export function packGroup(group: CounterGroup): PackedGroup {
  const packed: (string | number)[] = []
  for (const [field, counter] of group) {
    packed.push(field)
    for (const { index, used } of counter) packed.push(index, used)
  }
  return packed
}

export function unpackGroup(packed: PackedGroup): CounterGroup {
  const group: CounterGroup = new Map()
  let cells: Cell[] = []
  for (let at = 0; at < packed.length; at++) {
    const next = packed[at]
    if (typeof next === 'string') {
      cells = []
      group.set(next, cells)
    } else if (next !== undefined) cells.push({ index: next, used: Number(packed[++at]), held: 0 })
  }
  return group
}
