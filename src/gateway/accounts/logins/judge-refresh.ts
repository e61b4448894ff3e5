import type { EpochMs, Millis } from '../../../policy/config.ts'

/** The refresh tokens of a login, as far as it remembers them. */
export interface RefreshState {
  /** The generation of the one that is good. */
  readonly generation: number
  /** Those that were replaced lately, newest first. */
  readonly replaced: readonly ReplacedToken[]
  /** Set while a network that sent a replaced token has yet to send the newest tokens. */
  readonly doubt?: Doubt
}

export interface ReplacedToken {
  readonly generation: number
  readonly at: EpochMs
  /** The mark of the network that it was used from when it was replaced. */
  readonly by: string
}

export interface Doubt {
  readonly from: string
  readonly at: EpochMs
}

/** A token of a login that somebody sends. */
export interface SentToken {
  readonly generation: number
  readonly now: EpochMs
  /** The mark of the network that it comes from. */
  readonly from: string
}

/**
 * Judges a refresh token that this deployment issued. `rotated`: it is good, from wherever it comes, and the next state is stored.
 * `stale`: it was replaced within `OVERLAP` by a refresh from the same network; it is refused, and the login goes on: sessions of
 * Claude Code on one machine share a login, and each holds the token that it read at its start. `doubted`: another network sent
 * such a token, as the second session of a laptop does that changed its network, and as a thief does. It is refused, and the network
 * has `PROOF_WITHIN` to send the newest tokens, which only the laptop has. `reused`: anybody may have it, and the login ends.
 */
export function judgeRefresh(state: RefreshState, { generation, now, from }: SentToken): RefreshJudgement {
  if (isOverdue(state, now)) return { outcome: 'reused' }
  const { doubt } = state
  // A newer one than the store knows was issued too: a server of Redis that took over may lack the last change.
  if (generation >= state.generation)
    return {
      outcome: 'rotated',
      next: {
        generation: generation + 1,
        replaced: [{ generation, at: now, by: from }, ...state.replaced.filter(({ at }) => now - at < OVERLAP)].slice(
          0,
          MOST_REPLACED,
        ),
        ...(doubt && doubt.from !== from && { doubt }),
      },
    }
  const replaced = state.replaced.find(each => each.generation === generation)
  if (replaced === undefined || now - replaced.at >= OVERLAP) return { outcome: 'reused' }
  if (replaced.by === from) return { outcome: 'stale' }
  // Two networks cannot both be that of the laptop.
  if (doubt && doubt.from !== from) return { outcome: 'reused' }
  return { outcome: 'doubted', next: { ...state, doubt: doubt ?? { from, at: now } } }
}

export type RefreshJudgement =
  | { readonly outcome: 'rotated' | 'doubted'; readonly next: RefreshState }
  | { readonly outcome: 'stale' }
  | { readonly outcome: 'reused' }

/**
 * Judges the use of an access token: `proven` where the network in doubt sends one of the newest generation, and the next state is
 * stored; `over` where nothing proved it in time, and the login ends.
 */
export function judgeUse(state: RefreshState, { generation, now, from }: SentToken): UseJudgement {
  const { doubt, ...next } = state
  if (!doubt) return { outcome: 'open' }
  if (isOverdue(state, now)) return { outcome: 'over' }
  return doubt.from === from && generation >= state.generation ? { outcome: 'proven', next } : { outcome: 'open' }
}

export type UseJudgement =
  | { readonly outcome: 'open' }
  | { readonly outcome: 'proven'; readonly next: RefreshState }
  | { readonly outcome: 'over' }

const isOverdue = ({ doubt }: RefreshState, now: EpochMs): boolean =>
  doubt !== undefined && now - doubt.at >= PROOF_WITHIN

/** Another session of the machine asks at most so much later: the life of an access token, and five minutes. */
export const OVERLAP: Millis = 65 * 60_000
/** A session whose refresh token is refused takes over the newest tokens at once, and goes on with them. */
export const PROOF_WITHIN: Millis = 2 * 60_000
/** A client refreshes once an hour. */
const MOST_REPLACED = 8
