import { type LimitUse, leftOf } from '../../policy/counters/limit-use.ts'
import { type LimitRule, MEASURES } from '../../policy/limits/rule.ts'
import { writtenWindow } from '../../policy/limits/zoned-window.ts'
import { nanoUsd } from '../../policy/nano-usd.ts'
import { SCOPE, WINDOW } from '../limit-rule.ts'
import { usdText } from '../money.ts'
import { moment, optional, orNull, record, type TypeOf, text, word } from '../schema/schema.ts'
import { countedText } from './limit.ts'

/** A limit of an account or key, with its usage. Amounts of `usd` are exact decimals in US dollars. */
export const LIMIT_USE = record(
  {
    measure: word(MEASURES),
    per: orNull(WINDOW),
    of: SCOPE,
    model: orNull(text()),
    key: orNull(text('The key that the limit belongs to; null for other limits.')),
    value: optional(text('The value of the label that the count is of; absent for limits of anything else.')),
    limit: text(),
    used: orNull(
      text('Null, like the next two, if each end user, session or value of a label has a count of its own.'),
    ),
    held: orNull(text('Reserved by running requests.')),
    remaining: orNull(text()),
    resets_at: orNull(
      moment('When usage falls to zero without further requests; null if nothing counts, and for concurrent requests.'),
    ),
  },
  'LimitUse',
  'A limit of an account or key, with its usage. Amounts of `usd` are exact decimals in US dollars.',
)

export interface ShownLimitUse extends TypeOf<typeof LIMIT_USE> {}

export function shownLimitUse({ rule, key, value, count }: LimitUse): ShownLimitUse {
  const { measure, of = 'account', model = null, most } = rule
  const per = rule.per === undefined ? null : writtenWindow(rule.per)
  const amount = (number: number) => (measure === 'usd' ? usdText(nanoUsd(number)) : String(number))
  return {
    ...{ measure, per, of, model, key: key ?? null, ...(value !== undefined && { value }), limit: amount(most) },
    used: count ? amount(count.used) : null,
    held: count ? amount(count.held) : null,
    remaining: count ? amount(leftOf(rule, count)) : null,
    resets_at: count?.resetAt === undefined ? null : new Date(count.resetAt).toISOString(),
  }
}

/** The name of a limit's count: `usd per month of key for svc-core`. */
export function nameOfUse({ measure, per, of, model, value }: ShownLimitUse): string {
  const counted: Omit<LimitRule, 'most'> = {
    measure,
    ...(per !== null && { per }),
    ...(of !== 'account' && { of }),
    ...(model !== null && { model }),
  }
  return value === undefined
    ? countedText(counted)
    : `${countedText(counted)} (${value === '' ? 'without one' : value})`
}

/** How much of a limit is taken: 1 is all of it. */
export const shareOfUse = ({ used, held, limit }: ShownLimitUse): number =>
  (Number(used ?? 0) + Number(held ?? 0)) / Number(limit)

/** The limit of which the most is taken; undefined where there are none. */
export const fullestOf = (uses: readonly ShownLimitUse[]): ShownLimitUse | undefined =>
  uses.reduce<ShownLimitUse | undefined>(
    (found, use) => (found && shareOfUse(found) >= shareOfUse(use) ? found : use),
    undefined,
  )
