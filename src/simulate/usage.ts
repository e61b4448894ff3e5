import type { EpochMs, Millis } from '../policy/config.ts'
import { windowOf } from '../policy/decision.ts'
import { type NanoUsd, ZERO_USD } from '../policy/nano-usd.ts'
import { type AccountCounters, dayAt } from '../policy/standing.ts'

/** What an account is taken to have used before a request. */
export interface Usage {
  /** In the last minute, all at once, `age` ago. */
  readonly minute: { readonly requests: number; readonly tokens: number; readonly age: Millis }
  /** Requests of the UTC day. */
  readonly day: number
  /** Settled in the month. */
  readonly month: NanoUsd
  /** Held by requests under way. */
  readonly held: NanoUsd
  readonly underWay: number
  /** What all guests together have spent in the UTC day. */
  readonly guests: NanoUsd
}

export const NO_USAGE: Usage = {
  minute: { requests: 0, tokens: 0, age: 0 },
  day: 0,
  month: ZERO_USD,
  held: ZERO_USD,
  underWay: 0,
  guests: ZERO_USD,
}

/** The standing of an account that used as much. */
export function standingOf({ minute, day, month, held, underWay }: Usage, at: EpochMs): AccountCounters {
  const { requests, tokens, age } = minute
  const bucket = { second: Math.floor((at - age) / 1000), requests, tokens }
  return {
    minute: requests > 0 || tokens > 0 ? [bucket] : [],
    day: { number: dayAt(at), requests: day },
    open: underWay,
    spend: { [windowOf(at).start]: { used: month, held } },
  }
}
