export const title = (name: string) => `Rotate ${name}?`
export const action = 'Rotate'
export const what = 'A new key replaces the old one. Name, expiry, limits and restrictions stay the same.'
export const grace = 'The old key stops'
export const graces = [
  ['', 'at once'],
  ['1h', 'in an hour'],
  ['24h', 'in a day'],
  ['7d', 'in 7 days'],
] as readonly (readonly [string, string])[]
export const atOnce = 'The old key is refused from now on, so be ready to update your deployment.'
export const untilThen = 'Both keys work until then, so you can update your deployment.'
