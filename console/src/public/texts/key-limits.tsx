export const title = 'At most'
export const fields = {
  usdPerDay: 'US dollars per day',
  usdPerMonth: 'US dollars per month',
  requestsPerMinute: 'Requests per minute',
}
export const none = 'no limit'
export const beside = (limits: string) => `Your account's limits also apply, to all its keys together: ${limits}.`
export const aMonth = (usd: string) => `${usd} a month`
export const aMinute = (requests: string) => `${requests} requests per minute`
export const ofKey = (name: string) => `Limits of ${name}`
export const action = 'Rotate and set limits'
export const what = 'Changing limits rotates the key. Usage so far still counts.'
