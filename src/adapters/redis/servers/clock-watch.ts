import type { Alarm } from '../../../gateway/ports.ts'
import { StoreUnavailable } from '../../../gateway/store/store.ts'
import type { EpochMs, Millis } from '../../../policy/config.ts'
import type { Shard } from './shards.ts'

export interface ClockWatchPorts {
  readonly shards: () => readonly Shard[]
  /** Reads a server's clock, and the correction that is kept there. */
  readonly read: (shard: Shard) => Promise<{ readonly time: EpochMs; readonly kept: string | null | undefined }>
  /** Makes the scripts at a server count by a clock that is so far ahead of the server's. */
  readonly correct: (shard: Shard, ahead: Millis) => Promise<void>
  readonly alarm: Alarm
}

/**
 * Compares the clocks of servers with the monotonic clock of this process. Where one is set back by two minutes or less, scripts
 * go on from the time before, a tenth more slowly, until the time is what the server shows: an account whose minute is used up
 * would otherwise wait until the server has passed its newest second again, and then for the minute. A clock that is set back by
 * more, or ahead, is followed. Several gateways may find the same step; the first one corrects it.
 */
export class ClockWatch {
  readonly #ports: ClockWatchPorts
  readonly #seen = new WeakMap<Shard, Seen>()
  #timer: NodeJS.Timeout | undefined
  #isOver = false

  constructor(ports: ClockWatchPorts) {
    this.#ports = ports
  }

  start(): void {
    if (this.#isOver) return
    this.#timer = setTimeout(async () => {
      await Promise.all(this.#ports.shards().map(shard => this.#look(shard).catch(unlessAway)))
      this.start()
    }, LOOK_MS).unref()
  }

  stop(): void {
    this.#isOver = true
    clearTimeout(this.#timer)
  }

  /** How far scripts at a server are ahead of its clock, as far as is known. */
  aheadAt(shard: Shard, time: EpochMs): Millis {
    return aheadIn(this.#seen.get(shard)?.kept, time)
  }

  async #look(shard: Shard): Promise<void> {
    const from = performance.now()
    const { time, kept } = await this.#ports.read(shard)
    const to = performance.now()
    // While an answer is late nobody knows when the clock was read.
    if (to - from > LATE_MS) return
    const before = this.#seen.get(shard)
    const ahead = aheadIn(kept, time)
    this.#seen.set(shard, { from, to, time, kept, ahead })
    const step = before ? stepSince(before, { from, to, time }) : 0
    if (!before || step === 0) return
    this.#ports.alarm('the clock of Redis was set', { bySeconds: Math.round(step / 1000) })
    const wanted = before.ahead - step
    const next = wanted > STEP_BACK_MS ? 0 : Math.max(0, Math.round(wanted))
    if (step > 0 && next === 0 && ahead === 0) return
    await this.#ports.correct(shard, next)
    this.#seen.set(shard, { from, to, time, kept: keptText(next, time), ahead: next })
  }
}

/** One look at a clock, between two moments of the monotonic one. */
interface Look {
  readonly from: Millis
  readonly to: Millis
  readonly time: EpochMs
}

interface Seen extends Look {
  readonly kept: string | null | undefined
  readonly ahead: Millis
}

/** How far a clock was set since the previous look; 0 if passing time explains the difference. */
function stepSince(before: Look, now: Look): Millis {
  const least = now.from - before.to
  const most = now.to - before.from
  const passed = now.time - before.time
  if (passed < least - TOLERANCE_MS) return passed - least
  return passed > most + TOLERANCE_MS ? passed - most : 0
}

/** As redis/common.lua reads it: `ahead since`, of which a tenth of the time since then is gone. */
function aheadIn(kept: string | null | undefined, time: EpochMs): Millis {
  if (!kept) return 0
  const [ahead = 0, since = 0] = kept.split(' ').map(Number)
  return Math.max(0, ahead - Math.floor(Math.max(0, time - since) / 10))
}

const keptText = (ahead: Millis, time: EpochMs): string => `${ahead} ${time}`

function unlessAway(error: unknown): void {
  if (!(error instanceof StoreUnavailable)) throw error
}

const LOOK_MS: Millis = 1000
const LATE_MS: Millis = 500
/** NTP moves a clock by less. */
const TOLERANCE_MS: Millis = 1000
/** A clock that is set back further than this restarts the counters. */
const STEP_BACK_MS: Millis = 120_000
