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
  /** As it is written, escapes and all. */
  readonly name: string
  /** Where its value begins, right behind the colon, and where it ends, blanks and all. */
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

/** The UTF-16 code units of a text: where all of it is ASCII, its bytes. */
export type Units = Uint8Array | Uint16Array

/**
 * The shape of a JSON text, or what is wrong with it, before anything is parsed: a hostile text would cost seconds. `units`
 * are those of the text, which are read faster than it.
 */
export function readShape(text: string, units: Units): Shape | string {
  const members: Building<Member>[] = []
  let depth = 0
  let values = 1
  let names = 0
  // The string and the member that came last.
  let opened = 0
  let closed = 0
  let member: Building<Member> = { name: '', start: 0, end: 0 }
  for (let i = 0; i < units.length; i++) {
    switch (units[i]) {
      case QUOTE:
        opened = i
        closed = i = endOfString(text, units, i)
        break
      case COLON:
        names++
        if (depth === 1) {
          member = { name: text.slice(opened + 1, closed), start: i + 1, end: i + 1 }
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

/** Units of a string that are looked at one by one before the search for its end is left to the machine: escapes come together. */
const NEAR = 24

/** The index of the quote that closes the string opened at `start`, or the length. */
function endOfString(text: string, units: Units, start: number): number {
  let from = start + 1
  for (;;) {
    const near = Math.min(from + NEAR, units.length)
    for (; from < near; from += units[from] === BACKSLASH ? 2 : 1) if (units[from] === QUOTE) return from
    const quote = text.indexOf('"', from)
    if (quote === -1) return units.length
    if (!isEscaped(units, from, quote)) return quote
    from = quote + 1
  }
}

/** Whether an odd number of backslashes stands before an index; what stands before `from` is no part of an escape. */
function isEscaped(units: Units, from: number, index: number): boolean {
  let before = index
  while (before > from && units[before - 1] === BACKSLASH) before--
  return (index - before) % 2 === 1
}
