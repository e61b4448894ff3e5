/** A replica that may serve a request, with the figures of its cost. */
export interface Candidate {
  /** The requests running or waiting there. */
  readonly inFlight: number
  /** The prompt tokens of those requests. */
  readonly heldTokens: number
  /** The prompt tokens that it must compute before it answers any of them. */
  readonly owedTokens: number
  /** The prompt tokens of this request that its cache is not expected to hold. */
  readonly miss: number
}

/** Why a replica was chosen, as metrics and `explain` name it. */
export type Why = 'prefix' | 'session' | 'load' | 'tie' | 'only'

export interface Choice {
  /** Its index among the candidates. */
  readonly index: number
  readonly cost: number
  readonly why: 'prefix' | 'load' | 'tie' | 'only'
}

/** The tokens of prefill that cost as much as one decoding request. */
const EACH_TOKENS = 128
/** One token of prefill costs as much as this many held tokens, each of which slows every decoding step. */
const HELD_PER_TOKEN = 20
/** Costs this close together count as equal. */
export const NEAR_TOKENS = 256

/**
 * The cost of a request at a replica, in tokens of prefill: what it must compute, which stalls every request decoding
 * there; what is owed before it; and the price of decoding beside the others. docs/decisions/094 has the measurements.
 */
export const costAt = ({ miss, inFlight, owedTokens, heldTokens }: Candidate): number =>
  miss * (1 + inFlight) + owedTokens + Math.floor(heldTokens / HELD_PER_TOKEN) + EACH_TOKENS * inFlight

/** Whether a cost counts as equal to the lowest one. */
export const isNear = (cost: number, least: number): boolean => cost <= least + NEAR_TOKENS

/**
 * The cheapest candidate. Among those within NEAR_TOKENS of it, the highest weight wins, so that gateways agree without
 * talking to each other. Undefined if there is no candidate.
 */
export function choose(candidates: readonly Candidate[], weightOf: (index: number) => number): Choice | undefined {
  if (candidates.length === 0) return undefined
  let least = Number.POSITIVE_INFINITY
  for (const candidate of candidates) least = Math.min(least, costAt(candidate))
  let best = -1
  let most = Number.NEGATIVE_INFINITY
  let near = 0
  for (let index = 0; index < candidates.length; index++) {
    const candidate = candidates[index]
    if (!candidate || !isNear(costAt(candidate), least)) continue
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

/**
 * The reason is the prefix if the chosen replica knows most of the prompt and another knows less; otherwise the load,
 * or the weights.
 */
function whyOf(chosen: Candidate, candidates: readonly Candidate[], near: number): 'prefix' | 'load' | 'tie' {
  let knowsMost = true
  let knowsMore = false
  for (const { miss } of candidates) {
    if (miss < chosen.miss) knowsMost = false
    else if (miss > chosen.miss) knowsMore = true
  }
  if (knowsMost && knowsMore) return 'prefix'
  return near > 1 ? 'tie' : 'load'
}
