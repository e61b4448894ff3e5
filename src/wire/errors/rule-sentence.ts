import type { RuleDenial } from '../../policy/denial.ts'
import { type LimitRule, type LimitScope, type Measure, slidingDays } from '../../policy/limits/limit-rule.ts'
import { nanoUsd } from '../../policy/nano-usd.ts'
import { usdText } from '../money.ts'

/**
 * What a rule allows, in a sentence for those whom it refuses. Without figures where strangers share it, since they would
 * reveal what others use.
 */
export function ruleSentence({ rule, isHeld }: Pick<RuleDenial, 'rule' | 'isHeld'>): string {
  const sentence = allowedBy(rule)
  return isHeld && rule.per !== undefined ? `${sentence} Running requests have reserved what is left of it.` : sentence
}

function allowedBy({ measure, most, per, of = 'account', model }: LimitRule): string {
  const [does, unit] = WORDS[measure]
  const models = model === undefined ? '' : ` of ${modelText(model)}`
  if (of === 'plan' || of === 'everybody') return `${OWNERS[of]} reached a limit of ${unit}${windowText(per)}${models}.`
  const amount =
    measure === 'usd'
      ? `$${usdText(nanoUsd(most))}`
      : `${most.toLocaleString('en-US')} ${most === 1 ? unit.replace(/s$/, '') : unit}`
  return `${OWNERS[of]} may ${does} ${amount}${windowText(per)}${models}.`
}

const OWNERS: Readonly<Record<LimitScope, string>> = {
  account: 'The account',
  key: 'This key',
  user: 'Each user of the account',
  plan: 'All accounts on the plan together have',
  org: 'The organization',
  everybody: 'All clients together have',
}

const WORDS: Readonly<Record<Measure, readonly [does: string, unit: string]>> = {
  requests: ['send', 'requests'],
  tokens: ['use', 'tokens'],
  input_tokens: ['use', 'prompt tokens'],
  output_tokens: ['use', 'completion tokens'],
  images: ['make', 'images'],
  seconds: ['use', 'seconds'],
  usd: ['spend', 'USD'],
  concurrent: ['have', 'running requests'],
}

const modelText = (model: string): string =>
  model.startsWith('tier:') ? `models of the tier ${model.slice('tier:'.length)}` : model

function windowText(per: LimitRule['per']): string {
  if (per === undefined) return ' at once'
  const days = slidingDays(per)
  if (days !== undefined) return ` in any ${days} days`
  const utc = per === 'day' || per === 'week' || per === 'month' ? ' (UTC)' : ''
  return ` ${per === 'hour' ? 'an' : 'a'} ${per}${utc}`
}
