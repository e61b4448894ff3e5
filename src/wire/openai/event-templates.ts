import type { EventTemplate } from '../fast/templated-events.ts'
import { isWithout } from '../fast/without.ts'
import { parse } from '../json-bytes.ts'
import { isObject } from '../json-safety.ts'
import { leastTokens } from '../usage/usage.ts'
import { type Chunk, type ChunkReader, type DeltaChunk, DONE } from './chunk.ts'

/** An event of a stream, except for the text in its middle. */
interface ChunkTemplate {
  readonly before: string
  readonly after: string
  /** The text before the content as clients get it; after it, `sentAfter`. */
  readonly sentBefore: string
  readonly sentAfter: string
  readonly choices: readonly number[]
  /** Nothing where it has characters that are no ASCII. */
  readonly event: EventTemplate | undefined
}

/** A backend that writes each event in another form is read without. */
const MOST_TEMPLATES = 4
const KEY = '"content"'
const CONTENT = /"content": ?"/
/** Characters that JSON writes without an escape. */
const PLAIN = /^[^"\\\p{Cc}]*$/u
const ASCII = /^[ -~]*$/

/**
 * Nearly all events of a stream differ in a single text. The template comes from a parsed event, and comparing the others with it
 * costs a tenth of parsing them. An event that differs anywhere else is parsed.
 */
export class EventTemplates {
  readonly #chunks: ChunkReader
  #template: ChunkTemplate | undefined
  #left: number

  /** `learns`: false where an event may go to its client in part. */
  constructor(chunks: ChunkReader, learns = true) {
    this.#chunks = chunks
    this.#left = !learns || isWithout('event-templates') ? 0 : MOST_TEMPLATES
  }

  /** The template that the next event is compared with. */
  get event(): EventTemplate | undefined {
    return this.#template?.event
  }

  /** Reads an event as the reader of chunks does. */
  read(data: string): Chunk {
    const template = this.#template
    // Comparing a slice takes a third of the time of startsWith.
    if (!template || data.slice(0, template.before.length) !== template.before) return this.#parse(data)
    const text = textIn(data, template)
    if (text === undefined) return this.#chunks.read(data)
    const { sentBefore, sentAfter, choices } = template
    const sent = sentBefore === template.before && sentAfter === template.after ? data : sentBefore + text + sentAfter
    const outputBytes = Buffer.byteLength(text)
    return { kind: 'delta', outputBytes, tokens: leastTokens(text), choices, finished: NONE, data: sent }
  }

  #parse(data: string): Chunk {
    if (data === DONE || this.#left === 0) return this.#chunks.read(data)
    const parsed = parse(data)
    if (parsed === undefined) return this.#chunks.read(data)
    const chunk = this.#chunks.readParsed(data, parsed)
    const template = chunk.kind === 'delta' && !chunk.isOnce ? templateOf(data, parsed, chunk) : undefined
    if (template) {
      this.#template = template
      this.#left--
    }
    return chunk
  }
}

const NONE: readonly number[] = []

function textIn(data: string, { before, after }: ChunkTemplate): string | undefined {
  const end = data.length - after.length
  if (end < before.length || data.slice(end) !== after) return undefined
  const text = data.slice(before.length, end)
  return PLAIN.test(text) ? text : undefined
}

/** The form of an event that says a text and nothing else. */
function templateOf(data: string, parsed: unknown, chunk: DeltaChunk): ChunkTemplate | undefined {
  const { choices, finished, usage, outputBytes, data: sentData } = chunk
  if (outputBytes === 0 || choices.length !== 1 || finished.length > 0 || usage || sentData === undefined)
    return undefined
  const text = contentIn(parsed)
  if (text === undefined || outputBytes !== Buffer.byteLength(text)) return undefined
  const around = cutAround(text, data)
  const sent = sentData === data ? around : cutAround(text, sentData)
  if (!around || !sent) return undefined
  const [before, after] = around
  const [sentBefore, sentAfter] = sent
  const isAscii = ASCII.test(before) && ASCII.test(after)
  const event = isAscii
    ? {
        before: `data: ${before}`,
        after: `${after}\n\n`,
        sentBefore: `data: ${sentBefore}`,
        sentAfter: `${sentAfter}\n\n`,
        isSentAsCame: sentData === data,
      }
    : undefined
  return { before, after, sentBefore, sentAfter, choices, event }
}

function contentIn(event: unknown): string | undefined {
  if (!isObject(event) || !Array.isArray(event.choices) || event.choices.length !== 1) return undefined
  const [choice] = event.choices
  const content = isObject(choice) && isObject(choice.delta) ? choice.delta.content : undefined
  return typeof content === 'string' ? content : undefined
}

/**
 * Finds the text before and after the content of an event. Where its key is there once, and nothing is written with an
 * escape, no other text than this one is meant.
 */
function cutAround(text: string, data: string): readonly [string, string] | undefined {
  const found = CONTENT.exec(data)
  if (!found || data.indexOf(KEY) !== data.lastIndexOf(KEY) || data.includes('\\')) return undefined
  const start = found.index + found[0].length
  const end = start + text.length
  return data.slice(start, end) === text && data[end] === '"' ? [data.slice(0, start), data.slice(end)] : undefined
}
