import type { Config } from '../../policy/config.ts'
import { counted } from '../../policy/counted.ts'

/** `3 plans, 2 models, 1 alias, 4 pools` */
export function declaredText({ plans, models, aliases, pools, tools }: Config): string {
  return Object.entries({ plan: plans, model: models, alias: aliases, pool: pools, tool: tools })
    .filter(([noun, { size }]) => noun !== 'tool' || size > 0)
    .map(([noun, { size }]) => counted(size, noun))
    .join(', ')
}
