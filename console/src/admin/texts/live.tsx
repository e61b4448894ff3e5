import type { ComponentChildren } from 'preact'
import { plural } from '../../shared/fmt.ts'

export const byShare = 'By share of the quota'
export const byLastRequest = 'By last request'
export const byRequestsAMinute = 'By requests per minute'
export const byTokensAMinute = 'By tokens per minute'
export const byWhatIsHeld = 'By reserved amount'
export const byRefusal = 'By last refusal'
export const byAccount = 'By account'
export const account = 'Account'
export const plan = 'Plan'
export const quota = 'Quota'
export const rpm = 'RPM'
export const tpm = 'TPM'
export const held = 'Reserved'
export const fullestLimit = 'Fullest limit'
export const last = 'Last'
export const of = (of: string | number) => `of ${of}`
export const on = (model: string | number) => `on ${model}`
export const ms = (model: string | number, ms: string | number) => `${model} ${ms} ms`
export const whatYouSee = (value: string | number) =>
  `${value} These figures are out of date; the page retries by itself.`
export const theGatewayEnded = 'The gateway ended the stream.'
export const accounts = 'Accounts'
export const findAnAccount = 'Find an account'
export const live = 'Live'
export const sort = 'Sort'
export const requestsOfThisOne = 'Accounts, and requests as they end.'
export const requestsOfAll = 'Accounts, and requests as they end on all gateways of the fleet.'
export const notFollowed = (gateway: string | number, problem: string | number) =>
  `${gateway} is not followed: ${problem}`
export const accountCount = (n: number) => plural(n, 'account')
export const requestsAMinute = (rpm: string | number) => `${rpm} rpm`
export const underWay = (underWay: string | number) => `${underWay} running`
export const missedWhichCameFaster = (missed: string | number) =>
  `${missed} missed: they arrived faster than this page can read`
export const events = (n: number) => plural(n, 'event')
export const whatLiveShows = 'Health, traffic and accounts of all gateways.'
export const noAccount = 'No account yet'
export const openOne = (link: (words: string) => ComponentChildren) => (
  <>Accounts begin with a sign-in or with a key. {link('Open the first one')}.</>
)
