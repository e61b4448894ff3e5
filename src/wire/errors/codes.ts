import { counted } from '../../policy/counted.ts'
import type { Denial } from '../../policy/denial.ts'
import { NAMED_RULES } from '../../policy/limits/named-rules.ts'
import { problemRecord } from './file-problem.ts'
import {
  type Answer,
  type ErrorTerms,
  exhausted,
  flat,
  later,
  limited,
  noRetry,
  overloadText,
  planLimit,
  quota,
} from './texts.ts'

const never = 'No.'
const backoff = 'Yes, with exponential backoff and jitter.'

/**
 * Every error code with all that belongs to it. The answers, the error events of streams, GET /docs/errors and the list of
 * codes in openapi.yaml are made of these rows: a new code is a row here and its shape in policy/denial.ts.
 */
export const errorCodes: { readonly [Code in ErrorCode]: Row<Code> } = {
  NO_AUTH: {
    status: 401,
    reason: 'no Authorization header',
    meaning: 'The request has no Authorization header and no x-api-key.',
    retry: never,
    todo: 'Send `Authorization: Bearer` with the key. SDKs send the API key that you configure. The top of this page says how to get a key.',
    answer: ({ code, todo }, { brand, links }) => {
      const keys = links.console ?? `See ${links.docs}#${code}`
      const text = todo ?? `Send \`Authorization: Bearer ${brand}_…\`. No key yet? ${keys}`
      return flat(code, text, { 'www-authenticate': 'Bearer' })
    },
  },
  INVALID_KEY: {
    status: 401,
    reason: 'unknown, revoked or rotated key',
    meaning: 'The key is unknown, revoked, rotated away or expired.',
    retry: never,
    todo: 'Check that the whole key was copied. A rotated key stops at once: use the one that replaced it. The top of this page says where keys come from.',
    answer: ({ code }, { links }) => {
      const where =
        links.console === undefined ? `What to do: ${links.docs}#${code}` : `Keys are managed at ${links.console}`
      return flat(code, `The key is unknown, revoked or rotated away. ${where}`)
    },
  },
  INVALID_TOKEN: {
    status: 401,
    reason: 'neither a key nor a session token',
    meaning:
      'The bearer is neither a key of this service nor a valid session token, or it is a key where keys are managed.',
    retry: never,
    todo: 'Check that the key belongs to this service, and that the session has not expired. Managing keys needs the access token of a sign-in.',
    answer: ({ code, problem, isFinal }) => flat(code, problem, isFinal ? noRetry : {}),
  },
  VALIDATION_ERROR: {
    status: 400,
    reason: 'the request is not valid',
    meaning: 'The body is malformed, a field is missing or wrong, or the backend refused the request.',
    retry: never,
    todo: 'Correct the field that the text names first.',
    answer: ({ code, field, problem }) => flat(code, field ? `${field}: ${problem}` : problem),
  },
  rate_limit_exceeded: {
    status: 429,
    reason: 'a limit of the plan',
    meaning:
      'A limit is reached. The type names what it counts; the message says how much it allows, in which window, and to whom. Usually that is the account with all of its keys.',
    retry:
      'After `retry_after_ms`. Most SDKs wait by themselves for `retry-after-ms` and `retry-after`, up to 61 seconds. Not with `x-should-retry: false`, nor with the type plan_limit.',
    todo: 'Spread the requests, set a smaller max_tokens, or change the plan.',
    answer: (denial, { links }) =>
      denial.type === 'plan_limit' ? planLimit(denial, links.docs) : limited(denial, links.docs),
  },
  quota_exceeded: {
    status: 402,
    reason: 'monthly quota',
    meaning: "The rest of the month's quota cannot pay for the request.",
    retry: never,
    todo: 'Send the max_tokens that the text suggests, wait for resetDate, enable overage, or top up. GET /billing/quota shows the usage.',
    answer: (denial, { links }) => quota(denial, links.topup ?? `${links.docs}#${denial.code}`),
  },
  UPSTREAMS_EXHAUSTED: {
    status: 503,
    reason: 'no backend could answer',
    meaning: 'Every backend of the model failed, is busy, or is ejected because it failed before. Nothing was charged.',
    retry: backoff,
    todo: 'Wait for retry-after, if present. Another model may have other backends. `attempted` names the pools that were tried, or all pools of the model if none was healthy enough to try.',
    answer: exhausted,
  },
  TOOL_UNAVAILABLE: {
    status: 503,
    reason: 'a hosted tool cannot be used',
    meaning:
      'The server of a hosted tool does not answer, so the model cannot learn its parameters. Nothing was charged.',
    retry: backoff,
    todo: 'Wait for retry-after, or send the request without the tool that the text names.',
    answer: ({ code, tool }) =>
      later(code, 5, `The hosted tool ${tool} cannot be used now.`, 'Or send the request without it.'),
  },
  NOT_FOUND: {
    status: 404,
    reason: 'no such path or model',
    meaning:
      'There is no such path or model, or the backend does not know something that the request names, such as a voice.',
    retry: never,
    todo: 'Check that the base URL of the SDK ends in /v1, and see GET /v1/models. If the backend refused the request, the text quotes it.',
    answer: ({ code, problem }) => flat(code, problem),
  },
  FORBIDDEN: {
    status: 403,
    reason: 'the backend refuses this request',
    meaning: 'The backend refuses this request for its content, as content filters do, but serves others.',
    retry: never,
    todo: 'The text quotes the backend, and x-svc-error-reason has its code. Change the request.',
    answer: ({ code, problem }) => flat(code, problem),
  },
  ACCOUNT_FROZEN: {
    status: 403,
    reason: 'the account is frozen',
    meaning:
      'An operator froze the account or its org, or the identity provider deactivated the person, so all of its requests are refused. Its keys and usage stay unchanged.',
    retry: never,
    todo: 'Ask the operator of this service to thaw the account.',
    answer: ({ code, org, by }) => {
      if (by === 'provider')
        return flat(code, 'The identity provider deactivated this account. Ask your administrator to reactivate it.')
      const what = org === undefined ? 'this account, whatever key it uses' : `all accounts of ${org}`
      return flat(code, `An operator froze ${what}. Ask the operator to thaw ${org === undefined ? 'it' : 'them'}.`)
    },
  },
  ADDRESS_NOT_ALLOWED: {
    status: 403,
    reason: 'the key is not for this address',
    meaning: 'The key is restricted to other addresses.',
    retry: never,
    todo: 'Make a key for this address.',
    answer: ({ code, address }) =>
      flat(code, `This key may not be used from ${address}: it is restricted to other addresses.`),
  },
  INVITATION_NEEDED: {
    status: 403,
    reason: 'an invitation is needed',
    meaning:
      'The operator opened an account under the label of this sign-in, usually its e-mail address. Without an invitation, the sign-in would become a second account with its own limits.',
    retry: never,
    todo: "Ask the operator for an invitation, and open its link. The account's keys keep working.",
    answer: ({ code, label }) =>
      flat(
        code,
        `The operator has opened an account for ${label}, which this sign-in has not joined. Ask the operator for an invitation, and open its link.`,
      ),
  },
  GROUPS_UNREADABLE: {
    status: 403,
    reason: 'the groups of this sign-in cannot be read',
    meaning:
      'Plans here depend on groups of the identity provider, and the access token does not list them in a form that can be read. The gateway refuses it instead of choosing another plan. Keys still work.',
    retry: never,
    todo: 'Ask the operator: the identity provider has to send the groups in the token, as a list of texts.',
    answer: ({ code, problem }) => flat(code, problem),
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    reason: 'method not allowed',
    meaning: 'The path does not support this method.',
    retry: never,
    todo: 'Use a method in the allow header.',
    answer: ({ code, allow }) => flat(code, `Use ${allow.join(' or ')} here.`, { allow: allow.join(', ') }),
  },
  REQUEST_TIMEOUT: {
    status: 408,
    reason: 'the request did not arrive in time',
    meaning: 'The request did not arrive in time.',
    retry: 'Yes.',
    todo: 'Send the body without pauses.',
    answer: ({ code }) => flat(code, 'The request did not arrive in time. Send it without pauses.'),
  },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    reason: 'body too large',
    meaning: 'The body is larger than the gateway accepts.',
    retry: never,
    todo: 'Send less: shorter histories, smaller images, smaller batches.',
    answer: ({ code, limitBytes }) => flat(code, `The body is larger than ${limitBytes} bytes. Send a smaller one.`),
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    reason: 'content type not accepted',
    meaning: 'The content type is not JSON or the one that the path takes, or the body has a content-encoding.',
    retry: never,
    todo: 'Send `content-type: application/json`, or the type that the text names.',
    answer: ({ code, accepts }) =>
      flat(code, `Send the body as ${accepts ?? 'JSON with `Content-Type: application/json`'}.`),
  },
  HEADERS_TOO_LARGE: {
    status: 431,
    reason: 'headers too large',
    meaning: 'The request headers are too large or too many.',
    retry: never,
    todo: 'Send fewer headers; in a browser, check for large cookies.',
    answer: ({ code, limitBytes, limitCount }) =>
      flat(code, `The headers are larger than ${limitBytes} bytes, or more than ${limitCount}. Send fewer.`),
  },
  STORE_UNAVAILABLE: {
    status: 503,
    reason: 'the store does not answer',
    meaning: 'The gateway cannot reach its store, so it cannot check keys, limits and quota, and refuses all requests.',
    retry: backoff,
    todo: 'Wait for retry-after. Nothing was charged.',
    answer: ({ code }) => later(code, 2, 'The gateway cannot reach its store, so it cannot check keys and limits.'),
  },
  IDENTITY_UNAVAILABLE: {
    status: 503,
    reason: 'the identity provider does not answer',
    meaning: 'Sign-in tokens cannot be checked, because the identity provider cannot be reached. Keys still work.',
    retry: backoff,
    todo: 'Wait, or send a key where one is accepted.',
    answer: ({ code }) =>
      later(code, 5, 'The identity provider does not answer, so a sign-in cannot be checked.', 'Keys still work.'),
  },
  OVERLOADED: {
    status: 503,
    reason: 'too much at once',
    meaning: 'The gateway is overloaded, or one address has too many requests running at once.',
    retry: backoff,
    todo: 'Wait for retry-after. Nothing was charged or counted, unless the message is about unread answers: such a request is charged as if its client had left. Guests are refused first.',
    answer: ({ code, of }) => later(code, 1, overloadText[of]),
  },
  DRAINING: {
    status: 503,
    reason: 'shutting down',
    meaning: 'This gateway is shutting down.',
    retry: backoff,
    todo: 'Retry: with several gateways, another one answers.',
    answer: ({ code }) => later(code, 1, 'This gateway is shutting down.'),
  },
  MISDIRECTED: {
    status: 421,
    reason: 'not a name of this listener',
    meaning: 'Only for operators: a browser called the admin listener by a host name that anyone could have chosen.',
    retry: never,
    todo: 'Open the console at an address such as 127.0.0.1, or at localhost.',
    isForOperators: true,
    answer: ({ code, host }) =>
      flat(
        code,
        `${host === '' ? 'No host' : host.slice(0, 100)} is not a name of this listener. Use its address, or localhost.`,
      ),
  },
  RELOAD_REFUSED: {
    status: 409,
    reason: 'the configuration files have problems',
    meaning: 'Only for operators: a reload found problems in the files. The gateway keeps its current configuration.',
    retry: 'After correcting the files.',
    todo: '`problems` has all of them, each with file, line and column.',
    isForOperators: true,
    answer: ({ code, problems, text }) => {
      const error = `The files have ${counted(problems.length, 'problem')}. The gateway keeps its current configuration.`
      return { body: { error, code, problems: problems.map(problemRecord), text } }
    },
  },
  REVISION_CHANGED: {
    status: 409,
    reason: 'another revision is in use',
    meaning: 'Only for operators: the change was planned against a revision that is no longer in use.',
    retry: 'After planning against the revision in use.',
    todo: 'Run `svcctl plan` to see what changed meanwhile.',
    isForOperators: true,
    answer: ({ code, revision }) => {
      const error = `Revision ${revision} is in use now, not the one that this change was planned against. Plan the change again.`
      return { body: { error, code, revision } }
    },
  },
  APPLY_REFUSED: {
    status: 409,
    reason: 'these files cannot be applied',
    meaning: 'Only for operators: the gateway cannot use the files that were sent. It keeps its current configuration.',
    retry: 'After correcting the problem in `error`.',
    todo: '`problems` lists what is wrong in the files, `plans_in_use` the plans that accounts are still on.',
    isForOperators: true,
    answer: ({ code, reason, problems, text, plansInUse }) => {
      const inUse = plansInUse && { plans_in_use: plansInUse }
      return { body: { error: reason, code, problems: problems.map(problemRecord), text, ...inUse } }
    },
  },
  REVISION_INVALID: {
    status: 409,
    reason: 'a kept revision no longer loads',
    meaning: 'Only for operators: an earlier revision has problems today, and cannot be compared.',
    retry: 'No, unless the resources that its files name come back.',
    todo: '`problems` has all of them, each with file, line and column.',
    isForOperators: true,
    answer: ({ code, number, problems, text }) => {
      const error = `Revision ${number} no longer loads: it has ${counted(problems.length, 'problem')}.`
      return { body: { error, code, problems: problems.map(problemRecord), text } }
    },
  },
  INTERNAL: {
    status: 500,
    reason: 'unexpected error',
    meaning: 'An unexpected error.',
    retry: backoff,
    todo: 'If it persists, give the operator the value of x-request-id.',
    answer: ({ code }) =>
      flat(code, 'An unexpected error. If it persists, give the operator the value of x-request-id.'),
  },
  UPSTREAM_INTERRUPTED: {
    status: 200,
    reason: 'in a stream',
    meaning: 'The backend failed in the middle of a stream. The part sent so far is incomplete, and is charged.',
    retry: 'Yes, as a new request.',
    todo: 'Discard the partial answer, or continue from it.',
  },
}

