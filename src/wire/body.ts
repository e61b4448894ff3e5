import type { Denial } from '../policy/denial.ts'

/** A JSON object as it came in; nothing in it is trusted yet. */
export type JsonObject = Readonly<Record<string, unknown>>

/** Deeper nesting than this is nobody's honest request, and recursion over it would overflow. */
const MAX_DEPTH = 64

/** A body, wrapped: it may hold a `code` of its own, and must not be taken for a denial. */
export interface ParsedBody {
  readonly body: JsonObject
}

/** Parses a request body that must be a JSON object. */
export function parseBody(bytes: Buffer): ParsedBody | Denial {
  if (depthOf(bytes) > MAX_DEPTH) return invalid('body', `is nested deeper than ${MAX_DEPTH} levels`)
  let value: unknown
  try {
    value = JSON.parse(bytes.toString('utf8'))
  } catch {
    // The parser's text quotes the body: not for a log, and of no use to the sender.
    return invalid('body', bytes.length === 0 ? 'is empty; send a JSON object' : 'is not valid JSON')
  }
  return isObject(value) ? { body: value } : invalid('body', 'must be a JSON object')
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const isDenial = (value: object): value is Denial => 'code' in value && typeof value.code === 'string'

export const invalid = (field: string, problem: string): Denial => ({ code: 'VALIDATION_ERROR', field, problem })

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPENING = new Set([0x7b, 0x5b])
const CLOSING = new Set([0x7d, 0x5d])

/** The deepest nesting of arrays and objects, read from the bytes. */
function depthOf(bytes: Buffer): number {
  let depth = 0
  let deepest = 0
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] ?? 0
    if (byte === QUOTE) i = endOfString(bytes, i)
    else if (OPENING.has(byte)) deepest = Math.max(deepest, ++depth)
    else if (CLOSING.has(byte)) depth--
  }
  return deepest
}

/** The index of the quote that closes the string opened at `start`. */
function endOfString(bytes: Buffer, start: number): number {
  for (let i = start + 1; i < bytes.length; i++) {
    if (bytes[i] === BACKSLASH) i++
    else if (bytes[i] === QUOTE) return i
  }
  return bytes.length
}
