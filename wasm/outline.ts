/**
 * One pass over a JSON text before anything of it is parsed, in AssemblyScript, sixteen bytes at a time. `node
 * scripts/generate.js` compiles it into src/wire/fast/outline-code.ts; src/wire/fast/outline.ts calls it.
 */
import { exceeded, LENGTH_MARGIN, mayBeShort } from './names'
import {
  BACKSLASH,
  BLANK,
  beginStrings,
  closed,
  escaped,
  hasHexEscape,
  hasNul,
  isPeculiar,
  LETTER_U,
  opened,
  QUOTE,
  readString,
} from './strings'

const COMMA: u8 = 0x2c
const COLON: u8 = 0x3a
const OPEN_LIST: u8 = 0x5b
const LETTER_L: u8 = 0x6c
const LETTER_S: u8 = 0x73
const LETTER_T: u8 = 0x74
const OPEN_OBJECT: u8 = 0x7b
const CLOSE_OBJECT: u8 = 0x7d

/** Four characters each, the first in the lowest byte. */
const INST: u32 = 0x74736e69
const RUCT: u32 = 0x74637572
const IONS: u32 = 0x736e6f69
const SYST: u32 = 0x74737973
const OUTP: u32 = 0x7074756f
const MESS: u32 = 0x7373656d
const AGES: u32 = 0x73656761
const INPU: u32 = 0x75706e69
const CONT: u32 = 0x746e6f63
const TENT: u32 = 0x746e6574
const TEXT: u32 = 0x74786574
const ARGU: u32 = 0x75677261
const MENT: u32 = 0x746e656d
const IMAG: u32 = 0x67616d69
const E_SLASH: u16 = 0x2f65
const MEDI: u32 = 0x6964656d
const A_TY: u32 = 0x79745f61
const PE: u16 = 0x6570
const E_UR: u32 = 0x72755f65
const QUOTED_URL: u32 = 0x6c727522
const DATA: u32 = 0x61746164
const IMAGE: u32 = 0x616d693a
const AGE: u32 = 0x2f656761
const FOUR_ZEROS: u32 = 0x30303030

/** The memory layout: results, members, and the text. Zeros follow it, and then the positions of the texts that were left out. */
const RESULT: usize = 0
const MEMBERS: usize = 32
const MOST_MEMBERS: i32 = 1024
const TEXT_AT: usize = MEMBERS + 16 * MOST_MEMBERS
const ZEROS: usize = 32
const LEFT_OUT_SIZE: usize = 12
/** Texts longer than this are left out; in bytes, with one quote. */
const LONG: usize = 256
/** Types of pictures are shorter, in bytes. */
const LONGEST_TYPE: usize = 64
/** The length of `data:image/`. */
const PICTURE_START: usize = 11

/** Which texts to leave out: the long ones of a chat and of an input, or those of Responses and Messages. */
const OF_DIALECTS: i32 = 2

const HAS_HEX_ESCAPE: i32 = 1
const HAS_NUL: i32 = 2
const IS_ODD: i32 = 4

const TOO_DEEP: i32 = 1
const TOO_MANY: i32 = 2
const TOO_MANY_MEMBERS: i32 = 3

let end: usize
let depth: i32
let values: i32
let names: i32
/** Strings that may be short texts, and whether the last one was counted: a colon after it makes it a name. */
let shorts: i32
let isCounted: bool
/** Names of the outermost object. */
let outermost: i32
let isOdd: bool
let members: i32
/** The last member; 0 before the first. */
let member: usize
/** Whether there is one, and its name has no escapes. */
let isPlainMember: bool
/** The kind of member: the messages of a chat, the input of an embedding (perhaps a list), or anything else. */
let inMessages: bool
let isOfDialects: bool
/** True within members that may hold long texts in Responses or Messages: messages or items, and the system prompt. */
let inSaid: bool
let inInput: bool
let isList: bool
/** The position of the last name's quotes. */
let nameOpened: usize
let nameClosed: usize
/** The outline is written over the text, which is always longer: how far it has come, and where the rest of the text begins. */
let written: usize
let copied: usize
let leftOut: i32
let leftOutAt: usize
/** Whether to ask for values that are known, and how many of them were left out. */
let asksKnown: bool
let knownOut: i32

