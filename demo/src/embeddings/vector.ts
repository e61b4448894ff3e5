/** The length of every vector that the demo gives out. */
export const DIMENSIONS = 768

/** The vector with zeros up to DIMENSIONS, which change neither its length nor any angle. */
export const padded = (vector: readonly number[]): readonly number[] => [
  ...vector,
  ...Array.from({ length: DIMENSIONS - vector.length }, () => 0),
]

/** The numbers as little-endian float32, in base64. */
export function base64(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * 4)
  for (const [i, value] of vector.entries()) bytes.writeFloatLE(value, i * 4)
  return bytes.toString('base64')
}
