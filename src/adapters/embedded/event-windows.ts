import type { EventCount } from '../../gateway/store/account-store.ts'
import type { EpochMs, Millis } from '../../policy/config.ts'

/** Counts events by name in a running window, in memory. An event counts until a whole window has passed. */
export class EventWindows {
  /** When it is full or a window old it becomes the older generation; a name that is counted again moves to the newer. */
  #times = new Map<string, Times>()
  #timesBefore = new Map<string, Times>()
  #counted = 0
  #since: EpochMs = Number.POSITIVE_INFINITY
  #longest: Millis = 0

  /** Names in memory. */
  get size(): number {
    return this.#times.size + this.#timesBefore.size
  }

  /** Counts one event under each name and returns 0; or counts none and returns the wait until there is room. */
  count(counts: readonly EventCount[], window: Millis, now: EpochMs): Millis {
    this.#turn(window, now)
    const present = counts.map(({ name, limit }) => ({ name, limit, times: this.#present(name, window, now) }))
    const wait = Math.max(0, ...present.map(({ limit, times }) => waitOf(times, limit, window, now)))
    if (wait > 0) return wait
    for (const { name, times } of present) this.#times.set(name, [...times, now])
    this.#counted += present.length
    return 0
  }

  #turn(window: Millis, now: EpochMs): void {
    this.#longest = Math.max(this.#longest, window)
    this.#since = Math.min(this.#since, now)
    if (this.#counted < EVENTS_KEPT && now - this.#since < this.#longest) return
    this.#timesBefore = this.#times
    this.#times = new Map()
    this.#counted = 0
    this.#since = now
  }

  /** Oldest first. When the clock stepped back, what lies ahead of it counts as of now, and leaves a window later. */
  #present(name: string, window: Millis, now: EpochMs): Times {
    const times = this.#times.get(name) ?? this.#timesBefore.get(name) ?? []
    const present = times.filter(time => time > now - window)
    if ((present.at(-1) ?? 0) <= now) return present
    const moved = present.map(time => Math.min(time, now))
    this.#times.set(name, moved)
    return moved
  }
}

function waitOf(times: Times, limit: number, window: Millis, now: EpochMs): Millis {
  if (times.length < limit) return 0
  const leaving = times[times.length - limit]
  return leaving === undefined ? window : leaving + window - now
}

/** The most events of a generation. Under a flood of names the oldest are forgotten before their window is over. */
const EVENTS_KEPT = 50_000

type Times = readonly EpochMs[]
