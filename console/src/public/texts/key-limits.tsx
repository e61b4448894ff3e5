export const title = 'At most'
export const fields = {
  usdPerDay: 'US dollars a day',
  usdPerMonth: 'US dollars a month',
  requestsPerMinute: 'Requests a minute',
}
export const none = 'no limit'
export const beside = (limits: string) =>
  `The limits of your account hold for all its keys together beside these: ${limits}. Days and months are UTC.`
export const aMonth = (usd: string) => `${usd} a month`
export const aMinute = (requests: string) => `${requests} requests a minute`
export const ofKey = (name: string) => `Limits of ${name}`
export const action = 'Rotate and set limits'
export const what =
  'A key keeps its limits for as long as it lives, so other limits come with a new value. What was used counts on.'
