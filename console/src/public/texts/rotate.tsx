export const title = (name: string) => `Rotate ${name}?`
export const action = 'Rotate'
export const what = 'A new value takes the place of the old one. Name, end, limits and restrictions stay.'
export const grace = 'The old value stops'
export const graces = [
  ['', 'at once'],
  ['1h', 'in an hour'],
  ['24h', 'in a day'],
  ['7d', 'in 7 days'],
] as readonly (readonly [string, string])[]
export const atOnce = 'The old one is refused from the very next request, so have your deployment at hand.'
export const untilThen = 'Both values work until then, so that your deployment can take the new one.'
