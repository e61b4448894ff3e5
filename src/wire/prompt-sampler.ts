import type { PromptSketch } from '../policy/balance/prompt-sketch.ts'
import type { Texts, TextVisitor } from './fast/outline.ts'
import { asObject, isObject, type JsonObject } from './json-safety.ts'

/** Marks of one prompt: longer ones are known by as much of their beginning. */
const MOST_MARKS = 512
/** Within a message there is a mark after so many bytes. */
const BLOCK = 2048
/** The first units of a piece or a block are all looked at, and then one of each step. Four of them are mixed at once. */
const DENSE = 32
const STEP = 32
/** The weight of an image in a prompt, in bytes: about a thousand tokens. */
const IMAGE_BYTES = 4096
const IMAGE_SAMPLES = 64

const ROLES = ['user', 'assistant', 'system', 'tool']

/** A prompt as it goes to a backend, in the public form, and its long texts. */
export interface Prompt {
  readonly chat: JsonObject
  readonly texts: Pick<Texts, 'visit'>
}

/**
 * Sketches the prompt of a chat: its tools, then its messages. Texts that the parsed body omits are sampled in the client's bytes.
 * A difference between two samples goes unnoticed, and the false match may send a request to the wrong replica.
 */
export function sketchOf({ chat, texts }: Prompt, later: readonly JsonObject[] = []): PromptSketch {
  const sampler = new PromptSampler(texts)
  if (chat.tools !== undefined) sampler.addTools(chat.tools)
  if (chat.functions !== undefined) sampler.addTools(chat.functions)
  if (Array.isArray(chat.messages))
    for (const message of chat.messages) if (isObject(message)) sampler.addMessage(message)
  for (const message of later) sampler.addMessage(message)
  return sampler.end()
}

/** Two running hashes over samples of a prompt, and their values at its marks. */
class PromptSampler implements TextVisitor {
  readonly #texts: Pick<Texts, 'visit'>
  readonly #low: number[] = []
  readonly #high: number[] = []
  readonly #ends: number[] = []
  #a = 0x243f6a88
  #b = 0x05a308d3
  #bytes = 0
  /** Bytes until the next mark within a message. */
  #left = BLOCK
  #anchor: number | undefined

  constructor(texts: Pick<Texts, 'visit'>) {
    this.#texts = texts
  }

  addTools(tools: unknown): void {
    this.#left = BLOCK
    this.#addValue(tools, 0)
    this.#mark()
  }

  addMessage(message: JsonObject): void {
    const { role, content, name, tool_calls, function_call } = message
    const from = this.#bytes
    this.#left = BLOCK
    this.#addRole(String(role))
    if (typeof name === 'string') this.text(name)
    if (typeof content === 'string') this.#texts.visit(content, this)
    else if (Array.isArray(content)) for (const part of content) this.#addPart(asObject(part))
    if (Array.isArray(tool_calls)) for (const call of tool_calls) this.#addValue(asObject(call).function, 0)
    if (function_call !== undefined) this.#addValue(function_call, 0)
    this.#mix(this.#bytes - from)
    this.#mark()
    if (role === 'user') this.#anchor ??= this.#a ^ this.#b
  }