/**
 * Asks for a value of the outermost object that begins at a place of the text: how many bytes of it are known, or 0. Its names,
 * values and short texts stand where the results do.
 */
declare function known(place: i32, nameStart: i32, nameEnd: i32): i32

/** Makes room for a text of so many bytes, and returns where it goes. The memory may have been replaced afterwards. */
export function room(length: i32): usize {
  const leftOutMost = <usize>length / LONG + 1
  const bytes = TEXT_AT + <usize>length + ZEROS + 16 + leftOutMost * LEFT_OUT_SIZE
  const pages = <i32>((bytes + 0xffff) >> 16)
  if (pages > memory.size()) memory.grow(pages - memory.size())
  return TEXT_AT
}

/** Makes room for the names of such a text as well. */
export function roomForNames(length: i32): usize {
  return room(length + LENGTH_MARGIN)
}

/** Returns 1 if the text has too many new names, 2 for too many new short texts, else 0. */
export function newExceeded(length: i32, mostNames: i32, mostTexts: i32, seed: u64): i32 {
  return exceeded(TEXT_AT, TEXT_AT + length, mostNames, mostTexts, seed)
}

/** Reads the text that was put there. Other answers than 0 say what it has too much of. */
export function outline(
  length: i32,
  depthMost: i32,
  valuesMost: i32,
  membersMost: i32,
  leavesOut: i32,
  asks: bool,
): i32 {
  begin(length)
  isOfDialects = leavesOut === OF_DIALECTS
  asksKnown = asks
  let before: u8 = 0
  for (let at = TEXT_AT; at < end && depth <= depthMost && values <= valuesMost && outermost <= membersMost; at++) {
    const byte = load<u8>(at)
    if (byte === QUOTE) at = readText(at, before, leavesOut !== 0)
    else if (isStructure(byte)) at = readOrLeaveOut(byte, at)
    if (byte > BLANK) before = byte
  }
  if (depth > depthMost) return TOO_DEEP
  if (values > valuesMost) return TOO_MANY
  if (outermost > membersMost) return TOO_MANY_MEMBERS
  copy(end)
  tell()
  return 0
}

/** Reads a string, to its last quote. */
function readText(at: usize, before: u8, leavesOut: bool): usize {
  readString(at, end)
  countShort()
  if (leavesOut && closed - opened > LONG && !isPeculiar) leaveOutLong(before)
  return closed
}

/** Reads what stands at a place, or leaves out the value that begins there; to the last byte of it. */
function readOrLeaveOut(byte: u8, at: usize): usize {
  const length = mayBeKnown(byte) ? leaveOutKnown(at) : 0
  if (length > 0) return at + length - 1
  readStructure(byte, at)
  return at
}

function countShort(): void {
  isCounted = mayBeShort(closed - opened - 1, escaped)
  if (isCounted) shorts++
}

function begin(length: i32): void {
  end = TEXT_AT + length
  memory.fill(end, 0, ZEROS)
  beginStrings()
  depth = names = shorts = outermost = members = leftOut = knownOut = 0
  values = 1
  member = nameOpened = nameClosed = 0
  isCounted = isOdd = isPlainMember = inMessages = inInput = inSaid = isList = false
  written = copied = TEXT_AT
  leftOutAt = (end + ZEROS + 3) & ~3
}

function tell(): void {
  store<i32>(RESULT, names)
  store<i32>(RESULT, members, 4)
  store<i32>(RESULT, leftOut, 8)
  store<i32>(RESULT, <i32>leftOutAt, 12)
  store<i32>(RESULT, <i32>(written - TEXT_AT), 16)
  store<i32>(RESULT, (hasHexEscape ? HAS_HEX_ESCAPE : 0) | (hasNul ? HAS_NUL : 0) | (isOdd ? IS_ODD : 0), 20)
  store<i32>(RESULT, values, 24)
  store<i32>(RESULT, shorts, 28)
}

