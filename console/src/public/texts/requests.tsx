import type { ComponentChildren } from 'preact'

export const about = 'What became of your newest requests. Prompts and answers are kept nowhere. Times are UTC.'
export const find = 'Find a request'
export const filter = 'Which requests'
export const filters = [
  ['', 'All'],
  ['ok', 'Served'],
  ['refused', 'Refused'],
  ['failed', 'Failed'],
] as readonly (readonly [string, string])[]
export const none = 'No requests yet'
export const noneYet = (link: (page: string, words: string) => ComponentChildren, hasKeys: boolean) => (
  <>
    {link('try', 'Try')} a model{hasKeys && <>, or make one with a {link('keys', 'key')}</>}: it is here a moment later.
  </>
)
export const noneSuch = { ok: 'None was served', refused: 'None was refused', failed: 'None failed' }
export const noneSuchYet = 'As far back as this gateway knows.'
export const noneFound = 'No request that is shown has that word.'
export const since = (at: ComponentChildren) => (
  <>Served requests are complete. Refused and failed ones are those of this gateway since {at}.</>
)
export const incomplete = 'The last 10,000 requests were looked through.'
export const older = 'Older'
export const time = 'Time'
export const status = 'Status'
export const model = 'Model'
export const key = 'Key'
export const signIn = 'sign-in'
export const tokens = 'Tokens'
export const cost = 'Cost'
export const ms = 'ms'
export const served = 'Served'
export const brokeOff = 'broke off'
export const brokeOffLong = 'The answer broke off after it had begun. What was received is charged.'
export const left = 'client left'
export const leftLong = 'The client left before the answer was whole. What was generated until then is charged.'
export const neverRetry = 'No.'
export const planTodo = 'Change the plan, the model or the tools.'
export const planModels = 'Models in your plan'
export const aboutError = 'About this error'
export const request = 'Request'
export const allRequests = 'All requests'
export const noSuch = 'No such request'
export const noSuchYet = 'Neither this gateway nor the ledger has a request of your account with this id.'
export const id = 'Request id'
export const took = 'Took'
export const millis = (ms: string) => `${ms} ms`
export const path = 'Path'
export const route = 'Route'
export const pool = 'Pool'
export const inOut = (input: string, output: string) => `${input} in, ${output} out`
export const estimated = '(estimated)'
export const tools = 'Hosted tools'
export const limit = 'Limit'
export const ofLedger = 'From the ledger, which has what was served and charged.'
