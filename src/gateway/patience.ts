import type { Millis } from '../policy/config.ts'
import type { Cancel, Clock } from './ports.ts'

/** How long a store may be silent before its requests are answered 503: a pause of Redis or of the disk is shorter. */
export const STORE_SILENCE_MS: Millis = 2000

/**
 * Counts how long the other side has been silent, in turns of this process's event loop instead of by the clock. A process
 * without CPU reads no answers, so a turn that comes late counts once, however late it is. Eight turns are the whole time.
 */
export class Patience {
  #heard: number
  #silent = 0
  #waited = 0

  readonly #most: number

  /** `heard` is the number of answers that the other side has given so far, to any question; `most` the longest wait while it goes on to answer others. */
  constructor(heard = 0, most = 2 * TURNS) {
    this.#heard = heard
    this.#most = most
  }

  /** Counts a turn. True once the wait is over, which an answer to another question prolongs. */
  isOverAfterTurn(heard = 0): boolean {
    this.#waited++
    this.#silent = heard === this.#heard ? this.#silent + 1 : 0
    this.#heard = heard
    return this.#silent >= TURNS || this.#waited >= this.#most
  }
}

/** How often a wait looks again. Each look costs a timer; with fewer of them a single pause would use up more of the time. */
export const TURNS = 8

export interface Wait {
  /** The longest silence, as far as this process gets CPU. */
  readonly time: Millis
  /** How many answers have come so far, where others may be answered first. */
  readonly heard?: (() => number) | undefined
  /** Starts a timer, one for each turn. */
  readonly after?: Clock['after'] | undefined
}

/** Calls `over` once patience with the other side has run out, unless the wait was called off. */
export function outOfPatience({ time, heard = nothing, after = afterReading }: Wait, over: () => void): Cancel {
  const patience = new Patience(heard())
  const turn = () => {
    if (patience.isOverAfterTurn(heard())) over()
    else cancel = after(time / TURNS, turn)
  }
  let cancel = after(time / TURNS, turn)
  return () => cancel()
}

const nothing = (): number => 0

/**
 * Runs after the time, and after this process has read what its sockets received by then: Node runs due timers before
 * it reads, so that a process that was stopped would find every answer missing.
 */
export const afterReading: Clock['after'] = (time, run) => {
  let reading: NodeJS.Immediate | undefined
  const timer = setTimeout(() => {
    reading = setImmediate(run)
  }, time)
  return () => {
    clearTimeout(timer)
    clearImmediate(reading)
  }
}
