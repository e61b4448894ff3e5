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
    meaning: 'The request has no Authorization header, and no x-api-key in its place.',
    retry: never,
    todo: 'Send `Authorization: Bearer` and the key. SDKs do so with what you give them as API key. The top of this page says how to get a key.',
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
    todo: 'Check that the whole key was copied. A key that was rotated away stops at once: use the one that replaced it. The top of this page says where keys come from.',
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
    todo: 'Check that the key is for this service and not for another one, and that a session has not expired. Keys are managed with the access token of a sign-in.',
    answer: ({ code, problem }) => flat(code, problem),
  },
  VALIDATION_ERROR: {
    status: 400,
    reason: 'the request is not valid',
    meaning: 'The body is malformed, a field is missing or wrong, or the backend refused the request.',
    retry: never,
    todo: 'The text begins with the name of the field. Change it.',
    answer: ({ code, field, problem }) => flat(code, field ? `${field}: ${problem}` : problem),
  },
  rate_limit_exceeded: {
    status: 429,
    reason: 'a limit of the plan',
    meaning:
      'A limit is reached: its type says of what, and the message what it allows, when, and to whom. Mostly that is the account, whatever its keys.',
    retry:
      'After `retry_after_ms`. Most SDKs wait by themselves, as `retry-after-ms` and `retry-after` say, where the wait is no longer than 61 seconds. With `x-should-retry: false`, and with the type plan_limit: no.',
    todo: 'Spread the requests, set a smaller max_tokens, or change the plan.',
    answer: (denial, { links }) =>
      denial.type === 'plan_limit' ? planLimit(denial, links.docs) : limited(denial, links.docs),
  },
  quota_exceeded: {
    status: 402,
    reason: 'monthly quota',
    meaning: 'What is left of the month cannot pay for the request.',
    retry: never,
    todo: 'Send a max_tokens that fits, which the text gives, or wait for resetDate, enable overage or top up. GET /billing/quota shows what is used.',
    answer: (denial, { links }) => quota(denial, links.topup ?? `${links.docs}#${denial.code}`),
  },
  UPSTREAMS_EXHAUSTED: {
    status: 503,
    reason: 'no backend could answer',
    meaning: 'Every backend of the model failed, is busy, or is ejected because it failed before. Nothing was charged.',
    retry: backoff,
    todo: 'Wait as long as retry-after says, where it is sent. Another model may have other backends. `attempted` names the pools that were tried, or all pools of the model where none was healthy enough to be tried.',
    answer: exhausted,
  },
  TOOL_UNAVAILABLE: {
    status: 503,
    reason: 'a hosted tool cannot be used',
    meaning:
      'The server of a hosted tool does not answer now, so the model cannot learn what the tool takes. Nothing was charged.',
    retry: backoff,
    todo: 'Wait as long as retry-after says, or send the request without the tool that the text names.',
    answer: ({ code, tool }) =>
      later(code, 5, `The hosted tool ${tool} cannot be used now.`, 'Or send the request without it.'),
  },
  NOT_FOUND: {
    status: 404,
    reason: 'no such path or model',
    meaning: 'There is no such path or model, or the backend does not know what the request names, such as a voice.',
    retry: never,
    todo: 'Check the base URL of the SDK, which ends in /v1, and GET /v1/models. Where the backend refused it, the text has its words.',
    answer: ({ code, problem }) => flat(code, problem),
  },
  FORBIDDEN: {
    status: 403,
    reason: 'the backend refuses this request',
    meaning: 'The backend serves others, and refuses this request for what is in it, as filters of content do.',
    retry: never,
    todo: 'The text has the words of the backend, and x-svc-error-reason its code. Change what is sent.',
    answer: ({ code, problem }) => flat(code, problem),
  },
  ACCOUNT_FROZEN: {
    status: 403,
    reason: 'the account is frozen',
    meaning:
      'An operator froze the account, or the org that it belongs to: nothing is served for it. Its keys and its usage stay as they are.',
    retry: never,
    todo: 'Ask the operator of this service to thaw the account.',
    answer: ({ code, org }) => {
      const what = org === undefined ? 'this account, whatever key it uses' : `all accounts of ${org}`
      return flat(code, `An operator froze ${what}. Ask the operator to thaw ${org === undefined ? 'it' : 'them'}.`)
    },
  },
  ADDRESS_NOT_ALLOWED: {
    status: 403,
    reason: 'the key is not for this address',
    meaning: 'The key was made for other addresses.',
    retry: never,
    todo: 'Make a key for this address.',
    answer: ({ code, address }) =>
      flat(code, `This key may not be used from ${address}: it was made for other addresses.`),
  },
  INVITATION_NEEDED: {
    status: 403,
    reason: 'an invitation is needed',
    meaning:
      'The operator opened an account under the label of this sign-in, mostly its e-mail address. Without an invitation the sign-in would be a second account with limits of its own.',
    retry: never,
    todo: 'Ask the operator for an invitation, and open its link. Keys of the account work as ever.',
    answer: ({ code, label }) =>
      flat(
        code,
        `The operator has opened an account for ${label}, which this sign-in has not joined. Ask the operator for an invitation, and open its link.`,
      ),
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    reason: 'method not allowed',
    meaning: 'The path takes another method.',
    retry: never,
    todo: 'The allow header names it.',
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
    meaning: 'The body is larger than this gateway takes.',
    retry: never,
    todo: 'Send less: shorter histories, smaller images, smaller batches.',
    answer: ({ code, limitBytes }) => flat(code, `The body is larger than ${limitBytes} bytes. Send a smaller one.`),
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    reason: 'content type not accepted',
    meaning: 'The body is not declared as JSON, or as what the path takes, or it has a content-encoding.',
    retry: never,
    todo: 'Send the header `content-type: application/json`, or the one that the text names.',
    answer: ({ code, accepts }) =>
      flat(code, `Send the body as ${accepts ?? 'JSON with `Content-Type: application/json`'}.`),
  },
  HEADERS_TOO_LARGE: {
    status: 431,
    reason: 'headers too large',
    meaning: 'The headers of the request are larger or more than this gateway takes.',
    retry: never,
    todo: 'Send fewer of them; in a browser, look for large cookies.',
    answer: ({ code, limitBytes, limitCount }) =>
      flat(code, `The headers are larger than ${limitBytes} bytes, or more than ${limitCount}. Send fewer.`),
  },
  STORE_UNAVAILABLE: {
    status: 503,
    reason: 'the store does not answer',
    meaning: 'The gateway cannot reach its store, so it cannot check keys, limits and quota, and serves nothing.',
    retry: backoff,
    todo: 'Wait as long as retry-after says. Nothing was charged.',
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
    todo: 'Wait as long as retry-after says. Nothing was charged or counted, unless the message is about answers that were not read: such a request is charged as one that its client left. Guests are refused first.',
    answer: ({ code, of }) => later(code, 1, overloadText[of]),
  },
  DRAINING: {
    status: 503,
    reason: 'shutting down',
    meaning: 'This gateway is shutting down.',
    retry: backoff,
    todo: 'Retry: where there are several gateways, another one answers.',
    answer: ({ code }) => later(code, 1, 'This gateway is shutting down.'),
  },
  MISDIRECTED: {
    status: 421,
    reason: 'not a name of this listener',
    meaning: 'Only operators meet this one: a browser asked the admin listener by a name that anyone may have chosen.',
    retry: never,
    todo: 'Open the console by an address such as 127.0.0.1, or by localhost.',
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
    meaning:
      'Only operators meet this one: a reload found problems in the files. The gateway goes on with the configuration it had.',
    retry: 'Once the files are corrected.',
    todo: '`problems` has all of them, each with file, line and column.',
    isForOperators: true,
    answer: ({ code, problems, text }) => {
      const error = `The files have ${counted(problems.length, 'problem')}. The gateway goes on with the configuration it has.`
      return { body: { error, code, problems: problems.map(problemRecord), text } }
    },
  },
  REVISION_CHANGED: {
    status: 409,
    reason: 'another revision is serving',
    meaning: 'Only operators meet this one: a change was made for a revision that is no longer serving.',
    retry: 'With a plan against the revision that is serving.',
    todo: 'Run `svcctl plan` to see what changed meanwhile.',
    isForOperators: true,
    answer: ({ code, revision }) => {
      const error = `Revision ${revision} is serving now, not the one that this change was made for. Plan the change again.`
      return { body: { error, code, revision } }
    },
  },
  APPLY_REFUSED: {
    status: 409,
    reason: 'these files cannot be applied',
    meaning:
      'Only operators meet this one: files were sent that this gateway cannot serve. It goes on with the configuration it had.',
    retry: 'Once what `error` says is corrected.',
    todo: '`problems` has what is wrong in the files, `plans_in_use` the plans that accounts are still on.',
    isForOperators: true,
    answer: ({ code, reason, problems, text, plansInUse }) => {
      const inUse = plansInUse && { plans_in_use: plansInUse }
      return { body: { error: reason, code, problems: problems.map(problemRecord), text, ...inUse } }
    },
  },
  REVISION_INVALID: {
    status: 409,
    reason: 'a kept revision does not load any more',
    meaning: 'Only operators meet this one: a revision that served once has problems today, and cannot be compared.',
    retry: 'No, unless what its files name comes back.',
    todo: '`problems` has all of them, each with file, line and column.',
    isForOperators: true,
    answer: ({ code, number, problems, text }) => {
      const error = `Revision ${number} does not load any more: it has ${counted(problems.length, 'problem')}.`
      return { body: { error, code, problems: problems.map(problemRecord), text } }
    },
  },
  INTERNAL: {
    status: 500,
    reason: 'unexpected error',
    meaning: 'An unexpected error.',
    retry: backoff,
    todo: 'If it stays, give the operator the value of x-request-id.',
    answer: ({ code }) => flat(code, 'An unexpected error. If it stays, give the operator the value of x-request-id.'),
  },
  UPSTREAM_INTERRUPTED: {
    status: 200,
    reason: 'in a stream',
    meaning: 'The backend failed in the middle of a stream. What was sent before is charged, and incomplete.',
    retry: 'Yes, as a new request.',
    todo: 'Throw the partial answer away, or go on from it.',
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
  { type: 'images', meaning: 'Images that are made.' },
  { type: 'seconds', meaning: "Seconds of a backend's time, where it is paid by the second." },
  {
    type: 'spend',
    meaning: 'US dollars. The monthly quota has a code of its own.',
  },
  {
    type: 'guest_keys',
    meaning: 'New devices of one address or network in an hour. A device that has a key still gets it.',
  },
  {
    type: 'plan_limit',
    meaning:
      'The plan does not include the model, or a hosted tool. Retrying never helps: change the plan, the model or the tools.',
  },
]
