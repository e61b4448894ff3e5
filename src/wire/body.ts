import { isAscii, isUtf8 } from 'node:buffer'
import type { Denial } from '../policy/denial.ts'
import { fieldName } from './field-name.ts'
import { Inspection } from './flaw.ts'
import { isObject, type JsonObject } from './json.ts'
import { type Member, readShape } from './shape.ts'

export { isObject, type JsonObject }

/** A body, wrapped: it may hold a `code` of its own, and must not be taken for a denial. */
export interface ParsedBody {
  readonly body: JsonObject
  /** The body as it was sent, where that means to everybody what it means here. */
  readonly written?: Written
}

/** The JSON of an object in which no name stands twice, at any depth, and none of `members` has escapes in it. */
export interface Written {
  readonly bytes: Buffer
  readonly members: readonly Member[]
}

/** Parses a request body that must be a JSON object. Of a key that stands twice, the last one holds. RFC 8259. */
export function parseBody(bytes: Buffer): ParsedBody | Denial {
  const ascii = isAscii(bytes)
  const latin1 = bytes.toString('latin1')
  const shape = readShape(latin1, bytes)
  if (typeof shape === 'string') return invalid('body', shape)
  // Each wrong byte would become a character that nobody sent.
  if (!ascii && !isUtf8(bytes)) return invalid('body', 'is not UTF-8')
  let value: unknown
  try {
    value = JSON.parse(ascii ? latin1 : bytes.toString('utf8'))
  } catch {
    // The parser's text quotes the body: not for a log, and of no use to the sender.
    return invalid('body', bytes.length === 0 ? 'is empty; send a JSON object' : 'is not valid JSON')
  }
  if (!isObject(value)) return invalid('body', 'must be a JSON object')
  // Only escapes make half a character. To look for them takes longer than to look at strings of single bytes, as most are.
  const inspection = new Inspection(ascii || latin1.includes('\\u'))
  const flaw = inspection.flawIn(value)
  if (flaw) return invalid(fieldName(flaw.path), flaw.problem)
  const { names, members } = shape
  // The parser keeps one of those that stand twice.
  const isPlain = inspection.names === names && members.every(({ name }) => !name.includes('\\'))
  return isPlain ? { body: value, written: { bytes, members } } : { body: value }
}

/** Of what is ASCII nothing needs to be decoded, which is most of the work. */
export const textOf = (bytes: Buffer): string => bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8')

export const isDenial = (value: object): value is Denial => 'code' in value && typeof value.code === 'string'

export const invalid = (field: string, problem: string): Denial => ({ code: 'VALIDATION_ERROR', field, problem })
