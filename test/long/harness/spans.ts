/** Something that counts at a moment, in ms. */
export interface Weight {
  readonly at: number
  readonly weight: number
}

/** The most that any span of that length holds. */
export function mostIn(spanMs: number, weights: readonly Weight[]): number {
  const sorted = [...weights].sort((a, b) => a.at - b.at)
  let most = 0
  let sum = 0
  let oldest = 0
  for (const { at, weight } of sorted) {
    sum += weight
    for (let old = sorted[oldest]; old && old.at <= at - spanMs; old = sorted[++oldest]) sum -= old.weight
    most = Math.max(most, sum)
  }
  return most
}

/** The sum over `forMs` from the first one. */
export function sumFrom(first: number, forMs: number, weights: readonly Weight[]): number {
  return weights.reduce((sum, { at, weight }) => (at - first < forMs ? sum + weight : sum), 0)
}

export const percent = (share: number): string => `${(100 * share).toFixed(1)} %`
