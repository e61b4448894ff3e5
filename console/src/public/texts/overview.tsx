import type { ComponentChildren } from 'preact'
import { plural } from '../../shared/fmt.ts'

export const about = "Your account's limits and usage. Times are UTC."
export const limits = 'Limits'
export const colleagues = 'Colleagues'
export const toShare =
  'A colleague who signs in gets an account, keys and a quota of their own. To share this account or its budget, ask the operator for an invitation or an organization.'
export const plan = 'Plan'
export const has = (models: number, tools: number) => `${plural(models, 'model')}, ${plural(tools, 'hosted tool')}`
export const month = 'This month'
export const of = (limit: string) => `of ${limit}`
export const usedOf = (used: string, limit: string) => `${used} of ${limit}`
export const left = (amount: string) => `${amount} left`
export const held = (amount: string) => `${amount} reserved`
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
export const underWay = (n: number) => `${n} running`
export const bothTokens = 'prompt and completion'
