import type { Cancel, Clock, Reading } from '../../gateway/ports.ts'
import type { Millis } from '../../policy/config.ts'
import type { Steps } from '../../wire/steps.ts'
import { SpanMemory } from './span-memory.ts'

/** Reading of bodies and answers takes about so long of one turn of the event loop, then everything else gets one. */
const TURN_MS: Millis = 8
/** Shorter readings need no rest after them. */
const FREE_MS: Millis = 4
/** An account rests as many times as long as reading its costly body or answer took, so that one account takes at most a quarter of the time. */
const REST = 3
/** The time after which past reading counts for half. */
const HALF_LIFE: Millis = 5000
/** The sum that an account would reach which reads all the time. */
const ALL = HALF_LIFE / Math.LN2
/** From this share of the time on, every larger body of an account is a costly one. */
const BUSY = 0.1
/**
 * From this share of the time on, those whose bodies and answers are read are the cause of an overload: a burst takes a third
 * of a second. Where they are not, they are blamed for a moment only, since nothing more of theirs is read.
 */
const CAUSE = 0.05
/** The accounts that sent the most of it, as many as it takes for this share. */
const CAUSED = 0.8
/** Accounts that are remembered before those at rest are forgotten. */
const KEPT = 1000

/** The time that reading an account's bodies and answers took lately. */
interface Spent {
  work: Millis
  at: Millis
  /** No costly body is read before. */
  restUntil: Millis
  /** Whether one of its costly bodies has its turn, and those that wait for theirs. */
  isTaken: boolean
  readonly waiting: (() => void)[]
}

interface Job {
  readonly of: Spent
  readonly kind: Kind
  readonly run: () => void
}

/** A costly work waits for its account's time; one that goes on with a costly body only for the next turn of the event loop. */
type Kind = 'small' | 'costly' | 'going on'

/**
 * Says when a body or an answer is read, which blocks the event loop. Those that take little are read as they come. Costly
 * ones are read one at a time, of the account first that had its last longest ago, with turns of the event loop between them.
 */
export class Turns {
  /** Values that accounts send again, which need no time to be read. */
  readonly spans: SpanMemory
  readonly #clock: Pick<Clock, 'elapsed' | 'after'>
  readonly #accounts = new Map<string, Spent>()
  #waiting: Job[] = []
  /** How long was read in this turn of the event loop. */
  #used: Millis = 0
  #isCounting = false
  /** Nothing costly is read before. */
  #restUntil: Millis = 0
  #wakeUp: Cancel | undefined

  constructor(clock: Pick<Clock, 'elapsed' | 'after'>) {
    this.#clock = clock
    this.spans = new SpanMemory(clock)
  }

  /** Waits until no other costly body of the account has its turn; to be called back when it is over. */
  take(account: string): Promise<() => void> {
    const spent = this.#spentBy(account)
    return new Promise(resolve => {
      const begin = () => {
        spent.isTaken = true
        let isOver = false
        resolve(() => {
          if (isOver) return
          isOver = true
          spent.isTaken = false
          spent.waiting.shift()?.()
        })
      }
      if (spent.isTaken) spent.waiting.push(begin)
      else begin()
    })
  }

  /** Does some work of an account when its time has come: now, where nothing stands against it. */
  run<T>(account: string, kind: Kind, work: () => T): Promise<T> {
    const of = this.#spentBy(account)
    return new Promise((resolve, reject) => {
      const run = () => {
        try {
          resolve(work())
        } catch (error) {
          reject(error)
        }
      }
      this.#waiting.push({ of, kind, run })
      this.#next()
    })
  }

  /**
   * Does work of an account in steps. The first waits for the account's time; those that follow have turns of the event loop of
   * their own, so that what was begun is soon over, and its memory is free again.
   */
  runSteps<T>(account: string, steps: Steps<T>): Promise<T> {
    // It is never dropped.
    return this.beginSteps(account, steps).done as Promise<T>
  }

