import type { Millis } from '../../policy/config.ts'
import type { Delivery, Notice } from '../../records/notice.ts'
import type { Alarm, Clock } from '../ports.ts'

/** A place that takes notices. */
export interface Target {
  /** How long notices are gathered for one message; absent where each has a message of its own. */
  readonly digest?: Millis | undefined
  /** Sends a message of one or several notices. Rejects with the reason where it is unknown whether the receiver has it. */
  send(letters: readonly Letter[]): Promise<void>
}

/** A notice for one target. */
export interface Letter {
  readonly notice: Notice
  readonly delivery: Delivery
}

export interface LanePorts {
  readonly clock: Clock
  readonly alarm: Alarm
  /** False once another process delivers. */
  readonly goesOn: () => boolean
  /** Writes how far letters came. */
  readonly write: (letters: readonly Letter[]) => Promise<void>
}

/** The way to one target: a few messages at a time, and after a failure one at a time, later and later, until one arrives. */
export class Lane {
  readonly #name: string
  readonly #ports: LanePorts
  #isBusy = false
  #failures = 0
  #retryAt: Millis = Number.NEGATIVE_INFINITY
  #isReported = false
  /** Resolves once nothing is under way. */
  done: Promise<void> = Promise.resolve()

  constructor(name: string, ports: LanePorts) {
    this.#name = name
    this.#ports = ports
  }

  /** Sends what is due, unless it is busy or waits for its target. */
  begin(target: Target | undefined, letters: readonly Letter[]): void {
    if (!this.isFree) return
    if (!target) {
      this.#work(() => this.#ports.write(letters.map(letter => failed(letter, GONE, this.#ports.clock, true))))
      return
    }
    const messages = messagesOf(letters, target, this.#ports.clock.now())
    if (messages.length > 0) this.#work(() => this.#send(target, messages))
  }

  /** Whether it is neither busy nor waits for its target. */
  get isFree(): boolean {
    return !this.#isBusy && this.#ports.clock.elapsed() >= this.#retryAt
  }

  /** An operator asked for another attempt now. */
  hurry(): void {
    this.#retryAt = Number.NEGATIVE_INFINITY
  }

  #work(work: () => Promise<void>): void {
    this.#isBusy = true
    this.done = work().finally(() => {
      this.#isBusy = false
    })
  }

  async #send(target: Target, messages: readonly (readonly Letter[])[]): Promise<void> {
    for (let from = 0; from < messages.length && this.#ports.goesOn(); ) {
      const some = messages.slice(from, from + (this.#failures > 0 ? 1 : AT_ONCE))
      from += some.length
      const results = await Promise.allSettled(some.map(letters => target.send(letters)))
      const sent = results.map((result, at) => this.#sent(some[at] ?? [], result))
      await this.#ports.write(sent.flat())
      if (results.some(({ status }) => status === 'rejected')) return
    }
  }

  #sent(letters: readonly Letter[], result: PromiseSettledResult<void>): readonly Letter[] {
    const { clock } = this.#ports
    if (result.status === 'rejected') {
      const { reason } = result
      const error = reason instanceof Error ? reason.message : String(reason)
      this.#fail(error)
      return letters.map(letter => failed(letter, error, clock))
    }
    this.#succeed()
    return letters.map(({ notice, delivery: { error: _error, ...delivery } }) => ({
      notice,
      delivery: { ...delivery, state: 'delivered', tries: delivery.tries + 1, triedAt: clock.now() },
    }))
  }

  #fail(error: string): void {
    const { clock, alarm } = this.#ports
    this.#failures++
    this.#retryAt = clock.elapsed() + Math.min(MOST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (this.#failures - 1))
    if (this.#isReported || this.#failures < REPORTED_FAILURES) return
    this.#isReported = true
    alarm('a target takes no notices; they wait', { target: this.#name, error })
  }

  #succeed(): void {
    if (this.#isReported) this.#ports.alarm('a target takes notices again', { target: this.#name })
    this.#failures = 0
    this.#retryAt = Number.NEGATIVE_INFINITY
    this.#isReported = false
  }
}

/** The letters in messages, as far as they are due. */
function messagesOf(letters: readonly Letter[], { digest }: Target, at: number): readonly (readonly Letter[])[] {
  if (digest === undefined) return letters.map(letter => [letter])
  // One that an operator tries again waits for no others.
  const isDue = letters.some(({ notice, delivery }) => notice.at + digest <= at || delivery.error !== undefined)
  if (!isDue) return []
  const messages: (readonly Letter[])[] = []
  for (let from = 0; from < letters.length; from += MOST_IN_DIGEST)
    messages.push(letters.slice(from, from + MOST_IN_DIGEST))
  return messages
}

/** A letter that did not arrive, which is given up after some days. */
function failed({ notice, delivery }: Letter, error: string, clock: Clock, isOver = false): Letter {
  const isOld = isOver || clock.now() - notice.at > GIVEN_UP_MS
  const state = isOld ? 'failed' : 'waiting'
  return { notice, delivery: { ...delivery, state, tries: delivery.tries + 1, triedAt: clock.now(), error } }
}

const GONE = 'the files declare no such target'

/** Messages that are under way to one target together. */
const AT_ONCE = 8
const MOST_IN_DIGEST = 100

const FIRST_PAUSE_MS: Millis = 1000
/** A receiver that is back has what waited within a minute. */
const MOST_PAUSE_MS: Millis = 60_000
const GIVEN_UP_MS: Millis = 3 * 86_400_000
/** One connection may fail by chance. */
const REPORTED_FAILURES = 3
