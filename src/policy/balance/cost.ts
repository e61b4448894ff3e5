/** One replica of a pool that may be asked, as the choice among them sees it, for one request. */
export interface Candidate {
  /** Requests that run or wait there. */
  readonly inFlight: number
  /** Prompt tokens of those requests. */
  readonly heldTokens: number
  /** Prompt tokens that it still has to compute before any of them is answered. */
  readonly owedTokens: number
  /** Prompt tokens of this request that its cache is not expected to have. */
  readonly miss: number
}

/** Why a replica was chosen, as metrics and `explain` name it. */
export type Why = 'prefix' | 'session' | 'load' | 'tie' | 'only'

export interface Choice {
  /** Its place among the candidates. */
  readonly index: number
  readonly cost: number
  readonly why: 'prefix' | 'load' | 'tie' | 'only'
}

/** Tokens of prefill that one request in decoding is worth. */
const EACH_TOKENS = 128
/** One token of prefill is worth so many held tokens, each of which slows every step of decoding. */
const HELD_PER_TOKEN = 20
/** Costs this close together count as equal. */
export const NEAR_TOKENS = 256

/**
 * The cost of a request at a replica, in tokens of prefill: what it must compute, which stalls everybody who decodes there
 * meanwhile; what is owed before it; and what it pays to decode beside the others. docs/decisions/094 has the measurements.
 */
export const costAt = ({ miss, inFlight, owedTokens, heldTokens }: Candidate): number =>
  miss * (1 + inFlight) + owedTokens + Math.floor(heldTokens / HELD_PER_TOKEN) + EACH_TOKENS * inFlight

/** Whether a cost counts as equal to the least one. */
export const isNear = (cost: number, least: number): boolean => cost <= least + NEAR_TOKENS

/**
 * The candidate that costs least. Among those within NEAR_TOKENS of it, the one with the highest weight wins, so that
 * gateways that know nothing of each other agree. Undefined where there is none.
 */
export function choose(candidates: readonly Candidate[], weightOf: (index: number) => number): Choice | undefined {
  if (candidates.length === 0) return undefined
  let least = Number.POSITIVE_INFINITY
  for (const candidate of candidates) least = Math.min(least, costAt(candidate))
  let [best, most, near] = [-1, Number.NEGATIVE_INFINITY, 0]
  for (const [index, candidate] of candidates.entries()) {
    if (!isNear(costAt(candidate), least)) continue
    near++
    const weight = weightOf(index)
    if (weight <= most) continue
    best = index
    most = weight
  }
  const chosen = candidates[best]
  if (!chosen) throw new Error('a weight is not a number')
  return { index: best, cost: costAt(chosen), why: candidates.length === 1 ? 'only' : whyOf(chosen, candidates, near) }
}

/** The prefix decided where the chosen one knows most of the prompt and some other knows less; else load did, or the weights. */
function whyOf(chosen: Candidate, candidates: readonly Candidate[], near: number): 'prefix' | 'load' | 'tie' {
  const knowsMost = candidates.every(({ miss }) => miss >= chosen.miss)
  if (knowsMost && candidates.some(({ miss }) => miss > chosen.miss)) return 'prefix'
  return near > 1 ? 'tie' : 'load'
}
