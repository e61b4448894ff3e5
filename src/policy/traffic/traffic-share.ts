import { digest32, weightOf } from '../balance/rendezvous.ts'
import type { Model, Pool, TrafficShare } from '../config.ts'
import type { Draw, InferenceRequest } from '../facts.ts'

/** All of the conversations of a model, in millionths. */
export const WHOLE = 1_000_000
/** Weights are 32-bit numbers. */
const WEIGHTS = 2 ** 32

/**
 * The share that a conversation belongs to; undefined where it belongs to none, or nothing is known of it. Shares exclude
 * each other: each takes its part of what those before it leave, so that a larger share keeps every conversation it had.
 */
export function chosenShare(shares: readonly TrafficShare[], draw: Draw | undefined): TrafficShare | undefined {
  if (draw === undefined) return undefined
  if (typeof draw === 'string') return shares.find(({ pool }) => pool.name === draw)
  let left = WHOLE
  for (const share of shares) {
    if (weightOf(draw, digest32(share.pool.name)) / WEIGHTS < share.millionths / left) return share
    left -= share.millionths
  }
  return undefined
}

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
