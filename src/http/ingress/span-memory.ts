import type { Clock } from '../../gateway/ports.ts'
import type { Millis } from '../../policy/config.ts'
import type { Caller } from '../../policy/facts.ts'
import type { KnownSpan, KnownSpans } from '../../wire/fast/known-span.ts'

/** The memory in bytes for the values of one account, and for those of all accounts. */
const ACCOUNT_BYTES = 8_388_608
const TOTAL_BYTES = 67_108_864
/** The most values of one account: each is compared with the body. */
const ACCOUNT_VALUES = 32
/** The last values that an account sent once. One of these is added when it comes again. */
const SEEN_ONCE = 32
/** The memory in bytes for an account beside its values. */
const BASE_BYTES = 1024
/** An account is forgotten this long after its last request. */
const IDLE: Millis = 600_000

/**
 * The values that clients send again in each request, such as the tools of an agent: parsed once, and kept for the account that
 * sent them, in memory alone. No account is answered sooner for what another one sent, and none loses its values to another one.
 */
export class SpanMemory {
  readonly #clock: Pick<Clock, 'elapsed'>
  /** The one that was silent longest comes first. */
  readonly #accounts = new Map<string, AccountSpans>()
  #bytes = 0

  constructor(clock: Pick<Clock, 'elapsed'>) {
    this.#clock = clock
  }

  /** The values of an account. Guests have none: anyone may become another guest at any time. */
  of({ account, kind }: Pick<Caller, 'account' | 'kind'>): KnownSpans | undefined {
    if (kind === 'guest') return undefined
    this.#dropIdle()
    const known = this.#accounts.get(account)
    if (!known) return new AccountSpans(this, account)
    this.#touch(known)
    return known
  }

  /** Bytes of memory that are taken, and by how many accounts. */
  get taken(): { readonly bytes: number; readonly accounts: number } {
    return { bytes: this.#bytes, accounts: this.#accounts.size }
  }

  /** Keeps the values of an account. Returns false if there is no room, or other values of the account are kept already. */
  keeps(spans: AccountSpans): boolean {
    const known = this.#accounts.get(spans.account)
    if (known || this.#bytes + BASE_BYTES > TOTAL_BYTES) return known === spans
    this.#bytes += BASE_BYTES
    this.#touch(spans)
    return true
  }

  /** Reserves memory for an account that is kept. Returns false if there is none. */
  takes(spans: AccountSpans, bytes: number): boolean {
    this.#touch(spans)
    if (this.#bytes + bytes > TOTAL_BYTES) return false
    this.#bytes += bytes
    return true
  }

  gives(bytes: number): void {
    this.#bytes -= bytes
  }

  #touch(spans: AccountSpans): void {
    spans.usedAt = this.#clock.elapsed()
    this.#accounts.delete(spans.account)
    this.#accounts.set(spans.account, spans)
  }

  #dropIdle(): void {
    const before = this.#clock.elapsed() - IDLE
    for (const [account, spans] of this.#accounts) {
      if (spans.usedAt > before) return
      this.#accounts.delete(account)
      this.#bytes -= spans.clear()
    }
  }
}

/** The values of one account, the one that came last first. */
class AccountSpans implements KnownSpans {
  readonly account: string
  usedAt: Millis = 0
  /** Bytes of memory that its values take. */
  #bytes = 0
  readonly #memory: SpanMemory
  readonly #known: Weighed[] = []
  /** Values that came once, the newest last: numbers that tell most values apart. */
  readonly #once: number[] = []

  constructor(memory: SpanMemory, account: string) {
    this.#memory = memory
    this.account = account
  }

  get isEmpty(): boolean {
    return this.#known.length === 0
  }

  find(text: Buffer, at: number): KnownSpan | undefined {
    for (const [index, known] of this.#known.entries()) {
      if (!standsAt(known.span.bytes, text, at)) continue
      if (index > 0) {
        this.#known.splice(index, 1)
        this.#known.unshift(known)
      }
      return known.span
    }
    return undefined
  }

  wants(text: Buffer, from: number, to: number): boolean {
    const print = printOf(text, from, to)
    const index = this.#once.indexOf(print)
    if (index !== -1) {
      this.#once.splice(index, 1)
      return true
    }
    if (!this.#memory.keeps(this)) return false
    this.#once.push(print)
    if (this.#once.length > SEEN_ONCE) this.#once.shift()
    return false
  }

  add(span: KnownSpan): void {
    const bytes = weightOf(span)
    if (bytes > ACCOUNT_BYTES || !this.#memory.keeps(this)) return
    while (this.#known.length >= ACCOUNT_VALUES || this.#bytes + bytes > ACCOUNT_BYTES) this.#dropOldest()
    while (!this.#memory.takes(this, bytes)) if (!this.#dropOldest()) return
    this.#bytes += bytes
    this.#known.unshift({ span, bytes })
  }

  /** Forgets all values and returns the bytes that this frees, with those of the account itself. */
  clear(): number {
    const freed = BASE_BYTES + this.#bytes
    this.#bytes = this.#known.length = this.#once.length = 0
    return freed
  }

  #dropOldest(): boolean {
    const oldest = this.#known.pop()
    if (!oldest) return false
    this.#bytes -= oldest.bytes
    this.#memory.gives(oldest.bytes)
    return true
  }
}

interface Weighed {
  readonly span: KnownSpan
  readonly bytes: number
}

/**
 * An upper bound of the memory that a value takes: its bytes, its texts at two bytes a character, both again in the form of another
 * dialect and of an answer, and its objects and lists, which a hostile client sends empty.
 */
const weightOf = ({ bytes, values, names }: KnownSpan): number =>
  BASE_BYTES + 8 * bytes.length + 144 * values + 64 * names

/** Compares a value with the text at a place. A few bytes up to its end come first, since many values begin alike. */
function standsAt(value: Buffer, text: Buffer, at: number): boolean {
  const { length } = value
  if (at + length > text.length) return false
  for (let part = 1; part <= SAMPLES; part++) {
    const place = Math.floor((length * part) / SAMPLES) - 1
    if (text[at + place] !== value[place]) return false
  }
  return text.compare(value, 0, length, at, at + length) === 0
}

const SAMPLES = 8

/** Made of the length and some bytes of a value. Two values that share it are merely added sooner. */
function printOf(text: Buffer, from: number, to: number): number {
  let print = to - from
  for (let part = 1; part <= 2 * SAMPLES; part++) {
    const place = from + Math.floor(((to - from) * part) / (2 * SAMPLES)) - 1
    print = (Math.imul(print, 31) + (text[place] ?? 0)) | 0
  }
  return print
}
