import type { ComponentChildren } from 'preact'
import { plural } from '../../shared/fmt.ts'

export const plans = 'Plans'
export const whoMayUse = 'The models, tools and limits of each plan. To change a plan, edit its file.'
export const accountsAreOnPlans = (value: ComponentChildren) => (
  <>
    The files no longer declare these plans, and requests of the accounts on them are refused: <bdi>{value}</bdi>
  </>
)
export const models = (n: number) => plural(n, 'model')
export const accounts = (n: number) => plural(n, 'account')
export const fromIt = (at: ComponentChildren) => (
  <>
    From <code>{at}</code>
  </>
)
export const overageUpTo = (capUsd: string | number) => `overage up to ${capUsd}`
export const findAModel = 'Find a model or tool'
export const modelsAndTools = 'Models and tools'
export const showLines = 'Show lines'
export const modelsAndToolsByPlan = 'Models and tools by plan'
export const name = 'Name'
export const tool = ' tool'
