import { parse } from '../json-bytes.ts'
import type { Steps } from '../steps.ts'
import { JsonCursor, readMembers } from './json-cursor.ts'

/**
 * Some members of a JSON object. All others are passed without making values of them. Undefined where the bytes are
 * no object.
 */
export function* readSomeMembers(
  bytes: Buffer,
  names: ReadonlySet<string>,
): Steps<Readonly<Record<string, unknown>> | undefined> {
  const cursor = new JsonCursor(bytes)
  const values: Record<string, unknown> = {}
  const isRead = yield* readMembers(cursor, function* (name) {
    const span = yield* cursor.value()
    if (span && names.has(name)) values[name] = parse(bytes.toString('utf8', span.start, span.end))
    return span !== undefined
  })
  return isRead && cursor.isAtEnd ? values : undefined
}
