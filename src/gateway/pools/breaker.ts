import type { EpochMs, Millis } from '../../policy/config.ts'
import { type Share, SlidingCount } from './sliding-count.ts'

/** When a failing replica is ejected. */
export interface Ejection {
  /** Failures in a row. */
  readonly after: number
  /** How long the first time; twice as long the second time in a row, and so on. */
  readonly for: Millis
}

/** The number of a request that tries an ejected replica; 0 is any other request. */
export type Trial = number

/** The state that the breakers of one replica in several processes share. Each of them has counts of its own. */
export interface SharedBreaker {
  readonly isOpen: boolean
  readonly isDoubtful: boolean
  readonly openings: number
  readonly openedAt: EpochMs
  readonly openFor: Millis
  readonly closedAt: EpochMs
  readonly answered: boolean
  /** A request tries the replica. */
  readonly isTried: boolean
}

/** Half of at least so many requests in ten seconds opens a breaker as well. */
const RATE_REQUESTS = 20
const RATE = 0.5
/** How long a failed health check confirms the failures of requests. */
const CONFIRMED_FOR: Millis = 10_000
/** The longest ejection; after this long healthy, the back-off resets. */
const LONGEST: Millis = 60_000

/**
 * The circuit breaker of one replica and its model. Closed: it serves. Open: it is ejected. Half-open: its time is
 * over, and one request may try it, where it is watched once a probe was answered; how that ends closes the breaker or
 * opens it for longer.
 */
export class Breaker {
  /** Probes look after the replica: a client's request tries it only once a probe was answered. */
  watched = false
  /** A probe or a health check was answered since the ejection: a request may try the replica. */
  #answered = false
  readonly #recent = new SlidingCount()
  /** Only failures that a client's request cannot cause. */
  readonly #recentSure = new SlidingCount()
  readonly #changed: () => void
  readonly #moved: () => void
  #inRow = 0
  #sureInRow = 0
  /** When a health check failed here last. */
  #confirmedAt: EpochMs | undefined
  /** It was opened by a failure that the request may have provoked. */
  #isDoubtful = false
  /** How often in a row it opened. */
  #openings = 0
  #openedAt: EpochMs = 0
  #openFor: Millis = 0
  #closedAt: EpochMs = 0
  /** When a request was last answered well. */
  #servedAt: EpochMs = 0
  #isOpen = false
  /** The request that tries the replica, by the number it was given; 0 when none does. */
  #trial: Trial = 0
  #trials = 0
  /** Trials started before it opened. */
  #trialsBefore = 0
  /** A request of another process tries the replica. */
  #isTriedElsewhere = false

  /** `changed` runs whenever the replica is ejected, and when it is back; `moved` whenever `shared` is another one. */
  constructor(changed = () => {}, moved = () => {}) {
    this.#changed = changed
    this.#moved = moved
  }

  get shared(): SharedBreaker {
    return {
      isOpen: this.#isOpen,
      isDoubtful: this.#isDoubtful,
      openings: this.#openings,
      openedAt: this.#openedAt,
      openFor: this.#openFor,
      closedAt: this.#closedAt,
      answered: this.#answered,
      isTried: this.#trial !== 0 || this.#isTriedElsewhere,
    }
  }

