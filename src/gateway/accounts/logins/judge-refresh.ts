import type { EpochMs, Millis } from '../../../policy/config.ts'

/** The refresh tokens of a login, as far as it remembers them. */
export interface RefreshState {
  /** The generation of the one that is good. */
  readonly generation: number
  /** Those that were replaced lately, newest first. */
  readonly replaced: readonly ReplacedToken[]
}

export interface ReplacedToken {
  readonly generation: number
  readonly at: EpochMs
  /** The mark of the network that it was used from when it was replaced. */
  readonly by: string
}

/** A refresh token that somebody sends. */
export interface SentToken {
  readonly generation: number
  readonly now: EpochMs
  /** The mark of the network that it comes from. */
  readonly from: string
}

/**
 * Judges a refresh token that this deployment issued. `rotated`: it is good, and the next state is stored. `stale`: it was replaced
 * within `OVERLAP` by a refresh from the same network; it is refused, and the login goes on: sessions of Claude Code on one machine
 * share a login, and each holds the token that it read at its start. `reused`: anybody may have it, and the login ends.
 */
export function judgeRefresh(state: RefreshState, { generation, now, from }: SentToken): RefreshJudgement {
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
      },
    }
  const replaced = state.replaced.find(each => each.generation === generation)
  const isStale = replaced !== undefined && replaced.by === from && now - replaced.at < OVERLAP
  return isStale ? { outcome: 'stale' } : { outcome: 'reused' }
}

export type RefreshJudgement =
  | { readonly outcome: 'rotated'; readonly next: RefreshState }
  | { readonly outcome: 'stale' }
  | { readonly outcome: 'reused' }

/** Another session of the machine asks at most so much later: the life of an access token, and five minutes. */
export const OVERLAP: Millis = 65 * 60_000
/** A client refreshes once an hour. */
const MOST_REPLACED = 8
