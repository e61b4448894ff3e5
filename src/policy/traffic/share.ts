import { digest32, weightOf } from '../balance/rendezvous.ts'
import type { Model, Pool, TrafficShare } from '../config.ts'
import type { Draw, InferenceRequest } from '../facts.ts'

/** All of the conversations of a model, in millionths. */
export const WHOLE = 1_000_000
/** Weights are 32-bit numbers. */
const WEIGHTS = 2 ** 32

/** Stands for the conversations of no share: no pool has this name. */
const NO_SHARE = ''

/**
 * The share that a conversation belongs to; undefined where it belongs to none, or nothing is known of it. Each share, and what
 * they leave, bids for it by its size, and the lowest bid wins: a share that grows takes conversations, and no other does.
 */
export function chosenShare(shares: readonly TrafficShare[], draw: Draw | undefined): TrafficShare | undefined {
  if (draw === undefined) return undefined
  if (typeof draw === 'string') return shares.find(({ pool }) => pool.name === draw)
  const rest = shares.reduce((left, { millionths }) => left - millionths, WHOLE)
  let chosen: TrafficShare | undefined
  let lowest = bidFor(draw, NO_SHARE, rest)
  for (const share of shares) {
    const bid = bidFor(draw, share.pool.name, share.millionths)
    if (bid >= lowest) continue
    chosen = share
    lowest = bid
  }
  return chosen
}

/** Exponentially distributed over conversations, so that each name has the lowest in proportion to its size. */
const bidFor = (draw: number, name: string, millionths: number): number =>
  -Math.log((weightOf(draw, digest32(name)) + 0.5) / WEIGHTS) / millionths

/**
 * The pools of a model that may be sent a request, in the order of the files: a pool with a share only if the conversation
 * belongs to it.
 */
export function servedTo({ serve, traffic }: Pick<Model, 'serve' | 'traffic'>, { draw }: Drawn): readonly Pool[] {
  if (!traffic) return serve
  const chosen = chosenShare(traffic, draw)?.pool
  return serve.filter(pool => pool === chosen || !traffic.some(share => share.pool === pool))
}

type Drawn = Pick<InferenceRequest, 'draw'>

/** The pools of a model that every conversation may come to, in failover order. */
export const plainPools = ({ serve, traffic }: Pick<Model, 'serve' | 'traffic'>): readonly Pool[] =>
  traffic ? serve.filter(pool => !traffic.some(share => share.pool === pool)) : serve

/** `5%` */
export const shareText = (millionths: number): string => `${millionths / 10_000}%`