  #addRole(name: string): void {
    // Backends print both the same.
    const role = name === 'developer' ? 'system' : name
    const known = ROLES.indexOf(role)
    if (known === -1) {
      this.text(role)
      return
    }
    this.#mix(known + 1)
    this.#bytes += role.length
  }

  end(): PromptSketch {
    return {
      low: this.#low,
      high: this.#high,
      ends: this.#ends,
      bytes: this.#bytes,
      anchor: this.#anchor ?? this.#a ^ this.#b,
    }
  }

  text(text: string): void {
    const { length } = text
    if (this.#isFull) this.#bytes += length
    else this.#sampleText(text)
  }

  bytes(bytes: Buffer, from: number, to: number): void {
    if (this.#isFull) this.#bytes += to - from
    else this.#sampleBytes(bytes, from, to)
  }

  #sampleText(text: string): void {
    for (let at = 0; at < text.length; ) {
      const end = Math.min(text.length, at + this.#left)
      const dense = Math.min(end, at + DENSE)
      let place = at
      for (; place + 3 < dense; place += 4) this.#mix(fourUnits(text, place, 1))
      for (; place + 3 * STEP < end; place += 4 * STEP) this.#mix(fourUnits(text, place, STEP))
      const step = end === dense ? 1 : STEP
      let rest = 0
      for (; place < end; place += step) rest = (rest << 8) ^ text.charCodeAt(place)
      this.#mix(rest)
      this.#passed(end - at)
      at = end
    }
  }

  #sampleBytes(bytes: Buffer, from: number, to: number): void {
    for (let at = from; at < to; ) {
      const end = Math.min(to, at + this.#left)
      const dense = Math.min(end, at + DENSE)
      let place = at
      for (; place + 3 < dense; place += 4) this.#mix(fourBytes(bytes, place, 1))
      for (; place + 3 * STEP < end; place += 4 * STEP) this.#mix(fourBytes(bytes, place, STEP))
      const step = end === dense ? 1 : STEP
      let rest = 0
      for (; place < end; place += step) rest = (rest << 8) ^ (bytes[place] ?? 0)
      this.#mix(rest)
      this.#passed(end - at)
      at = end
    }
  }

  #addPart(part: JsonObject): void {
    const { type, text, refusal, image_url } = part
    if (typeof text === 'string') this.#texts.visit(text, this)
    else if (typeof refusal === 'string') this.#texts.visit(refusal, this)
    else if (type === 'image_url') this.#addImage(asObject(image_url).url)
    else this.#addValue(part, 0)
  }

  /** An image by its length and some samples; its weight is that of any other. */
  #addImage(url: unknown): void {
    if (typeof url !== 'string') return
    this.#texts.visit(url, this.#ofImage)
    this.#bytes += IMAGE_BYTES
  }

  readonly #ofImage: TextVisitor = {
    text: text => this.#sample(text.length, at => text.charCodeAt(at)),
    bytes: (bytes, from, to) => this.#sample(to - from, at => bytes[from + at] ?? 0),
  }

  #sample(length: number, unitAt: (at: number) => number): void {
    this.#mix(length)
    const step = Math.max(1, Math.floor(length / IMAGE_SAMPLES))
    for (let at = 0; at < length; at += step) this.#mix(unitAt(at))
  }

  /** Tools and calls: templates print them as JSON, in the order of their members. */
  #addValue(value: unknown, depth: number): void {
    if (this.#isFull) return
    if (typeof value === 'string') this.#texts.visit(value, this)
    else if (typeof value === 'number') this.#mix(value * 4096)
    else if (Array.isArray(value)) for (const each of value) this.#addValue(each, depth + 1)
    else if (isObject(value)) {
      this.#mix(depth + 1)
      for (const name in value) {
        this.text(name)
        this.#addValue(value[name], depth + 1)
      }
    } else this.#mix(value === true ? 2 : 3)
  }

  get #isFull(): boolean {
    return this.#low.length >= MOST_MARKS
  }

  #mix(unit: number): void {
    const a = Math.imul(this.#a ^ unit, 0x5bd1e995)
    const b = Math.imul(this.#b ^ unit, 0x1b873593)
    this.#a = a ^ (a >>> 15)
    this.#b = b ^ (b >>> 13)
  }

  /** So many bytes were looked at, which do not reach beyond the next mark. */
  #passed(bytes: number): void {
    this.#bytes += bytes
    this.#left -= bytes
    if (this.#left > 0) return
    this.#left = BLOCK
    this.#mark()
  }

  #mark(): void {
    if (this.#isFull) return
    this.#low.push(this.#a)
    this.#high.push(this.#b)
    this.#ends.push(this.#bytes)
  }
}

/** Four units of a text at these distances, as one number. */
const fourUnits = (text: string, at: number, step: number): number =>
  text.charCodeAt(at) ^
  (text.charCodeAt(at + step) << 8) ^
  (text.charCodeAt(at + 2 * step) << 16) ^
  (text.charCodeAt(at + 3 * step) << 24)

/** Four bytes at these distances, as one number. */
const fourBytes = (bytes: Buffer, at: number, step: number): number =>
  (bytes[at] ?? 0) ^
  ((bytes[at + step] ?? 0) << 8) ^
  ((bytes[at + 2 * step] ?? 0) << 16) ^
  ((bytes[at + 3 * step] ?? 0) << 24)
