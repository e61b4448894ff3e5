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
  const isRead = yield* readMembers(cursor, name => readMember(cursor, names.has(name) ? values : undefined, name))
  return isRead && cursor.isAtEnd ? values : undefined
}

/** Passes a member; makes a value of it where it has a place among others. */
function* readMember(cursor: JsonCursor, values: Record<string, unknown> | undefined, name: string): Steps<boolean> {
  const span = yield* cursor.value()
  if (span && values) values[name] = parse(cursor.bytes.toString('utf8', span.start, span.end))
  return span !== undefined
}
