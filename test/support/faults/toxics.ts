import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { randomInt } from '../random.ts'

/** A fault on the way. `after` counts the bytes of each connection since the toxic was added. */
export type Toxic =
  /** Whatever is read waits so long, and up to `jitterMs` more. */
  | { readonly kind: 'latency'; readonly ms: number; readonly jitterMs?: number }
  | { readonly kind: 'bandwidth'; readonly bytesPerSecond: number }
  /** Cut into segments of 1 to `most` bytes, with a gap after each. */
  | { readonly kind: 'slicer'; readonly most: number; readonly gapMs: number }
  /** A TCP reset to both sides. */
  | { readonly kind: 'reset'; readonly after: number }
  /** An end to whoever reads; the other direction stays open. */
  | { readonly kind: 'halfClose'; readonly after: number }
  /** Swallowed from there on, without a word; from the first byte on it is a black hole. */
  | { readonly kind: 'silence'; readonly after: number }
type Limit = Extract<Toxic, { readonly after: number }>

/** Accepts and swallows. */
export const blackHole: Toxic = { kind: 'silence', after: 0 }

export interface PassageTerms {
  readonly to: Socket
  /** Those of its direction, as they are now. */
  readonly toxics: ReadonlySet<Toxic>
  readonly random: () => number
  /** Resets both sides. */
  readonly reset: () => void
}

/** One direction of one connection. */
export class Passage {
  readonly #terms: PassageTerms
  readonly #passed = new Map<Toxic, number>()
  #mute = false

  constructor(terms: PassageTerms) {
    this.#terms = terms
  }

  /** Resolves when more may come. */
  async pass(bytes: Buffer): Promise<void> {
    const { toxics, random } = this.#terms
    for (const toxic of toxics) if (toxic.kind === 'latency') await sleep(toxic.ms + random() * (toxic.jitterMs ?? 0))
    for (let rest = bytes; rest.length > 0 && !this.#mute; ) rest = rest.subarray(await this.#step(rest))
  }

  end(): void {
    if (!this.#mute) this.#terms.to.end()
  }

  /** Passes the next segment of these bytes, and gives its length. */
  async #step(bytes: Buffer): Promise<number> {
    const { to, toxics } = this.#terms
    const limit = this.#nearest()
    const left = limit ? this.#left(limit) : Number.POSITIVE_INFINITY
    const segment = bytes.subarray(0, Math.min(left, this.#segment()))
    for (const toxic of toxics) this.#passed.set(toxic, (this.#passed.get(toxic) ?? 0) + segment.length)
    if (segment.length > 0 && !to.write(segment)) await once(to, 'drain')
    await this.#gap(segment.length)
    if (limit && segment.length === left) this.#stop(limit)
    return segment.length
  }

  #stop(limit: Limit): void {
    this.#mute = true
    if (limit.kind === 'reset') this.#terms.reset()
    if (limit.kind === 'halfClose') this.#terms.to.end()
  }

  #nearest(): Limit | undefined {
    const limits = [...this.#terms.toxics].filter(toxic => 'after' in toxic)
    return limits.sort((a, b) => this.#left(a) - this.#left(b))[0]
  }

  #left(limit: Limit): number {
    return limit.after - (this.#passed.get(limit) ?? 0)
  }

  /** How many bytes go at once. */
  #segment(): number {
    let size = Number.POSITIVE_INFINITY
    for (const toxic of this.#terms.toxics) {
      if (toxic.kind === 'slicer') size = Math.min(size, randomInt(this.#terms.random, 1, toxic.most))
      if (toxic.kind === 'bandwidth') size = Math.min(size, Math.ceil(toxic.bytesPerSecond / 20))
    }
    return size
  }

  async #gap(bytes: number): Promise<void> {
    let ms = 0
    for (const toxic of this.#terms.toxics) {
      if (toxic.kind === 'slicer') ms += toxic.gapMs
      if (toxic.kind === 'bandwidth') ms += (1000 * bytes) / toxic.bytesPerSecond
    }
    if (ms > 0) await sleep(ms)
  }
}
