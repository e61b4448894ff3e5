/** All control characters but the two that texts are made of. */
const CONTROLS = /[^\P{Cc}\n\t]/gu

/** The text without control characters and halves of characters. */
export const clean = (text: string): string => text.toWellFormed().replace(CONTROLS, '')

/** At most so many bytes of UTF-8 of a clean text; where something was left out, its end says how much. */
export function bounded(text: string, bytesMax: number): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= bytesMax) return text
  // Of all that could be left out the number is longest for the whole.
  const end = boundary(bytes, Math.max(0, bytesMax - mark(bytes.length).length))
  return bytes.toString('utf8', 0, end) + mark(bytes.length - end).slice(0, bytesMax)
}

/** ASCII: a byte is a character. */
const mark = (bytes: number): string => `\n[${bytes} bytes left out]`

/** The first characters, for a sentence of the gateway. */
export function excerpt(text: string): string {
  const line = clean(text).replace(/\s+/g, ' ').trim()
  return line.length > EXCERPT_MAX ? `${line.slice(0, EXCERPT_MAX).toWellFormed()}…` : line
}

const EXCERPT_MAX = 500

/** Where a character ends, at most at `end`. */
function boundary(bytes: Buffer, end: number): number {
  let at = end
  while (at > 0 && isContinuation(bytes[at])) at--
  return at
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80
