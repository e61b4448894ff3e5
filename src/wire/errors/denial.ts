import type { Millis } from '../../policy/config.ts'
import { counted } from '../../policy/counted.ts'
import type {
  ApplyDenial,
  Denial,
  ExhaustedDenial,
  FileProblem,
  GuestDenial,
  KeysDenial,
  PlanDenial,
  QuotaDenial,
  RateDenial,
  ReloadDenial,
} from '../../policy/denial.ts'
import { usdText } from '../money.ts'
import { sseEvent } from '../sse.ts'
import { errorDocs, type ProtocolDenial } from './docs.ts'
import { waitText } from './wait-text.ts'

/** A denial as it goes over the wire. */
export interface ErrorAnswer {
  readonly status: number
  /** ASCII; what the AI SDK shows its user. */
  readonly reason: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: object
}

export interface ErrorTerms {
  readonly brand: string
  /** A console and a page to top up only where the operator named one: links of our own making would lead nowhere. */
  readonly links: {
    readonly docs: string
    readonly topup?: string | undefined
    readonly console?: string | undefined
  }
}

/** What a configuration says of them. */
interface TermsSettings {
  readonly brand: string
  readonly errors: { readonly docs: string; readonly topup?: string }
  readonly server: { readonly consoleUrl?: string }
}

export const errorTermsOf = ({ brand, errors, server }: TermsSettings): ErrorTerms => ({
  brand,
  links: { ...errors, console: server.consoleUrl },
})

/** What differs between the answers of one code. */
interface Rendered {
  readonly body: object
  readonly headers?: Readonly<Record<string, string>>
  /** In place of the reason of the code. */
  readonly reason?: string
}

/** The longest wait of the sliding minute: its oldest bucket counts for 61 s. A client that slept out a longer one would hang. */
const MAX_RETRY_AFTER_MS = 61_000
/** SDKs do not wait for a header of 60 s or more. Those that wait this long are told the rest, a second at most. */
const MAX_HEADER_MS = 59_999
const noRetry = { 'x-should-retry': 'false' }

/** The one place where a denial becomes an answer. */
export function renderDenial(denial: Denial | ProtocolDenial, terms: ErrorTerms): ErrorAnswer {
  const { code } = denial
  const { status, reason } = errorDocs[code]
  const rendered = render(denial, terms)
  return {
    status,
    reason: `${code}: ${rendered.reason ?? reason}`,
    headers: { [`x-${terms.brand}-error-code`]: code, ...reasonHeader(denial, terms.brand), ...rendered.headers },
    body: rendered.body,
  }
}

/** What a backend calls its refusal: agents shorten their history where it is `context_length_exceeded`. */
function backendReason(denial: Denial | ProtocolDenial): string | undefined {
  switch (denial.code) {
    case 'VALIDATION_ERROR':
    case 'NOT_FOUND':
    case 'FORBIDDEN':
    case 'UPSTREAMS_EXHAUSTED':
      return denial.reason
    default:
      return undefined
  }
}

function reasonHeader(denial: Denial | ProtocolDenial, brand: string): Readonly<Record<string, string>> {
  const reason = backendReason(denial)
  return reason === undefined ? {} : { [`x-${brand}-error-reason`]: reason }
}

