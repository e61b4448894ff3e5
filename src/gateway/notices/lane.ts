import type { EpochMs, Millis } from '../../policy/config.ts'
import type { Delivery, Notice } from '../../records/notice.ts'
import type { Alarm, Clock } from '../ports.ts'

/** A place that takes notices. */
export interface Target {
  /** How long notices are gathered for one message; absent where each has a message of its own. */
  readonly digest?: Millis | undefined
  /** Tells apart letters that may not share a message; absent where all may. */
  readonly recipientOf?: (letter: Letter) => string
  /**
   * Sends a message of one or several notices. Rejects with NoticeRefused where the receiver will not take this message, and
   * with another reason where it takes none at present, or may have this one.
   */
  send(letters: readonly Letter[]): Promise<void>
}

/** The receiver answers, and refuses this message: others may arrive all the same. */
export class NoticeRefused extends Error {
  override readonly name = 'NoticeRefused'
  /** Whether no further attempt can help. */
  readonly isFinal: boolean
  /** Whether the reason lies with one recipient of many, and says nothing of the target. */
  readonly isOfRecipient: boolean

  constructor(message: string, { isFinal = false, isOfRecipient = false, ...options }: RefusedOptions = {}) {
    super(message, options)
    this.isFinal = isFinal
    this.isOfRecipient = isOfRecipient
  }
}

interface RefusedOptions extends ErrorOptions {
  readonly isFinal?: boolean
  readonly isOfRecipient?: boolean
}

/** A notice for one target. */
export interface Letter {
  readonly notice: Notice
  readonly delivery: Delivery
}

export interface LanePorts {
  readonly clock: Clock
  /** Absent where a target is its owner's affair. */
  readonly alarm?: Alarm | undefined
  /** The longest pause after failures; a minute where absent. */
  readonly mostPauseMs?: Millis | undefined
  /** False once another process delivers. */
  readonly goesOn: () => boolean
  /** Writes how far letters came. */
  readonly write: (letters: readonly Letter[]) => Promise<void>
}

/**
 * The way to one target: a few messages at a time, and after a failure one at a time, later and later, until one arrives. A
 * notice that the receiver refuses steps aside for a time of its own, and those behind it go on.
 */
export class Lane {
  readonly #name: string
  readonly #ports: LanePorts
  #busy = false
  #failures = 0
  #retryAt: Millis = Number.NEGATIVE_INFINITY
  #isReported = false
  /** Notices refused since the last one that arrived. */
  readonly #refused = new Set<string>()
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
    return !this.#busy && this.#ports.clock.elapsed() >= this.#retryAt
  }

  /** Whether letters of it are under way. */
  get isBusy(): boolean {
    return this.#busy
  }

  /** Ends the incident of the target: this process sends nothing there any more. */
  retire(): void {
    if (this.#isReported)
      this.#ports.alarm?.('this process no longer sends notices to a target', { target: this.#name })
    this.#isReported = false
  }

  /** An operator asked for another attempt now. */
  hurry(): void {
    this.#retryAt = Number.NEGATIVE_INFINITY
  }

  #work(work: () => Promise<void>): void {
    this.#busy = true
    this.done = work().finally(() => {
      this.#busy = false
    })
  }

  async #send(target: Target, messages: readonly (readonly Letter[])[]): Promise<void> {
    for (let from = 0; from < messages.length && this.#ports.goesOn(); ) {
      const some = messages.slice(from, from + (this.#failures > 0 ? 1 : AT_ONCE))
      from += some.length
      const results = await Promise.allSettled(some.map(letters => target.send(letters)))
      const sent = results.map((result, at) => this.#sent(some[at] ?? [], result))
      await this.#ports.write(sent.flat())
      if (results.some(isFailure)) return
    }
  }

  #sent(letters: readonly Letter[], result: PromiseSettledResult<void>): readonly Letter[] {
    const { clock } = this.#ports
    if (result.status === 'rejected') {
      const { reason } = result
      const error = reason instanceof Error ? reason.message : String(reason)
      if (reason instanceof NoticeRefused) return this.#refuse(letters, reason)
      this.#fail(error)
      return letters.map(letter => failed(letter, error, clock))
    }
    this.#succeed()
    return letters.map(({ notice, delivery: { error: _error, dueAt: _dueAt, ...delivery } }) => ({
      notice,
      delivery: { ...delivery, state: 'delivered', tries: delivery.tries + 1, triedAt: clock.now() },
    }))
  }

  #fail(error: string): void {
    const { clock, mostPauseMs = MOST_PAUSE_MS } = this.#ports
    this.#failures++
    this.#retryAt = clock.elapsed() + Math.min(mostPauseMs, FIRST_PAUSE_MS * 2 ** (this.#failures - 1))
    if (this.#failures >= REPORTED_FAILURES) this.#report(error)
  }

  /** The receiver answers, so that the lane has no pause. One recipient of many is no concern of operators. */
  #refuse(letters: readonly Letter[], { message: error, isFinal, isOfRecipient }: NoticeRefused): readonly Letter[] {
    const { clock, alarm } = this.#ports
    if (!isOfRecipient) for (const { notice } of letters) this.#refused.add(notice.id)
    if (this.#refused.size >= REPORTED_FAILURES) this.#report(error)
    return letters.map(letter => {
      const after = refused(letter, error, clock.now(), isFinal)
      const { notice, delivery } = after
      if (delivery.state === 'failed' && !isOfRecipient)
        alarm?.('a target keeps refusing a notice, which is now marked as failed', {
          target: this.#name,
          notice: notice.id,
          error,
        })
      return after
    })
  }

  #report(error: string): void {
    if (this.#isReported) return
    this.#isReported = true
    this.#ports.alarm?.('a target takes no notices; they wait', { target: this.#name, error })
  }

  #succeed(): void {
    if (this.#isReported) this.#ports.alarm?.('a target takes notices again', { target: this.#name })
    this.#failures = 0
    this.#refused.clear()
    this.#retryAt = Number.NEGATIVE_INFINITY
    this.#isReported = false
  }
}

