import {
  isIdle,
  kindOf,
  type LimitRule,
  type LimitWindow,
  labelOf,
  type Measure,
  type ScopeKind,
  slidingDays,
} from './rule.ts'
import { calendarOf } from './zoned-window.ts'

/** Unit, window and scope of a rule, as explanations word them: `tokens a day for svc-core, of each key`. */
export const ruleText = (rule: LimitRule): string => `${UNITS[rule.measure]} ${whereText(rule)}`

/** Window and scope of a rule: `a day for svc-core, of each key`. */
export function whereText({ per, of, model }: LimitRule): string {
  const counted = `${windowText(per)}${model === undefined ? '' : ` for ${model}`}`
  const kind = kindOf(of)
  return kind === 'account' ? counted : `${counted}, ${SCOPE_TEXTS[kind].replace('#', labelOf(of) ?? '')}`
}

/** Maximum of a rule: `$5 a day (UTC)`, with the last turn that is set aside. */
export const allowedText = (rule: LimitRule): string =>
  `${amountText(rule, rule.most)} ${whereText(rule)}${lastTurnText(rule)}${warnText(rule)}`

const warnText = ({ warn }: LimitRule): string =>
  warn === undefined ? '' : `, with a notice to the model from ${warn} % on`

const lastTurnText = ({ lastTurn }: LimitRule): string =>
  lastTurn === undefined ? '' : `, with a last turn of ${lastTurn.toLocaleString('en-US')} tokens set aside`

/** An amount of a rule's measure: `700 tokens`, `$5`, `$0.50`. */
export function amountText({ measure }: Pick<LimitRule, 'measure'>, amount: number): string {
  if (measure === 'usd')
    return `$${(amount / 1e9)
      .toFixed(9)
      .replace(/\.?0+$/, '')
      .replace(/\.\d$/, '$&0')}`
  const unit = UNITS[measure]
  return `${amount.toLocaleString('en-US')} ${amount === 1 ? unit.replace(/s$/, '') : unit}`
}

/** `a day (UTC)`, `a month from the 26th (Europe/Berlin)`, `in any 30 days`, `until it is idle for 24h`, `at once` */
export function windowText(per: LimitWindow | undefined): string {
  if (per === undefined) return 'at once'
  const known = WINDOW_TEXTS[per]
  if (known !== undefined) return known
  if (isIdle(per)) return `until it is idle for ${per.slice('idle:'.length)}`
  const window = calendarOf(per)
  if (!window) return `in any ${slidingDays(per)} days`
  const { zone, monthStarts } = window.calendar
  return `a ${window.unit}${monthStarts === 1 ? '' : ` from the ${dateText(monthStarts)}`} (${zone})`
}

/** `1st`, `26th` */
function dateText(date: number): string {
  const isTeen = date > 10 && date < 14
  return `${date}${(!isTeen && ['', 'st', 'nd', 'rd'][date % 10]) || 'th'}`
}

export const UNITS: Readonly<Record<Measure, string>> = {
  requests: 'requests',
  tokens: 'tokens',
  input_tokens: 'prompt tokens',
  output_tokens: 'completion tokens',
  images: 'images',
  seconds: 'seconds',
  usd: 'USD',
  concurrent: 'requests',
}

const WINDOW_TEXTS: Readonly<Record<string, string>> = {
  second: 'a second',
  minute: 'a minute',
  hour: 'an hour',
  day: 'a day (UTC)',
  week: 'a week (UTC)',
  month: 'a month (UTC)',
  quarter: 'a quarter (UTC)',
}

const SCOPE_TEXTS: Readonly<Record<Exclude<ScopeKind, 'account'>, string>> = {
  key: 'of each key',
  user: 'of each user',
  session: 'of each session',
  label: 'of each #',
  plan: 'of the whole plan',
  org: 'of the whole organization',
  everybody: 'of everybody together',
}
