import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { CalculatorError, evaluate } from '../../../src/adapters/tools/calculator.ts'
import { builtin, closeAll, closing, Tools } from './fixture.ts'

afterEach(closeAll)

const RUNS = 2000

it.each([
  ['1', '1'],
  ['1+2*3', '7'],
  ['(1+2)*3', '9'],
  ['10-4-3', '3'],
  ['100/10/5', '2'],
  ['2^3^2', '512'],
  ['2**10', '1024'],
  ['-2^2', '-4'],
  ['(-2)^2', '4'],
  ['2^-1', '0.5'],
  ['2^-2^2', '0.0625'],
  ['-3', '-3'],
  ['--3', '3'],
  ['+-+3', '-3'],
  ['2*-3', '-6'],
  ['2--3', '5'],
  ['7%3', '1'],
  ['-7%3', '-1'],
  ['7%-3', '1'],
  ['5.5%2', '1.5'],
  ['0.1+0.2', '0.3'],
  ['0.3-0.1-0.2', '0'],
  ['1.1*1.1', '1.21'],
  ['0.1*3', '0.3'],
  ['1/3', '0.333333333333333'],
  ['2/3', '0.666666666666667'],
  ['10/4', '2.5'],
  ['.5+.5', '1'],
  ['5.', '5'],
  ['1e3', '1000'],
  ['1.5E-3', '0.0015'],
  ['2e+2', '200'],
  ['1e-7', '1e-7'],
  ['12345678*87654321', '1082152022374638'],
  ['9007199254740991', '9007199254740991'],
  ['9007199254740991-9007199254740990', '1'],
  ['9007199254740993', '9.00719925474099e+15'],
  ['1e20', '1e+20'],
  ['2^64', '1.84467440737096e+19'],
  ['-(1e300)', '-1e+300'],
  ['0*-1', '0'],
  ['pi', '3.14159265358979'],
  ['e', '2.71828182845905'],
  ['2*PI', '6.28318530717959'],
  ['sqrt(2)', '1.4142135623731'],
  ['sqrt(16)', '4'],
  ['Sqrt(81)+1', '10'],
  ['abs(-3.5)', '3.5'],
  ['round(2.5)', '3'],
  ['round(-2.5)', '-3'],
  ['round(2.4)', '2'],
  ['round(1.005*100)', '101'],
  ['floor(-1.5)', '-2'],
  ['floor((0.1+0.7)*10)', '8'],
  ['ceil(1.2)', '2'],
  ['ceil(0.1*3*10)', '3'],
  ['min(3,1,2)', '1'],
  ['max(3, 1+4, 2)', '5'],
  ['max(7)', '7'],
  ['ln(e)', '1'],
  ['log10(1000)', '3'],
  ['exp(0)', '1'],
  ['exp(1)-e', '0'],
  ['sin(0)', '0'],
  ['sin(pi)', '0'],
  ['sin(pi/6)', '0.5'],
  ['cos(pi/2)', '0'],
  ['cos(0)', '1'],
  ['tan(pi/4)', '1'],
  ['sqrt(3^2 + 4^2)', '5'],
  [' 1 +\n\t2 ', '3'],
  ['((((1))))', '1'],
  ['0^0', '1'],
])('%s is %s', (expression, value) => expect(evaluate(expression)).toBe(value))

it.each([
  ['', 'the expression ends too early'],
  ['  ', 'the expression ends too early'],
  ['1+', 'the expression ends too early'],
  ['(1', 'the expression ends too early'],
  ['1)', ') at character 2 is not expected there'],
  ['()', ') at character 2 is not expected there'],
  ['1 2', '2 at character 3 is not expected there'],
  ['2(3)', '( at character 2 is not expected there'],
  ['*2', '* at character 1 is not expected there'],
  ['1,000', ', at character 2 is not expected there'],
  ['1.2.3', '.3 at character 4 is not expected there'],
  ['2 $ 3', '$ at character 3 means nothing here'],
  ['2 × 3', '× at character 3 means nothing here'],
  ['"a"', '" at character 1 means nothing here'],
  ['x+1', 'x at character 1 is not known'],
  ['1 + foo(2)', 'foo at character 5 is not known'],
  ['constructor', 'constructor at character 1 is not known'],
  ['__proto__', '__proto__ at character 1 is not known'],
  ['process.exit()', '. at character 8 means nothing here'],
  ['sqrt 4', 'sqrt at character 1 needs its arguments in parentheses'],
  ['sqrt()', ') at character 6 is not expected there'],
  ['sqrt(1,2)', 'sqrt at character 1 does not take 2 arguments'],
  ['1/0', 'this divides by zero'],
  ['1/(0.3-0.1-0.2)', 'this divides by zero'],
  ['5%0', 'this divides by zero'],
  ['0^-1', 'this divides by zero'],
  ['tan(pi/2)', 'this divides by zero'],
  ['1e308*10', 'the result is too large, or infinite'],
  ['1e999', 'the result is too large, or infinite'],
  ['9^9^9', 'the result is too large, or infinite'],
  ['ln(0)', 'the result is too large, or infinite'],
  ['exp(1000)', 'the result is too large, or infinite'],
  ['sqrt(-1)', 'the result is not a real number'],
  ['ln(-1)', 'the result is not a real number'],
  ['(-8)^(1/3)', 'the result is not a real number'],
  ['('.repeat(101), 'the expression is nested deeper than 100 levels'],
  [`${'-'.repeat(500)}1`, 'the expression is nested deeper than 100 levels'],
  [`${'2^'.repeat(400)}1`, 'the expression is nested deeper than 100 levels'],
])('%.20s has no value: %s', (expression, problem) => expect(() => evaluate(expression)).toThrow(problem))

