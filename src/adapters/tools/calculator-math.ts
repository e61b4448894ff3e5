/** Why an expression has no value, in words for its author. */
export class CalculatorError extends Error {}

export const OPERATIONS: ReadonlyMap<string, (left: number, right: number) => number> = new Map([
  ['+', sum],
  ['-', (left, right) => sum(left, -right)],
  ['*', (left, right) => left * right],
  ['/', (left, right) => left / nonZero(right)],
  // With the sign of the left side.
  ['%', (left, right) => left % nonZero(right)],
  ['^', (left, right) => (right < 0 ? nonZero(left) : left) ** right],
])

export const NAMES: ReadonlyMap<string, number> = new Map([
  ['pi', Math.PI],
  ['e', Math.E],
])

interface Fn {
  takes(count: number): boolean
  run(...values: number[]): number
}

const one = (run: (value: number) => number): Fn => ({ takes: count => count === 1, run: (value = 0) => run(value) })
const many = (run: (...values: number[]) => number): Fn => ({ takes: count => count > 0, run })

export const FUNCTIONS: ReadonlyMap<string, Fn> = new Map([
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

/** To 15 digits: (0.1 + 0.7) * 10 is 8 and not just below. */
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
export function finite(value: number): number {
  if (Number.isNaN(value)) throw new CalculatorError('the result is not a real number')
  if (!Number.isFinite(value)) throw new CalculatorError('the result is too large, or infinite')
  return value
}

/** Integers exactly as far as doubles hold them, other values with 15 digits: further digits are rounding errors, as in 0.1 + 0.2. */
export function printed(value: number): string {
  if (Number.isSafeInteger(value)) return String(value === 0 ? 0 : value)
  const digits = value.toPrecision(15)
  // Digits that are not known must not look like zeros.
  return digits.includes('e+') ? digits.replace(/\.?0*e/, 'e') : String(Number(digits))
}
