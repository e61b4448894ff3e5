import { digest32, weightOf } from './balance/rendezvous.ts'
import type { ChatModel, Mirror, Model, Pool } from './config.ts'
import { takenBy } from './dialect.ts'
import type { Draw, InferenceRequest } from './facts.ts'
import type { BudgetSpan } from './pool-budget.ts'
import { WHOLE } from './traffic/share.ts'

/** Why no copy of a request is sent, as far as its policy says. */
export type Unmirrored = 'not-sampled' | 'no-conversation' | 'hosted-tools' | 'dialect'

/** A request as mirrors look at it. */
interface Mirrored {
  readonly request: InferenceRequest
  /** Whether hosted tools may run for it: a copy would run them twice. */
  readonly hasTools: boolean
}

/** The mirror that a request of a model is copied to, or why it is not; undefined where the model has none. */
export function mirrorOf(
  model: Model,
  { request, hasTools }: Mirrored,
): { readonly mirror: Mirror } | Unmirrored | undefined {
  if (model.kind !== 'chat' || !model.mirror) return undefined
  const { mirror } = model
  const unsampled = unsampledOf(mirror, request.draw)
  if (unsampled) return unsampled
  if (hasTools) return 'hosted-tools'
  return takes(model, mirror.to, request) ? { mirror } : 'dialect'
}

/** Why a conversation is not in the sample; one of all leaves none out, also where none is given. */
function unsampledOf(mirror: Mirror, draw: Draw | undefined): Unmirrored | undefined {
  if (mirror.millionths >= WHOLE) return undefined
  if (draw === undefined) return 'no-conversation'
  return isSampled(mirror, draw) ? undefined : 'not-sampled'
}

/** Whether a conversation is in the sample. A sample that grows keeps its conversations. */
function isSampled({ to, millionths }: Mirror, draw: Draw): boolean {
  if (typeof draw === 'string') return draw === to.name
  return weightOf(draw, digest32(`mirror ${to.name}`)) < (millionths / WHOLE) * WEIGHTS
}

const takes = (model: ChatModel, pool: Pool, request: InferenceRequest): boolean =>
  request.kind === 'chat' && takenBy(model, pool, request)

/** Weights are 32-bit numbers. */
const WEIGHTS = 2 ** 32

/** The present state of a gateway and of the pool that copies go to. */
export interface CopyFacts {
  /** The pool that serves the request. */
  readonly servedBy: Pool
  readonly target: {
    /** Whether a replica takes requests now. */
    readonly isUp: boolean
    /** Requests that wait there. */
    readonly waiting: number
    /** Whether all of its slots are taken. */
    readonly isFull: boolean
  }
  /** Copies of this process that are under way, and the bytes of their bodies. */
  readonly running: { readonly count: number; readonly bytes: number }
  /** The bytes of this copy's body. */
  readonly bytes: number
  /** The bytes of bodies of clients, and how many there may be. */
  readonly bodies: { readonly taken: number; readonly most: number }
}

/** Why a copy is not sent now. */
export type CopySkip = (typeof COPY_SKIPS)[number]
const COPY_SKIPS = ['same_pool', 'site', 'down', 'busy', 'full', 'copies', 'memory', 'budget'] as const

/** How a copy ended, or why it was left out. */
export const COPY_OUTCOMES = ['well', 'failed', 'left', ...COPY_SKIPS] as const
export type CopyOutcome = (typeof COPY_OUTCOMES)[number]

/** The pools whose answers to a model's requests have copies beside them. */
export const copiedPools = ({ serve }: Pick<Model, 'serve'>, { to, acrossSites }: Mirror): readonly Pool[] =>
  serve.filter(pool => pool.name !== to.name && (acrossSites || pool.site === to.site))

/** The budget of the copies of a model, as stores know it. */
export const copyBudget = (model: string): { readonly pool: string; readonly span: BudgetSpan } => ({
  pool: `mirror:${model}`,
  span: 'day',
})

/** The copies of one process at once, and the bytes of their bodies together. */
export const MOST_COPIES = 32
export const MOST_COPY_BYTES = 32_000_000
/** Copies leave this part of the memory for bodies to clients. */
const LEFT_TO_CLIENTS = 1 / 2

/** Why a copy is not sent now, apart from its cost; undefined where it is. Real traffic comes first everywhere. */
export function copySkip({ to, acrossSites }: Mirror, facts: CopyFacts): Exclude<CopySkip, 'budget'> | undefined {
  const { servedBy, target, running, bytes, bodies } = facts
  if (servedBy.name === to.name) return 'same_pool'
  if (!acrossSites && servedBy.site !== to.site) return 'site'
  if (!target.isUp) return 'down'
  if (target.waiting > 0) return 'busy'
  if (target.isFull) return 'full'
  if (running.count >= MOST_COPIES || running.bytes + bytes > MOST_COPY_BYTES) return 'copies'
  return bodies.taken > bodies.most * LEFT_TO_CLIENTS ? 'memory' : undefined
}
