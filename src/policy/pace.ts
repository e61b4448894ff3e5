/**
 * How a backend counts and how fast it works, by the usage that it reported before. Plain data, replaced as a whole. Answers
 * whose usage was never reported are charged by it.
 */
export interface Pace {
  /** UTF-8 bytes of a prompt for each of its tokens. */
  readonly bytesPerToken: number
  /** Output tokens a second, hidden reasoning included. */
  readonly tokensPerSecond: number
  /** More than 1 for a backend that cuts tokens into pieces and streams each by itself. */
  readonly deltasPerToken: number
  /** Streams whose usage was reported, as far as they are counted. */
  readonly streams: number
  /** Whether any of them reported far more output than it showed. */
  readonly hides: boolean
}

/** The pace assumed of a backend that has reported nothing yet. */
export const TYPICAL: Pace = { bytesPerToken: 4, tokensPerSecond: 50, deltasPerToken: 1, streams: 0, hides: false }

/** One answer whose backend reported its usage. */
export interface PaceSample {
  /** Text of its prompt; absent where the prompt holds more than text. */
  readonly promptBytes?: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** Deltas of a stream, each at least a token; absent for a whole answer, which shows none. */
  readonly seenTokens?: number
  /** From its dispatch to its end; absent where its client held it up. */
  readonly millis?: number
}

/** The weight of one more sample. */
const WEIGHT = 1 / 8
/** A shorter prompt is mostly what its template adds. */
const MIN_INPUT_TOKENS = 50
/** A shorter answer is mostly the time that its prompt took. */
const MIN_OUTPUT_TOKENS = 20
const MIN_MILLIS = 100

/** No client can push a figure further than texts and machines go. */
const BOUNDS = {
  bytesPerToken: [2, 8],
  tokensPerSecond: [1, 2000],
  deltasPerToken: [1, 8],
} as const

/** Streams that have to show all that they count before a backend is taken for one that hides nothing. */
const MIN_STREAMS = 8

/** The pace with what one more answer shows. */
export function learned(pace: Pace, sample: PaceSample): Pace {
  const { promptBytes, inputTokens, outputTokens, seenTokens, millis } = sample
  const knowsPrompt = promptBytes !== undefined && inputTokens >= MIN_INPUT_TOKENS
  const isLong = outputTokens >= MIN_OUTPUT_TOKENS
  const knowsTime = millis !== undefined && millis >= MIN_MILLIS && isLong
  const isSeen = seenTokens !== undefined && isLong
  return {
    bytesPerToken: knowsPrompt ? moved(pace, 'bytesPerToken', promptBytes / inputTokens) : pace.bytesPerToken,
    tokensPerSecond: knowsTime ? moved(pace, 'tokensPerSecond', (outputTokens * 1000) / millis) : pace.tokensPerSecond,
    deltasPerToken: isSeen ? moved(pace, 'deltasPerToken', seenTokens / outputTokens) : pace.deltasPerToken,
    streams: isSeen ? Math.min(MIN_STREAMS, pace.streams + 1) : pace.streams,
    hides: pace.hides || (seenTokens !== undefined && isMuchMore(outputTokens, seenTokens)),
  }
}

function moved(pace: Pace, figure: keyof typeof BOUNDS, value: number): number {
  const [least, most] = BOUNDS[figure]
  const bounded = Math.min(most, Math.max(least, value))
  return pace[figure] + (bounded - pace[figure]) * WEIGHT
}

/** Deltas of several tokens are counted from below, so that some difference hides nothing. */
const isMuchMore = (outputTokens: number, seenTokens: number): boolean => outputTokens > 1.5 * seenTokens + 32

/** Whether output may be hidden: by a model that thinks, by a backend that hid some before, or by one that is hardly known. */
export const mayHide = ({ hides, streams }: Pace, thinks: boolean): boolean => thinks || hides || streams < MIN_STREAMS

/** Tokens that a backend can have made in a time beside those that were seen. */
export const hiddenTokens = ({ tokensPerSecond }: Pace, millis: number, seenTokens: number): number =>
  Math.max(0, Math.round((millis * tokensPerSecond) / 1000) - seenTokens)

/** Whether a backend had the time to hide more than it showed. */
export const hasTimeToHide = (pace: Pace, millis: number, seenTokens: number): boolean =>
  isMuchMore(hiddenTokens(pace, millis, seenTokens) + seenTokens, seenTokens + HASTE)

/** The wait for a first token is worth this many tokens. */
const HASTE = 100
