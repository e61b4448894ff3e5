export const title = 'New key'
export const name = 'Name'
export const names = { first: 'laptop', next: 'deployment' }
export const ends = 'Ends'
export const lives = [
  ['', 'never'],
  ['7d', 'in 7 days'],
  ['30d', 'in 30 days'],
  ['90d', 'in 90 days'],
  ['365d', 'in a year'],
] as readonly (readonly [string, string])[]
export const addresses = 'Only from these addresses'
export const anyAddress = '10.0.0.0/8; leave empty for any'
export const models = 'Only these models (default: all in your plan)'
export const create = 'Create key'
