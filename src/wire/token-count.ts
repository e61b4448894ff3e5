import { asObject, isObject, type JsonObject } from './json-safety.ts'

/**
 * How many tokens the prompt of a chat has by most tokenizers, for clients that ask before they shorten their history: in prose,
 * code and JSON within a tenth. It does not include the text that a model's template adds around tools. It is an estimate and not
 * a bound: limits and reservations use src/policy/sizing.ts.
 */
export function tokensOf({ messages, tools, response_format: format }: JsonObject, imageTokens: number): number {
  const count = new Count(imageTokens)
  for (const message of Array.isArray(messages) ? messages : []) count.addMessage(asObject(message))
  for (const printed of [tools, format]) if (isObject(printed) || Array.isArray(printed)) count.addPrinted(printed)
  return count.tokens + BEGINNING
}

/** Tokens that templates put around the text of a message, and where the answer begins. */
const AROUND = 5
const BEGINNING = 3

class Count {
  readonly #imageTokens: number
  /** Tokens of parts that are no text. */
  #more = 0
  /** Tokens of the texts that were looked at. */
  #counted = 0
  #countedChars = 0
  #chars = 0

  constructor(imageTokens: number) {
    this.#imageTokens = imageTokens
  }

  get tokens(): number {
    const rest = this.#countedChars === 0 ? 0 : this.#counted * (this.#chars / this.#countedChars)
    return this.#more + Math.ceil(rest)
  }

  addMessage({ content, reasoning_content, tool_calls }: JsonObject): void {
    this.#more += AROUND
    for (const text of [content, reasoning_content]) if (typeof text === 'string') this.#addText(text)
    for (const part of Array.isArray(content) ? content : []) {
      const { text } = asObject(part)
      if (typeof text === 'string') this.#addText(text)
      else this.#more += this.#imageTokens
    }
    for (const call of Array.isArray(tool_calls) ? tool_calls : []) this.addPrinted(asObject(asObject(call).function))
  }

  /** Templates print these as JSON. */
  addPrinted(value: unknown): void {
    this.#addText(JSON.stringify(value))
  }

  /** Counts a text. The beginning of a very long one stands for the rest. */
  #addText(text: string): void {
    const counted = text.slice(0, MOST_CHARS - this.#countedChars)
    this.#chars += text.length
    this.#countedChars += counted.length
    this.#counted += tokensIn(counted)
  }
}

/** Characters examined in a few milliseconds. */
const MOST_CHARS = 262_144

/** Most pieces are a token; the constants are those that come closest to o200k_base and cl100k_base. */
function tokensIn(text: string): number {
  let tokens = 0
  for (const [piece] of text.matchAll(PIECES)) tokens += tokensOfPiece(piece)
  return tokens
}

/** Words, each with what stands before it, also in camelCase; three digits; marks; and what is blank. */
const PIECES =
  /[^\r\n\p{L}\p{N}]?\p{Lu}*\p{Ll}+|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+/gu

function tokensOfPiece(piece: string): number {
  const { length } = piece
  const last = piece.charCodeAt(length - 1)
  if (last >= CJK) return Math.max(1, length * 0.7)
  if (last >= ASCII) return 1 + Math.max(0, length - 3) * 0.25
  if (isLetter(last)) return 1 + Math.max(0, length - 7) * 0.2
  return last <= SPACE ? 1 : 1 + Math.max(0, length - 3) * 0.3
}

/** From here on, most characters are those of Chinese, Japanese and Korean. */
const CJK = 0x2e80
const ASCII = 0x80
const SPACE = 0x20
const LOWER = 0x20

const isLetter = (code: number): boolean => (code | LOWER) >= 0x61 && (code | LOWER) <= 0x7a
