import { parse } from '../json-bytes.ts'
import type { Steps } from '../steps.ts'
import { JsonCursor, readList, readMembers, type Span } from './json-cursor.ts'

/** The pictures in the bytes of an answer. */
export interface PictureList {
  /** Base64 as it is written between its quotes, with the escapes that some encoders use for `/`; undefined for an item that has none. */
  readonly items: readonly (Span | undefined)[]
  readonly created: unknown
  readonly usage: unknown
}

/**
 * Finds the pictures of an answer without making texts of them, which would copy each four times. Undefined where the
 * answer is written in a way that only a parser reads, or not at all.
 */
export function* findPictures(bytes: Buffer): Steps<PictureList | undefined> {
  const cursor = new JsonCursor(bytes)
  const answer: Answer = { items: undefined, created: undefined, usage: undefined }
  const found = yield* readMembers(cursor, name => readAnswerMember(cursor, answer, name))
  const { items, created, usage } = answer
  return found && cursor.isAtEnd && items ? { items, created, usage } : undefined
}

/** The part of an answer read so far. */
interface Answer {
  items: (Span | undefined)[] | undefined
  created: unknown
  usage: unknown
}

function* readAnswerMember(cursor: JsonCursor, answer: Answer, name: string): Steps<boolean> {
  if (name === 'data') {
    // A parser keeps the second of two lists.
    const pictures: (Span | undefined)[] = []
    answer.items = pictures
    return yield* readList(cursor, () => readItem(cursor, pictures))
  }
  const span = yield* cursor.value()
  if (span && (name === 'created' || name === 'usage'))
    answer[name] = parse(cursor.bytes.toString('utf8', span.start, span.end))
  return span !== undefined
}

/** These bytes identify a picture, and are compared as they are written. */
const START_BYTES = 12

function* readItem(cursor: JsonCursor, pictures: (Span | undefined)[]): Steps<boolean> {
  const item: Item = { picture: undefined }
  const isRead = yield* readMembers(cursor, name => readItemMember(cursor, item, name))
  pictures.push(item.picture)
  return isRead
}

/** The part of an item read so far. */
interface Item {
  picture: Span | undefined
}

function* readItemMember(cursor: JsonCursor, item: Item, name: string): Steps<boolean> {
  if (name !== 'b64_json') return (yield* cursor.value()) !== undefined
  const picture = yield* cursor.asciiText()
  item.picture = picture
  return picture !== undefined && !cursor.bytes.subarray(picture.start, picture.start + START_BYTES).includes('\\')
}
