import type { ComponentChildren } from 'preact'

export const why = 'Why'
export const itWouldBeAllowed = 'It would be allowed'
export const whatTheClientGot = 'Answer to the client'
export const withItsHeaders = (status: ComponentChildren) => <>{status} with its headers and body</>
export const admitted = 'Admitted'
export const refused = 'Refused'
export const by = (route: string | number) => `by ${route}`
export const thenNext = ', then '
export const decidedByRevisionWhich = (revision: string | number) =>
  `Decided by revision ${revision}, which is in use now. Deciding it again gives the same answer, byte for byte.`
export const anotherRevisionDecided = (revision: string | number) =>
  `Another revision decided it. Revision ${revision}, which is in use now, would decide`
export const theSame = (then: string | number) => `${then}: the same.`
export const somethingElse = (then: string | number) => `${then}: something else.`
export const revisionDecided = (revision: string | number) =>
  `Revision ${revision} decided it, but decides differently now: environment variables may differ.`
export const againAt = (at: ComponentChildren) => <>again at {at}</>
export const withMaxTokens = (to: string | number) => `with max_tokens of at most ${to}`
export const withMaxTokensOfAtLeast = (from: string | number) => `with max_tokens of at least ${from}`
export const withMaxTokensFrom = (value: string | number, to: string | number) =>
  `with max_tokens from ${value} to ${to}`
export const withChatTemplateKwargs = 'with chat_template_kwargs {"enable_thinking": false}'
export const inPlan = (names: string | number) => `in plan ${names}`
export const withModel = (names: string | number) => `with model ${names}`
export const whileAnswers = (names: string | number) => `while ${names} answers`
export const whileHasAFreeSlot = (names: string | number) => `while ${names} has a free slot`
export const whileNoMoreThan = (to: string | number) => `while no more than ${to} other requests are running`
export const whileRunningRequestsReserve = (value: string | number) =>
  `while running requests reserve no more than ${value}`
export const or = (value: string | number, value2: string | number) => `${value} or ${value2}`
export const request = 'Request'
export const allRequests = 'All requests'
export const anotherGatewayThatShares = 'A gateway that no longer runs may have decided it.'
export const itWasRefusedBefore = (code: string | number) => `It was refused before the policy decided: ${code}.`
export const ended = 'Ended'
export const inMs = (ms: ComponentChildren) => <>in {ms} ms</>
export const endpoint = 'Endpoint'
export const account = 'Account'
export const labels = 'Labels'
export const session = 'Session'
export const model = 'Model'
export const at = 'Time'
export const attempts = 'Attempts'
export const ledger = 'Ledger'
export const kind = 'Kind'
export const pool = 'Pool'
export const settled = 'Settled'
export const tokens = 'Tokens'
export const cost = 'Cost'
export const stepRefused = 'refused'
export const stepPassed = 'passed'
export const answered = 'answered'
