/** Strings of a JSON text. Zeros must follow the text: they end a string that is not closed. */

export const BLANK: u8 = 0x20
export const QUOTE: u8 = 0x22
const SLASH: u8 = 0x2f
export const BACKSLASH: u8 = 0x5c
export const LETTER_U: u8 = 0x75

/** A backslash and u. */
const HEX_ESCAPE: u16 = 0x755c

/** The characters that follow a backslash in a one-byte escape, as bits counted from the backslash: \ b f n r t. */
const SHORT_ESCAPES: u32 = 1 | (1 << 6) | (1 << 10) | (1 << 18) | (1 << 22) | (1 << 24)

/** True once a string has had an escape such as \u00e9, and U+0000 as one of them. */
export let hasHexEscape: bool
export let hasNul: bool
/** The last string's quotes, the bytes that its escapes add, and whether the parser may refuse it. */
export let opened: usize
export let closed: usize
export let escaped: i32
export let isPeculiar: bool
/** Everything before this position is behind a backslash, and has been read. */
let resume: usize

/** Resets the state before the first string of a text. */
export function beginStrings(): void {
  opened = closed = 0
  escaped = 0
  hasHexEscape = hasNul = isPeculiar = false
}

/** Reads to the quote that closes a string, or to the end of the text. */
export function readString(start: usize, end: usize): void {
  opened = start
  closed = 0
  escaped = 0
  isPeculiar = false
  resume = start + 1
  for (let block = start + 1; closed === 0; block += 16) {
    for (let found = specials(block); found !== 0; found &= found - 1) readSpecial(block + ctz(found), end)
  }
}

function readSpecial(at: usize, end: usize): void {
  if (at < resume || closed !== 0) return
  const byte = load<u8>(at)
  if (byte === QUOTE || at >= end) closed = at
  else if (byte === BACKSLASH) readEscape(at)
  // The parser will refuse it.
  else isPeculiar = true
}

/** The positions of quotes, backslashes and control characters among sixteen bytes, as bits. */
function specials(at: usize): i32 {
  const bytes = v128.load(at)
  const quotes = i8x16.eq(bytes, i8x16.splat(QUOTE))
  const backslashes = i8x16.eq(bytes, i8x16.splat(BACKSLASH))
  return i8x16.bitmask(v128.or(v128.or(quotes, backslashes), i8x16.lt_u(bytes, i8x16.splat(BLANK))))
}

function readEscape(backslash: usize): void {
  resume = backslash + 2
  const byte = load<u8>(backslash + 1)
  if (isShortEscape(byte)) escaped++
  else if (byte === LETTER_U) readHexEscape(backslash)
  else isPeculiar = true
}

function isShortEscape(byte: u8): bool {
  const place = <u32>byte - BACKSLASH
  return byte === QUOTE || byte === SLASH || (place < 32 && ((SHORT_ESCAPES >> place) & 1) !== 0)
}

/** Half a surrogate pair is refused; two halves in a row make one character of four bytes. */
function readHexEscape(backslash: usize): void {
  hasHexEscape = true
  const code = hexAt(backslash + 2)
  if (code === 0) hasNul = true
  if (code >>> 11 !== 0x1b) {
    if (code > 0xffff) isPeculiar = true
    escaped += 6 - (code < 0x80 ? 1 : code < 0x800 ? 2 : 3)
  } else if (code < 0xdc00 && load<u16>(backslash + 6) === HEX_ESCAPE && hexAt(backslash + 8) >>> 10 === 0x37) {
    resume = backslash + 8
    escaped += 12 - 4
  } else isPeculiar = true
}

/** The value of four hexadecimal digits, or a number too large for four if one of them is not hexadecimal. */
function hexAt(at: usize): u32 {
  let number: u32 = 0
  for (let i: usize = 0; i < 4; i++) {
    const byte = load<u8>(at + i)
    const digit = <u32>byte - 0x30
    const letter = <u32>(byte | 0x20) - 0x61
    if (digit > 9 && letter > 5) return u32.MAX_VALUE
    number = (number << 4) | (digit < 10 ? digit : letter + 10)
  }
  return number
}
