/**
 * The names of a JSON text that cost its parser something: a name that follows the same names as before, from the first of
 * its object on, costs next to nothing. Any other makes the parser describe a new form of object, and is a new name.
 */
import { beginStrings, closed, opened, QUOTE, readString } from './strings'

const COLON: u8 = 0x3a
const OPEN_LIST: u8 = 0x5b
const OPEN_OBJECT: u8 = 0x7b
const CLOSE_OBJECT: u8 = 0x7d

/** Of what is kept behind the text: the form of each object that is open, then a table of all forms. */
const DEEPEST: usize = 255
const FORMS_SIZE: usize = 8 * (DEEPEST + 1)
const SLOTS: usize = 65_536
/** More than both take, in bytes. */
export const LENGTH_MARGIN: i32 = 8 * 65_536 + 4096
const GAP: usize = 64

/** In two parts, since tools that take this for JavaScript know no such number. */
const FACTOR: u64 = 0x9e3779b97f4a7000 | 0xc15

let forms: usize
let table: usize
/** How many lists and objects are open, and how many names were new so far. */
let depth: usize
let count: i32

/** Stops above `most`, which is at most half of the table. `seed` keeps others from choosing names that look the same. */
export function newNames(text: usize, end: usize, most: i32, seed: u64): i32 {
  forms = (end + GAP + 7) & ~7
  table = forms + FORMS_SIZE
  memory.fill(end, 0, GAP)
  memory.fill(table, 0, 8 * SLOTS)
  beginStrings()
  depth = 0
  count = 0
  start(seed)
  for (let at = text; at < end && count <= most; at++) {
    const byte = load<u8>(at)
    if (byte === QUOTE) {
      readString(at, end)
      at = closed
    } else readStructure(byte, seed)
  }
  return count
}

function readStructure(byte: u8, seed: u64): void {
  if (byte === COLON) {
    const at = forms + 8 * depth
    const form = formAfter(load<u64>(at))
    store<u64>(at, form)
    if (isNumber() || isNew(form)) count++
  } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
    if (depth < DEEPEST) depth++
    start(seed)
  } else if ((byte | 0x20) === CLOSE_OBJECT && depth > 0) depth--
}

/** An object that has no names yet. */
function start(seed: u64): void {
  store<u64>(forms + 8 * depth, seed)
}

/** The form of an object to which the name that came last is added. */
function formAfter(form: u64): u64 {
  let hash = form ^ (<u64>(closed - opened) * FACTOR)
  let at = opened + 1
  for (; at + 8 <= closed; at += 8) hash = mixed(hash ^ load<u64>(at))
  let rest: u64 = 0
  for (; at < closed; at++) rest = (rest << 8) | load<u8>(at)
  // 0 is a slot that is free.
  return mixed(mixed(hash ^ rest)) | 1
}

function mixed(hash: u64): u64 {
  return rotl(hash * FACTOR, 29)
}

/** Names such as "7" are kept in a list, with room for those before them, each time anew. */
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
