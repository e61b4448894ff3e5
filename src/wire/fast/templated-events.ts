import { parse } from '../json-bytes.ts'
import { leastTokens } from '../usage/usage.ts'

/** Events that differ in one text alone, from one blank line to the next: what stands before and after it, in ASCII. */
export interface EventTemplate {
  readonly before: string
  readonly after: string
  /** The text before the content as clients get it; after it, `sentAfter`. */
  readonly sentBefore: string
  readonly sentAfter: string
  /** Whether that is no other. */
  readonly isSentAsCame: boolean
}

/** Events that were read without parsing them. */
export interface TemplatedEvents {
  /** Where they end. */
  readonly end: number
  /** Bytes of their content. */
  readonly outputBytes: number
  /** Tokens that they took at the least. */
  readonly tokens: number
  /** As they go to the client. */
  readonly events: string
}

/** ASCII that JSON writes without an escape. */
const PLAIN = /^[ !#-[\]-~]*$/

/**
 * Reads the events of a form from `from` on, as many as follow each other whole and hold no more than `most` tokens together;
 * undefined where there is none. `latin1` is the same as `bytes` with a character for each of them, which is faster to compare.
 */
export function readTemplated(
  template: EventTemplate,
  bytes: Buffer,
  latin1: string,
  from: number,
  most = Number.POSITIVE_INFINITY,
): TemplatedEvents | undefined {
  const { before, after, sentBefore, sentAfter, isSentAsCame } = template
  let events = ''
  let outputBytes = 0
  let tokens = 0
  let at = from
  /** Text between it and `at` goes out as it came. */
  let unsent = from
  for (let end = endOfText(template, latin1, at); end !== -1; end = endOfText(template, latin1, at)) {
    const start = at + before.length
    const next = end + after.length
    const text = latin1.slice(start, end)
    const isPlain = isSentAsCame && PLAIN.test(text)
    const said = isPlain ? text : textOf(bytes, start, end)
    if (said === undefined) break
    const took = leastTokens(said)
    if (tokens + took > most) break
    tokens += took
    outputBytes += isPlain ? text.length : Buffer.byteLength(said)
    if (!isPlain) {
      const sent = sentText(template, bytes.subarray(start, end), said)
      events += latin1.slice(unsent, at) + sentBefore + sent + sentAfter
      unsent = next
    }
    at = next
  }
  return at === from ? undefined : { end: at, outputBytes, tokens, events: events + latin1.slice(unsent, at) }
}

/** The text that stands between quotes; undefined where it is no JSON. */
function textOf(bytes: Buffer, start: number, end: number): string | undefined {
  const text = parse(bytes.toString('utf8', start - 1, end + 1))
  return typeof text === 'string' ? text : undefined
}

/** A text as it goes to the client between quotes; `came` are its bytes as they came. */
const sentText = ({ isSentAsCame }: EventTemplate, came: Buffer, text: string): string =>
  isSentAsCame ? came.toString('utf8') : JSON.stringify(text).slice(1, -1)

/** Where the text of an event ends that begins at `from`; -1 where there is none of the form, or not all of it. */
function endOfText({ before, after }: EventTemplate, latin1: string, from: number): number {
  const start = from + before.length
  // Comparing a slice takes a third of the time of startsWith.
  if (latin1.slice(from, start) !== before) return -1
  const end = closingQuote(latin1, start)
  return end !== -1 && latin1.slice(end, end + after.length) === after ? end : -1
}

/** Where the text of JSON ends that begins at `from`; -1 where it does not. */
function closingQuote(json: string, from: number): number {
  let end = json.indexOf('"', from)
  while (end !== -1 && isEscaped(json, end)) end = json.indexOf('"', end + 1)
  return end
}

function isEscaped(json: string, at: number): boolean {
  let first = at
  while (json[first - 1] === '\\') first--
  return (at - first) % 2 === 1
}
