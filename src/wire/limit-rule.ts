import {
  LIMIT_SCOPES,
  type LimitRule,
  type LimitScope,
  type LimitWindow,
  MEASURES,
  NAMED_WINDOWS,
} from '../policy/limits/rule.ts'
import { optional, record, type Schema, text, whole, word } from './schema/schema.ts'

/** A window of a limit, of up to 90 days. */
export const WINDOW: Schema<LimitWindow> = text<LimitWindow>(
  '`day`, `month`, a number of days such as `30d`, or the time without a request that ends a session, such as `idle:24h`.',
  { pattern: `^(?:${NAMED_WINDOWS.join('|')}|(?:[1-9]|[1-8][0-9]|90)d|idle:[1-9][0-9]{0,6}[smh])$` },
)

/** Who shares a limit. */
export const SCOPE: Schema<LimitScope> = text<LimitScope>(
  'Who shares it: `account`, `key`, `user`, `session`, `plan`, `org`, `everybody`, or each value of a label, such as `label:project`.',
  { pattern: `^(?:${LIMIT_SCOPES.join('|')}|label:[a-z][a-z0-9_]{0,31})$` },
)

/** A limit in its stored and shown form. */
export const LIMIT_RULE: Schema<LimitRule> = record(
  {
    measure: word(MEASURES),
    most: whole('Nano-USD for `usd`, else a count.'),
    per: optional(WINDOW),
    of: optional(SCOPE),
    model: optional(text('The model that it counts, or a tier such as `tier:premium`. Default: all.')),
  },
  'Limit',
  'A maximum per window.',
)
