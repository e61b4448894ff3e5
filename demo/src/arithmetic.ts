/** An expression found in a text, and its value; not finite after a division by zero. */
export interface Sum {
  readonly expression: string
  readonly value: number
}

/** Longer ones are not arithmetic questions, and the parser recurses. */
const LENGTH_MAX = 200
const CUE = /\bwhat(?:'s|’s| is)\b|\bcalculate\b|\bcompute\b|\bevaluate\b|\bsolve\b|\bhow much\b|=/i
const DATE = /\b\d{4}-\d{2}-\d{2}\b/g
const SPOKEN: readonly (readonly [RegExp, string])[] = [
  [/\bplus\b/gi, '+'],
  [/\bminus\b/gi, '-'],
  [/\btimes\b|\bmultiplied by\b|×/gi, '*'],
  [/\bdivided by\b|\bover\b|÷/gi, '/'],
  // Separators of thousands.
  [/(?<=\d),(?=\d{3}\b)/g, ''],
  [DATE, ' '],
]

/** The sum a text asks for, if it asks for one: "what is 12*7+1?", or the bare expression. */
export function sumIn(text: string): Sum | undefined {
  if (text.length > 10 * LENGTH_MAX) return undefined
  const plain = SPOKEN.reduce((changed, [pattern, sign]) => changed.replace(pattern, sign), text)
  for (const [run] of plain.matchAll(/[-\d\s.+*/^%()]+/g)) {
    const expression = run.trim().replace(/[.\s]+$/, '')
    const bare = plain.replace(/[?=\s]+$/, '').trim() === expression
    if (!bare && !CUE.test(plain)) continue
    const value = evaluate(expression)
    if (value !== undefined) return { expression, value }
  }
  return undefined
}

/** The value of an expression with + - * / % ^ and brackets, or nothing if it is not one or has no operator. */
function evaluate(expression: string): number | undefined {
  if (expression.length > LENGTH_MAX || !/[\d)]\s*[-+*/%^]/.test(expression)) return undefined
  const signs = expression.match(/\d+(?:\.\d+)?|\.\d+|[-+*/%^()]|\S/g) ?? []
  try {
    const parser = new Parser(signs)
    const value = parser.sum()
    return parser.done ? Number(value.toPrecision(12)) : undefined
  } catch (error) {
    if (error instanceof NotArithmetic) return undefined
    throw error
  }
}

class NotArithmetic extends Error {}

/** Recursive descent, one method for each level of precedence. */
class Parser {
  #at = 0
  readonly #signs: readonly string[]

  constructor(signs: readonly string[]) {
    this.#signs = signs
  }

  get done(): boolean {
    return this.#at === this.#signs.length
  }

  sum(): number {
    let value = this.#product()
    for (;;) {
      if (this.#next('+')) value += this.#product()
      else if (this.#next('-')) value -= this.#product()
      else return value
    }
  }

  #product(): number {
    let value = this.#signed()
    for (;;) {
      if (this.#next('*')) value *= this.#signed()
      else if (this.#next('/')) value /= this.#signed()
      else if (this.#next('%')) value %= this.#signed()
      else return value
    }
  }

  #signed(): number {
    if (this.#next('-')) return -this.#signed()
    const base = this.#atom()
    // Right-associative, and binds tighter than a sign: -2^2 is -4, 2^3^2 is 512.
    return this.#next('^') ? base ** this.#signed() : base
  }

  #atom(): number {
    if (this.#next('(')) {
      const value = this.sum()
      if (!this.#next(')')) throw new NotArithmetic()
      return value
    }
    const sign = this.#signs[this.#at] ?? ''
    if (!/^[.\d]*\d$/.test(sign)) throw new NotArithmetic()
    this.#at++
    return Number(sign)
  }

  #next(sign: string): boolean {
    if (this.#signs[this.#at] !== sign) return false
    this.#at++
    return true
  }
}