/** Brackets and braces are neighbours, except for one bit. */
function isStructure(byte: u8): bool {
  return byte === COMMA || byte === COLON || (byte | 0x20) === OPEN_OBJECT || (byte | 0x20) === CLOSE_OBJECT
}

function readStructure(byte: u8, at: usize): void {
  if (byte === COLON) {
    names++
    if (isCounted) shorts--
    isCounted = false
    nameOpened = opened
    nameClosed = closed
    if (depth === 1) {
      outermost++
      beginMember(at + 1)
    }
  } else if (byte === COMMA) {
    values++
    if (depth === 1) endMember(at)
  } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
    if (depth === 1) isList = byte === OPEN_LIST
    values++
    depth++
  } else {
    if (depth === 1) endMember(at)
    depth--
  }
}

function beginMember(value: usize): void {
  isPlainMember = escaped === 0 && !isPeculiar
  if (!isPlainMember || members === MOST_MEMBERS) isOdd = true
  const begins = load<u32>(opened + 1)
  inMessages = closed - opened === 9 && begins === MESS && load<u32>(opened + 5) === AGES
  inInput = closed - opened === 6 && begins === INPU && load<u8>(opened + 5) === LETTER_T
  inSaid = inMessages || inInput || isSystemPrompt(begins)
  member = 0
  if (members === MOST_MEMBERS) return
  member = MEMBERS + 16 * members++
  store<i32>(member, <i32>(opened + 1 - TEXT_AT))
  store<i32>(member, <i32>(closed - TEXT_AT), 4)
  store<i32>(member, <i32>(value - TEXT_AT), 8)
  endMember(value)
}

function endMember(at: usize): void {
  if (member !== 0) store<i32>(member, <i32>(at - TEXT_AT), 12)
}

/** Shortens a string that only a backend reads: keeps its start, and a mark with U+0000 and how many came before it. */
function leaveOutLong(before: u8): void {
  if (isOfDialects) {
    if (inSaid && before === COLON) leaveOutSaid()
    return
  }
  const isPart = inMessages && before === COLON
  const isUrl = isPart && isPicture()
  if (isUrl || (isPart && isText()) || (inInput && isEmbedded(before))) leaveOut(isUrl ? PICTURE_START : 0)
}

/** Shortens a long member of what is said in Responses or Messages. */
function leaveOutSaid(): void {
  if (isPicture() || isImage()) leaveOut(PICTURE_START)
  else if (depth === 1 || isText() || isOutput() || isImageData()) leaveOut(0)
}

function leaveOut(kept: usize): void {
  const entry = leftOutAt + LEFT_OUT_SIZE * leftOut
  // The texts of dialects have their beginning in the outline, and only the rest behind the mark.
  const from = isOfDialects ? opened + kept : opened
  store<i32>(entry, <i32>(from - TEXT_AT))
  store<i32>(entry, <i32>(closed + 1 - TEXT_AT), 4)
  store<i32>(entry, <i32>(closed - from - 1) - escaped, 8)
  copy(opened + 1 + kept)
  writeNul()
  writeNumber(leftOut++)
  // Texts of dialects are joined: without it, a following digit would belong to the number.
  if (isOfDialects) writeNul()
  copied = closed
}

/** Texts are left out of messages and inputs, so those are never known. */
function mayBeKnown(byte: u8): bool {
  return asksKnown && depth === 1 && isPlainMember && !inSaid && (byte === OPEN_LIST || byte === OPEN_OBJECT)
}

/** Leaves out a list or an object that is known, with a mark in its place; the bytes it has, or 0. */
function leaveOutKnown(at: usize): usize {
  const length = known(<i32>(at - TEXT_AT), <i32>(nameOpened + 1 - TEXT_AT), <i32>(nameClosed - TEXT_AT))
  if (length === 0) return 0
  copy(at)
  store<u8>(written++, QUOTE)
  writeNul()
  writeNumber(knownOut++)
  store<u8>(written++, QUOTE)
  copied = at + length
  names += load<i32>(RESULT)
  values += load<i32>(RESULT, 4)
  shorts += load<i32>(RESULT, 8)
  isCounted = false
  return length
}

