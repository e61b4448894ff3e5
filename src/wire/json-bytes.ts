import { isAscii } from 'node:buffer'
import type { JsonObject } from './json-safety.ts'

/** The value that a text is in JSON; undefined where it is none: backends are not trusted to send JSON. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The caller treats nothing as malformed.
    return undefined
  }
}

/** ASCII needs no decoding, which is most of the work. */
export const encodingOf = (bytes: Buffer): 'latin1' | 'utf8' => (isAscii(bytes) ? 'latin1' : 'utf8')

export const textOf = (bytes: Buffer): string => bytes.toString(encodingOf(bytes))

export const jsonBytes = (value: JsonObject): Buffer => Buffer.from(JSON.stringify(value))
