import { LIMIT_SCOPES, type LimitRule, type LimitWindow, MEASURES, NAMED_WINDOWS } from '../policy/limits/limit-rule.ts'
import { optional, record, type Schema, text, whole, word } from './schema/schema.ts'

/** A window of a limit, of up to 90 days. */
export const WINDOW: Schema<LimitWindow> = text<LimitWindow>('`day`, `month`, or a number of days such as `30d`.', {
  pattern: `^(?:${NAMED_WINDOWS.join('|')}|(?:[1-9]|[1-8][0-9]|90)d)$`,
})

/** A limit in its stored and shown form. */
export const LIMIT_RULE: Schema<LimitRule> = record(
  {
    measure: word(MEASURES),
    most: whole('Nano-USD for `usd`, else a count.'),
    per: optional(WINDOW),
    of: optional(word(LIMIT_SCOPES, 'Who shares it. Default: the account.')),
    model: optional(text('The model that it counts, or a tier such as `tier:premium`. Default: all.')),
  },
  'Limit',
  'A maximum per window.',
)
