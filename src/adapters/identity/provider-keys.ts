import { createLocalJWKSet, type JWK, type JWTVerifyGetKey } from 'jose'
import { ProviderUnavailable } from '../../gateway/accounts/sign-in/sign-in.ts'
import { lackOf, OWN_FAULT_HINT } from '../../gateway/own-faults.ts'
import { outOfPatience } from '../../gateway/patience.ts'
import type { Alarm, Cancel, Clock } from '../../gateway/ports.ts'
import type { EpochMs, Millis } from '../../policy/config.ts'

export interface ProviderKeysOptions {
  readonly issuer: string
  readonly clock: Clock
  readonly alarm: Alarm
  fetch(signal: AbortSignal): Promise<readonly JWK[]>
  /** Is called when another set of keys replaced an earlier one. */
  changed(): void
}

interface KeySet {
  readonly find: JWTVerifyGetKey
  readonly text: string
  readonly readAt: EpochMs
}

/**
 * The keys of the provider, read again every 10 min in the background, and every 5 s while that fails; the last ones
 * read serve for 24 h meanwhile. jose's own remote set waits for the new keys instead, and fails with them.
 */
export class ProviderKeys {
  readonly #options: ProviderKeysOptions
  #keys: KeySet | undefined
  /** The one read in flight. */
  #reading: Promise<void> | undefined
  #restUntil: EpochMs = Number.NEGATIVE_INFINITY
  /** Why the last read failed. */
  #failure: string | undefined
  /** The alarm that was given for it: it is given once, though each read may fail by another cause. */
  #complaint: string | undefined
  #cancelNext: Cancel = () => {}
  #abort: Cancel = () => {}
  #closed = false

  constructor(options: ProviderKeysOptions) {
    this.#options = options
    this.#read()
  }

  /**
   * Runs `judge` with the cached keys. Where its error shows that the provider may have rotated its keys since, runs it
   * once more with the keys of now. Rejects with ProviderUnavailable, or as `judge` does.
   */
  async judge<T>(judge: (find: JWTVerifyGetKey) => Promise<T>, mayBeRotated: (error: unknown) => boolean): Promise<T> {
    const keys = this.#usable() ?? (await this.#refreshed())
    if (!keys)
      throw new ProviderUnavailable(`the keys of ${this.#options.issuer} cannot be read: ${this.#failure ?? 'closed'}`)
    try {
      return await judge(keys.find)
    } catch (error) {
      if (!mayBeRotated(error)) throw error
      const next = await this.#refreshed()
      // Unchanged keys give an unchanged answer.
      if (!next || next.find === keys.find) throw error
      return judge(next.find)
    }
  }

  close(): void {
    this.#closed = true
    this.#cancelNext()
    this.#abort()
  }

  #usable(): KeySet | undefined {
    const { clock } = this.#options
    return this.#keys && clock.now() - this.#keys.readAt <= STALE_MAX_MS ? this.#keys : undefined
  }

  /** The keys after a read, unless the last one was just now. */
  async #refreshed(): Promise<KeySet | undefined> {
    if (this.#reading) await this.#reading
    else if (!this.#closed && this.#options.clock.now() >= this.#restUntil) await this.#read()
    return this.#usable()
  }

  #read(): Promise<void> {
    this.#cancelNext()
    this.#reading = this.#readOnce().finally(() => {
      const { clock } = this.#options
      this.#reading = undefined
      this.#restUntil = clock.now() + COOLDOWN_MS
      if (this.#closed) return
      this.#cancelNext = clock.after(this.#failure === undefined ? FRESH_MS : COOLDOWN_MS, () => void this.#read())
    })
    return this.#reading
  }

  /** Never rejects. */
  async #readOnce(): Promise<void> {
    const controller = new AbortController()
    this.#abort = () => controller.abort()
    // Real time, as for sockets: a test that moves its clock by a day must not interrupt the read in flight.
    const overdue = new Error(`no answer within ${TIMEOUT_MS / 1000} s`)
    const callOff = outOfPatience({ time: TIMEOUT_MS }, () => controller.abort(overdue))
    try {
      this.#accept(await this.#options.fetch(controller.signal))
    } catch (error) {
      if (!this.#closed) this.#fail(error)
    } finally {
      callOff()
    }
  }

  #accept(keys: readonly JWK[]): void {
    const { issuer, clock, alarm, changed } = this.#options
    const before = this.#keys
    // In the order of their texts: a provider may list the same keys in another one.
    const text = JSON.stringify(keys.map(key => JSON.stringify(key)).sort())
    const find = before?.text === text ? before.find : createLocalJWKSet({ keys: [...keys] })
    this.#keys = { find, text, readAt: clock.now() }
    if (this.#failure !== undefined) alarm('the keys of the identity provider can be read again', { issuer })
    this.#failure = undefined
    this.#complaint = undefined
    if (!before || before.text === text) return
    changed()
    alarm('the identity provider changed its keys', { issuer, kids: keys.map(({ kid }) => kid ?? 'none') })
  }

  #fail(error: unknown): void {
    const { issuer, alarm } = this.#options
    const cause = causeOf(error)
    const lack = lackOf(codeOf(error))
    const complaint =
      lack === undefined
        ? 'the keys of the identity provider cannot be read'
        : (`this process has no ${lack} left, and cannot read the keys of the identity provider` as const)
    if (this.#complaint !== complaint)
      alarm(complaint, { issuer, cause, ...(lack !== undefined && { hint: OWN_FAULT_HINT }) })
    this.#failure = cause
    this.#complaint = complaint
  }
}

const FRESH_MS: Millis = 10 * 60_000
const STALE_MAX_MS: Millis = 24 * 3_600_000
/** The least time between two reads, failed ones included: tokens with made-up key ids must not become load on the provider. */
const COOLDOWN_MS: Millis = 5000
const TIMEOUT_MS: Millis = 5000

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

/** A refused connection to a name with two addresses has no message of its own. */
export function causeOf(error: unknown): string {
  if (error instanceof AggregateError && !error.message) return error.errors.map(String).join('; ')
  return error instanceof Error ? error.message : String(error)
}
