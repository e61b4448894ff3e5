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
  let items: (Span | undefined)[] | undefined
  const values: Record<string, unknown> = {}
  const found = yield* readMembers(cursor, function* (name) {
    if (name === 'data') {
      // A parser keeps the second of two lists.
      const pictures: (Span | undefined)[] = []
      items = pictures
      return yield* readList(cursor, () => readItem(cursor, pictures))
    }
    const span = yield* cursor.value()
    if (span && (name === 'created' || name === 'usage'))
      values[name] = parse(bytes.toString('utf8', span.start, span.end))
    return span !== undefined
  })
  return found && cursor.isAtEnd && items ? { items, created: values.created, usage: values.usage } : undefined
}

/** These bytes identify a picture, and are compared as they are written. */
const START_BYTES = 12

function* readItem(cursor: JsonCursor, pictures: (Span | undefined)[]): Steps<boolean> {
  const { bytes } = cursor
  let picture: Span | undefined
  const isRead = yield* readMembers(cursor, function* (name) {
    if (name !== 'b64_json') return (yield* cursor.value()) !== undefined
    picture = yield* cursor.asciiText()
    return picture !== undefined && !bytes.subarray(picture.start, picture.start + START_BYTES).includes('\\')
  })
  pictures.push(picture)
  return isRead
}
