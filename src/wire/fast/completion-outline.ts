import { parse } from '../json-bytes.ts'
import { isObject, type JsonObject } from '../json-safety.ts'
import type { Steps } from '../steps.ts'
import type { Member, Written } from './body-pass.ts'
import { JsonCursor, readList, readMembers, type Span } from './json-cursor.ts'

/** A whole chat without the likelihoods of its tokens, which are most of the bytes of one that has them. */
export interface CompletionOutline {
  readonly answer: JsonObject
  /** The chat with all of them. */
  readonly written: Written
}

/** What is left out of a choice: nothing looks at it. */
const LEFT_OUT = 'logprobs'

/** Reads a large chat without parsing its likelihoods. Undefined where only a parser reads it, or nothing does. */
export function* outlineCompletion(bytes: Buffer): Steps<CompletionOutline | undefined> {
  const cursor = new JsonCursor(bytes)
  const answer: Record<string, unknown> = {}
  const members: Member[] = []
  const isRead = yield* readMembers(cursor, function* (name) {
    // A parser keeps the second of two, and reads escapes.
    if (name.includes('\\') || Object.hasOwn(answer, name) || name === '__proto__') return false
    const start = cursor.at
    const nameEnd = bytes.lastIndexOf(QUOTE, start - 1)
    const value = name === 'choices' ? yield* readChoices(cursor) : yield* readValue(cursor)
    answer[name] = value
    members.push({ nameStart: nameEnd - Buffer.byteLength(name), nameEnd, start, end: cursor.at })
    return value !== undefined
  })
  return isRead && cursor.isAtEnd ? { answer, written: { bytes, members } } : undefined
}

const QUOTE = 0x22

function* readChoices(cursor: JsonCursor): Steps<readonly JsonObject[] | undefined> {
  const choices: JsonObject[] = []
  const isRead = yield* readList(cursor, function* () {
    const choice = yield* readChoice(cursor)
    if (choice) choices.push(choice)
    return choice !== undefined
  })
  return isRead ? choices : undefined
}

function* readChoice(cursor: JsonCursor): Steps<JsonObject | undefined> {
  const parts: string[] = []
  const isRead = yield* readMembers(cursor, function* (name) {
    const span = yield* cursor.value()
    if (!span || name.includes('\\')) return false
    if (name !== LEFT_OUT) parts.push(`${JSON.stringify(name)}:${textIn(cursor.bytes, span)}`)
    return true
  })
  const choice = isRead ? parse(`{${parts.join(',')}}`) : undefined
  return isObject(choice) ? choice : undefined
}

function* readValue(cursor: JsonCursor): Steps<unknown> {
  const span = yield* cursor.value()
  return span && parse(textIn(cursor.bytes, span))
}

const textIn = (bytes: Buffer, { start, end }: Span): string => bytes.toString('utf8', start, end)
