import type { RuleCounter } from '../../policy/limits/rule-counter.ts'

/** The cells of a counter as numbers: index and used of each, one after the other. What is held is known by the holds. */
export type PackedCells = readonly number[]

export function packCells(counter: RuleCounter): PackedCells {
  const packed: number[] = []
  for (const { index, used } of counter) packed.push(index, used)
  return packed
}

export function unpackCells(packed: PackedCells | undefined): RuleCounter | undefined {
  if (!packed) return undefined
  const counter = []
  for (let at = 0; at < packed.length; at += 2)
    counter.push({ index: packed[at] ?? 0, used: packed[at + 1] ?? 0, held: 0 })
  return counter
}
