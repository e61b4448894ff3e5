import type { AlarmMessage } from '../../gateway/alarm-messages.ts'
import type { Alarm, Cancel, Clock } from '../../gateway/ports.ts'
import type { EpochMs, Millis } from '../../policy/config.ts'
import type { Caller } from '../../policy/facts.ts'

/** A sample of the process's load. */
export interface Sample {
  /** How late the event loop came: the 99th percentile since the last sample. */
  readonly lagMs: Millis
  /** Share of the heap limit that is in use. */
  readonly heapRatio: number
  /** CPU time of this process since the last sample, divided by the time that passed. */
  readonly cpuRatio: number
}

/** 0 serves all; 1 refuses guests; 2 refuses every caller; 3 does so before it asks who calls. From 1 on some connections end. */
export type Level = number

/** How loaded the process has been. */
export interface Load {
  readonly level: Level
  /** The level that the last sample asked for. */
  readonly asked: Level
  /** When a sample last asked for this level, and the most that was asked for since. */
  readonly since: EpochMs
  readonly peak: Level
}

export const CALM: Load = { level: 0, asked: 0, since: 0, peak: 0 }

const SAMPLE_EVERY: Millis = 250
/** Shorter, and the relief that shedding brings would end it. */
const HOLD: Millis = 5000

/**
 * From which lag, in ms, and which share of the heap each level is asked for. Lag counts as far as this process used the CPU: where
 * other processes have it, a refused request would free nothing.
 */
const THRESHOLDS: readonly (readonly [Level, Millis, number])[] = [
  [3, Number.POSITIVE_INFINITY, 0.95],
  [2, 250, 0.9],
  [1, 100, 0.8],
]

/** Rises when two samples in a row ask for it, since one pause alone may be a collection; falls after 5 s without one. */
export function loadAfter(load: Load, sample: Sample, at: Millis): Load {
  const asked = askedBy(sample)
  const sustained = Math.min(asked, load.asked)
  if (sustained > load.level) return { level: sustained, asked, since: at, peak: 0 }
  if (asked >= load.level) return { level: load.level, asked, since: at, peak: 0 }
  const peak = Math.max(asked, load.peak)
  if (at - load.since < HOLD) return { level: load.level, asked, since: load.since, peak }
  return { level: peak, asked, since: at, peak: 0 }
}

function askedBy({ lagMs, heapRatio, cpuRatio }: Sample): Level {
  const ownLagMs = lagMs * Math.min(1, cpuRatio)
  return THRESHOLDS.find(([, lag, ratio]) => ownLagMs > lag || heapRatio > ratio)?.[0] ?? 0
}

/** Whether a level refuses a caller; one that is not known yet, only at the highest level. */
export const refuses = (level: Level, caller: Caller['kind'] | 'unknown'): boolean =>
  level >= { guest: 1, developer: 2, unknown: 3 }[caller]

export interface LoadWatch {
  readonly level: () => Level
  readonly stop: Cancel
}

/** Takes samples until it is stopped, and alarms when refusing begins, gets worse and ends. */
export function watchLoad(sample: () => Sample, clock: Clock, alarm: Alarm): LoadWatch {
  let load = CALM
  let cancel: Cancel = () => {}
  const look = () => {
    const seen = sample()
    const before = load.level
    load = loadAfter(load, seen, clock.elapsed())
    const text = change(before, load.level)
    if (text)
      alarm(text, {
        lagMs: Math.round(seen.lagMs),
        cpuPercent: Math.round(100 * seen.cpuRatio),
        heapPercent: Math.round(100 * seen.heapRatio),
      })
    cancel = clock.after(SAMPLE_EVERY, look)
  }
  cancel = clock.after(SAMPLE_EVERY, look)
  return { level: () => load.level, stop: () => cancel() }
}

function change(before: Level, after: Level): AlarmMessage | undefined {
  if (after === before) return undefined
  if (after === 0) return 'no longer overloaded: everybody is served'
  return after > before ? `overloaded: ${after === 1 ? 'guests are' : 'everybody is'} refused` : undefined
}
