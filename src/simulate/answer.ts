import type { Loaded } from '../config/settings.ts'
import { rateAt } from '../gateway/admission/rate.ts'
import { answerHeaders } from '../gateway/answer/answer-headers.ts'
import { ZERO_USD } from '../policy/nano-usd.ts'
import { newestSecond } from '../policy/standing.ts'
import { errorTermsOf, renderDenial } from '../wire/errors/denial.ts'
import type { JsonObject } from '../wire/json-safety.ts'
import { isObject } from '../wire/openai/body.ts'
import { addRate } from '../wire/rate.ts'
import type { Trial } from './trial.ts'

/** The answer to the client. A served request has its headers alone, since no model is asked for a text. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body?: JsonObject
}

export function answerOf({ settings }: Loaded, trial: Trial): Answer {
  const { denial, admitted, sent } = trial
  if (denial) {
    const { status, headers, body } = renderDenial(denial, errorTermsOf(settings))
    if (!isObject(body)) throw new Error(`the body of ${denial.code} is no object`)
    return { status, headers: { ...headers, ...rateOf(trial) }, body }
  }
  if (!admitted || !sent || 'denial' in sent.end) throw new Error('a request was neither denied nor served')
  return { status: 200, headers: answerHeaders(settings.brand, admitted, sent.end.servedBy, ZERO_USD) }
}

/** What is left of the minute, where the limits of the account refuse the request. */
function rateOf({ facts, standing, decision, verdict }: Trial): Answer['headers'] {
  if (!facts || decision?.verdict !== 'allow' || verdict?.verdict !== 'refuse') return {}
  if (verdict.denial.code !== 'rate_limit_exceeded') return {}
  const headers: Record<string, string> = {}
  const { at } = facts
  addRate(headers, rateAt(decision.claims, verdict.readings, { at, newest: newestSecond(standing, at) }))
  return headers
}

/** The fields of an error, which stand in `error` or beside it, and its text as `message`. */
export function errorFields(body: JsonObject | undefined): JsonObject {
  if (!body) return {}
  return isObject(body.error) ? { ...body, ...body.error } : { message: body.error, ...body }
}
