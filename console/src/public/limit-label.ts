import type { LimitRecord } from '../../../src/wire/account/quota-record.ts'

/** What a limit counts, for its meter: `Tokens, last minute, svc-pro`. */
export function limitLabel({ measure, per, of, model }: Pick<LimitRecord, 'measure' | 'per' | 'of' | 'model'>): string {
  const scope = of === 'account' ? [] : [SCOPES[of]]
  return [
    MEASURES[measure],
    per === null ? 'at once' : windowText(per),
    ...(model === null ? [] : [model]),
    ...scope,
  ].join(', ')
}

const MEASURES: Readonly<Record<LimitRecord['measure'], string>> = {
  requests: 'Requests',
  tokens: 'Tokens',
  input_tokens: 'Input tokens',
  output_tokens: 'Output tokens',
  images: 'Images',
  seconds: 'Seconds',
  usd: 'Spend',
  concurrent: 'Requests',
}

const SCOPES: Readonly<Record<Exclude<LimitRecord['of'], 'account'>, string>> = {
  key: 'each key',
  user: 'each user',
  plan: 'the whole plan',
  org: 'your organization',
  everybody: 'everybody',
}

function windowText(per: string): string {
  if (per === 'minute') return 'last minute'
  const days = /^(\d+)d$/.exec(per)?.[1]
  if (days !== undefined) return `last ${days} days`
  return per === 'day' ? 'today' : `this ${per}`
}
