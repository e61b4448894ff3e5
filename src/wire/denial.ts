import type { Denial, QuotaDenial, RateDenial } from '../policy/denial.ts'
import { usdText } from './money.ts'

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

/** Longer waits are no burst: a client that sleeps them out would hang. */
const MAX_RETRY_AFTER_MS = 60_000

/** The one place where a denial becomes an answer. Spec 7. */
export function renderDenial(denial: Denial, terms: ErrorTerms): ErrorAnswer {
  const answer = render(denial, terms)
  return { ...answer, headers: { [`x-${terms.brand}-error-code`]: denial.code, ...answer.headers } }
}

function render(denial: Denial, { brand, links }: ErrorTerms): ErrorAnswer {
  switch (denial.code) {
    case 'NO_AUTH':
      return flat(
        401,
        denial.code,
        'no Authorization header',
        `Send \`Authorization: Bearer ${brand}_…\`. No key yet? ${links.console}`,
        {
          'www-authenticate': 'Bearer',
        },
      )
    case 'INVALID_KEY':
      return flat(
        401,
        denial.code,
        'unknown, revoked or rotated key',
        `The key is unknown, revoked or rotated away. Keys are managed at ${links.console}`,
      )
    case 'INVALID_TOKEN':
      return flat(401, denial.code, 'neither a key nor a session token', denial.problem)
    case 'VALIDATION_ERROR':
      return flat(
        400,
        denial.code,
        'the request is not valid',
        denial.field ? `${denial.field}: ${denial.problem}` : denial.problem,
      )
    case 'rate_limit_exceeded':
      return denial.type === 'plan_limit' ? planLimit(denial, links.docs) : rateLimit(denial, links.docs)
    case 'quota_exceeded':
      return quota(denial, links.topup)
    case 'UPSTREAMS_EXHAUSTED': {
      const { tier, attempted } = denial
      const body = {
        error: 'Every backend for this model failed; retry with backoff.',
        code: denial.code,
        tier,
        attempted,
      }
      return { status: 503, reason: `${denial.code}: every backend failed`, headers: {}, body }
    }
    case 'NOT_FOUND':
      return flat(404, denial.code, 'no such path or model', denial.problem)
    case 'METHOD_NOT_ALLOWED':
      return flat(405, denial.code, 'method not allowed', `Use ${denial.allow.join(' or ')} here.`, {
        allow: denial.allow.join(', '),
      })
    case 'PAYLOAD_TOO_LARGE':
      return flat(413, denial.code, 'body too large', `The body is larger than ${denial.limitBytes} bytes.`)
    case 'UNSUPPORTED_MEDIA_TYPE':
      return flat(
        415,
        denial.code,
        'send application/json',
        'Send the body as JSON with `Content-Type: application/json`.',
      )
    case 'STORE_UNAVAILABLE':
      return flat(503, denial.code, 'the store does not answer', 'The store does not answer; retry with backoff.', {
        'retry-after': '2',
      })
    case 'DRAINING':
      return flat(503, denial.code, 'shutting down', 'This gateway is shutting down; retry.', { 'retry-after': '1' })
    case 'INTERNAL':
      return flat(500, denial.code, 'unexpected error', 'An unexpected error; its request id is in x-request-id.')
  }
}

/** `{error, code}`, the shape of every code that Spec 7 does not give another. */
function flat(status: number, code: string, reason: string, error: string, headers = {}): ErrorAnswer {
  return { status, reason: `${code}: ${reason}`, headers, body: { error, code } }
}

function rateLimit({ code, type, limit, retryAfterMs }: RateDenial, docs: string): ErrorAnswer {
  const message = `${rateText(type, limit)} Retry in ${retryAfterMs} ms.`
  const headers: Record<string, string> =
    retryAfterMs > MAX_RETRY_AFTER_MS
      ? { 'x-should-retry': 'false' }
      : { 'retry-after-ms': String(retryAfterMs), 'retry-after': String(Math.ceil(retryAfterMs / 1000)) }
  const error = { code, type, message, retry_after_ms: retryAfterMs, docs }
  return { status: 429, reason: `${code}: ${type}`, headers, body: { error } }
}

function rateText(type: RateDenial['type'], limit: number): string {
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

function planLimit(
  { code, type, model, plan }: { code: string; type: string; model: string; plan: string },
  docs: string,
): ErrorAnswer {
  const message = `Plan ${plan} does not include ${model}. Retrying does not help: change the plan or the model.`
  const error = { code, type, message, retry_after_ms: 0, docs }
  return { status: 429, reason: `${code}: ${type}`, headers: { 'x-should-retry': 'false' }, body: { error } }
}

function quota(denial: QuotaDenial, topupUrl: string): ErrorAnswer {
  const { code, resetAt, overageEnabled, worst, left, fits } = denial
  const resetDate = new Date(resetAt).toISOString().slice(0, 10)
  const hint = fits > 0 ? ` max_tokens up to ${fits} would fit.` : ''
  const message = `The request may cost up to $${usdText(worst)}, and $${usdText(left)} of the monthly quota remain until ${resetDate}.${hint}`
  const error = { code, message, resetDate, topupUrl, overageEnabled }
  return { status: 402, reason: `${code}: monthly quota`, headers: { 'x-should-retry': 'false' }, body: { error } }
}
