import { type LimitUse, leftOf } from '../../policy/counters/limit-use.ts'
import { LIMIT_SCOPES, type LimitRule, MEASURES } from '../../policy/limits/limit-rule.ts'
import { nanoUsd } from '../../policy/nano-usd.ts'
import { WINDOW } from '../limit-rule.ts'
import { usdText } from '../money.ts'
import { moment, orNull, record, type TypeOf, text, word } from '../schema/schema.ts'
import { countedText } from './limit.ts'

/** A limit of an account or of a key, and what of it is used. Amounts of `usd` are exact decimals of US dollars. */
export const LIMIT_USE = record(
  {
    measure: word(MEASURES),
    per: orNull(WINDOW),
    of: word(LIMIT_SCOPES),
    model: orNull(text()),
    key: orNull(text('The id of the key whose limit it is; null for all others.')),
    limit: text(),
    used: orNull(text('Null, as the next two, where each end user has a limit of their own.')),
    held: orNull(text('Reserved by requests that run.')),
    remaining: orNull(text()),
    resets_at: orNull(moment('When nothing of it counts any more; null where nothing does, and of requests that run.')),
  },
  'LimitUse',
  'A limit of an account or of a key, and what of it is used. Amounts of `usd` are exact decimals of US dollars.',
)

export interface ShownLimitUse extends TypeOf<typeof LIMIT_USE> {}

export function shownLimitUse({ rule, key, count }: LimitUse): ShownLimitUse {
  const { measure, per = null, of = 'account', model = null, most } = rule
  const amount = (number: number) => (measure === 'usd' ? usdText(nanoUsd(number)) : String(number))
  return {
    ...{ measure, per, of, model, key: key ?? null, limit: amount(most) },
    used: count ? amount(count.used) : null,
    held: count ? amount(count.held) : null,
    remaining: count ? amount(leftOf(rule, count)) : null,
    resets_at: count?.resetAt === undefined ? null : new Date(count.resetAt).toISOString(),
  }
}

/** The name of a limit's count: `usd per month of key for svc-core`. */
export function nameOfUse({ measure, per, of, model }: ShownLimitUse): string {
  const counted: Omit<LimitRule, 'most'> = {
    measure,
    ...(per !== null && { per }),
    ...(of !== 'account' && { of }),
    ...(model !== null && { model }),
  }
  return countedText(counted)
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
