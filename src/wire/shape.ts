/** Deeper nesting than this is nobody's honest request, and recursion over it would overflow. */
const MAX_DEPTH = 64
/** Ten times what the longest conversation with the most tools has; as many objects already take a tenth of a second. */
const MAX_VALUES = 250_000

const QUOTE = 0x22
const COMMA = 0x2c
const OPEN_LIST = 0x5b
const BACKSLASH = 0x5c
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/** What is wrong with the shape of a JSON text, in one pass over its bytes: parsed first, a hostile one would cost seconds. */
export function shapeProblem(bytes: Uint8Array): string | undefined {
  let depth = 0
  let values = 1
  for (let i = 0; i < bytes.length; i++) {
    switch (bytes[i]) {
      case QUOTE:
        i = endOfString(bytes, i)
        break
      case OPEN_LIST:
      case OPEN_OBJECT:
        values++
        if (++depth > MAX_DEPTH) return `is nested deeper than ${MAX_DEPTH} levels`
        break
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        depth--
        break
      case COMMA:
        if (++values > MAX_VALUES) return `has more than ${MAX_VALUES} values`
    }
  }
  return undefined
}

/** Bytes of a string that are looked at one by one before the search for its end is left to the machine. */
const NEAR = 48

/** The index of the quote that closes the string opened at `start`, or the length. */
function endOfString(bytes: Uint8Array, start: number): number {
  let from = start + 1
  for (;;) {
    const near = Math.min(from + NEAR, bytes.length)
    for (; from < near; from += bytes[from] === BACKSLASH ? 2 : 1) if (bytes[from] === QUOTE) return from
    const quote = bytes.indexOf(QUOTE, from)
    if (quote === -1) return bytes.length
    if (!isEscaped(bytes, from, quote)) return quote
    from = quote + 1
  }
}

/** Whether an odd number of backslashes stands before an index; what stands before `from` is no part of an escape. */
function isEscaped(bytes: Uint8Array, from: number, index: number): boolean {
  let before = index
  while (before > from && bytes[before - 1] === BACKSLASH) before--
  return (index - before) % 2 === 1
}
