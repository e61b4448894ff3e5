/**
 * The names and short texts of a JSON text that make its parser work. A name that follows the same names as before, counted from
 * the first one of its object, costs next to nothing. Any other name makes the parser describe a new shape of object, and counts
 * as new. The parser keeps one copy of every short text, so a short text costs only the first time.
 */
import { BACKSLASH, beginStrings, closed, escaped, LETTER_U, opened, QUOTE, readString } from './strings'

const COMMA: u8 = 0x2c
const COLON: u8 = 0x3a
const OPEN_LIST: u8 = 0x5b
const OPEN_OBJECT: u8 = 0x7b
const CLOSE_OBJECT: u8 = 0x7d

/** The memory behind the text: the shape of each open object, then a table of all shapes. */
const DEEPEST: usize = 255
const FORMS_SIZE: usize = 8 * (DEEPEST + 1)
const SLOTS: usize = 65_536
/** Larger than both together, in bytes. */
export const LENGTH_MARGIN: i32 = 8 * 65_536 + 4096
const GAP: usize = 64
/** The parser keeps one copy of each text up to this length in UTF-16; a unit takes at most three bytes of UTF-8. */
const SHORT_UNITS: i32 = 10
const SHORT_BYTES: i32 = 30
/** Separates the hash of a text from that of an equal name. */
const TEXT_SEED: u64 = 0x5851f42d4c

const NAMES_EXCEEDED: i32 = 1
const TEXTS_EXCEEDED: i32 = 2

/** In two parts, since tools that take this file for JavaScript reject such a number. */
const FACTOR: u64 = 0x9e3779b97f4a7000 | 0xc15

let forms: usize
let table: usize
/** The number of open lists and objects, and of new names and short texts so far. */
let depth: usize
let names: i32
let texts: i32
/** True if the last string may be a value: no colon followed it. */
let isValue: bool

/** True if a JSON string may be a short text, given its length without quotes and the bytes that its escapes add. */
export function mayBeShort(bytes: usize, escapedBytes: i32): bool {
  return <i32>bytes - escapedBytes <= SHORT_BYTES
}

/**
 * Stops at the first exceeded bound and returns which it is, or 0. The sum of both bounds is at most two thirds of the table.
 * `seed` keeps attackers from choosing names and texts that collide.
 */
export function exceeded(text: usize, end: usize, mostNames: i32, mostTexts: i32, seed: u64): i32 {
  forms = (end + GAP + 7) & ~7
  table = forms + FORMS_SIZE
  memory.fill(end, 0, GAP)
  memory.fill(table, 0, 8 * SLOTS)
  beginStrings()
  depth = 0
  names = texts = 0
  isValue = false
  start(seed)
  for (let at = text; at < end && names <= mostNames && texts <= mostTexts; at++) {
    const byte = load<u8>(at)
    if (byte === QUOTE) {
      readString(at, end)
      at = closed
      isValue = true
    } else readStructure(byte, seed)
  }
  return names > mostNames ? NAMES_EXCEEDED : texts > mostTexts ? TEXTS_EXCEEDED : 0
}

function readStructure(byte: u8, seed: u64): void {
  if (byte === COLON) addName()
  else if (byte === COMMA) endValue(seed)
  else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
    if (depth < DEEPEST) depth++
    start(seed)
  } else if ((byte | 0x20) === CLOSE_OBJECT) {
    endValue(seed)
    if (depth > 0) depth--
  }
}

function addName(): void {
  isValue = false
  const at = forms + 8 * depth
  const form = formAfter(load<u64>(at))
  store<u64>(at, form)
  if (isNumber() || isNew(form)) names++
}

function endValue(seed: u64): void {
  if (!isValue) return
  isValue = false
  if (isShort() && isNew(formAfter(seed ^ TEXT_SEED))) texts++
}

function isShort(): bool {
  if (!mayBeShort(closed - opened - 1, escaped)) return false
  let units = 0
  for (let at = opened + 1; at < closed; at++) {
    const byte = load<u8>(at)
    // Continuation bytes of a character count as nothing; characters of four bytes are two units.
    if ((byte & 0xc0) !== 0x80) units += byte >= 0xf0 ? 2 : 1
    if (byte === BACKSLASH) at += load<u8>(at + 1) === LETTER_U ? 5 : 1
  }
  return units <= SHORT_UNITS
}

/** Starts an object without names. */
function start(seed: u64): void {
  store<u64>(forms + 8 * depth, seed)
}

/** The shape of an object after the last name is added to it. */
function formAfter(form: u64): u64 {
  let hash = form ^ (<u64>(closed - opened) * FACTOR)
  let at = opened + 1
  for (; at + 8 <= closed; at += 8) hash = mixed(hash ^ load<u64>(at))
  let rest: u64 = 0
  for (; at < closed; at++) rest = (rest << 8) | load<u8>(at)
  // 0 marks a free slot.
  return mixed(mixed(hash ^ rest)) | 1
}

function mixed(hash: u64): u64 {
  return rotl(hash * FACTOR, 29)
}

/** The parser keeps names such as "7" in an array, with room for all lower indexes, and allocates it each time. */
function isNumber(): bool {
  return <u32>load<u8>(opened + 1) - 0x30 <= 9
}

function isNew(form: u64): bool {
  for (let slot = form >> 20; ; slot++) {
    const at = table + 8 * (<usize>slot & (SLOTS - 1))
    const there = load<u64>(at)
    if (there === form) return false
    if (there !== 0) continue
    store<u64>(at, form)
    return true
  }
}
