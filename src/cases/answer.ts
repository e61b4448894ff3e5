import type { Loaded } from '../config/settings.ts'
import { answerHeaders } from '../gateway/answer-headers.ts'
import { isObject } from '../wire/body.ts'
import { errorTermsOf, renderDenial } from '../wire/denial.ts'
import type { JsonObject } from '../wire/json.ts'
import type { Trial } from './trial.ts'

/** What the client gets. Of what serves, only the headers: nobody knows what a model says. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body?: JsonObject
}

export function answerOf({ settings }: Loaded, { denial, admitted, sent }: Trial): Answer {
  if (denial) {
    const { status, headers, body } = renderDenial(denial, errorTermsOf(settings))
    if (!isObject(body)) throw new Error(`the body of ${denial.code} is no object`)
    return { status, headers, body }
  }
  if (!admitted || !sent || 'denial' in sent.end) throw new Error('a request was neither denied nor served')
  return { status: 200, headers: answerHeaders(settings.brand, admitted, sent.end.servedBy, 0) }
}

/** The fields of an error, which stand in `error` or beside it, and its text as `message`. */
export function errorFields(body: JsonObject | undefined): JsonObject {
  if (!body) return {}
  return isObject(body.error) ? { ...body, ...body.error } : { message: body.error, ...body }
}
