import type { ComponentChildren } from 'preact'

export const none = { month: 'No usage this month', days: 'No usage in 30 days' }
export const noneYet = (link: (page: string, words: string) => ComponentChildren, hasKeys: boolean) => (
  <>
    {hasKeys && <>{link('keys', 'Create a key')} to call the API, or </>}
    {link('try', hasKeys ? 'ask a model' : 'Ask a model')}: what it used is here a moment later.
  </>
)
export const titles = {
  spend: { month: 'Spend, this month', days: 'Spend, 30 days' },
  tokens: { month: 'Tokens, this month', days: 'Tokens, 30 days' },
  requests: { month: 'Requests, this month', days: 'Requests, 30 days' },
}
export const period = 'Which days'
export const periods = [
  ['days', '30 days'],
  ['month', 'This month'],
] as readonly (readonly ['days' | 'month', string])[]
export const unit = 'What the chart shows'
export const units = [
  ['spend', 'Spend'],
  ['tokens', 'Tokens'],
  ['requests', 'Requests'],
] as readonly (readonly ['spend' | 'tokens' | 'requests', string])[]
export const byDay = (what: string) => `${what}, by day: the table has the same figures`
export const table = 'Table'
export const chart = 'Chart'
export const file = (since: string, until: string) => `usage-${since}-${until}.csv`
export const ofDays = 'Usage by day and model'
export const day = 'Day'
export const sum = 'All'
export const byModel = 'By model'
export const byLabel = (label: string) => `By ${label}`
export const ofModels = 'Usage by model'
export const byKey = 'By key'
export const ofKeys = 'Usage by key'
export const key = 'Key'
export const others = 'others'
export const model = 'Model'
export const requests = 'Requests'
export const input = 'Input'
export const output = 'Output'
export const cost = 'Spend'
export const saveAsCsv = 'CSV'
