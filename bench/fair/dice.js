/** Numbers in [0, 1) by a seed. */
export function random(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export const exponential = (dice, mean) => -mean * Math.log(1 - dice())

/** A lognormal number of this median, cut to its bounds. */
export function lognormal(dice, median, sigma, min, max) {
  const normal = Math.sqrt(-2 * Math.log(1 - dice())) * Math.cos(2 * Math.PI * dice())
  return Math.min(max, Math.max(min, median * Math.exp(sigma * normal)))
}
