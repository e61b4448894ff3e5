import type { ComponentChildren } from 'preact'

export const limits = 'Limits'
export const setLimit = 'Set limit…'
export const limit = 'Limit'
export const used = 'Used'
export const beginsAnew = 'Resets'
export const actions = 'Actions'
export const ofTheKey = (name: ComponentChildren) => <>of the key {name}</>
export const remove = 'Remove…'
export const setByAnOperator = 'set by an operator'
export const eachHas = (limit: ComponentChildren) => <>each has {limit}</>
export const of = (used: string | number, limit: string | number) => `${used} of ${limit}`
export const setALimitOf = (label: string | number) => `Set a limit of ${label}`
export const setLimitNow = 'Set limit'
export const itStandsInPlace = "It replaces the account's or plan's limit of the same kind until it is removed."
export const whatCounts = 'What counts'
export const atMostUsDollars = 'Maximum, US dollars'
export const atMost = 'At most'
export const inEach = 'In each'
export const endsWithoutRequestsFor = 'Ends without requests for'
export const sharedBy = 'Shared by'
export const forIt = 'For'
export const limitSet = 'Limit set'
export const measures = {
  usd: 'US dollars',
  requests: 'requests',
  tokens: 'tokens',
  input_tokens: 'prompt tokens',
  output_tokens: 'completion tokens',
  images: 'images',
  seconds: 'seconds',
  concurrent: 'concurrent requests',
} as const
export const calendarDay = 'day'
export const calendarWeek = 'week'
export const calendarMonth = 'month'
export const last7Days = '7 days'
export const last30Days = '30 days'
export const last90Days = '90 days'
