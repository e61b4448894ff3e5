export const measures = {
  requests: 'Requests',
  tokens: 'Tokens',
  input_tokens: 'Input tokens',
  output_tokens: 'Output tokens',
  images: 'Images',
  seconds: 'Seconds',
  usd: 'Spend',
  concurrent: 'Requests',
}
export const scopes = {
  key: 'each key',
  user: 'each user',
  session: 'each session',
  plan: 'the whole plan',
  org: 'your organization',
  everybody: 'everybody',
}
export const atOnce = 'at once'
export const windows = { second: 'this second', minute: 'last minute', day: 'today' } as Readonly<
  Record<string, string>
>
export const eachLabel = (label: string) => `each ${label}`
export const idleFor = (time: string) => `session, ends after ${time} without a request`
export const lastDays = (days: string) => `last ${days} days`
export const thisWindow = (window: string) => `this ${window}`
