import { isObject, type JsonObject } from './json.ts'

/** What a chat weighs before a tokenizer has seen it. */
export class Weight {
  /** UTF-8 bytes of what may enter the prompt. */
  textBytes = 0
  images = 0

  /** Image data is not text. */
  constructor(body: JsonObject) {
    this.#add(body.messages)
    this.#addPrinted(body.tools)
    this.#addPrinted(body.functions)
    this.#addPrinted(body.response_format)
  }

  #add(value: unknown): void {
    if (typeof value === 'string') this.textBytes += Buffer.byteLength(value)
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
