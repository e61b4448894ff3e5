// Medians of rounds.

export const median = numbers => {
  const sorted = [...numbers].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

export const mean = numbers => numbers.reduce((sum, number) => sum + number, 0) / numbers.length

/** The median of a figure over the rounds in which it was measured. */
export const medianOf = (rounds, figure) => median(rounds.map(figure).filter(value => value !== undefined))

/** The median of the per-round ratios: other load on the machine affects both sides of a round alike. */
export function ratio(rounds, others, figure) {
  const both = rounds.map((round, at) => [figure(round), others[at] && figure(others[at])])
  return median(both.filter(([one, other]) => one !== undefined && other > 0).map(([one, other]) => one / other))
}

/** The median of the per-round differences. */
export const added = (rounds, others, figure) => median(rounds.map((round, at) => figure(round) - figure(others[at])))
