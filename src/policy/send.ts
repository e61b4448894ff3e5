import type { Model, Pool } from './config.ts'
import type { Health } from './facts.ts'

/** The model's pools in the order to try them: as declared, those that are down last, since a dead record must not refuse a healthy pool. */
export function failoverOrder(model: Model, { down }: Health): readonly Pool[] {
  if (!model.serve.some(pool => down.includes(pool.name))) return model.serve
  const isDown = (pool: Pool): boolean => down.includes(pool.name)
  return [...model.serve.filter(pool => !isDown(pool)), ...model.serve.filter(isDown)]
}
