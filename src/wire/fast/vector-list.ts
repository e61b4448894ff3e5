import { parse } from '../json-bytes.ts'
import type { Steps } from '../steps.ts'
import { JsonCursor, readList, readMembers, type Span } from './json-cursor.ts'

/** A list of embeddings in the bytes of an answer. */
export interface VectorList {
  /** The list, brackets and all, as the backend wrote it. */
  readonly span: Span
  readonly items: readonly VectorItem[]
  readonly usage: unknown
}

export interface VectorItem {
  /** Which input it is of, as the backend wrote it. */
  readonly index: unknown
  /** Numbers with their brackets, or base64 without its quotes. */
  readonly vector: Span
  /** Set for base64 that is written with escapes, as some encoders write `+` and `/`. */
  readonly isEscaped?: true
  /** How many numbers there are; undefined of base64. */
  readonly numbers: number | undefined
  /** Whether it has an object, an index and an embedding, each once, and nothing else. */
  readonly isPlain: boolean
}

/**
 * Finds the vectors of an answer without parsing their numbers, which would take five times as long. Undefined where the
 * bytes are no such answer.
 */
export function* findVectors(bytes: Buffer): Steps<VectorList | undefined> {
  const cursor = new JsonCursor(bytes)
  const answer: Answer = { items: [], list: undefined, usage: undefined }
  const found = yield* readMembers(cursor, name => readAnswerMember(cursor, answer, name))
  const { items, list, usage } = answer
  return found && cursor.isAtEnd && list ? { span: list, items, usage } : undefined
}

/** The part of an answer read so far. */
interface Answer {
  items: VectorItem[]
  list: Span | undefined
  usage: unknown
}

function* readAnswerMember(cursor: JsonCursor, answer: Answer, name: string): Steps<boolean> {
  if (name === 'usage') {
    const span = yield* cursor.value()
    answer.usage = span && valueIn(cursor.bytes, span)
    return span !== undefined
  }
  if (name !== 'data') return (yield* cursor.value()) !== undefined
  // A parser keeps the second of two lists.
  const items: VectorItem[] = []
  answer.items = items
  cursor.blanks()
  const start = cursor.at
  const isRead = yield* readList(cursor, () => readItem(cursor, items))
  answer.list = { start, end: cursor.at }
  return isRead
}

/** The part of an item read so far. */
interface Item {
  index: unknown
  object: unknown
  found: Vector | undefined
  members: number
}

function* readItem(cursor: JsonCursor, items: VectorItem[]): Steps<boolean> {
  const item: Item = { index: undefined, object: undefined, found: undefined, members: 0 }
  const isRead = yield* readMembers(cursor, name => readItemMember(cursor, item, name))
  const { index, object, found, members } = item
  if (!isRead || !found) return false
  items.push({ index, ...found, isPlain: members === 3 && object === 'embedding' && typeof index === 'number' })
  return true
}

function* readItemMember(cursor: JsonCursor, item: Item, name: string): Steps<boolean> {
  item.members++
  if (name === 'embedding') {
    item.found = yield* readVector(cursor)
    return item.found !== undefined
  }
  const span = yield* cursor.value()
  if (!span) return false
  if (name === 'index') item.index = valueIn(cursor.bytes, span)
  if (name === 'object') item.object = valueIn(cursor.bytes, span)
  return true
}

const QUOTE = 0x22

type Vector = Pick<VectorItem, 'vector' | 'numbers' | 'isEscaped'>

function* readVector(cursor: JsonCursor): Steps<Vector | undefined> {
  if (cursor.peek() === QUOTE) return yield* readBase64(cursor)
  const start = cursor.at
  const numbers = yield* cursor.numbers()
  return numbers === -1 ? undefined : { vector: { start, end: cursor.at }, numbers }
}

function* readBase64(cursor: JsonCursor): Steps<Vector | undefined> {
  const start = cursor.at
  const plain = yield* cursor.plainText()
  if (plain) return { vector: plain, numbers: undefined }
  cursor.at = start
  const text = yield* cursor.value()
  return text && { vector: { start: text.start + 1, end: text.end - 1 }, numbers: undefined, isEscaped: true }
}

const valueIn = (bytes: Buffer, { start, end }: Span): unknown => parse(bytes.toString('utf8', start, end))