function writeNul(): void {
  store<u8>(written, BACKSLASH)
  store<u8>(written, LETTER_U, 1)
  store<u32>(written, FOUR_ZEROS, 2)
  written += 6
}

function isSystemPrompt(begins: u32): bool {
  const length = closed - opened - 1
  if (length === 6) return begins === SYST && load<u16>(opened + 5) === 0x6d65
  return length === 12 && begins === INST && load<u32>(opened + 5) === RUCT && load<u32>(opened + 9) === IONS
}

/** True for the result of a tool in Responses. */
function isOutput(): bool {
  return nameClosed - nameOpened === 7 && load<u32>(nameOpened + 1) === OUTP && load<u16>(nameOpened + 5) === 0x7475
}

/** True for the input, or an element of its list. */
function isEmbedded(before: u8): bool {
  return depth === 1 ? before === COLON : depth === 2 && isList
}

/** True for the text of a message or a tool call: the last name is its own. */
function isText(): bool {
  const length = nameClosed - nameOpened - 1
  const begins = load<u32>(nameOpened + 1)
  if (length === 4) return begins === TEXT
  if (length === 7) return begins === CONT && load<u32>(nameOpened + 4) === TENT
  return length === 9 && begins === ARGU && load<u32>(nameOpened + 5) === MENT && load<u8>(nameOpened + 9) === LETTER_S
}

/** True for a picture, of which only the start is examined. */
function isPicture(): bool {
  return nameClosed - nameOpened === 4 && load<u32>(nameOpened) === QUOTED_URL && isOfImage()
}

/** True for a picture of an item in Responses. */
function isImage(): bool {
  if (nameClosed - nameOpened !== 10 || load<u32>(nameOpened + 1) !== IMAG || load<u32>(nameOpened + 5) !== E_UR)
    return false
  return load<u8>(nameOpened + 9) === LETTER_L && isOfImage()
}

/** True for a picture in Messages: its type stands directly before its data. */
function isImageData(): bool {
  if (nameClosed - nameOpened !== 5 || load<u32>(nameOpened + 1) !== DATA) return false
  const comma = lastBefore(nameOpened)
  const end = load<u8>(comma) === COMMA ? lastBefore(comma) : copied
  if (load<u8>(end) !== QUOTE) return false
  let start = end - 1
  while (start > copied && end - start < LONGEST_TYPE && load<u8>(start) !== QUOTE) start--
  if (load<u32>(start + 1) !== IMAG || load<u16>(start + 5) !== E_SLASH) return false
  const colon = lastBefore(start)
  const name = load<u8>(colon) === COLON ? lastBefore(colon) : copied
  if (name < copied + 12 || load<u8>(name) !== QUOTE || load<u8>(name - 11) !== QUOTE) return false
  return load<u32>(name - 10) === MEDI && load<u32>(name - 6) === A_TY && load<u16>(name - 2) === PE
}

/** The last place before another that is no blank. It stops at `copied`: the outline was written over the text before that. */
function lastBefore(place: usize): usize {
  let at = place - 1
  while (at > copied && load<u8>(at) <= BLANK) at--
  return at > copied ? at : copied
}

/** Whether a string begins with data:image/. */
function isOfImage(): bool {
  return load<u32>(opened + 1) === DATA && load<u32>(opened + 5) === IMAGE && load<u32>(opened + 8) === AGE
}

function writeNumber(number: i32): void {
  let size: usize = 1
  for (let rest = number / 10; rest > 0; rest /= 10) size++
  for (let at = written + size, rest = number; at > written; rest /= 10) store<u8>(--at, 0x30 + <u8>(rest % 10))
  written += size
}

/** Copies the text up to a position unchanged. */
function copy(to: usize): void {
  const length = to - copied
  if (written !== copied) memory.copy(written, copied, length)
  written += length
  copied = to
}
