import { CalculatorError, FUNCTIONS, finite, NAMES, OPERATIONS, printed } from './calculator-math.ts'

export { CalculatorError }

/** How deep parentheses, signs and powers may be nested. */
const DEPTH_MAX = 100

/**
 * The value of an arithmetic expression, as a decimal of at most 15 digits. `^` and `**` bind to the right and stronger
 * than a sign before them, as in -2^2 = -4. Throws CalculatorError.
 */
export function evaluate(expression: string): string {
  return printed(new Parser(tokensOf(expression)).whole())
}

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
