import {
  isIdle,
  isLimitWindow,
  type LimitRule,
  type LimitScope,
  type LimitWindow,
  MEASURES,
  type Measure,
  windowWords,
} from '../../policy/limits/rule.ts'
import { nanoUsd } from '../../policy/nano-usd.ts'
import type { JsonObject } from '../json-safety.ts'
import { SCOPE } from '../limit-rule.ts'
import { usdText } from '../money.ts'
import { closed, optional, text, whole, word } from '../schema/schema.ts'

/** The count of a limit, whatever the number. */
export type CountedLimit = Omit<LimitRule, 'most'>

/** `usd 500 per month of key for svc-core`, as commands take it, and rows of the audit have it. */
export const limitText = ({ measure, most, ...counted }: LimitRule): string =>
  `${measure} ${measure === 'usd' ? usdText(nanoUsd(most)) : most}${partsText(counted)}`

/** `usd per month of key for svc-core` */
export const countedText = ({ measure, ...counted }: CountedLimit): string => measure + partsText(counted)

function partsText({ per, of, model }: Omit<CountedLimit, 'measure'>): string {
  const parts = [per && windowWords(per), of && `of ${of}`, model !== undefined && `for ${model}`]
  return parts.map(part => (part ? ` ${part}` : '')).join('')
}

const PARTS = {
  measure: word(MEASURES),
  per: optional(
    text('Its window, such as `day` or `30d`, or `idle:24h` of sessions; absent for `concurrent`.', { most: 13 }),
  ),
  of: optional(SCOPE),
  model: optional(text('A model, or a tier such as `tier:premium`.', { least: 1, most: 200 })),
}

/** The count of a limit, as operators send it. `countedIn` checks the rules that the schema cannot say. */
export const COUNTED_LIMIT = closed(PARTS)

/** A limit, as operators send it. */
export const LIMIT = closed({
  ...PARTS,
  most: whole('Nano-USD for `usd`, else a count.', { least: 1, most: Number.MAX_SAFE_INTEGER }),
})

/** Reads what fits `COUNTED_LIMIT`; a text says what is wrong with it all the same. */
export function countedIn({ measure, per, of, model }: JsonObject): CountedLimit | string {
  const isConcurrent = measure === 'concurrent'
  if ((per === undefined) !== isConcurrent)
    return isConcurrent ? 'concurrent requests have no window' : 'needs a window, `per`'
  if (typeof per === 'string' && !isLimitWindow(per)) return `\`${per}\` is not a window`
  if (isIdle(per as string | undefined) !== (of === 'session'))
    return of === 'session'
      ? 'a limit of sessions needs the time without a request that ends one: `idle:24h`'
      : 'only limits of sessions, `of session`, end by idle time'
  return ruleOf({ measure, per, of, model })
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
