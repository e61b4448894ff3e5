import { isAscii, isUtf8 } from 'node:buffer'
import type { Denial } from '../policy/denial.ts'
import { fieldName } from './field-name.ts'
import { flawIn } from './flaw.ts'
import { isObject, type JsonObject } from './json.ts'
import { shapeProblem } from './shape.ts'

export { isObject, type JsonObject }

/** A body, wrapped: it may hold a `code` of its own, and must not be taken for a denial. */
export interface ParsedBody {
  readonly body: JsonObject
}

/** Parses a request body that must be a JSON object. Of a key that stands twice, the last one holds. RFC 8259. */
export function parseBody(bytes: Buffer): ParsedBody | Denial {
  const misshapen = shapeProblem(bytes)
  if (misshapen !== undefined) return invalid('body', misshapen)
  // Each wrong byte would become a character that nobody sent.
  if (!isUtf8(bytes)) return invalid('body', 'is not UTF-8')
  const text = textOf(bytes)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // The parser's text quotes the body: not for a log, and of no use to the sender.
    return invalid('body', bytes.length === 0 ? 'is empty; send a JSON object' : 'is not valid JSON')
  }
  if (!isObject(value)) return invalid('body', 'must be a JSON object')
  const flaw = flawIn(value, text.includes('\\u'))
  return flaw ? invalid(fieldName(flaw.path), flaw.problem) : { body: value }
}

/** Of what is ASCII nothing needs to be decoded, which is most of the work. */
export const textOf = (bytes: Buffer): string => bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8')

export const isDenial = (value: object): value is Denial => 'code' in value && typeof value.code === 'string'

export const invalid = (field: string, problem: string): Denial => ({ code: 'VALIDATION_ERROR', field, problem })
