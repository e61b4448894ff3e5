import { parse } from '../json-bytes.ts'
import { isObject, type JsonObject } from '../json-safety.ts'
import type { Steps } from '../steps.ts'
import { joined } from './joined.ts'
import { JsonCursor, readList, readMembers, type Span } from './json-cursor.ts'

/**
 * An answer without the likelihoods of its tokens, which are most of the bytes of one that has them. In each list of
 * them stands one mark, an object, for code that passes likelihoods on as they are, or looks at none.
 */
export interface WithoutLikelihoods {
  readonly bytes: Buffer
  /** Puts the likelihoods in the place of their marks, in JSON that was made of these bytes: each token as `form` writes it. */
  restored(json: Buffer, form?: TokenForm): Steps<Buffer>
}

/** Writes a token with its alternatives in another dialect. */
export type TokenForm = (token: JsonObject) => JsonObject

/** Whether a token is the mark of many. */
export const isMark = (token: JsonObject): boolean => MARK_NAME in token

/** Reading fewer bytes than this takes a few milliseconds. */
const LIGHT_BYTES = 262_144

/**
 * Leaves the likelihoods out of a large answer, chat or response, so that no parser makes objects of them. Undefined
 * where the answer is small, has none, or is no JSON.
 */
export function* withoutLikelihoods(bytes: Buffer): Steps<WithoutLikelihoods | undefined> {
  if (bytes.length <= LIGHT_BYTES || !(bytes.includes(NAME) || bytes.includes(ESCAPE))) return undefined
  const cursor = new JsonCursor(bytes)
  const lists: Span[] = []
  if (!(yield* passValue(cursor, lists, 0)) || !cursor.isAtEnd || lists.length === 0) return undefined
  const pieces: Buffer[] = []
  let from = 0
  for (const [index, { start, end }] of lists.entries()) {
    pieces.push(bytes.subarray(from, start), Buffer.from(`[${MARK}${index}}]`))
    from = end
  }
  return {
    bytes: yield* joined([...pieces, bytes.subarray(from)]),
    // Without the brackets: the mark stands between others.
    *restored(json, form) {
      const written: Buffer[] = []
      for (const list of lists) written.push(form ? yield* reformed(bytes, list, form) : inside(bytes, list))
      return yield* restored(json, written)
    },
  }
}

/** The JSON of a chat, in steps where it has many likelihoods. */
export function* likelyJson({ choices, ...chat }: JsonObject): Steps<Buffer> {
  const lists: (readonly unknown[])[] = []
  const marked = (value: unknown) => {
    if (!Array.isArray(value) || value.length === 0) return value
    return [{ [MARK_NAME]: lists.push(value) - 1 }]
  }
  const light = (Array.isArray(choices) ? choices : []).map((choice: unknown) => {
    if (!isObject(choice) || !isObject(choice.logprobs)) return choice
    const members = Object.entries(choice.logprobs).map(([name, value]) => [name, marked(value)])
    return { ...choice, logprobs: Object.fromEntries(members) }
  })
  const json = Buffer.from(JSON.stringify(Object.assign({}, chat, { choices: light })))
  const written: Buffer[] = []
  for (const list of lists) written.push(yield* listJson(list))
  return yield* restored(json, written)
}

/** Without its brackets. */
function* listJson(list: readonly unknown[]): Steps<Buffer> {
  const pieces: string[] = []
  for (let at = 0; at < list.length; at += TOKENS_AT_ONCE) {
    if (at > 0) yield
    pieces.push(JSON.stringify(list.slice(at, at + TOKENS_AT_ONCE)).slice(1, -1))
  }
  return Buffer.from(pieces.join(','))
}

/** A list in another form, without its brackets. */
function* reformed(bytes: Buffer, list: Span, form: TokenForm): Steps<Buffer> {
  const cursor = new JsonCursor(bytes)
  cursor.at = list.start
  const tokens: string[] = []
  const isRead = yield* readList(cursor, () => readToken(cursor, tokens, form))
  if (!isRead) throw new Error('the check took what is no list')
  return Buffer.from(tokens.join(','))
}

function* readToken(cursor: JsonCursor, tokens: string[], form: TokenForm): Steps<boolean> {
  const span = yield* cursor.value()
  const token = span && parse(cursor.bytes.toString('utf8', span.start, span.end))
  if (isObject(token)) tokens.push(JSON.stringify(form(token)))
  if (tokens.length % TOKENS_AT_ONCE === 0) yield
  return span !== undefined
}

const inside = (bytes: Buffer, { start, end }: Span): Buffer => bytes.subarray(start + 1, end - 1)

/** So many are written in some milliseconds, with twenty alternatives to each. */
const TOKENS_AT_ONCE = 200
/** No name of an answer begins so. */
const MARK_NAME = '\0logprobs'
const MARK = `{${JSON.stringify(MARK_NAME)}:`
const NAME = '"logprobs"'
/** A name may be written with it. */
const ESCAPE = '\\u'
const OPEN_OBJECT = 0x7b
const OPEN_LIST = 0x5b
/** A response has its likelihoods in the parts of an item of its output, a chat in one of its choices. */
const MOST_DEPTH = 8

/** Passes a value, and notes the lists of likelihoods in it. */
function* passValue(cursor: JsonCursor, lists: Span[], depth: number): Steps<boolean> {
  const first = depth < MOST_DEPTH ? cursor.peek() : undefined
  if (first === OPEN_LIST) return yield* readList(cursor, () => passValue(cursor, lists, depth + 1))
  if (first !== OPEN_OBJECT) return (yield* cursor.value()) !== undefined
  return yield* readMembers(cursor, name =>
    name === 'logprobs' ? passLikelihoods(cursor, lists) : passValue(cursor, lists, depth + 1),
  )
}

/** A list in a response, and an object of lists in a chat. */
function* passLikelihoods(cursor: JsonCursor, lists: Span[]): Steps<boolean> {
  if (cursor.peek() === OPEN_OBJECT) return yield* readMembers(cursor, () => passLikelihoods(cursor, lists))
  const isList = cursor.peek() === OPEN_LIST
  const span = yield* cursor.value()
  if (span && isList && !isEmpty(cursor.bytes, span)) lists.push(span)
  return span !== undefined
}

const isEmpty = (bytes: Buffer, { start, end }: Span): boolean =>
  bytes.toString('latin1', start + 1, Math.min(end - 1, start + 64)).trim() === ''

function* restored(json: Buffer, lists: readonly Buffer[]): Steps<Buffer> {
  const left = new Map(lists.entries())
  const pieces: Buffer[] = []
  let from = 0
  for (let at = json.indexOf(MARK); at !== -1; at = json.indexOf(MARK, at + 1)) {
    const end = json.indexOf('}', at)
    const index = Number(json.toString('latin1', at + MARK.length, end))
    const list = left.get(index)
    // A backend that writes marks itself gets no list twice.
    if (!list) continue
    left.delete(index)
    pieces.push(json.subarray(from, at), list)
    from = end + 1
  }
  return yield* joined([...pieces, json.subarray(from)])
}
