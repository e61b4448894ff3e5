import type { Settings } from '../../config/settings.ts'
import { MOST_ANSWER_BYTES } from '../../policy/answer-bytes.ts'
import type { Millis } from '../../policy/config.ts'
import type { Denial, OverloadDenial } from '../../policy/denial.ts'
import { type Listed, Roster } from '../lifetimes.ts'
import { type Holder, MemoryTally, ownerOf } from '../memory-tally.ts'
import type { AnswerRoom, Cancel, Clock } from '../ports.ts'

/** The default never exceeds this; operators may set more. */
const MOST_BYTES = 256_000_000

/** The kernel buffers this much of an answer at once, so smaller answers are not counted. */
export const UNCOUNTED_BYTES = 16_384

/**
 * The bytes that all answers together may occupy in this process, given the memory that the gateway may use. Each of several
 * processes gets a share that fits the largest answer.
 */
export function answerMemoryBytes({ limits }: Pick<Settings, 'limits'>, memoryBytes: number, processes = 1): number {
  const all = limits.answerMemoryBytes ?? Math.min(memoryBytes / 4, MOST_BYTES)
  return Math.max(MOST_ANSWER_BYTES, all / processes)
}

/** No account or address may hold more of the total than this, except for a single answer. */
const SHARE = 1 / 2

/**
 * Beyond this part of a share, arriving answers wait for the first of them. That one gets its room even if the others
 * leave none, so that they cannot all wait for each other. A share is exceeded by at most one answer and its copy.
 */
const CONTESTED = 1 / 2

/** An answer waits until its account or address has freed nothing for this long: clients need time to read. */
const PATIENCE: Millis = 5000

/**
 * Counts the bytes of answers in memory. Whole answers count from the backend's first byte until the client has read
 * the last, twice while they are parsed; streams count what a slow reader has not read. An account above its fair part
 * waits for room, and is refused if none is freed; for an account below it, the largest account loses an answer
 * instead.
 */
export class AnswerMemory {
  readonly #limit: () => number
  readonly #clock: Pick<Clock, 'after'>
  readonly #tally: MemoryTally
  readonly #held = new Roster<HeldAnswer>()
  #waiting: readonly HeldAnswer[] = []
  #isWaking = false
  #opened = 0

  /** `limit` returns the current limit for all answers together, in bytes; `emptied` is as in MemoryTally. */
  constructor(limit: () => number, clock: Pick<Clock, 'after'>, emptied?: () => void) {
    this.#limit = limit
    this.#clock = clock
    this.#tally = new MemoryTally(emptied)
  }

  /** Bytes held now. */
  get total(): number {
    return this.#tally.total
  }

  get isNearlyEmpty(): boolean {
    return this.#tally.isNearlyEmpty
  }