/** Node's parser gave up before there was a request, so policy never sees these. */
export type ProtocolDenial =
  | { readonly code: 'REQUEST_TIMEOUT' }
  | { readonly code: 'HEADERS_TOO_LARGE'; readonly limitBytes: number; readonly limitCount: number }

export type AnyDenial = Denial | ProtocolDenial
type DeniedCode = AnyDenial['code']

/** The code of every error that a client may meet; the last one only as the error event of a stream. */
type ErrorCode = DeniedCode | 'UPSTREAM_INTERRUPTED'

/** The texts of one code. */
export interface ErrorRow {
  readonly status: number
  /** ASCII: it stands in the status line, which is all that some SDKs show. */
  readonly reason: string
  readonly meaning: string
  /** Whether the same request may be sent again. */
  readonly retry: string
  readonly todo: string
  /** Only the admin listener answers with it, so the public API description leaves it out. */
  readonly isForOperators?: true
}

/** The codes that have a body of one form, and may answer a call of the admin API. */
export type OperatorErrorCode = Exclude<DeniedCode, 'rate_limit_exceeded' | 'quota_exceeded' | 'UPSTREAMS_EXHAUSTED'>

type Row<Code extends ErrorCode> = Code extends DeniedCode ? ErrorRow & Answers<Code> : ErrorRow

interface Answers<Code extends DeniedCode> {
  /** The client's answer to a denial of this code. */
  readonly answer: (denial: Extract<AnyDenial, { readonly code: Code }>, terms: ErrorTerms) => Answer
}

/** The types of rate_limit_exceeded. */
export const rateTypes: readonly { readonly type: string; readonly meaning: string }[] = [
  ...NAMED_RULES.map(({ type, meaning }) => ({ type, meaning })),
  { type: 'images', meaning: 'Generated images.' },
  { type: 'seconds', meaning: "Seconds of a backend's time, if it is charged by the second." },
  {
    type: 'spend',
    meaning: 'US dollars. The monthly quota has a code of its own.',
  },
  {
    type: 'session_limit',
    meaning:
      'One session reached its limit, which resets only after the session has had no request for the time in the message. Retrying does not help: begin a new session.',
  },
  {
    type: 'guest_keys',
    meaning: 'New devices from one address or network per hour. A device that already has a key still gets it.',
  },
  {
    type: 'plan_limit',
    meaning:
      'The plan does not include the model, or a hosted tool. Retrying never helps: change the plan, the model or the tools.',
  },
]
