import {
  isLimitWindow,
  LIMIT_SCOPES,
  type LimitRule,
  type LimitScope,
  type LimitWindow,
  MEASURES,
  type Measure,
} from '../../policy/limits/limit-rule.ts'
import { nanoUsd } from '../../policy/nano-usd.ts'
import type { JsonObject } from '../json-safety.ts'
import { usdText } from '../money.ts'
import { count, list, object, oneOf, text } from './record-fields.ts'

/** What a limit counts, whatever the number. */
export type CountedLimit = Omit<LimitRule, 'most'>

/** `usd 500 per month of key for svc-core`, as commands take it, and rows of the audit have it. */
export const limitText = ({ measure, most, ...counted }: LimitRule): string =>
  `${measure} ${measure === 'usd' ? usdText(nanoUsd(most)) : most}${partsText(counted)}`

/** `usd per month of key for svc-core` */
export const countedText = ({ measure, ...counted }: CountedLimit): string => measure + partsText(counted)

function partsText({ per, of, model }: Omit<CountedLimit, 'measure'>): string {
  const parts = [per && `per ${per}`, of && `of ${of}`, model !== undefined && `for ${model}`]
  return parts.map(part => (part ? ` ${part}` : '')).join('')
}

const PARTS = {
  measure: { enum: MEASURES },
  per: { type: 'string', maxLength: 6 },
  of: { enum: LIMIT_SCOPES },
  model: { type: 'string', minLength: 1, maxLength: 200 },
}

/** The schema of what a limit counts, as operators send it. What it cannot say, `countedIn` does. */
export const COUNTED_LIMIT = {
  type: 'object',
  required: ['measure'],
  properties: PARTS,
  additionalProperties: false,
}

/** The same of a limit. */
export const LIMIT = {
  ...COUNTED_LIMIT,
  required: ['measure', 'most'],
  properties: { ...PARTS, most: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER } },
}

/** Reads what fits `COUNTED_LIMIT`; a text says what is wrong with it all the same. */
export function countedIn({ measure, per, of, model }: JsonObject): CountedLimit | string {
  const isConcurrent = measure === 'concurrent'
  if ((per === undefined) !== isConcurrent)
    return isConcurrent ? 'requests that run at once have no window' : 'needs a window, `per`'
  if (typeof per === 'string' && !isLimitWindow(per)) return `\`${per}\` is no window`
  return ruleOf({ measure, per, of, model })
}

/** The limits that a gateway sent; none where one of a version before this one sends nothing. Throws TypeError where they are of another form. */
export const readLimits = (value: unknown): readonly LimitRule[] =>
  value === undefined ? [] : list(value, 'limits').map(each => readLimit(object(each, 'limit')))

function readLimit(record: JsonObject): LimitRule {
  const { per, of, model } = record
  const { measure, ...counted } = ruleOf({
    measure: oneOf(MEASURES, record, 'measure'),
    ...(per !== undefined && { per: text(record, 'per') }),
    ...(of !== undefined && { of: oneOf(LIMIT_SCOPES, record, 'of') }),
    ...(model !== undefined && { model: text(record, 'model') }),
  })
  return { measure, most: count(record, 'most'), ...counted }
}

/** In one order, whatever the order they came in: stores compare texts. */
function ruleOf({ measure, per, of, model }: JsonObject): CountedLimit {
  return {
    measure: measure as Measure,
    ...(per !== undefined && { per: per as LimitWindow }),
    ...(of !== undefined && of !== 'account' && { of: of as LimitScope }),
    ...(model !== undefined && { model: String(model) }),
  }
}