function render(denial: Denial | ProtocolDenial, { brand, links }: ErrorTerms): Rendered {
  const { code } = denial
  switch (code) {
    case 'NO_AUTH': {
      const keys = links.console ?? `See ${links.docs}#${code}`
      const text = denial.todo ?? `Send \`Authorization: Bearer ${brand}_…\`. No key yet? ${keys}`
      return flat(code, text, { 'www-authenticate': 'Bearer' })
    }
    case 'INVALID_KEY':
      return flat(
        code,
        `The key is unknown, revoked or rotated away. ${links.console === undefined ? `What to do: ${links.docs}#${code}` : `Keys are managed at ${links.console}`}`,
      )
    case 'VALIDATION_ERROR':
      return flat(code, denial.field ? `${denial.field}: ${denial.problem}` : denial.problem)
    case 'INVALID_TOKEN':
    case 'NOT_FOUND':
    case 'FORBIDDEN':
      return flat(code, denial.problem)
    case 'rate_limit_exceeded':
      if (denial.type === 'plan_limit') return planLimit(denial, links.docs)
      return limited(denial, limitText(denial), links.docs)
    case 'quota_exceeded':
      return quota(denial, links.topup ?? `${links.docs}#${code}`)
    case 'UPSTREAMS_EXHAUSTED':
      return exhausted(denial)
    case 'TOOL_UNAVAILABLE':
      return later(code, 5, `The hosted tool ${denial.tool} cannot be used now.`, 'Or send the request without it.')
    case 'METHOD_NOT_ALLOWED':
      return flat(code, `Use ${denial.allow.join(' or ')} here.`, { allow: denial.allow.join(', ') })
    case 'REQUEST_TIMEOUT':
      return flat(code, 'The request did not arrive in time. Send it without pauses.')
    case 'PAYLOAD_TOO_LARGE':
      return flat(code, `The body is larger than ${denial.limitBytes} bytes. Send a smaller one.`)
    case 'UNSUPPORTED_MEDIA_TYPE':
      return flat(code, `Send the body as ${denial.accepts ?? 'JSON with `Content-Type: application/json`'}.`)
    case 'HEADERS_TOO_LARGE':
      return flat(
        code,
        `The headers are larger than ${denial.limitBytes} bytes, or more than ${denial.limitCount}. Send fewer.`,
      )
    case 'STORE_UNAVAILABLE':
      return later(code, 2, 'The gateway cannot reach its store, so it cannot check keys and limits.')
    case 'IDENTITY_UNAVAILABLE':
      return later(
        code,
        5,
        'The identity provider does not answer, so a sign-in cannot be checked.',
        'Keys still work.',
      )
    case 'OVERLOADED':
      return later(code, 1, overloadText[denial.of])
    case 'DRAINING':
      return later(code, 1, 'This gateway is shutting down.')
    case 'RELOAD_REFUSED':
      return refusedReload(denial)
    case 'REVISION_CHANGED': {
      const error = `Revision ${denial.revision} is serving now, not the one that this change was made for. Plan the change again.`
      return { body: { error, code, revision: denial.revision } }
    }
    case 'APPLY_REFUSED':
      return refusedApply(denial)
    case 'INTERNAL':
      return flat(code, 'An unexpected error. If it stays, give the operator the value of x-request-id.')
  }
}

const overloadText = {
  gateway: 'The gateway is overloaded.',
  process: 'The gateway cannot open more connections to its backends.',
  address: 'Too many requests from your address are running at once.',
  account_bodies: 'The bodies of requests that your account is sending take too much memory together.',
  address_bodies: 'The bodies of requests that your address is sending take too much memory together.',
  bodies: 'The bodies of requests that clients are sending take too much memory together.',
}

/** A failure that passes: `retry-after` and the text say the same. */
const later = (code: string, seconds: number, cause: string, more?: string): Rendered =>
  flat(code, [cause, `Retry in ${seconds} s.`, more].filter(Boolean).join(' '), { 'retry-after': String(seconds) })

/** `{error, code}`, the body of every code but rate_limit_exceeded, quota_exceeded and UPSTREAMS_EXHAUSTED. */
const flat = (code: string, error: string, headers = {}): Rendered => ({ headers, body: { error, code } })

type LimitDenial = RateDenial | GuestDenial | KeysDenial

function limited({ code, type, retryAfterMs }: LimitDenial, text: string, docs: string): Rendered {
  const message = `${text} Retry in ${waitText(retryAfterMs)}.`
  const headers = retryAfterMs > MAX_RETRY_AFTER_MS ? noRetry : retryHeaders(Math.min(retryAfterMs, MAX_HEADER_MS))
  return { reason: type, headers, body: { error: { code, type, message, retry_after_ms: retryAfterMs, docs } } }
}

const retryHeaders = (ms: Millis) => ({ 'retry-after-ms': String(ms), 'retry-after': String(Math.ceil(ms / 1000)) })

