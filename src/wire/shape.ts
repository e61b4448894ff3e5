import type { Building } from '../policy/decision.ts'

/** Deeper nesting than this is nobody's honest request, and recursion over it would overflow. */
const MAX_DEPTH = 64
/** Ten times what the longest conversation with the most tools has; as many objects already take a tenth of a second. */
const MAX_VALUES = 250_000

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_LIST = 0x5b
const BACKSLASH = 0x5c
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/** A member of the object that a JSON text is. */
export interface Member {
  /** As it is written, escapes and all; each byte of what is not ASCII as a character. */
  readonly name: string
  /** At which bytes its value begins, right behind the colon, and where it ends, blanks and all. */
  readonly start: number
  readonly end: number
}

/** What one pass over a JSON text tells of it. */
export interface Shape {
  /** Names in it, at any depth. */
  readonly names: number
  /** Of the outermost object, in order. */
  readonly members: readonly Member[]
}

/**
 * The shape of a JSON text in UTF-8, or what is wrong with it, before anything is parsed: a hostile text would cost
 * seconds. `latin1` is the same as `bytes` with a character for each of them: all that gives a text its shape is ASCII,
 * bytes are read faster, and a quote is found faster in a string.
 */
export function readShape(latin1: string, bytes: Uint8Array): Shape | string {
  const members: Building<Member>[] = []
  let depth = 0
  let values = 1
  let names = 0
  // The string and the member that came last.
  let opened = 0
  let closed = 0
  let member: Building<Member> = { name: '', start: 0, end: 0 }
  for (let i = 0; i < bytes.length; i++) {
    switch (bytes[i]) {
      case QUOTE:
        opened = i
        closed = i = endOfString(latin1, bytes, i)
        break
      case COLON:
        names++
        if (depth === 1) {
          member = { name: latin1.slice(opened + 1, closed), start: i + 1, end: i + 1 }
          members.push(member)
        }
        break
      case OPEN_LIST:
      case OPEN_OBJECT:
        values++
        depth++
        break
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        if (depth-- === 1) member.end = i
        break
      case COMMA:
        values++
        if (depth === 1) member.end = i
    }
    if (depth > MAX_DEPTH || values > MAX_VALUES) return excess(depth)
  }
  return { names, members }
}

const excess = (depth: number): string =>
  depth > MAX_DEPTH ? `is nested deeper than ${MAX_DEPTH} levels` : `has more than ${MAX_VALUES} values`

/** The index of the quote that closes the string opened at `start`, or the length. */
function endOfString(latin1: string, bytes: Uint8Array, start: number): number {
  let from = start + 1
  for (;;) {
    const quote = latin1.indexOf('"', from)
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
