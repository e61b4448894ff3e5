/**
 * Finds the end of a JSON object that arrives in pieces, reading each character once. Ignores other values, since the input of a
 * tool is always an object.
 */
export class JsonEnd {
  #depth = 0
  #isObject = false
  #state: 'before' | 'inside' | 'text' | 'escape' | 'after' = 'before'

  /** Whether the object is over, or what came is none. */
  get isReached(): boolean {
    return this.#state === 'after'
  }

  /** Whether an object came, and is over. */
  get isWhole(): boolean {
    return this.#isObject && this.#state === 'after'
  }

  /** The part of a piece that belongs to the object. */
  take(piece: string): string {
    if (this.#state === 'after') return ''
    if (this.#state !== 'before') return this.#inside(piece, 0)
    const begin = piece.search(/\S/)
    if (begin === -1) return ''
    if (piece[begin] === '{') {
      this.#isObject = true
      return this.#inside(piece, begin)
    }
    this.#state = 'after'
    return ''
  }

  #inside(piece: string, begin: number): string {
    for (let at = begin; at < piece.length; at++) {
      this.#step(piece.charCodeAt(at))
      if (this.#state === 'after') return piece.slice(begin, at + 1)
    }
    return piece.slice(begin)
  }

  #step(code: number): void {
    if (this.#state === 'escape') this.#state = 'text'
    else if (this.#state === 'text') {
      if (code === QUOTE) this.#state = 'inside'
      else if (code === BACKSLASH) this.#state = 'escape'
    } else if (code === QUOTE) this.#state = 'text'
    else if (code === BRACE || code === BRACKET) {
      this.#state = 'inside'
      this.#depth++
    } else if (code === CLOSING_BRACE || code === CLOSING_BRACKET) {
      if (--this.#depth === 0) this.#state = 'after'
    }
  }
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const BRACE = 0x7b
const BRACKET = 0x5b
const CLOSING_BRACE = 0x7d
const CLOSING_BRACKET = 0x5d
