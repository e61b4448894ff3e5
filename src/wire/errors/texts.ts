import { dayOfCalendar, UTC_CALENDAR } from '../../policy/calendar.ts'
import type { EpochMs, Millis } from '../../policy/config.ts'
import type { ExhaustedDenial, OverloadDenial, PlanDenial, QuotaDenial } from '../../policy/denial.ts'
import type { LimitWindow } from '../../policy/limits/rule.ts'
import { calendarOf } from '../../policy/limits/zoned-window.ts'
import { dayText, isUtc } from '../../policy/zone.ts'
import { usdText } from '../money.ts'
import { type LimitDenial, limitSentence } from './limit-sentence.ts'

/** An error answer, besides the parts that all answers of its code share. */
export interface Answer {
  readonly body: ErrorBody
  readonly headers?: Readonly<Record<string, string>>
  /** Replaces the code's reason phrase. */
  readonly reason?: string
}

/** The body of an error as the specification has it. */
export interface ErrorBody {
  readonly error: string | ErrorObject
  readonly [beside: string]: unknown
}

interface ErrorObject {
  readonly message: string
  readonly [more: string]: unknown
}

export interface ErrorTerms {
  readonly brand: string
  /** The id of the request, for the form that repeats it in its body. */
  readonly requestId?: string
  /** A console and a page to top up only where the operator named one: links of our own making would lead nowhere. */
  readonly links: {
    readonly docs: string
    readonly topup?: string | undefined
    readonly console?: string | undefined
  }
}

/** The longest wait of the sliding minute: its oldest bucket counts for 61 s. A client that slept out a longer one would hang. */
const MAX_RETRY_AFTER_MS = 61_000
/** SDKs do not wait for a header of 60 s or more. One that waits this long learns the rest from the next 429, a second at most. */
const MAX_HEADER_MS = 59_999
/** SDKs try the same request no more. */
export const noRetry = { 'x-should-retry': 'false' }

/** A failure that passes: `retry-after` and the text say the same. */
export const later = (code: string, seconds: number, cause: string, more?: string): Answer =>
  flat(code, [cause, `Retry in ${seconds} s.`, more].filter(Boolean).join(' '), { 'retry-after': String(seconds) })

/** `{error, code}`, the body of every code but rate_limit_exceeded, quota_exceeded and UPSTREAMS_EXHAUSTED. */
export const flat = (code: string, error: string, headers = {}): Answer => ({ headers, body: { error, code } })

/** The 429 of a limit. */
export function limited(denial: LimitDenial, docs: string): Answer {
  const { code, type, retryAfterMs } = denial
  if (type === 'session_limit') {
    const message = `${limitSentence(denial)} Retrying does not help: begin a new session.`
    return {
      reason: type,
      headers: noRetry,
      body: { error: { code, type, message, retry_after_ms: retryAfterMs, docs } },
    }
  }
  const message = `${limitSentence(denial)} Retry in ${waitText(retryAfterMs)}.`
  const headers = retryAfterMs > MAX_RETRY_AFTER_MS ? noRetry : retryHeaders(Math.min(retryAfterMs, MAX_HEADER_MS))
  return { reason: type, headers, body: { error: { code, type, message, retry_after_ms: retryAfterMs, docs } } }
}

const retryHeaders = (ms: Millis) => ({ 'retry-after-ms': String(ms), 'retry-after': String(Math.ceil(ms / 1000)) })

export function planLimit({ code, type, model, plan, tool, of }: PlanDenial, docs: string): Answer {
  const [lacks, other] = tool === undefined ? [model, 'the model'] : [`the hosted tool ${tool}`, 'leave the tool out']
  const [who, what] = of === 'key' ? ['This key', 'use another key'] : [`Plan ${plan}`, 'change the plan']
  const message = `${who} does not include ${lacks}. Retrying does not help: ${what} or ${other}.`
  return { reason: type, headers: noRetry, body: { error: { code, type, message, retry_after_ms: 0, docs } } }
}

export function quota(
  { code, resetAt, per, overageEnabled, worst, left, fits }: QuotaDenial,
  topupUrl: string,
): Answer {
  const { zone, date: resetDate } = renewalOf(resetAt, per)
  const hint = fits > 0 ? ` max_tokens up to ${fits} would fit.` : ''
  const message = `The request may cost up to $${usdText(worst)}, but only $${usdText(left)} of the monthly quota remain until ${resetDate}${zone}.${hint}`
  return { headers: noRetry, body: { error: { code, message, resetDate, topupUrl, overageEnabled } } }
}

/** The day on which a month begins anew, and its zone as text where days are not those of UTC. */
function renewalOf(resetAt: EpochMs, per: LimitWindow = 'month'): { readonly date: string; readonly zone: string } {
  const { calendar = UTC_CALENDAR } = calendarOf(per) ?? {}
  const date = dayText(dayOfCalendar(calendar, resetAt))
  return { date, zone: isUtc(calendar.zone) ? '' : ` (${calendar.zone})` }
}

export function exhausted({ code, tier, attempted, retryAfterMs, problem, misfit }: ExhaustedDenial): Answer {
  if (misfit !== undefined) {
    const error = `The backends of this model answer with ${misfit}. Retrying does not help: tell the operator of this service.`
    return { headers: noRetry, body: { error, code, tier, attempted } }
  }
  const retry = retryAfterMs === undefined ? 'Retry with backoff.' : `Retry in ${waitText(retryAfterMs)}.`
  const said = problem === undefined ? '' : ` Last backend error: ${problem}`
  return {
    headers: retryAfterMs === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) },
    body: { error: `No backend of this model could answer. ${retry}${said}`, code, tier, attempted },
  }
}

export const overloadText: Readonly<Record<OverloadDenial['of'], string>> = {
  gateway: 'The gateway is overloaded.',
  process: 'The gateway cannot open more connections to its backends.',
  address: 'Too many requests from your address are running at once.',
  account_bodies: 'The request bodies from your account together take too much memory.',
  address_bodies: 'The request bodies from your address together take too much memory.',
  bodies: 'The request bodies from all clients together take too much memory.',
  account_answers: 'The unread answers of your account together take too much memory.',
  address_answers: 'The unread answers of your address together take too much memory.',
  answers: 'The unread answers of all clients together take too much memory.',
  process_splits: 'Too many reads of usage and invoices by label are running at once.',
  account_splits: 'Too many reads of usage and invoices by label from your account are running at once.',
}

const SECOND: Millis = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** A wait for people, rounded up so that it is never too short: `42 s`, `12 min`, `5 h`, `3 days`. */
export function waitText(ms: Millis): string {
  if (ms <= 2 * MINUTE) return `${Math.ceil(ms / SECOND)} s`
  if (ms <= 2 * HOUR) return `${Math.ceil(ms / MINUTE)} min`
  return ms <= 2 * DAY ? `${Math.ceil(ms / HOUR)} h` : `${Math.ceil(ms / DAY)} days`
}
