import type { LimitRecord } from '../../../src/wire/quota-record.ts'
import * as text from './texts/limits.tsx'

/** The label of a limit's meter: `Tokens, last minute, svc-pro`. */
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
  const named = text.windows[per]
  if (named !== undefined) return named
  const days = /^(\d+)d$/.exec(per)?.[1]
  return days === undefined ? text.thisWindow(per) : text.lastDays(days)
}