function limitText(denial: LimitDenial): string {
  if ('shared' in denial) return guestText(denial)
  if ('of' in denial) return `An account may change its keys ${denial.limit} times an hour.`
  return rateText(denial)
}

function rateText({ type, limit }: RateDenial): string {
  switch (type) {
    case 'requests':
      return `The plan allows ${counted(limit, 'request')} a minute.`
    case 'tokens':
      return `The plan allows ${counted(limit, 'token')} a minute.`
    case 'concurrency':
      return `The plan allows ${counted(limit, 'request')} at once.`
    case 'daily_limit':
      return `The plan allows ${counted(limit, 'request')} a day (UTC).`
    case 'quota_hold':
      return 'Running requests have reserved the rest of the monthly quota.'
  }
}

/** Without figures, since they would tell what other guests use. */
function guestText({ type }: GuestDenial): string {
  switch (type) {
    case 'daily_limit':
      return 'All guests together have reached their limit of the day (UTC).'
    case 'guest_keys':
      return 'Too many new devices came from this network within an hour.'
  }
}

function planLimit({ code, type, model, plan, tool }: PlanDenial, docs: string): Rendered {
  const [lacks, other] = tool === undefined ? [model, 'the model'] : [`the hosted tool ${tool}`, 'leave the tool out']
  const message = `Plan ${plan} does not include ${lacks}. Retrying does not help: change the plan or ${other}.`
  return { reason: type, headers: noRetry, body: { error: { code, type, message, retry_after_ms: 0, docs } } }
}

function quota({ code, resetAt, overageEnabled, worst, left, fits }: QuotaDenial, topupUrl: string): Rendered {
  const resetDate = new Date(resetAt).toISOString().slice(0, 10)
  const hint = fits > 0 ? ` max_tokens up to ${fits} would fit.` : ''
  const message = `The request may cost up to $${usdText(worst)}, and $${usdText(left)} of the monthly quota remain until ${resetDate}.${hint}`
  return { headers: noRetry, body: { error: { code, message, resetDate, topupUrl, overageEnabled } } }
}

function exhausted({ code, tier, attempted, retryAfterMs, problem }: ExhaustedDenial): Rendered {
  const retry = retryAfterMs === undefined ? 'Retry with backoff.' : `Retry in ${waitText(retryAfterMs)}.`
  const said = problem === undefined ? '' : ` The last one said of the request: ${problem}`
  return {
    headers: retryAfterMs === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) },
    body: { error: `No backend of this model could answer. ${retry}${said}`, code, tier, attempted },
  }
}

function refusedReload({ code, problems, text }: ReloadDenial): Rendered {
  const error = `The files have ${counted(problems.length, 'problem')}. The gateway goes on with the configuration it has.`
  return { body: { error, code, problems: problems.map(problemRecord), text } }
}

function refusedApply({ code, reason, problems, text, plansInUse }: ApplyDenial): Rendered {
  const inUse = plansInUse && { plans_in_use: plansInUse }
  return { body: { error: reason, code, problems: problems.map(problemRecord), text, ...inUse } }
}

/** `hint` is null where there is none. */
export const problemRecord = ({ file, line, column, rule, severity, message, hint }: FileProblem): object => ({
  ...{ file, line, column, rule, severity, message },
  hint: hint ?? null,
})

/** The last event of a stream that fails after its headers went out. SDKs lose the code of any form but this one. */
export function denialEvent(denial: Denial, terms: ErrorTerms): string {
  const { status, body } = renderDenial(denial, terms)
  const message = 'error' in body && typeof body.error === 'string' ? body.error : errorDocs[denial.code].meaning
  const more = denial.code === 'UPSTREAMS_EXHAUSTED' ? { tier: denial.tier, attempted: denial.attempted } : {}
  return sseEvent(
    JSON.stringify({
      error: { message, type: backendReason(denial) ?? eventType(denial.code, status), code: denial.code, ...more },
    }),
  )
}

function eventType(code: string, status: number): string {
  if (status < 500) return 'invalid_request_error'
  return code === 'UPSTREAMS_EXHAUSTED' ? 'upstream_error' : 'server_error'
}