  /** Starts counting a new answer, with no bytes yet. */
  open(holder: Holder): HeldAnswer {
    return new HeldAnswer(this, holder, this.#opened++)
  }

  /** Adds to or subtracts from the bytes of an answer. */
  count(answer: HeldAnswer, change: number): void {
    if (change > 0 && answer.bytes === change) this.#held.add(answer)
    else if (answer.bytes === 0) this.#held.remove(answer)
    this.#tally.add(answer, change)
    if (change >= 0) return
    for (const waiting of this.#waiting)
      if (waiting.owner === answer.owner || waiting.address === answer.address) this.#beginPatience(waiting)
    this.wakeSoon()
  }

  /**
   * The share that lacks room for the answer's bytes and those it waits for. If a larger account has taken the room,
   * that account loses answers first, once this answer has waited.
   */
  lackOf(answer: HeldAnswer): Share | undefined {
    const limit = this.#limit()
    const { owner, address } = answer
    const isOwn = (other: HeldAnswer) => other.owner === owner
    const isHere = (other: HeldAnswer) => other.address === address
    const places: readonly Place[] = [
      { share: 'account_answers', most: limit * SHARE, bytes: () => this.#tally.ofOwner(owner), has: isOwn },
      { share: 'address_answers', most: limit * SHARE, bytes: () => this.#tally.ofAddress(address), has: isHere },
      { share: 'answers', most: limit, bytes: () => this.#tally.total, has: () => true },
    ]
    return places.find(place => !this.#findsRoom(answer, place))?.share
  }

  /** Lets an answer wait for room. If nothing is freed in time, a larger answer is ended for it, or this one is. */
  wait(answer: HeldAnswer): void {
    this.#waiting = [...this.#waiting, answer]
    this.#beginPatience(answer)
  }

  stopWaiting(answer: HeldAnswer): void {
    answer.patience()
    this.#waiting = this.#waiting.filter(other => other !== answer)
  }

  /**
   * Resumes answers that have room now, after room was freed or an answer arrived that others waited for; once for
   * everything freed in this turn.
   */
  wakeSoon(): void {
    if (this.#isWaking || this.#waiting.length === 0) return
    this.#isWaking = true
    setImmediate(() => {
      this.#isWaking = false
      for (const answer of this.#waiting) if (answer.isWaiting && this.lackOf(answer) === undefined) answer.goOn()
    })
  }

  #beginPatience(answer: HeldAnswer): void {
    answer.patience()
    answer.patience = this.#clock.after(PATIENCE, () => {
      answer.hasWaited = true
      const lack = this.lackOf(answer)
      if (lack === undefined) answer.goOn()
      else answer.end(lack)
    })
  }

  #findsRoom(answer: HeldAnswer, place: Place): boolean {
    for (;;) {
      const bytes = place.bytes() + answer.wanted
      if (bytes <= place.most * CONTESTED) return true
      const verdict = judge(answer, { bytes, most: place.most, held: this.#held.all.filter(place.has) })
      if (verdict === 'room' || verdict === 'wait') return verdict === 'room'
      verdict.end(place.share)
    }
  }
}

/** A share short of memory; `bytes` includes those that the answer waits for. */
interface Tight {
  readonly bytes: number
  readonly most: number
  readonly held: readonly HeldAnswer[]
}

/** Whether an answer has room, has to wait, or which answer must end for it. */
function judge(answer: HeldAnswer, { bytes, most, held }: Tight): 'room' | 'wait' | HeldAnswer {
  if (isFirstWithRoom(answer, held, most)) return 'room'
  const sums = sumsOf(held)
  const largest = largestOf(
    held.filter(({ onEnded }) => onEnded !== undefined),
    sums,
  )
  if (largest === undefined || largest.owner === answer.owner) {
    const isWithin = bytes === answer.bytes || bytes <= most * (answer.isArriving ? CONTESTED : 1)
    return isWithin ? 'room' : 'wait'
  }
  const own = (sums.get(answer.owner) ?? 0) + answer.wanted
  if (answer.isPatient && (bytes > most || own > (most * CONTESTED) / sums.size)) return 'wait'
  return bytes <= most ? 'room' : largest
}

/**
 * Whether it is the first of the arriving answers, and fits beside what clients have not read. All other arriving
 * answers wait for it.
 */
function isFirstWithRoom(answer: HeldAnswer, held: readonly HeldAnswer[], most: number): boolean {
  const isFirst = !held.some(({ isArriving, number }) => isArriving && number < answer.number)
  const unread = sizeOf(held.filter(({ isArriving }) => !isArriving))
  return answer.isArriving && isFirst && (unread === 0 || unread + answer.bytes <= most)
}

const sizeOf = (held: readonly HeldAnswer[]): number => held.reduce((sum, { bytes }) => sum + bytes, 0)

function sumsOf(held: readonly HeldAnswer[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>()
  for (const { owner, bytes } of held) sums.set(owner, (sums.get(owner) ?? 0) + bytes)
  return sums
}

/** The oldest answer of the largest account, among accounts that may lose one. */
function largestOf(held: readonly HeldAnswer[], sums: ReadonlyMap<string, number>): HeldAnswer | undefined {
  const rank = (answer: HeldAnswer) => sums.get(answer.owner) ?? 0
  const byAge = held.toSorted((a, b) => a.number - b.number)
  return byAge.reduce<HeldAnswer | undefined>((most, one) => (most && rank(most) >= rank(one) ? most : one), undefined)
}

/** The share of memory without room. */
type Share = Extract<OverloadDenial['of'], `${string}answers`>

/** A part of the memory, and the bytes in use. */
interface Place {
  readonly share: Share
  readonly most: number
  readonly bytes: () => number
  readonly has: (answer: HeldAnswer) => boolean
}

/** The bytes held of one answer. */
export class HeldAnswer implements AnswerRoom, Listed {
  place = -1
  bytes = 0
  /** Whether its backend is still sending, or it is still to be parsed. */
  isArriving = false
  /** Bytes that it waits for before it is read. */
  wanted = 0
  /** Set once it has waited long enough for others to lose their room. */
  hasWaited = false
  /** Set once it has lost its room. */
  denial: Denial | undefined
  onEnded: (() => void) | undefined = () => {}
  /** Calls off the end of its waiting. */
  patience: Cancel = () => {}
  readonly owner: string
  readonly address: string
  /** The order in which answers were opened. */
  readonly number: number
  readonly #memory: AnswerMemory
  #onRoom: (() => void) | undefined
  /** Bytes counted twice while it is parsed. */
  #copied = 0
  /** Bytes counted besides those of `hold`. */
  #beside = 0
  #isOver = false

  constructor(memory: AnswerMemory, holder: Holder, number: number) {
    this.#memory = memory
    this.owner = ownerOf(holder)
    this.address = holder.address
    this.number = number
  }

  get isWaiting(): boolean {
    return this.#onRoom !== undefined
  }

  /** Whether its backend can be paused. */
  get isPatient(): boolean {
    return this.isArriving && !this.hasWaited
  }

  hold(bytes: number): boolean {
    if (this.#isOver) return this.denial === undefined
    const change = bytes + this.#beside - this.bytes
    if (change === 0) return true
    this.bytes += change
    this.#memory.count(this, change)
    return change < 0 || this.#memory.lackOf(this) === undefined
  }

  /** Holds bytes that cannot wait: without room, the answer ends. */
  holdOrEnd(bytes: number): void {
    const lack = this.hold(bytes) ? undefined : this.#memory.lackOf(this)
    if (lack !== undefined) this.end(lack)
  }

  holdBeside(bytes: number): boolean {
    const own = this.bytes - this.#beside
    this.#beside = bytes
    this.holdOrEnd(own)
    return !this.#isOver
  }

  arrives(bytes: number, onRoom: () => void): boolean {
    this.isArriving = true
    const fits = this.hold(bytes)
    if (fits) this.goOn()
    if (fits || this.#isOver || this.isWaiting) return fits
    this.#wait(onRoom)
    return false
  }

  copies(onRoom: () => void, more = 0): void {
    this.#stopWaiting()
    if (this.#isOver) return void this.onEnded?.()
    this.isArriving = true
    this.wanted = this.bytes + more
    this.#wait(onRoom)
    if (this.#memory.lackOf(this) === undefined) this.goOn()
  }

  arrived(): void {
    if (!this.isArriving) return
    this.isArriving = false
    this.#stopWaiting()
    this.hold(Math.max(0, this.bytes - this.#beside - this.#copied))
    this.#copied = 0
    this.#memory.wakeSoon()
  }

  /** Continues, with room for more bytes. */
  goOn(): void {
    const { wanted } = this
    const onRoom = this.#stopWaiting()
    if (wanted > 0) {
      this.#copied = wanted
      this.bytes += wanted
      this.#memory.count(this, wanted)
    }
    onRoom?.()
  }

  /** Ends it: its room is needed elsewhere. */
  end(of: Share): void {
    if (this.#isOver) return
    this.denial = { code: 'OVERLOADED', of }
    this.release()
    this.onEnded?.()
  }

  /** Frees all of its bytes. */
  release(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#stopWaiting()
    this.isArriving = false
    const { bytes } = this
    this.bytes = 0
    if (bytes > 0) this.#memory.count(this, -bytes)
  }

  #wait(onRoom: () => void): void {
    this.#onRoom = onRoom
    this.#memory.wait(this)
  }

  #stopWaiting(): (() => void) | undefined {
    const onRoom = this.#onRoom
    this.wanted = 0
    if (!onRoom) return undefined
    this.#onRoom = undefined
    this.#memory.stopWaiting(this)
    return onRoom
  }
}
