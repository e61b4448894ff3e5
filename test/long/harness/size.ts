const factor = Number(process.env.LONG ?? 1)
if (!(factor > 0)) throw new Error(`LONG is ${process.env.LONG}, which is no factor such as 0.1`)

/** A size of a long test, times LONG. */
export const scaled = (size: number, least = 1): number => Math.max(least, Math.round(size * factor))

/** A number from the environment, else one of ours times LONG. */
export const sizeOf = (name: string, size: number, least = 1): number => {
  const set = process.env[name]
  return set === undefined ? scaled(size, least) : Number(set)
}

export const between = (least: number, most: number): number => least + Math.random() * (most - least)

/** The middle and the largest of some numbers, for a line of figures. */
export function spread(numbers: readonly number[]): string {
  const sorted = numbers.map(Math.round).sort((a, b) => a - b)
  return `${sorted[sorted.length >> 1] ?? '–'} (at most ${sorted.at(-1) ?? '–'})`
}
