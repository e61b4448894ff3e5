import type { SpendClaim } from '../decision.ts'
import type { CountRule } from '../limits/named-rules.ts'
import type { Readings } from '../limits/readings.ts'
import { type Cell, cellAt, NO_CELLS, type RuleReading } from '../limits/rule-counter.ts'
import { type Bucket, usedOf } from './account-counters.ts'

/** What the record of an account says at a moment: `second` is the current one, `buckets` are those of its minute, oldest first. */
export interface LiveRecord {
  readonly readings: Readings
  readonly second: number
  readonly buckets: readonly Bucket[]
}

/**
 * What is read of a named rule, as of a rule that has a counter of its own: of the cells, the oldest that come to `enough`.
 * A full minute has 61, and a refusal mostly waits for the first.
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

/** The same of the monthly quota, in the billing window of a request. */
export const readQuota = ({ window }: Pick<SpendClaim, 'window'>, { used, held }: Readings): RuleReading =>
  readingIn({ index: cellAt('month', window.start), used, held })

const readingIn = (cell: Cell): RuleReading => ({ ...cell, cells: [cell] })
