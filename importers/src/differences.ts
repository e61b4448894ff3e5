import { type Pool, perMillion, type Said } from './deployment.ts'

/** A pool, what its backends say of it, and its own model with all that it serves. */
export interface Served {
  readonly pool: Pool
  readonly said: Said
  readonly own: Model | undefined
  readonly models: readonly Model[]
}

/** The facts of a model that are compared. */
export interface Model {
  readonly context?: number
  readonly usd_per_1m?: { readonly input: number; readonly output?: number }
  readonly usd_per_image?: number
}

/** A pool with what its backends say otherwise than the models that it serves: their context, and what they cost. */
export function poolWithOwn({ pool, said, own, models }: Served): Pool {
  const context = said.context ?? own?.context
  const isSmaller = context !== undefined && models.some(each => each.context !== undefined && each.context > context)
  return { ...pool, ...(isSmaller && { context }), ...costOf(said, own, pool) }
}

function costOf({ kind, inputUsd, outputUsd, imageUsd }: Said, own: Model | undefined, pool: Pool): object {
  if (kind === 'image')
    return imageUsd !== undefined && imageUsd !== own?.usd_per_image ? { cost_usd_per_image: imageUsd } : {}
  if (inputUsd === undefined || pool.cost_usd_per_1m !== undefined) return {}
  const input = perMillion(inputUsd)
  const output = outputUsd === undefined || kind !== 'chat' ? undefined : perMillion(outputUsd)
  const price = own?.usd_per_1m
  if (price?.input === input && (output === undefined || price.output === output)) return {}
  return { cost_usd_per_1m: { input, ...(output !== undefined && { output }) } }
}
