import type { LimitRecord } from '../../../src/wire/account/quota-record.ts'
import { texts } from './texts.tsx'

/** What a limit counts, for its meter: `Tokens, last minute, svc-pro`. */
export function limitLabel({ measure, per, of, model }: Pick<LimitRecord, 'measure' | 'per' | 'of' | 'model'>): string {
  const scope = of === 'account' ? [] : [text.scopes[of]]
  return [
    text.measures[measure],
    per === null ? text.atOnce : windowText(per),
    ...(model === null ? [] : [model]),
    ...scope,
  ].join(', ')
}

function windowText(per: string): string {
  if (per === 'minute') return text.lastMinute
  const days = /^(\d+)d$/.exec(per)?.[1]
  if (days !== undefined) return text.lastDays(days)
  return per === 'day' ? text.today : text.this(per)
}

const text = texts.limits
