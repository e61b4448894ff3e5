import { asObject, type JsonObject } from '../json-safety.ts'
import type { Outline } from './outline.ts'

/** The long texts of a body, which were left out of what was parsed of it. In their place stand marks. */
export class ElidedStrings {
  readonly #bytes: Buffer
  readonly #elided: Outline['elided']
  #whole: JsonObject | undefined

  /** `bytes` are valid JSON in UTF-8. */
  constructor(bytes: Buffer, elided: Outline['elided']) {
    this.#bytes = bytes
    this.#elided = elided
  }

  /** UTF-8 bytes of a text, or of what it is a mark of. */
  sizeOf(text: string): number {
    const entry = this.#entryOf(text)
    return entry === undefined ? Buffer.byteLength(text) : (this.#elided[entry + 2] ?? 0)
  }

  /** A text, or what it is a mark of. */
  read(text: string): string {
    const entry = this.#entryOf(text)
    if (entry === undefined) return text
    return String(JSON.parse(this.#bytes.toString('utf8', this.#elided[entry], this.#elided[entry + 1])))
  }

  /** The body with all of them. */
  whole(): JsonObject {
    this.#whole ??= asObject(JSON.parse(this.#bytes.toString('utf8')))
    return this.#whole
  }

  /** Where the numbers of a mark are. A body of which anything was left out has U+0000 nowhere else. */
  #entryOf(text: string): number | undefined {
    const at = this.#elided.length > 0 ? text.indexOf('\0') : -1
    return at === -1 ? undefined : 3 * Number(text.slice(at + 1))
  }
}