/** The letters in messages, as far as they are due. */
function messagesOf(letters: readonly Letter[], target: Target, at: number): readonly (readonly Letter[])[] {
  const { digest, recipientOf } = target
  if (digest === undefined) return letters.map(letter => [letter])
  const byRecipient = new Map<string, Letter[]>()
  for (const letter of letters) {
    const recipient = recipientOf?.(letter) ?? ''
    const some = byRecipient.get(recipient)
    if (some) some.push(letter)
    else byRecipient.set(recipient, [letter])
  }
  return [...byRecipient.values()].flatMap(some => digestsOf(some, digest, at))
}

/** The letters of one recipient in messages, once the time of a digest is over. */
function digestsOf(letters: readonly Letter[], digest: Millis, at: number): readonly (readonly Letter[])[] {
  // One that an operator tries again waits for no others.
  const isDue = letters.some(({ notice, delivery }) => notice.at + digest <= at || delivery.error !== undefined)
  if (!isDue) return []
  // One of a refused digest may be why it was refused.
  const [alone, together] = [letters.filter(wasRefused), letters.filter(letter => !wasRefused(letter))]
  const messages: (readonly Letter[])[] = []
  for (let from = 0; from < together.length; from += MOST_IN_DIGEST)
    messages.push(together.slice(from, from + MOST_IN_DIGEST))
  return [...messages, ...alone.map(letter => [letter])]
}

const wasRefused = ({ delivery: { refusals = 0 } }: Letter): boolean => refusals > 0

/** Whether a delivery waits, and a refusal of it has no pause any more. */
export const isDue = ({ state, dueAt = 0 }: Delivery, at: EpochMs): boolean => state === 'waiting' && dueAt <= at

const isFailure = (result: PromiseSettledResult<void>): boolean =>
  result.status === 'rejected' && !(result.reason instanceof NoticeRefused)

/** A letter that its receiver refused: it waits for a while, and is given up after some refusals. */
function refused({ notice, delivery }: Letter, error: string, at: EpochMs, isFinal: boolean): Letter {
  const { dueAt: _dueAt, ...rest } = delivery
  const refusals = (delivery.refusals ?? 0) + 1
  const tried = { ...rest, refusals, tries: delivery.tries + 1, triedAt: at, error }
  const pause = REFUSAL_PAUSES_MS[refusals - 1]
  if (pause === undefined || isFinal) return { notice, delivery: { ...tried, state: 'failed' } }
  return { notice, delivery: { ...tried, state: 'waiting', dueAt: at + pause } }
}

/** Whether a letter waited too long, be it for others before it, and no operator has it tried again. */
export function isOverdue({ notice, delivery }: Letter, at: EpochMs): boolean {
  const { state, tries, error } = delivery
  const isAskedFor = tries === 0 && error !== undefined
  return state === 'waiting' && at - notice.at > GIVEN_UP_MS && !isAskedFor
}

/** A letter that is given up without a further attempt. */
export const givenUp = ({ notice, delivery }: Letter): Letter => ({
  notice,
  delivery: { ...delivery, state: 'failed', error: delivery.error ?? NEVER_TRIED },
})

/** A letter that did not arrive, which is given up after some days. */
function failed({ notice, delivery }: Letter, error: string, clock: Clock, isOver = false): Letter {
  const isOld = isOver || clock.now() - notice.at > GIVEN_UP_MS
  const state = isOld ? 'failed' : 'waiting'
  return { notice, delivery: { ...delivery, state, tries: delivery.tries + 1, triedAt: clock.now(), error } }
}

const NEVER_TRIED = 'it waited for three days behind others'
const GONE = 'the files declare no such target'

/** Messages that are under way to one target together. */
const AT_ONCE = 8
const MOST_IN_DIGEST = 100

const FIRST_PAUSE_MS: Millis = 1000
/** A receiver that is back has what waited within a minute. */
const MOST_PAUSE_MS: Millis = 60_000
const GIVEN_UP_MS: Millis = 3 * 86_400_000
/** The pauses of a notice after each refusal: a receiver that is corrected within some hours has it. */
const REFUSAL_PAUSES_MS: readonly Millis[] = [1, 5, 30, 120, 360].map(minutes => minutes * 60_000)
/** One connection may fail by chance. */
const REPORTED_FAILURES = 3