  /** Takes over what the breaker of another process found. */
  adopt({ isOpen, isDoubtful, openings, openedAt, openFor, closedAt, answered, isTried }: SharedBreaker): void {
    const [wasOpen, isAnother] = [this.#isOpen, isOpen && (!this.#isOpen || openedAt !== this.#openedAt)]
    this.#isOpen = isOpen
    this.#isDoubtful = isDoubtful
    this.#openings = openings
    this.#openedAt = openedAt
    this.#openFor = openFor
    this.#closedAt = closedAt
    this.#answered = answered
    this.#isTriedElsewhere = isTried && this.#trial === 0
    if (isAnother) this.#trialsBefore = this.#trials
    if (isAnother || !isOpen) this.#trial = 0
    if (wasOpen && !isOpen) this.#forget()
    if (wasOpen !== isOpen) this.#changed()
  }

  /** The process whose request tried the replica ended. */
  abandonTrial(): void {
    if (!this.#isTriedElsewhere) return
    this.#isTriedElsewhere = false
    this.#moved()
  }

  state(now: EpochMs): 'closed' | 'open' | 'half-open' {
    if (!this.#isOpen) return 'closed'
    return this.#left(now) > 0 ? 'open' : 'half-open'
  }

  /** Whether a request may be sent. */
  admits(now: EpochMs): boolean {
    const state = this.state(now)
    if (state !== 'half-open') return state === 'closed'
    return this.#trial === 0 && !this.#isTriedElsewhere && (!this.watched || this.#answered)
  }

  /** Failures in a row. */
  get failures(): number {
    return this.#inRow
  }

  /** When a request was last answered well; 0 where none was. */
  get servedAt(): EpochMs {
    return this.#servedAt
  }

  /** When it opened last. */
  get openedAt(): EpochMs {
    return this.#openedAt
  }

  /** Until a request may try it; 0 when one may now. */
  wait(now: EpochMs): Millis {
    return this.#isOpen ? this.#left(now) : 0
  }

  /** A request is sent. Returns the trial number to pass when it ends; it tries the replica where the breaker is not closed. */
  begin(): Trial {
    if (!this.#isOpen) return 0
    this.#trial = ++this.#trials
    this.#moved()
    return this.#trial
  }

  /** The replica answers: if it was ejected, it is back. Until its time is over, answers to requests sent before the ejection do not count. */
  answers(now: EpochMs, trial: Trial = 0): void {
    const isSince = trial > this.#trialsBefore
    if (this.#isOpen && (isSince || this.state(now) === 'half-open')) this.#close(now)
  }

  succeeded(now: EpochMs, trial: Trial = 0): void {
    this.#servedAt = now
    this.#inRow = 0
    this.#sureInRow = 0
    this.#recent.add(now, 1)
    this.#recentSure.add(now, 1)
    this.answers(now, trial)
  }

  /**
   * A request failed. One that may have caused that itself is `isDoubtful`: such failures open the breaker only once
   * they are confirmed, or any client could eject a replica for all others.
   */
  failed(now: EpochMs, ejection: Ejection, trial: Trial = 0, isDoubtful = false): void {
    this.#inRow++
    if (!isDoubtful) this.#sureInRow++
    this.#recent.add(now, 1, 1)
    this.#recentSure.add(now, 1, isDoubtful ? 0 : 1)
    const state = this.state(now)
    this.ended(trial)
    if (state === 'half-open') {
      this.#isDoubtful = isDoubtful
      this.open(now, ejection.for)
    } else this.#openIfBad(now, ejection)
  }

  /** A health check failed as well: the requests did not provoke their failures. */
  confirmed(now: EpochMs, ejection: Ejection): void {
    this.#confirmedAt = now
    this.#isDoubtful = false
    this.#openIfBad(now, ejection)
  }

  /** A health check was answered: requests that failed here failed because of their content. */
  cleared(now: EpochMs): void {
    this.#confirmedAt = undefined
    if (this.#isOpen) {
      // Nor is it ejected for longer the next time.
      if (this.#isDoubtful) this.#openings--
      this.#isDoubtful = false
      this.letTry()
    } else if (this.state(now) === 'closed') this.#forget()
  }

  /** Whether failures that requests may have provoked have ejected the replica, or would if they were confirmed. */
  isSuspected(now: EpochMs, ejection: Ejection): boolean {
    return this.#isOpen ? this.#isDoubtful : isBad(this.#inRow, this.#recent.share(now), ejection)
  }

  #openIfBad(now: EpochMs, ejection: Ejection): void {
    if (this.state(now) !== 'closed') return
    const isConfirmed = this.#confirmedAt !== undefined && now - this.#confirmedAt <= CONFIRMED_FOR
    const inRow = isConfirmed ? this.#inRow : this.#sureInRow
    const recent = isConfirmed ? this.#recent : this.#recentSure
    if (isBad(inRow, recent.share(now), ejection)) this.open(now, ejection.for)
  }

  /**
   * A probe was answered: once the ejection is over, one request tries the replica. A server may answer probes while its
   * model answers no request, so that a probe alone does not close the breaker.
   */
  probeSucceeded(now: EpochMs): void {
    if (this.state(now) !== 'half-open' || this.#answered) return
    this.#answered = true
    this.#moved()
  }

  /** A probe failed: a serving replica is ejected where the one before failed too (`again`), one that may be tried again at once. */
  probeFailed(now: EpochMs, time: Millis, again: boolean): void {
    const state = this.state(now)
    if (state === 'half-open' || (state === 'closed' && again)) this.open(now, time)
  }

  /** A probe or a health check was just answered: a request may try the replica before the ejection is over. */
  letTry(): void {
    if (!this.#isOpen) return
    this.#openFor = 0
    this.#answered = true
    this.#moved()
  }

  /** A request ended without saying anything of the replica. */
  ended(trial: Trial): void {
    if (!this.#isTrying(trial)) return
    this.#trial = 0
    this.#moved()
  }

  /** Ejects the replica. */
  open(now: EpochMs, time: Millis): void {
    if (!this.#isOpen && now - this.#closedAt > LONGEST) this.#openings = 0
    this.#openings++
    this.#openedAt = now
    this.#openFor = Math.min(time * this.#openings, LONGEST)
    this.#trial = 0
    this.#answered = false
    this.#trialsBefore = this.#trials
    this.#isTriedElsewhere = false
    const isNew = !this.#isOpen
    this.#isOpen = true
    this.#moved()
    if (isNew) this.#changed()
  }

  #close(now: EpochMs): void {
    this.#isOpen = false
    this.#isDoubtful = false
    this.#trial = 0
    this.#isTriedElsewhere = false
    this.#closedAt = now
    this.#forget()
    this.#moved()
    this.#changed()
  }

  #forget(): void {
    this.#inRow = 0
    this.#sureInRow = 0
    this.#recent.clear()
    this.#recentSure.clear()
  }

  #isTrying(trial: Trial): boolean {
    return trial !== 0 && trial === this.#trial
  }

  /** A clock that stepped back must not eject a replica for ever. */
  #left(now: EpochMs): Millis {
    return now < this.#openedAt ? 0 : Math.max(0, this.#openedAt + this.#openFor - now)
  }
}

const isBad = (inRow: number, { all, marked }: Share, { after }: Ejection): boolean =>
  inRow >= after || (all >= RATE_REQUESTS && marked >= all * RATE)
