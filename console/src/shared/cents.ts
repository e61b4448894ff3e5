const CENT = 10_000_000

/**
 * Billionths of dollars as cents that add up to their rounded sum, by the largest remainder: all are rounded down, and the cents
 * that are missing go to those that lost most.
 */
export function centsOf(nanoUsd: readonly number[]): readonly number[] {
  const lost = nanoUsd.map((amount, at) => ({ at, rest: amount - Math.floor(amount / CENT) * CENT }))
  const missing = Math.round(lost.reduce((sum, { rest }) => sum + rest, 0) / CENT)
  const neediest = lost.sort((a, b) => b.rest - a.rest || a.at - b.at).slice(0, missing)
  const raised = new Set(neediest.map(({ at }) => at))
  return nanoUsd.map((amount, at) => Math.floor(amount / CENT) + (raised.has(at) ? 1 : 0))
}
