/**
 * The value of an arithmetic expression, as a decimal of at most 15 digits. `^` and `**` bind to the right and stronger
 * than a sign before them, as in -2^2 = -4. Throws CalculatorError.
 */
export function evaluate(expression: string): string {
  return printed(new Parser(tokensOf(expression)).whole())
}

/** How deep parentheses, signs and powers may be nested. */
const DEPTH_MAX = 100

interface Token {
  readonly text: string
  /** Counted from 1. */
  readonly at: number
}

const TOKEN = /\s*(?:(\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?|[A-Za-z_]\w*|\*\*|[-+*/%^(),])|(\S))/guy

function tokensOf(expression: string): readonly Token[] {
  return [...expression.trimEnd().matchAll(TOKEN)].map(match => {
    const [all, text, unknown] = match
    const at = match.index + all.length - (text ?? unknown ?? '').length + 1
    if (text === undefined) throw new CalculatorError(`${unknown} at character ${at} means nothing here`)
    return { text: text === '**' ? '^' : text, at }
  })
}

class Parser {
  readonly #tokens: readonly Token[]
  #next = 0
  #depth = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  whole(): number {
    const value = this.#sum()
    if (this.#tokens[this.#next]) throw this.#unexpected()
    return value
  }

  #sum(): number {
    return this.#chain(['+', '-'], () => this.#product())
  }

  #product(): number {
    return this.#chain(['*', '/', '%'], () => this.#signed())
  }

  /** Operands with operators between them, from left to right. */
  #chain(operators: readonly string[], operand: () => number): number {
    let value = operand()
    for (let operator = this.#take(operators); operator; operator = this.#take(operators))
      value = apply(operator, value, operand())
    return value
  }

  #signed(): number {
    return this.#deeper(() => {
      const sign = this.#take(['+', '-'])
      if (!sign) return this.#power()
      const value = this.#signed()
      return sign === '-' ? -value : value
    })
  }

  #power(): number {
    const base = this.#atom()
    return this.#take(['^']) ? apply('^', base, this.#signed()) : base
  }

  #atom(): number {
    const token = this.#tokens[this.#next]
    if (!token) throw this.#unexpected()
    if (this.#take(['('])) return this.#closed(() => this.#sum())
    if (/^[\d.]/.test(token.text)) {
      this.#next++
      return finite(Number(token.text))
    }
    if (/^\w/.test(token.text)) return this.#named(token)
    throw this.#unexpected()
  }

  #named({ text, at }: Token): number {
    this.#next++
    const name = text.toLowerCase()
    const constant = NAMES.get(name)
    if (constant !== undefined) return constant
    const known = FUNCTIONS.get(name)
    if (!known) throw new CalculatorError(`${text} at character ${at} is not known`)
    if (!this.#take(['('])) throw new CalculatorError(`${name} at character ${at} needs its arguments in parentheses`)
    const values = this.#closed(() => this.#list())
    if (!known.takes(values.length))
      throw new CalculatorError(`${name} at character ${at} does not take ${values.length} arguments`)
    return finite(known.run(...values))
  }

  #list(): readonly number[] {
    const values = [this.#sum()]
    while (this.#take([','])) values.push(this.#sum())
    return values
  }

  #closed<T>(inside: () => T): T {
    const value = inside()
    if (!this.#take([')'])) throw this.#unexpected()
    return value
  }

  #deeper<T>(parse: () => T): T {
    if (++this.#depth > DEPTH_MAX) throw new CalculatorError(`the expression is nested deeper than ${DEPTH_MAX} levels`)
    const value = parse()
    this.#depth--
    return value
  }

  #take(texts: readonly string[]): string | undefined {
    const text = this.#tokens[this.#next]?.text
    if (text === undefined || !texts.includes(text)) return undefined
    this.#next++
    return text
  }

  #unexpected(): CalculatorError {
    const token = this.#tokens[this.#next]
    if (!token) return new CalculatorError('the expression ends too early')
    return new CalculatorError(`${token.text} at character ${token.at} is not expected there`)
  }
}

function apply(operator: string, left: number, right: number): number {
  const operation = OPERATIONS.get(operator)
  if (!operation) throw new Error(`no operation ${operator}`)
  return finite(operation(left, right))
}

/** Why an expression has no value, in words for its author. */
export class CalculatorError extends Error {}

const OPERATIONS: ReadonlyMap<string, (left: number, right: number) => number> = new Map([
  ['+', sum],
  ['-', (left, right) => sum(left, -right)],
  ['*', (left, right) => left * right],
  ['/', (left, right) => left / nonZero(right)],
  // With the sign of the left side.
  ['%', (left, right) => left % nonZero(right)],
  ['^', (left, right) => (right < 0 ? nonZero(left) : left) ** right],
])

const NAMES: ReadonlyMap<string, number> = new Map([
  ['pi', Math.PI],
  ['e', Math.E],
])

interface Fn {
  takes(count: number): boolean
  run(...values: number[]): number
}

const one = (run: (value: number) => number): Fn => ({ takes: count => count === 1, run: (value = 0) => run(value) })
const many = (run: (...values: number[]) => number): Fn => ({ takes: count => count > 0, run })

const FUNCTIONS: ReadonlyMap<string, Fn> = new Map([
  ['sqrt', one(Math.sqrt)],
  ['abs', one(Math.abs)],
  // Halves away from zero, as people do.
  ['round', one(value => Math.sign(value) * Math.round(Math.abs(denoised(value))))],
  ['floor', one(value => Math.floor(denoised(value)))],
  ['ceil', one(value => Math.ceil(denoised(value)))],
  ['min', many(Math.min)],
  ['max', many(Math.max)],
  ['ln', one(Math.log)],
  ['log10', one(Math.log10)],
  ['exp', one(Math.exp)],
  ['sin', one(value => quiet(Math.sin(value)))],
  ['cos', one(value => quiet(Math.cos(value)))],
  ['tan', one(value => quiet(Math.sin(value)) / nonZero(quiet(Math.cos(value))))],
])

/** Rounds to 15 digits: (0.1 + 0.7) * 10 is 8 and not just below. */
const denoised = (value: number): number => (Number.isSafeInteger(value) ? value : Number(value.toPrecision(15)))

/** 0 for a value that is only the rounding error of pi. */
const quiet = (value: number): number => (Math.abs(value) < 1e-15 ? 0 : value)

/** The sum; 0 where two fractions cancel each other out but for rounding errors in their last bits. */
function sum(left: number, right: number): number {
  const value = left + right
  const noise = 2 ** -50 * Math.max(Math.abs(left), Math.abs(right))
  return Math.abs(value) < noise && !(Number.isInteger(left) && Number.isInteger(right)) ? 0 : value
}

function nonZero(value: number): number {
  if (value === 0) throw new CalculatorError('this divides by zero')
  return value
}

/** The value, where there is one that a double can hold. */
function finite(value: number): number {
  if (Number.isNaN(value)) throw new CalculatorError('the result is not a real number')
  if (!Number.isFinite(value)) throw new CalculatorError('the result is too large, or infinite')
  return value
}

/** Integers exactly as far as doubles hold them, other values with 15 digits: further digits are rounding errors, as in 0.1 + 0.2. */
function printed(value: number): string {
  if (Number.isSafeInteger(value)) return String(value === 0 ? 0 : value)
  const digits = value.toPrecision(15)
  // Digits that are not known must not look like zeros.
  return digits.includes('e+') ? digits.replace(/\.?0*e/, 'e') : String(Number(digits))
}
