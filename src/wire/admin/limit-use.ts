import { type LimitUse, leftOf } from '../../policy/counters/limit-use.ts'
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
import { countedText } from './limit.ts'
import { object, oneOf, orNull, text } from './record-fields.ts'

/** A limit of an account or of a key, and what of it is used. Amounts of `usd` are exact decimals of US dollars. */
export interface ShownLimitUse {
  readonly measure: Measure
  /** Null for requests that run at once. */
  readonly per: LimitWindow | null
  readonly of: LimitScope
  readonly model: string | null
  /** The id of the key whose limit it is; null for all others. */
  readonly key: string | null
  readonly limit: string
  /** Null where each end user has a limit of their own; likewise the next two. */
  readonly used: string | null
  readonly held: string | null
  readonly remaining: string | null
  /** When nothing of it counts any more; null where nothing does, and of requests that run. */
  readonly resets_at: string | null
}

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

/** Reads what a gateway sent. Throws TypeError where it is of another form. */
export function readShownLimitUse(value: unknown): ShownLimitUse {
  const record = object(value, 'limit')
  return {
    measure: oneOf(MEASURES, record, 'measure'),
    per: orNull(readWindow, record, 'per'),
    of: oneOf(LIMIT_SCOPES, record, 'of'),
    model: orNull(text, record, 'model'),
    key: orNull(text, record, 'key'),
    limit: text(record, 'limit'),
    used: orNull(text, record, 'used'),
    held: orNull(text, record, 'held'),
    remaining: orNull(text, record, 'remaining'),
    resets_at: orNull(text, record, 'resets_at'),
  }
}

function readWindow(record: JsonObject, field: string): LimitWindow {
  const per = text(record, field)
  if (!isLimitWindow(per)) throw new TypeError(`${field} is no window: ${per}`)
  return per
}

/** What a limit counts: `usd per month of key for svc-core`. */
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
