import { createHash } from 'node:crypto'
import { unescape as unescaped } from 'node:querystring'
import { marked, markedLast, markIn } from '../cache-marks.ts'
import { parse } from '../json-bytes.ts'
import { asObject, isObject, type JsonObject } from '../json-safety.ts'
import { thoughtsOfChat } from '../reasoning/thoughts.ts'

/** The messages of a chat as Messages has them. */
export interface Turns {
  /** Empty where there is none. In blocks where a cache is to keep a part of it. */
  readonly system: string | readonly JsonObject[]
  readonly turns: readonly Turn[]
}

export interface Turn {
  readonly role: 'user' | 'assistant'
  readonly content: string | readonly JsonObject[]
}

/**
 * Reads the messages of a chat. System messages that lead are the system prompt; a later one stays where it is, as a
 * reminder, since one moved to the front would change the beginning of the prompt that backends keep. Results of tools
 * are a user's here, and messages of one side that follow each other are one turn.
 */
export function turnsOfChat(messages: unknown): Turns {
  const all = Array.isArray(messages) ? messages.filter(isObject) : []
  const begin = all.findIndex(({ role }) => !SYSTEM.has(role))
  const leading = begin === -1 ? all : all.slice(0, begin)
  const turns: { role: Turn['role']; content: JsonObject[] }[] = []
  for (const message of all.slice(leading.length)) {
    const role = message.role === 'assistant' ? 'assistant' : 'user'
    const blocks = role === 'assistant' ? saidBy(message) : given(message)
    const last = turns.at(-1)
    if (last?.role === role) last.content.push(...blocks)
    // Turns without content are refused.
    else if (blocks.length > 0) turns.push({ role, content: blocks })
  }
  const system = systemOf(leading)
  // A conversation that begins with the assistant is refused, and so is one without turns.
  if (turns[0]?.role === 'assistant') turns.unshift({ role: 'user', content: [reminder(UNASKED)] })
  if (turns.length === 0 && system.length > 0) return { system: '', turns: [{ role: 'user', content: system }] }
  trimEnd(turns.at(-1))
  return { system, turns: turns.map(({ role, content }) => ({ role, content: onlyText(content) ?? content })) }
}

/** The beginning of an answer that the model goes on from must not end in a blank. */
function trimEnd(turn: { readonly role: Turn['role']; readonly content: JsonObject[] } | undefined): void {
  const last = turn?.content.at(-1)
  if (turn?.role !== 'assistant' || last?.type !== 'text') return
  turn.content[turn.content.length - 1] = { ...last, text: String(last.text).trimEnd() }
}

function systemOf(leading: readonly JsonObject[]): Turns['system'] {
  if (!leading.some(hasMark)) {
    return leading
      .map(({ content }) => textOf(content))
      .filter(Boolean)
      .join('\n\n')
  }
  const blocks = leading.flatMap(message => markedLast(markedBlocksOf(message.content), message))
  return blocks.filter(({ type }) => type === 'text')
}

/** Whether a message, or a part of it, is marked for a cache. */
const hasMark = (message: JsonObject): boolean =>
  [message, ...partsOf(message.content)].some(each => markIn(each) !== undefined)

const SYSTEM: ReadonlySet<unknown> = new Set(['system', 'developer'])

/** A text alone is what most turns are. */
function onlyText([first, ...rest]: readonly JsonObject[]): string | undefined {
  const isPlain = first?.type === 'text' && first.cache_control === undefined
  return isPlain && rest.length === 0 ? String(first.text) : undefined
}

/** The blocks of a user's, a tool's or a later system message. */
function given(message: JsonObject): JsonObject[] {
  const { role, content, tool_call_id } = message
  if (role === 'tool') return [marked(toolResult(tool_call_id, content), message, ...partsOf(content))]
  if (!SYSTEM.has(role)) return markedLast(markedBlocksOf(content), message)
  const text = textOf(content)
  return text === '' ? [] : [marked(reminder(text), message, ...partsOf(content))]
}

/** A text of no user, in the form that models were trained on. */
const reminder = (text: string): JsonObject => ({
  type: 'text',
  text: `<system-reminder>\n${text}\n</system-reminder>`,
})

const UNASKED = 'The assistant spoke first.'

function toolResult(id: unknown, content: unknown): JsonObject {
  const blocks = blocksOf(content)
  const result = { type: 'tool_result', tool_use_id: acceptedId(id) }
  return blocks.length === 0 ? result : { ...result, content: onlyText(blocks) ?? blocks }
}

/** Thoughts first, then texts, then calls: the order that is checked where the model thinks. */
function saidBy(message: JsonObject): JsonObject[] {
  const { content, refusal, tool_calls } = message
  const calls = Array.isArray(tool_calls) ? tool_calls.filter(isObject) : []
  const said = [...markedBlocksOf(content), ...blocksOf(refusal), ...calls.flatMap(toolUse)]
  return [...thoughtsOfChat(message), ...markedLast(said, message)]
}

function toolUse({ id, function: called }: JsonObject): JsonObject[] {
  if (!isObject(called)) return []
  const input = parse(String(called.arguments))
  return [{ type: 'tool_use', id: acceptedId(id), name: called.name, input: asObject(input) }]
}

/** Ids of calls that other backends made may have any characters; calls and results are renamed alike. */
function acceptedId(id: unknown): string {
  const text = String(id)
  if (ACCEPTED_ID.test(text)) return text
  return `call_${createHash('sha256').update(text).digest('hex').slice(0, 24)}`
}

const ACCEPTED_ID = /^[a-zA-Z0-9_-]+$/

/** Texts and images. Texts of nothing but blanks are refused. */
function blocksOf(content: unknown): JsonObject[] {
  if (typeof content === 'string') return BLANK.test(content) ? [] : [{ type: 'text', text: content }]
  return partsOf(content).flatMap(blockOf)
}

/** The blocks of a content, with the cache marks of its parts. */
function markedBlocksOf(content: unknown): JsonObject[] {
  if (!Array.isArray(content)) return blocksOf(content)
  return partsOf(content).flatMap(part => blockOf(part).map(block => marked(block, part)))
}

const partsOf = (content: unknown): readonly JsonObject[] => (Array.isArray(content) ? content.filter(isObject) : [])

function blockOf({ type, text, refusal, image_url }: JsonObject): JsonObject[] {
  if (type === 'text' || type === 'refusal') return blocksOf(text ?? refusal)
  const image = imageOf(asObject(image_url).url)
  return image ? [{ type: 'image', source: image }] : []
}

/** An image from a data URL, the only form that the gateway takes. */
function imageOf(url: unknown): JsonObject | undefined {
  const [, mediaType, options, data] = DATA_URL.exec(typeof url === 'string' ? url : '') ?? []
  if (mediaType === undefined || data === undefined) return undefined
  const isBase64 = options?.endsWith(';base64') === true
  return {
    type: 'base64',
    media_type: MEDIA_TYPES[mediaType.toLowerCase()] ?? mediaType,
    data: isBase64 ? data : Buffer.from(unescaped(data)).toString('base64'),
  }
}

/** All of a text. */
const BLANK = /^\s*$/

/** Its name by RFC 2046, of those that clients call otherwise. */
const MEDIA_TYPES: Readonly<Record<string, string>> = { 'image/jpg': 'image/jpeg', 'image/pjpeg': 'image/jpeg' }

const DATA_URL = /^data:([^;,]+)([^,]*),(.*)$/s

const textOf = (content: unknown): string =>
  blocksOf(content)
    .flatMap(({ text }) => (typeof text === 'string' ? [text] : []))
    .join('\n')
