import type { EpochMs, Millis } from '../../policy/config.ts'

/**
 * A clock that is set back by two minutes or less goes on, a tenth more slowly, until the time is what it shows. An account whose
 * minute is used up would otherwise wait until the clock has passed its newest second again, and then for the minute.
 * A clock that is set back by more, or ahead, shows what it is set to. `elapsed` is monotonic.
 */
export function steadyClock(now: () => EpochMs, elapsed: () => Millis): () => EpochMs {
  let [shown, since] = [now(), elapsed()]
  return () => {
    const [time, at] = [now(), elapsed()]
    const passed = at - since
    since = at
    const ahead = shown + passed - time
    shown = ahead > 0 && ahead <= STEP_BACK_MS ? Math.max(time, shown + SLOWLY * passed) : time
    return Math.floor(shown)
  }
}

/** A clock that is set back further than this restarts the counters. */
const STEP_BACK_MS: Millis = 120_000
const SLOWLY = 0.9
