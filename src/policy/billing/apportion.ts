/**
 * Splits a whole into integer parts in proportion to weights, by the largest remainder: each part is its exact share rounded
 * down, and what is missing goes one by one to the parts that lost most, the first of equals first. The parts always add up to
 * the whole. Weights below 0 count as 0; where none is above 0 the first part takes the whole.
 */
export function apportion(whole: number, weights: readonly bigint[]): readonly number[] {
  const positive = weights.map(weight => (weight > 0n ? weight : 0n))
  const sum = positive.reduce((total, weight) => total + weight, 0n)
  if (sum === 0n) return weights.map((_, at) => (at === 0 ? whole : 0))
  const shares = positive.map((weight, at) => {
    const exact = BigInt(whole) * weight
    const rest = ((exact % sum) + sum) % sum
    return { at, part: (exact - rest) / sum, rest }
  })
  const parts = shares.map(({ part }) => Number(part))
  const missing = whole - parts.reduce((total, part) => total + part, 0)
  const neediest = [...shares].sort((a, b) => (a.rest === b.rest ? a.at - b.at : a.rest < b.rest ? 1 : -1))
  for (const { at } of neediest.slice(0, missing)) parts[at] = (parts[at] ?? 0) + 1
  return parts
}
