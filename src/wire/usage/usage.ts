import type { CachedTokens, PaidTokens } from '../../policy/price.ts'
import { isObject } from '../json-safety.ts'

/** Tokens as a backend counted them. */
export type Usage = PaidTokens

/** The usage of a part of an answer, as far as it can be told where none was reported. */
export interface LeastUsage extends CachedTokens {
  /** As a backend counted them; absent where it did not report them. */
  readonly inputTokens?: number
  readonly outputTokens: number
  /** Bytes of the prompt, where they are known and its tokens were not reported. */
  readonly promptBytes?: number
  /** The ratio in prompts that the same backend counted before. */
  readonly bytesPerToken?: number
  /** Output that nothing was seen of, by the time that the backend worked. */
  readonly hiddenTokens?: number
}

/** A usage whose output is no less than what was seen. */
export const atLeast = (usage: Usage, outputTokens: number): Usage =>
  usage.outputTokens >= outputTokens ? usage : { ...usage, outputTokens }

/** A usage of an answer in which so much was seen: undefined where it counts nothing at all, which is a service's way to tell none. */
export const countedUsage = (usage: Usage, seenTokens: number): Usage | undefined =>
  seenTokens > 0 && usage.inputTokens + usage.outputTokens === 0 ? undefined : usage

/** The least usage once so much output came, from usage that was reported on the way. */
export function leastOfReported(reported: Usage | undefined, outputTokens: number): LeastUsage {
  // A prompt of no tokens is what some report until they know.
  return reported && reported.inputTokens > 0 ? { ...reported, outputTokens } : { outputTokens }
}

/**
 * A usage with the tokens of its input that were cached, where there are any: no more than all of it. `kept`: of those
 * that were written, for an hour.
 */
export function withCached(usage: Usage, cached: unknown, written: unknown, kept?: unknown): Usage {
  const cachedTokens = isCount(cached) ? Math.min(cached, usage.inputTokens) : 0
  const cacheWriteTokens = isCount(written) ? Math.min(written, usage.inputTokens - cachedTokens) : 0
  if (cachedTokens + cacheWriteTokens === 0) return usage
  const cacheWrite1hTokens = isCount(kept) ? Math.min(kept, cacheWriteTokens) : 0
  return {
    ...usage,
    ...(cachedTokens > 0 && { cachedTokens }),
    ...(cacheWriteTokens > 0 && { cacheWriteTokens }),
    ...(cacheWrite1hTokens > 0 && { cacheWrite1hTokens }),
  }
}

/** No request takes a billion tokens: a backend that says so has counted something else. */
export const COUNT_MAX = 1e9

/** Whether a value counts something. */
export const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= COUNT_MAX

/** Tokens that a delta took at the least; 0 where it says nothing. */
export function deltaTokens(delta: unknown): number {
  if (!isObject(delta) || outputBytesOf(delta) === 0) return 0
  // Some backends send the same reasoning under both names.
  const reasoning = Math.max(longTokens(delta.reasoning_content), longTokens(delta.reasoning))
  let tokens = longTokens(delta.content) + reasoning + longTokens(delta.refusal)
  const { tool_calls, function_call } = delta
  for (const call of Array.isArray(tool_calls) ? tool_calls : [])
    if (isObject(call) && isObject(call.function)) tokens += longTokens(call.function.arguments)
  if (isObject(function_call)) tokens += longTokens(function_call.arguments)
  return Math.max(1, tokens)
}

/** The tokens of a text that has more than one; short texts of the same delta may be parts of one. */
function longTokens(text: unknown): number {
  const tokens = typeof text === 'string' ? leastTokens(text) : 0
  return tokens > 1 ? tokens : 0
}

/** Bytes of what the model said in a message or a delta: text, reasoning and tool calls. */
export function outputBytesOf(message: unknown): number {
  if (!isObject(message)) return 0
  let bytes = 0
  for (const text of [message.content, message.reasoning_content, message.reasoning, message.refusal]) {
    if (typeof text === 'string') bytes += Buffer.byteLength(text)
  }
  const { tool_calls, function_call } = message
  if (Array.isArray(tool_calls) && tool_calls.length > 0) bytes += Buffer.byteLength(JSON.stringify(tool_calls))
  if (isObject(function_call)) bytes += Buffer.byteLength(JSON.stringify(function_call))
  return bytes
}

/** A delta up to this length is taken for one token: that is how most backends stream. */
const ONE_TOKEN_CHARS = 16
/** No tokenizer in use makes one token of two words: each token begins with the space before a word, or after it. */
const WORDS = /\S+/g
/**
 * The least tokens of texts without spaces: one for each four characters of Chinese, Japanese or Korean, for each three
 * digits, and for each word of 24 letters.
 */
const PIECES = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]{4}|\p{Nd}{3}|\p{L}{24}/gu

/**
 * The tokens that a backend made of a delta at the least: one, and more where it sent several together. It is an estimate
 * from below, so that an answer which is cut never costs more than all of it.
 */
export function leastTokens(text: string): number {
  if (text.length <= ONE_TOKEN_CHARS) return text === '' ? 0 : 1
  return ASCII.test(text) ? leastAsciiTokens(text) : Math.max(1, countOf(text, WORDS), countOf(text, PIECES))
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII.
const ASCII = /^[\x00-\x7f]*$/

/** The least tokens of a text in ASCII, counted in a tenth of the time. */
const leastAsciiTokens = (text: string): number => Math.max(1, asciiWords(text), asciiPieces(text))

function asciiWords(text: string): number {
  let words = 0
  let isInWord = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const isBlank = code === SPACE || (code >= TAB && code <= CR)
    if (!isBlank && !isInWord) words++
    isInWord = !isBlank
  }
  return words
}

function asciiPieces(text: string): number {
  let pieces = 0
  let digits = 0
  let letters = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const letter = code | LOWER_CASE
    digits = code >= ZERO && code <= NINE ? digits + 1 : 0
    letters = letter >= LETTER_A && letter <= LETTER_Z ? letters + 1 : 0
    if (digits !== 3 && letters !== 24) continue
    pieces++
    digits = 0
    letters = 0
  }
  return pieces
}

const TAB = 0x09
const CR = 0x0d
const SPACE = 0x20
const ZERO = 0x30
const NINE = 0x39
const LETTER_A = 0x61
const LETTER_Z = 0x7a
/** From a letter of ASCII to the small one. */
const LOWER_CASE = 0x20

function countOf(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}
