import type { LimitRecord } from '../../../src/wire/quota-record.ts'
import * as text from './texts/limits.tsx'

/** The label of a limit's meter: `Tokens, last minute, svc-pro`. */
export function limitLabel({
  measure,
  per,
  of,
  model,
  value,
}: Pick<LimitRecord, 'measure' | 'per' | 'of' | 'model' | 'value'>): string {
  const scope = of === 'account' ? [] : [scopeText(of, value)]
  return [
    text.measures[measure],
    per === null ? text.atOnce : windowText(per),
    ...(model === null ? [] : [model]),
    ...scope,
  ].join(', ')
}

function scopeText(of: Exclude<LimitRecord['of'], 'account'>, value: string | undefined): string {
  if (!isOfLabel(of)) return text.scopes[of]
  const label = of.slice('label:'.length)
  return value === undefined ? text.eachLabel(label) : `${label} ${value}`
}

const isOfLabel = (of: LimitRecord['of']): of is Extract<LimitRecord['of'], `label:${string}`> =>
  of.startsWith('label:')

function windowText(per: string): string {
  if (per.startsWith('idle:')) return text.idleFor(per.slice('idle:'.length))
  const named = text.windows[per]
  if (named !== undefined) return named
  const days = /^(\d+)d$/.exec(per)?.[1]
  return days === undefined ? text.thisWindow(per) : text.lastDays(days)
}
