import type { DialectName } from '../policy/backend-dialects.ts'
import { asObject, type JsonObject } from './json-safety.ts'

/**
 * A request's body with a notice to the model at its end, for a backend of a dialect. All bytes before it stay as they are, so
 * that caches find the prompt, and a result stays behind its call. A request that ends with a turn of the assistant gets none:
 * the model goes on with that turn.
 */
export function withNotice(dialect: DialectName, body: Buffer, notice: string): Buffer {
  const list = memberOf(body, dialect === 'responses' ? 'input' : 'messages')
  if (!list) return body
  if (body[list.from] === QUOTE) {
    const text = JSON.parse(body.toString('utf8', list.from, list.to)) as string
    return replaced(body, list, JSON.stringify(`${text}\n\n${notice}`))
  }
  const last = lastIn(body, list)
  if (!last) return body
  const item = asObject(JSON.parse(body.toString('utf8', last.from, last.to)))
  const noticed = NOTICED[dialect](item, notice)
  return noticed ? replaced(body, last, noticed.map(each => JSON.stringify(each)).join(',')) : body
}

/** A body of Messages whose thinking leaves room for an answer within a cap, which backends require. */
export function withThinkingWithin(body: Buffer, cap: number): Buffer {
  const member = memberOf(body, 'thinking')
  if (!member) return body
  const thinking = asObject(JSON.parse(body.toString('utf8', member.from, member.to)))
  if (typeof thinking.budget_tokens !== 'number' || thinking.budget_tokens < cap) return body
  const within = cap > LEAST_BUDGET ? { ...thinking, budget_tokens: LEAST_BUDGET } : { type: 'disabled' }
  return replaced(body, member, JSON.stringify(within))
}

/** The least that Anthropic takes. */
const LEAST_BUDGET = 1024

/** The last item with the notice, or the items in its place; undefined where it is a turn of the assistant. */
const NOTICED: Readonly<Record<DialectName, (item: JsonObject, notice: string) => readonly JsonObject[] | undefined>> =
  {
    chat: (message, notice) =>
      message.role === 'assistant'
        ? undefined
        : [{ ...message, content: noticedContent(message.content, notice, 'text') }],
    messages: (message, notice) =>
      message.role === 'assistant'
        ? undefined
        : [{ ...message, content: noticedContent(message.content, notice, 'text') }],
    responses: (item, notice) => {
      if (item.role === 'assistant') return undefined
      if (item.role !== undefined) return [{ ...item, content: noticedContent(item.content, notice, 'input_text') }]
      return [item, { type: 'message', role: 'user', content: [{ type: 'input_text', text: notice }] }]
    },
  }

function noticedContent(content: unknown, notice: string, type: string): unknown {
  if (Array.isArray(content)) return [...content, { type, text: notice }]
  return typeof content === 'string' && content !== '' ? `${content}\n\n${notice}` : notice
}

interface Span {
  readonly from: number
  readonly to: number
}

const replaced = (body: Buffer, { from, to }: Span, json: string): Buffer =>
  Buffer.concat([body.subarray(0, from), Buffer.from(json), body.subarray(to)])

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a]
/** Brackets, and how they change the depth. */
const DEPTHS: ReadonlyMap<number, number> = new Map([
  [0x7b, 1],
  [0x5b, 1],
  [0x7d, -1],
  [0x5d, -1],
])
const BLANK: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d])

/** The value of a member of an object at the top; undefined where there is none. */
function memberOf(body: Buffer, name: string): Span | undefined {
  for (const entry of entriesOf(body, { from: skipBlank(body, 0), to: body.length })) {
    if (body[entry.from] !== QUOTE) return undefined
    const keyEnd = endOfString(body, entry.from)
    if (body.toString('utf8', entry.from, keyEnd) !== JSON.stringify(name)) continue
    const colon = skipBlank(body, keyEnd)
    return body[colon] === COLON ? { from: skipBlank(body, colon + 1), to: entry.to } : undefined
  }
  return undefined
}

function lastIn(body: Buffer, list: Span): Span | undefined {
  let last: Span | undefined
  for (const entry of entriesOf(body, list)) last = entry
  return last
}

/** The entries of a list, or the members of an object, without the blanks around them. */
function* entriesOf(body: Buffer, { from }: Span): Generator<Span> {
  if (DEPTHS.get(body[from] ?? 0) !== 1) return
  let start = skipBlank(body, from + 1)
  for (const end of endsOfEntries(body, from)) {
    const to = trimmed(body, end)
    if (to > start) yield { from: start, to }
    start = skipBlank(body, end + 1)
  }
}

/** The commas of the list or object itself, and its end. */
function* endsOfEntries(body: Buffer, from: number): Generator<number> {
  let depth = 0
  for (let at = from; at < body.length; at++) {
    const byte = body[at] ?? 0
    if (byte === QUOTE) at = endOfString(body, at) - 1
    else depth += DEPTHS.get(byte) ?? 0
    if (depth === 0 || (depth === 1 && byte === COMMA)) yield at
    if (depth === 0) return
  }
}

/** Behind the quote that ends a string. */
function endOfString(body: Buffer, from: number): number {
  for (let end = body.indexOf(QUOTE, from + 1); end >= 0; end = body.indexOf(QUOTE, end + 1)) {
    let slashes = 0
    while (body[end - 1 - slashes] === BACKSLASH) slashes++
    if (slashes % 2 === 0) return end + 1
  }
  return body.length
}

function skipBlank(body: Buffer, from: number): number {
  let at = from
  while (BLANK.has(body[at] ?? 0)) at++
  return at
}

function trimmed(body: Buffer, to: number): number {
  let end = to
  while (BLANK.has(body[end - 1] ?? 0)) end--
  return end
}
