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
} from '../policy/denial.ts'
import { errorDocs, type ProtocolDenial } from './docs.ts'
import { usdText } from './money.ts'
import { sseEvent } from './sse.ts'

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
  readonly links: { readonly docs: string; readonly topup: string; readonly console: string }
}

/** What differs between the answers of one code. */
interface Rendered {
  readonly body: object
  readonly headers?: Readonly<Record<string, string>>
  /** In place of the reason of the code. */
  readonly reason?: string
}

/** Longer waits are no burst: a client that sleeps them out would hang. */
const MAX_RETRY_AFTER_MS = 60_000
const noRetry = { 'x-should-retry': 'false' }

/** The one place where a denial becomes an answer. Spec 7. */
export function renderDenial(denial: Denial | ProtocolDenial, terms: ErrorTerms): ErrorAnswer {
  const { code } = denial
  const { status, reason } = errorDocs[code]
  const rendered = render(denial, terms)
  return {
    status,
    reason: `${code}: ${rendered.reason ?? reason}`,
    headers: { [`x-${terms.brand}-error-code`]: code, ...rendered.headers },
    body: rendered.body,
  }
}

function render(denial: Denial | ProtocolDenial, { brand, links }: ErrorTerms): Rendered {
  const { code } = denial
  switch (code) {
    case 'NO_AUTH': {
      const text = denial.todo ?? `Send \`Authorization: Bearer ${brand}_…\`. No key yet? ${links.console}`
      return flat(code, text, { 'www-authenticate': 'Bearer' })
    }
    case 'INVALID_KEY':
      return flat(code, `The key is unknown, revoked or rotated away. Keys are managed at ${links.console}`)
    case 'VALIDATION_ERROR':
      return flat(code, denial.field ? `${denial.field}: ${denial.problem}` : denial.problem)
    case 'INVALID_TOKEN':
    case 'NOT_FOUND':
      return flat(code, denial.problem)
    case 'rate_limit_exceeded':
      if (denial.type === 'plan_limit') return planLimit(denial, links.docs)
      return limited(denial, limitText(denial), links.docs)
    case 'quota_exceeded':
      return quota(denial, links.topup)
    case 'UPSTREAMS_EXHAUSTED':
      return exhausted(denial)
    case 'TOOL_UNAVAILABLE':
      return flat(code, `The hosted tool ${denial.tool} cannot be used at the moment; retry, or leave it out.`, {
        'retry-after': '5',
      })
    case 'METHOD_NOT_ALLOWED':
      return flat(code, `Use ${denial.allow.join(' or ')} here.`, { allow: denial.allow.join(', ') })
    case 'REQUEST_TIMEOUT':
      return flat(code, 'The request did not arrive in time.')
    case 'PAYLOAD_TOO_LARGE':
      return flat(code, `The body is larger than ${denial.limitBytes} bytes.`)
    case 'UNSUPPORTED_MEDIA_TYPE':
      return flat(code, `Send the body as ${denial.accepts ?? 'JSON with `Content-Type: application/json`'}.`)
    case 'HEADERS_TOO_LARGE':
      return flat(code, `The headers are larger than ${denial.limitBytes} bytes, or more than ${denial.limitCount}.`)
    case 'STORE_UNAVAILABLE':
      return flat(code, 'The store does not answer; retry with backoff.', { 'retry-after': '2' })
    case 'IDENTITY_UNAVAILABLE':
      return flat(code, 'The identity provider does not answer, so no sign-in can be checked; keys work as ever.', {
        'retry-after': '5',
      })
    case 'OVERLOADED':
      return flat(code, overloadText[denial.of], { 'retry-after': '1' })
    case 'DRAINING':
      return flat(code, 'This gateway is shutting down; retry.', { 'retry-after': '1' })
    case 'RELOAD_REFUSED':
      return refusedReload(denial)
    case 'REVISION_CHANGED': {
      const error = `Revision ${denial.revision} serves, not the one that this change was made for.`
      return { body: { error, code, revision: denial.revision } }
    }
    case 'APPLY_REFUSED':
      return refusedApply(denial)
    case 'INTERNAL':
      return flat(code, 'An unexpected error; its request id is in x-request-id.')
  }
}

const overloadText = {
  gateway: 'This gateway has more to do than it can; retry with backoff.',
  address: 'This address has too many requests under way; retry when some have ended.',
}

/** `{error, code}`, the shape of every code that Spec 7 does not give another. */
const flat = (code: string, error: string, headers = {}): Rendered => ({ headers, body: { error, code } })

type LimitDenial = RateDenial | GuestDenial | KeysDenial

function limited({ code, type, retryAfterMs }: LimitDenial, text: string, docs: string): Rendered {
  const message = `${text} Retry in ${retryAfterMs} ms.`
  const headers: Rendered['headers'] =
    retryAfterMs > MAX_RETRY_AFTER_MS
      ? noRetry
      : { 'retry-after-ms': String(retryAfterMs), 'retry-after': String(Math.ceil(retryAfterMs / 1000)) }
  return { reason: type, headers, body: { error: { code, type, message, retry_after_ms: retryAfterMs, docs } } }
}

function limitText(denial: LimitDenial): string {
  if ('shared' in denial) return guestText(denial)
  if ('of' in denial) return `Keys of an account may be changed ${denial.limit} times an hour.`
  return rateText(denial)
}

function rateText({ type, limit }: RateDenial): string {
  switch (type) {
    case 'requests':
      return `The plan allows ${limit} requests a minute.`
    case 'tokens':
      return `The plan allows ${limit} tokens a minute.`
    case 'concurrency':
      return `The plan allows ${limit} requests at once.`
    case 'daily_limit':
      return `The plan allows ${limit} requests a day (UTC).`
    case 'quota_hold':
      return 'Requests under way hold the rest of the monthly quota.'
  }
}

/** Without figures: what strangers may still take is nobody's business. */
function guestText({ type }: GuestDenial): string {
  switch (type) {
    case 'daily_limit':
      return 'All guests together have used what they may in a day (UTC).'
    case 'guest_keys':
      return 'This network has brought as many new devices as it may in an hour.'
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

const exhaustedText = 'No backend of this model could answer; retry with backoff.'

const exhausted = ({ code, tier, attempted, retryAfterMs }: ExhaustedDenial): Rendered => ({
  headers: retryAfterMs === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) },
  body: { error: exhaustedText, code, tier, attempted },
})

function refusedReload({ code, problems, text }: ReloadDenial): Rendered {
  const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`
  const error = `The files are not in order (${count}): the configuration that served goes on.`
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
    JSON.stringify({ error: { message, type: eventType(denial.code, status), code: denial.code, ...more } }),
  )
}

function eventType(code: string, status: number): string {
  if (status < 500) return 'invalid_request_error'
  return code === 'UPSTREAMS_EXHAUSTED' ? 'upstream_error' : 'server_error'
}
