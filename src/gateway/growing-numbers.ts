type Numbers = Float64Array<ArrayBuffer> | Uint16Array<ArrayBuffer>

/**
 * The array itself where it has `length` elements, or a longer copy of it that has at most `most`. The length doubles, so that
 * the cost of copies is in proportion to what is written.
 */
export function lengthened<Kind extends Numbers>(
  kind: new (length: number) => Kind,
  numbers: Kind,
  { length, most }: { readonly length: number; readonly most: number },
): Kind {
  if (numbers.length >= length) return numbers
  const longer = new kind(Math.min(most, Math.max(length, 2 * numbers.length, FIRST)))
  longer.set(numbers)
  return longer
}

const FIRST = 1024
