import { type NanoUsd, nanoUsd } from '../nano-usd.ts'

/** The use of each limit before a request. */
export interface Readings {
  /** Requests of the sliding minute. */
  readonly requests: number
  /** Tokens of the sliding minute. */
  readonly tokens: number
  /** Requests of the day. */
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

/** Stored readings as JSON; to call JSON.stringify takes three times as long. */
export const readingsJson = ({ requests, tokens, day, concurrent, used, held }: Readings): string =>
  `{"requests":${requests},"tokens":${tokens},"day":${day},"open":${concurrent},"used":${used},"held":${held}}`

/** Readings as numbers, in the order in which Redis keeps them: a new one goes to the end. */
export const readingNumbers = ({ requests, tokens, day, concurrent, used, held }: Readings): readonly number[] => [
  requests,
  tokens,
  day,
  concurrent,
  used,
  held,
]

export const readingsOfNumbers = ([
  requests = 0,
  tokens = 0,
  day = 0,
  concurrent = 0,
  used = 0,
  held = 0,
]: ArrayLike<number> & Iterable<number>): Readings => ({
  requests,
  tokens,
  day,
  concurrent,
  used: nanoUsd(used),
  held: nanoUsd(held),
})
