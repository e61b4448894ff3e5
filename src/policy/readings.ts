import type { NanoUsd } from './nano-usd.ts'

/** What was used of each limit before a request. */
export interface Readings {
  /** Requests of the sliding minute. */
  readonly requests: number
  /** Tokens of the sliding minute. */
  readonly tokens: number
  /** Requests of the UTC day. */
  readonly day: number
  /** Requests that run. */
  readonly concurrent: number
  /** Settled in the billing window. */
  readonly used: NanoUsd
  /** Reserved in the billing window by requests that run. */
  readonly held: NanoUsd
}

/** Readings as holds on disk and lines of the decision log name them. */
export type StoredReadings = Omit<Readings, 'concurrent'> & { readonly open: number }

export const storedReadings = ({ requests, tokens, day, concurrent, used, held }: Readings): StoredReadings => ({
  requests,
  tokens,
  day,
  open: concurrent,
  used,
  held,
})

export const readingsOfStored = ({ requests, tokens, day, open, used, held }: StoredReadings): Readings => ({
  requests,
  tokens,
  day,
  concurrent: open,
  used,
  held,
})
