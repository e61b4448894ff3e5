import type { ElidedStrings } from '../fast/elided-strings.ts'
import { isObject, type JsonObject } from '../json-safety.ts'
import type { OutlinedBody } from './body.ts'

/** What a chat weighs before a tokenizer has seen it. */
export class PromptSize {
  /** UTF-8 bytes of what may enter the prompt. */
  textBytes = 0
  images = 0
  readonly #texts: ElidedStrings

  /** Image data is not text. */
  constructor({ outline, texts }: Pick<OutlinedBody, 'outline' | 'texts'>) {
    this.#texts = texts
    this.#add(outline.messages)
    this.#addPrinted(outline.tools)
    this.#addPrinted(outline.functions)
    this.#addPrinted(outline.response_format)
  }

  #add(value: unknown): void {
    if (typeof value === 'string') this.textBytes += this.#texts.sizeOf(value)
    else if (Array.isArray(value)) for (const item of value) this.#add(item)
    else if (isObject(value)) this.#addMembers(value)
  }

  #addMembers(object: JsonObject): void {
    for (const name in object) {
      const value = object[name]
      if (name === 'image_url' && isObject(value)) this.images++
      else this.#add(value)
    }
  }

  /** Templates print these as JSON, so their punctuation counts too. */
  #addPrinted(value: unknown): void {
    if (value !== undefined && value !== null) this.textBytes += Buffer.byteLength(JSON.stringify(value))
  }
}
