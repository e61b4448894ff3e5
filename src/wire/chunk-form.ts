import { type ChunkTerms, type DeltaChunk, deltaOf, parse, readChunk } from './chunk.ts'
import { isObject, type JsonObject } from './json.ts'
import type { EventForm } from './known-events.ts'

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
const MARK = 'svc-text'
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
  read(data: string): ReturnType<typeof readChunk> {
    const form = this.#form
    // To compare a part costs a third of startsWith.
    if (!form || data.slice(0, form.before.length) !== form.before) return this.#parse(data)
    const text = textIn(data, form)
    if (text === undefined) return readChunk(data, this.#terms)
    const { sentBefore, sentAfter, choices } = form
    const sent = sentBefore === form.before && sentAfter === form.after ? data : sentBefore + text + sentAfter
    return { kind: 'delta', spoken: Buffer.byteLength(text), choices, finished: NONE, data: sent }
  }

  #parse(data: string): ReturnType<typeof readChunk> {
    const chunk = readChunk(data, this.#terms)
    if (this.#left > 0 && chunk.kind === 'delta' && chunk.spoken > 0) {
      const form = formOf(data, chunk, this.#terms)
      if (form) {
        this.#form = form
        this.#left--
      }
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

/**
 * The form of an event that says a text and nothing else. Whether the text found is the one that was said is tried: with
 * another one in its place, another one is said.
 */
function formOf(data: string, chunk: DeltaChunk, terms: ChunkTerms): Form | undefined {
  const found = CONTENT.exec(data)
  if (!found || terms.deltas || chunk.choices.length !== 1 || chunk.finished.length > 0 || chunk.usage) return undefined
  const start = found.index + found[0].length
  const end = data.indexOf('"', start)
  if (end === -1 || data.includes(MARK)) return undefined
  const before = data.slice(0, start)
  const after = data.slice(end)
  const marked = before + MARK + after
  const tried = parse(marked)
  if (!isObject(tried) || !isSaid(tried)) return undefined
  const { spoken, data: sent } = deltaOf(marked, tried, terms)
  if (spoken !== MARK.length || sent === undefined) return undefined
  const cut = sent.indexOf(MARK)
  if (cut === -1 || sent.includes(MARK, cut + 1)) return undefined
  const sentBefore = sent.slice(0, cut)
  const sentAfter = sent.slice(cut + MARK.length)
  return { before, after, sentBefore, sentAfter, choices: chunk.choices, event: eventOf() }

  function eventOf(): EventForm | undefined {
    if (!ASCII.test(before) || !ASCII.test(after)) return undefined
    return {
      before: `data: ${before}`,
      after: `${after}\n\n`,
      sentBefore: `data: ${sentBefore}`,
      sentAfter: `${sentAfter}\n\n`,
      isSentAsCame: sent === marked,
    }
  }
}

/** Whether the mark is what the only choice says. */
function isSaid({ choices }: JsonObject): boolean {
  if (!Array.isArray(choices) || choices.length !== 1) return false
  const [choice] = choices
  return isObject(choice) && isObject(choice.delta) && choice.delta.content === MARK
}
