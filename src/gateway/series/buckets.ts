// Upper bounds of the buckets of histograms, in seconds. `/metrics` and the time series share them, so that their quantiles agree.

export const DURATIONS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160, 320, 640]
export const FIRST_TOKENS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80]

/** Estimates a quantile in seconds, as `histogram_quantile` of Prometheus does; undefined where nothing was observed. */
export function quantileOf(share: number, counts: readonly number[], bounds: readonly number[]): number | undefined {
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total <= 0) return undefined
  const rank = share * total
  let below = 0
  for (const [index, count] of counts.entries()) {
    if (below + count >= rank && count > 0) {
      const upper = bounds[index]
      // Above the last bound nothing is known but that bound.
      if (upper === undefined) return bounds.at(-1)
      const lower = bounds[index - 1] ?? 0
      return lower + ((upper - lower) * (rank - below)) / count
    }
    below += count
  }
  return bounds.at(-1)
}
