import type { ComponentChildren } from 'preact'
import { plural } from '../../shared/fmt.ts'

export const about = "Your account's limits and usage. Days and windows are UTC."
export const limits = 'Limits'
export const plan = 'Plan'
export const has = (models: number, tools: number) => `${plural(models, 'model')}, ${plural(tools, 'hosted tool')}`
export const month = 'This month'
export const of = (limit: string) => `of ${limit}`
export const usedOf = (used: string, limit: string) => `${used} of ${limit}`
export const held = (amount: string) => `${amount} held`
export const cap = (amount: string) => `then up to ${amount} more`
export const overage = 'then overage'
export const resets = (at: ComponentChildren) => <>resets {at}</>
export const counts = {
  user: 'counted separately for each end user',
  key: 'counted separately for each key',
} as Readonly<Record<string, string>>
export const signIn = 'sign-in'
export const thisKey = 'this key'
export const moreKeys = (n: number) => plural(n, 'more key')
export const underWay = (n: number) => `${n} under way`
export const bothTokens = 'prompt and completion'