  /** Like `runSteps`, for work that may be dropped: a drop frees what it holds at once, even before its turn. */
  beginSteps<T>(account: string, steps: Steps<T>): Reading<T> {
    let wanted: Steps<T> | undefined = steps
    const next = () => wanted?.next()
    const run = async (): Promise<T | undefined> => {
      let step = await this.run(account, 'costly', next)
      while (step && step.done !== true) step = await this.run(account, 'going on', next)
      return step?.value
    }
    return {
      done: run(),
      drop: () => {
        wanted = undefined
      },
    }
  }

  /** Books time that an account's body or answer took outside of its turn. */
  charge(account: string, took: Millis): void {
    this.#book(this.#spentBy(account), took)
  }

  /** Whether reading its bodies and answers took a good part of the time lately. */
  isBusy(account: string): boolean {
    const spent = this.#accounts.get(account)
    return spent !== undefined && this.#workOf(spent) >= BUSY * ALL
  }

  /** Who of those whose bodies and answers are read is the cause, where they are: an account among them, or another one. */
  blames(account: string | undefined): 'it' | 'others' | 'none' {
    const works = [...this.#accounts].map(([name, spent]) => ({ name, work: this.#workOf(spent) }))
    const total = works.reduce((sum, { work }) => sum + work, 0)
    if (total < CAUSE * ALL) return 'none'
    const own = works.find(({ name }) => name === account)?.work ?? 0
    const more = works.reduce((sum, { work }) => (work > own ? sum + work : sum), 0)
    return own > 0 && more < CAUSED * total ? 'it' : 'others'
  }

  #workOf({ work, at }: Spent): Millis {
    return work * 2 ** ((at - this.#clock.elapsed()) / HALF_LIFE)
  }

  #book(spent: Spent, took: Millis): void {
    spent.work = this.#workOf(spent) + took
    spent.at = this.#clock.elapsed()
  }

  #spentBy(account: string): Spent {
    const known = this.#accounts.get(account)
    if (known) return known
    if (this.#accounts.size >= KEPT) this.#forget()
    const spent: Spent = { work: 0, at: this.#clock.elapsed(), restUntil: 0, isTaken: false, waiting: [] }
    this.#accounts.set(account, spent)
    return spent
  }

  #forget(): void {
    for (const [account, spent] of this.#accounts) {
      const isIdle = !spent.isTaken && !this.#waiting.some(({ of }) => of === spent)
      if (isIdle && this.#workOf(spent) < 1) this.#accounts.delete(account)
    }
  }

  /** Reads what may be read now, and sees to it that the rest is later. */
  #next(): void {
    for (let job = this.#choose(); job; job = this.#choose()) {
      this.#waiting.splice(this.#waiting.indexOf(job), 1)
      this.#read(job)
    }
    if (this.#isCounting || this.#waiting.length === 0) return
    const soonest = Math.min(...this.#waiting.map(job => this.#startOf(job)))
    this.#wakeUp?.()
    this.#wakeUp = this.#clock.after(Math.max(1, soonest - this.#clock.elapsed()), () => this.#next())
  }

  #choose(): Job | undefined {
    if (this.#used >= TURN_MS) return undefined
    const now = this.#clock.elapsed()
    let first: Job | undefined
    for (const job of this.#waiting) {
      const isDue = this.#startOf(job) <= now && !(job.kind !== 'small' && this.#used > 0)
      if (isDue && (!first || job.of.restUntil < first.of.restUntil)) first = job
    }
    return first
  }

  #startOf({ of, kind }: Job): Millis {
    return kind === 'costly' ? Math.max(this.#restUntil, of.restUntil) : 0
  }

  #read({ of, kind, run }: Job): void {
    const start = this.#clock.elapsed()
    run()
    const end = this.#clock.elapsed()
    const took = end - start
    this.#book(of, took)
    if (kind !== 'small' && took > FREE_MS) {
      of.restUntil = Math.max(of.restUntil, end) + REST * took
      this.#restUntil = Math.max(this.#restUntil, end) + took
    }
    this.#used += took
    if (this.#isCounting) return
    this.#isCounting = true
    setImmediate(() => {
      this.#used = 0
      this.#isCounting = false
      this.#next()
    })
  }
}
