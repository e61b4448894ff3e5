import type { Millis } from '../policy/config.ts'
import type { Cancel, Client, Clock } from './ports.ts'

/** Runs once, when the time is over or the client leaves, unless it was called off; always asynchronously. */
export function afterOrDisconnect(time: Millis, clock: Clock, client: Client, run: () => void): Cancel {
  let watches: Cancel[] = []
  const stop = () => {
    for (const cancel of watches) cancel()
    watches = []
  }
  const end = () => {
    stop()
    run()
  }
  if (!client.gone) watches = [clock.after(time, end), client.onGone(end)]
  else {
    let isOff = false
    watches = [
      () => {
        isOff = true
      },
    ]
    queueMicrotask(() => isOff || end())
  }
  return stop
}

/** How long work may take, and who may call it off before. */
export interface TimeLimits {
  readonly clock: Clock
  readonly time: Millis
  /** Runs when it is called off. */
  readonly onCalledOff: (run: () => void) => Cancel
}

/** The result of the work. Undefined when it is called off, or late: then its signal is aborted with a TimeoutError. */
export async function withTimeout<T>(
  { clock, time, onCalledOff }: TimeLimits,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const controller = new AbortController()
  const { signal } = controller
  const late = new DOMException(`not within ${time} ms`, 'TimeoutError')
  const watches = [clock.after(time, () => controller.abort(late)), onCalledOff(() => controller.abort())]
  try {
    return await Promise.race([work(signal), aborted(signal)])
  } finally {
    for (const cancel of watches) cancel()
  }
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise(resolve => {
    if (signal.aborted) resolve(undefined)
    else signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })
}

interface Deadline {
  readonly at: Millis
  readonly run: () => void
}

/** Work that is due after some time, unless all of it is called off: any number of tasks with one timer of the clock. */
export class Deadlines {
  readonly #clock: Clock
  /** The earliest first. */
  #waiting: readonly Deadline[] = []
  #timer: Cancel | undefined
  /** When the timer ends. */
  #next: Millis = Number.POSITIVE_INFINITY

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Runs once after the time. */
  after(time: Millis, run: () => void): void {
    const at = this.#clock.elapsed() + time
    this.#waiting = [...this.#waiting, { at, run }].sort((a, b) => a.at - b.at)
    if (at < this.#next) this.#wait(at, time)
  }

  callOff(): void {
    this.#timer?.()
    this.#timer = undefined
    this.#waiting = []
    this.#next = Number.POSITIVE_INFINITY
  }

  #wait(at: Millis, time: Millis): void {
    this.#timer?.()
    this.#next = at
    this.#timer = this.#clock.after(time, () => this.#runDue(at))
  }

  #runDue(until: Millis): void {
    this.#timer = undefined
    this.#next = Number.POSITIVE_INFINITY
    // A task that runs may call off the rest, or add to it.
    let [first] = this.#waiting
    while (first && first.at <= until) {
      this.#waiting = this.#waiting.slice(1)
      first.run()
      ;[first] = this.#waiting
    }
    if (first && first.at < this.#next) this.#wait(first.at, first.at - this.#clock.elapsed())
  }
}

/** Runs once per period, and never twice at a time. */
export function every(clock: Clock, period: Millis, run: () => Promise<void>): Cancel {
  let stopped = false
  let cancel: Cancel = () => {}
  const later = () => {
    cancel = clock.after(period, () => {
      run().finally(() => {
        if (!stopped) later()
      })
    })
  }
  later()
  return () => {
    stopped = true
    cancel()
  }
}
