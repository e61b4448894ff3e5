import { isObject } from '../json.ts'
import { type Chunk, type ChunkTerms, type DeltaChunk, DONE, parse, readChunk, readParsed } from '../openai/chunk.ts'
import { leastTokens } from '../openai/least-tokens.ts'
import type { EventForm } from './templated-events.ts'

/** An event of a stream, but for the text in its middle. */
interface Form {
  readonly before: string
  readonly after: string
  /** The same as clients get it. */
  readonly sentBefore: string
  readonly sentAfter: string
  readonly choices: readonly number[]
  /** Nothing where it has characters that are no ASCII. */
  readonly event: EventForm | undefined
}

/** A backend that writes each event in another form is read without. */
const MOST_FORMS = 4
const KEY = '"content"'
const CONTENT = /"content": ?"/
/** What JSON writes as it is. */
const PLAIN = /^[^"\\\p{Cc}]*$/u
const ASCII = /^[ -~]*$/

/**
 * Nearly all events of a stream differ in one text alone. Their form is learnt from one that was parsed, and the others
 * are compared with it, which costs a tenth of parsing them. What differs in any other character is parsed.
 */
export class ChunkForms {
  readonly #terms: ChunkTerms
  #form: Form | undefined
  #left = MOST_FORMS

  constructor(terms: ChunkTerms) {
    this.#terms = terms
  }

  /** Of the events that the next one is compared with. */
  get event(): EventForm | undefined {
    return this.#form?.event
  }

  /** The same as `readChunk`. */
  read(data: string): Chunk {
    const form = this.#form
    // To compare a part costs a third of startsWith.
    if (!form || data.slice(0, form.before.length) !== form.before) return this.#parse(data)
    const text = textIn(data, form)
    if (text === undefined) return readChunk(data, this.#terms)
    const { sentBefore, sentAfter, choices } = form
    const sent = sentBefore === form.before && sentAfter === form.after ? data : sentBefore + text + sentAfter
    const spoken = Buffer.byteLength(text)
    return { kind: 'delta', spoken, tokens: leastTokens(text), choices, finished: NONE, data: sent }
  }

  #parse(data: string): Chunk {
    if (data === DONE || this.#left === 0 || this.#terms.deltas) return readChunk(data, this.#terms)
    const parsed = parse(data)
    const chunk = readParsed(data, parsed, this.#terms)
    const form = chunk.kind === 'delta' ? formOf(data, parsed, chunk) : undefined
    if (form) {
      this.#form = form
      this.#left--
    }
    return chunk
  }
}

const NONE: readonly number[] = []

function textIn(data: string, { before, after }: Form): string | undefined {
  const end = data.length - after.length
  if (end < before.length || data.slice(end) !== after) return undefined
  const text = data.slice(before.length, end)
  return PLAIN.test(text) ? text : undefined
}

/** The form of an event that says a text and nothing else. */
function formOf(data: string, parsed: unknown, chunk: DeltaChunk): Form | undefined {
  const { choices, finished, usage, spoken, data: sentData } = chunk
  if (spoken === 0 || choices.length !== 1 || finished.length > 0 || usage || sentData === undefined) return undefined
  const text = contentIn(parsed)
  if (text === undefined || spoken !== Buffer.byteLength(text)) return undefined
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
 * What stands before and after the content of an event. Where its key is there once, and nothing is written with an
 * escape, no other text than this one is meant.
 */
function cutAround(text: string, data: string): readonly [string, string] | undefined {
  const found = CONTENT.exec(data)
  if (!found || data.indexOf(KEY) !== data.lastIndexOf(KEY) || data.includes('\\')) return undefined
  const start = found.index + found[0].length
  const end = start + text.length
  return data.slice(start, end) === text && data[end] === '"' ? [data.slice(0, start), data.slice(end)] : undefined
}
