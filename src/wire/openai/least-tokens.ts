/** A delta up to this length is taken for one token: that is how most backends stream. */
const ONE_TOKEN_CHARS = 16
/** No tokenizer in use makes one token of two words: each token begins with the space before a word, or after it. */
const WORDS = /\S+/g
/**
 * Of texts without spaces: at the least a token for each four characters of Chinese, Japanese or Korean, for each three
 * digits, and for each word of 24 letters.
 */
const PIECES = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]{4}|\p{Nd}{3}|\p{L}{24}/gu

/**
 * The tokens that a backend made of a delta at the least: one, and more where it sent several together. It is an estimate
 * from below, so that an answer which is cut never costs more than all of it.
 */
export function leastTokens(text: string): number {
  if (text.length <= ONE_TOKEN_CHARS) return text === '' ? 0 : 1
  return Math.max(1, countOf(text, WORDS), countOf(text, PIECES))
}

function countOf(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}