describe('the tool', () => {
  const start = () => closing(new Tools({ calculator: builtin('calculator') }))

  it('gives the value, or a failed result with what is wrong', async () => {
    const tools = start()
    expect(await tools.call('calculator', { expression: '6*7' })).toEqual({ text: '42', failed: false })
    expect(await tools.call('calculator', { expression: '6/0' })).toEqual({
      text: 'this divides by zero',
      failed: true,
    })
    expect(tools.alarms).toEqual([])
  })

  it.each([
    [{}, 'expression must be a string'],
    [{ expression: 42 }, 'expression must be a string'],
    [{ expression: '1'.repeat(1001) }, 'expression must have at most 1000 characters'],
  ])('refuses other arguments', async (args, text) => {
    expect(await start().call('calculator', args)).toEqual({ text, failed: true })
  })

  it('is told to a model with its parameter', async () => {
    expect(await start().define('calculator')).toMatchObject({ parameters: { required: ['expression'] } })
  })
})

it('whatever is written, there is a value or a CalculatorError', () => {
  const scraps = fc.constantFrom(
    ...['1', '2.5', '.', 'e', 'pi', '(', ')', '+', '-', '*', '/', '%', '^', '**', ',', 'min', 'sqrt(', ' ', '1e', 'é'],
  )
  const texts = fc.oneof(
    fc.array(scraps, { maxLength: 40 }).map(each => each.join('')),
    fc.string({ maxLength: 1000 }),
  )
  fc.assert(
    fc.property(texts, text => {
      try {
        expect(evaluate(text)).toMatch(/^-?\d+(\.\d+)?(e[+-]\d+)?$/)
      } catch (error) {
        expect(error).toBeInstanceOf(CalculatorError)
      }
    }),
    { numRuns: RUNS },
  )
})

/** An expression with its value by JavaScript, which has the same operators. */
interface Sum {
  readonly text: string
  readonly value: number
  /** The largest number on the way to it: noise is measured by that. */
  readonly scale: number
}

const made = (text: string, value: number, ...parts: readonly Sum[]): Sum => ({
  text,
  value,
  scale: Math.max(1, Math.abs(value), ...parts.map(({ scale }) => scale)),
})

const { sum } = fc.letrec<{ sum: Sum }>(tie => ({
  sum: fc.oneof(
    { maxDepth: 6, depthSize: 'large' },
    fc.integer({ min: 0, max: 1000 }).map(value => made(String(value), value)),
    fc.integer({ min: 0, max: 9999 }).map(value => made((value / 100).toFixed(2), value / 100)),
    tie('sum').map(part => made(`-(${part.text})`, -part.value, part)),
    tie('sum').map(part => made(`abs(${part.text})`, Math.abs(part.value), part)),
    fc
      .tuple(tie('sum'), fc.constantFrom('+', '-', '*', '/', '%'), tie('sum'))
      .map(([left, operator, right]) =>
        made(`(${left.text} ${operator} ${right.text})`, OPERATE[operator](left.value, right.value), left, right),
      ),
    fc
      .tuple(tie('sum'), tie('sum'))
      .map(([left, right]) => made(`max(${left.text}, ${right.text})`, Math.max(left.value, right.value), left, right)),
  ),
}))

const OPERATE: Readonly<Record<'+' | '-' | '*' | '/' | '%', (left: number, right: number) => number>> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => left / right,
  '%': (left, right) => left % right,
}

it('a value is that of JavaScript, but for its noise', () => {
  // The rest of a division, and a division by what is left of noise, make anything of it.
  const tame = sum.filter(({ text, value }) => Number.isFinite(value) && !/%|\/ \(|\/ -/.test(text))
  fc.assert(
    fc.property(tame, ({ text, value, scale }) => {
      fc.pre(text.length <= 1000)
      let got: number
      try {
        got = Number(evaluate(text))
      } catch (error) {
        // Only noise may be what it divided by.
        expect(String(error)).toContain('divides by zero')
        return
      }
      expect(Math.abs(got - value)).toBeLessThanOrEqual(1e-9 * scale)
    }),
    { numRuns: RUNS },
  )
})

it('integers are as exact as a double, whatever is done with them', () => {
  const integers = fc.integer({ min: -1_000_000, max: 1_000_000 })
  fc.assert(
    fc.property(integers, integers, integers, (a, b, c) => {
      fc.pre(c !== 0)
      expect(evaluate(`(${a}) * (${b}) + (${c})`)).toBe(String(BigInt(a) * BigInt(b) + BigInt(c)))
      expect(evaluate(`(${a}) % (${c})`)).toBe(String(BigInt(a) % BigInt(c)))
    }),
  )
})
