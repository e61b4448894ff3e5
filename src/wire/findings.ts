import { type Denied, type InvalidReason, invalid } from '../policy/denial.ts'
import type { OnlyNative } from '../policy/facts.ts'
import { isObject, type JsonObject } from './json-safety.ts'

/**
 * The faults of a request, and its parts that no chat can say: the first of each, in the order of reading. Readers
 * go on with what is left, so that only the end has to ask. Null stands for absent everywhere.
 */
export class Findings {
  readonly #required: string
  #denied: Denied | undefined
  #onlyNative: OnlyNative | undefined
  readonly #lost = new Set<string>()

  /** `required` is a dialect's wording for a missing field. */
  constructor(required = 'is required') {
    this.#required = required
  }

  get denied(): Denied | undefined {
    return this.#denied
  }

  get onlyNative(): OnlyNative | undefined {
    return this.#onlyNative
  }

  /** Whether nothing was found so far. */
  get isEmpty(): boolean {
    return !this.#denied && !this.#onlyNative && this.#lost.size === 0
  }

  /** `reason` is OpenAI's code. A problem that is a sentence is shown without the field before it. */
  refuse(field: string, problem: string, reason?: InvalidReason): undefined {
    this.#denied ??= invalid(field, problem, reason)
  }

  refuseAs(denied: Denied): undefined {
    this.#denied ??= denied
  }

  refuseMissing(field: string): undefined {
    this.refuse(field, this.#required, 'missing_required_parameter')
  }

  /** The chat goes without it: backends of the same dialect alone can be asked. */
  leaveOut(field: string, problem: string, reason: InvalidReason = 'unsupported_value'): undefined {
    this.#onlyNative ??= { field, problem, reason }
  }

  /** Fields without which the chat goes, since it can say them in no way. */
  get lost(): readonly string[] {
    return [...this.#lost]
  }

  /** The chat goes without a field, and with a model that allows it, the request does too. */
  lose(field: string): void {
    const isNamed = LOST_NAME.test(field) && this.#lost.size < LOST_MAX
    this.#lost.add(isNamed ? field : 'others')
  }

  /** Loses the fields of an object that are not among these. */
  loseOthers(object: JsonObject, known: ReadonlySet<string>, place = ''): void {
    for (const field in object) if (!known.has(field) && !isAbsent(object[field])) this.lose(`${place}${field}`)
  }

  text(field: string, value: unknown, maxLength = Number.POSITIVE_INFINITY): string | undefined {
    if (isAbsent(value)) return undefined
    if (typeof value !== 'string') return this.refuse(field, 'must be a string', 'invalid_type')
    if (value.length <= maxLength) return value
    return this.refuse(field, `must have at most ${maxLength} characters`, 'invalid_value')
  }

  /** Empty where it is missing. */
  requiredText(field: string, value: unknown, maxLength?: number): string {
    if (isAbsent(value)) this.refuseMissing(field)
    return this.text(field, value, maxLength) ?? ''
  }

  number(field: string, value: unknown): number | undefined {
    if (isAbsent(value)) return undefined
    return typeof value === 'number' ? value : this.refuse(field, 'must be a number', 'invalid_type')
  }

  integer(field: string, value: unknown, least: number, most: number): number | undefined {
    if (isAbsent(value)) return undefined
    if (!Number.isInteger(value)) return this.refuse(field, 'must be an integer', 'invalid_type')
    const count = Number(value)
    if (count < least) return this.refuse(field, `must be at least ${least}`, 'invalid_value')
    return count > most ? this.refuse(field, `must be at most ${most}`, 'invalid_value') : count
  }

  boolean(field: string, value: unknown): boolean | undefined {
    if (isAbsent(value)) return undefined
    return typeof value === 'boolean' ? value : this.refuse(field, 'must be a boolean', 'invalid_type')
  }

  object(field: string, value: unknown): JsonObject | undefined {
    if (isAbsent(value)) return undefined
    return isObject(value) ? value : this.refuse(field, 'must be an object', 'invalid_type')
  }

  /** Empty where it is absent, or wrong. */
  list(field: string, value: unknown, maxItems = Number.POSITIVE_INFINITY): readonly unknown[] {
    if (Array.isArray(value) && value.length <= maxItems) return value
    if (Array.isArray(value)) this.refuse(field, `must have at most ${maxItems} items`, 'invalid_value')
    else if (!isAbsent(value)) this.refuse(field, 'must be an array', 'invalid_type')
    return []
  }
}

/** Lost fields go into a header, and clients may send any. */
const LOST_NAME = /^[A-Za-z][\w.]{0,63}$/
const LOST_MAX = 16

export const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null

/** A text of the client as errors quote it. */
export const quoted = (text: string): string => `'${text.length > QUOTED_MAX ? `${text.slice(0, QUOTED_MAX)}…` : text}'`

const QUOTED_MAX = 64

/** Without the members that are undefined. */
export const present = (object: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined))
