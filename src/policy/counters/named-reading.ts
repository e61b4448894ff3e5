import type { SpendClaim } from '../decision.ts'
import type { CountRule } from '../limits/named-rules.ts'
import type { Readings } from '../limits/readings.ts'
import { type Cell, cellAt, NO_CELLS, type RuleReading } from '../limits/rule-counter.ts'
import { type Bucket, usedOf } from './account-counters.ts'

/** An account's record at a moment: `second` is the current one, `buckets` are those of its minute, oldest first. */
export interface LiveRecord {
  readonly readings: Readings
  readonly second: number
  readonly buckets: readonly Bucket[]
}

/**
 * Reads a named rule as if it had a counter of its own, with only the oldest cells that add up to `enough`. A full
 * minute has 61 cells, and a refusal mostly waits for the first.
 */
export function readNamed(
  rule: CountRule,
  { readings, second, buckets }: LiveRecord,
  enough = Number.POSITIVE_INFINITY,
): RuleReading {
  const used = usedOf(readings, rule.name)
  const { per, measure } = rule
  if (per === undefined) return { index: 0, used, held: 0, cells: NO_CELLS }
  if (per !== 'minute') return readingIn({ index: cellAt(per, second * 1000), used, held: 0 })
  const cells: Cell[] = []
  let missing = enough
  for (const bucket of buckets) {
    const counted = measure === 'tokens' ? bucket.tokens : bucket.requests
    cells.push({ index: bucket.second, used: counted, held: 0 })
    missing -= counted
    if (missing <= 0) break
  }
  return { index: second, used, held: 0, cells }
}

/** Reads the monthly quota in the billing window of a request. */
export const readQuota = ({ window }: Pick<SpendClaim, 'window'>, { used, held }: Readings): RuleReading =>
  readingIn({ index: cellAt(window.per ?? 'month', window.start), used, held })

const readingIn = (cell: Cell): RuleReading => ({ ...cell, cells: [cell] })
