import { type Denied, type InvalidReason, invalid } from '../../../policy/denial.ts'
import type { OnlyNative } from '../../client-dialect.ts'
import { isObject, type JsonObject } from '../../json-safety.ts'

/** What is wrong with a request, and what of it no chat can say: of each the first that was found while it was read. */
export class Findings {
  #denied: Denied | undefined
  #onlyNative: OnlyNative | undefined

  get denied(): Denied | undefined {
    return this.#denied
  }

  get onlyNative(): OnlyNative | undefined {
    return this.#onlyNative
  }

  /** The request cannot be served as it is. Reading goes on as if the field were absent. */
  refuse(field: string, problem: string, reason?: InvalidReason): void {
    this.#denied ??= invalid(field, problem, reason)
  }

  /** Only a backend of the same dialect could do this. */
  leaveToNative(field: string, problem: string): void {
    this.#onlyNative ??= { field, problem }
  }

  /** A text that may be absent. */
  text(value: unknown, field: string): string | undefined {
    if (isAbsent(value) || typeof value === 'string') return value ?? undefined
    this.refuse(field, 'must be a string')
    return undefined
  }

  /** A text that must be there, and that a chat limits to so many characters. */
  required(value: unknown, field: string, maxChars = Number.POSITIVE_INFINITY): string {
    if (isAbsent(value) || value === '') this.refuse(field, REQUIRED)
    const text = this.text(value, field) ?? ''
    if (text.length > maxChars) this.refuse(field, `must have at most ${maxChars} characters`)
    return text
  }

  /** An object; an empty one where it is absent. */
  object(value: unknown, field: string): JsonObject {
    if (isObject(value)) return value
    if (!isAbsent(value)) this.refuse(field, 'must be an object')
    return NOTHING
  }

  /** A list; an empty one where it is absent. */
  list(value: unknown, field: string): readonly unknown[] {
    if (Array.isArray(value)) return value
    if (!isAbsent(value)) this.refuse(field, 'must be a list')
    return NONE
  }
}

/** Anthropic's words. */
export const REQUIRED = 'Field required'

export const isAbsent = (value: unknown): value is undefined | null => value === undefined || value === null

/** A word of a client in the text of a problem: as long as a line has room for. */
export const quoted = (word: unknown): string => JSON.stringify(String(word).slice(0, 64).toWellFormed())

const NOTHING: JsonObject = {}
const NONE: readonly unknown[] = []
