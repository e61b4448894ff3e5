import { type Condition, type EpochMs, WEEKDAYS, type Weekday } from './config.ts'

/** Whether a condition holds. A signal that was not looked for counts as absent. */
export function holds(condition: Condition, facts: Circumstances): boolean {
  switch (condition.is) {
    case 'all':
      return condition.of.every(part => holds(part, facts))
    case 'any':
      return condition.of.some(part => holds(part, facts))
    case 'not':
      return !holds(condition.of, facts)
    case 'signal':
      return facts.signals[condition.matcher.name] === true
    case 'input_tokens':
      return !isTooShort(condition, facts) && !isTooLong(condition, facts)
    case 'has_tools':
      return facts.hasTools === condition.value
    case 'has_images':
      return facts.hasImages === condition.value
    case 'plan':
      return condition.names.includes(facts.plan)
    case 'alias':
      return condition.names.includes(facts.alias)
    case 'hour':
      return isBetween(localTime(facts.at, condition.zone).hour, condition)
    case 'weekday':
      return condition.days.includes(localTime(facts.at, condition.zone).day)
  }
}

/** The facts that conditions look at. */
export interface Circumstances {
  readonly at: EpochMs
  readonly plan: string
  readonly alias: string
  readonly inputTokens: number
  readonly hasTools: boolean
  readonly hasImages: boolean
  /** Results by the name of the matcher. */
  readonly signals: Readonly<Record<string, boolean>>
}

/** The reason why a condition holds or not, in words: the first part that decides for the whole, or all parts. */
export function conditionText(condition: Condition, facts: Circumstances): string {
  switch (condition.is) {
    case 'all':
    case 'any': {
      const decisive = condition.of.find(part => holds(part, facts) === (condition.is === 'any'))
      const named = decisive ? [decisive] : condition.of
      return named.map(part => conditionText(part, facts)).join(', ')
    }
    case 'not':
      return `not (${conditionText(condition.of, facts)})`
    case 'signal':
      return holds(condition, facts) ? condition.matcher.name : `no ${condition.matcher.name}`
    case 'input_tokens':
      return tokensText(condition, facts)
    case 'has_tools':
      return facts.hasTools ? 'has tools' : 'has no tools'
    case 'has_images':
      return facts.hasImages ? 'has images' : 'has no images'
    case 'plan':
      return nameText('plan', facts.plan, condition.names)
    case 'alias':
      return nameText('alias', facts.alias, condition.names)
    case 'hour':
      return `hour ${localTime(facts.at, condition.zone).hour} in ${condition.zone}`
    case 'weekday':
      return `${localTime(facts.at, condition.zone).day} in ${condition.zone}`
  }
}

/** Whether a condition holds where some signals were not looked for: undefined where the answer may hinge on one of them. */
export function perhaps(condition: Condition, facts: Circumstances): boolean | undefined {
  switch (condition.is) {
    case 'all':
      return together(condition.of, facts, false)
    case 'any':
      return together(condition.of, facts, true)
    case 'not': {
      const held = perhaps(condition.of, facts)
      return held === undefined ? undefined : !held
    }
    case 'signal':
      return facts.signals[condition.matcher.name]
    default:
      return holds(condition, facts)
  }
}

function together(parts: readonly Condition[], facts: Circumstances, deciding: boolean): boolean | undefined {
  let isKnown = true
  for (const part of parts) {
    const held = perhaps(part, facts)
    if (held === deciding) return deciding
    if (held === undefined) isKnown = false
  }
  return isKnown ? !deciding : undefined
}

function tokensText(condition: InputTokens, facts: Circumstances): string {
  const count = `${facts.inputTokens} tokens`
  if (isTooShort(condition, facts)) return `${count}, needs over ${condition.over}`
  return isTooLong(condition, facts) ? `${count}, needs under ${condition.under}` : count
}

const nameText = (what: string, name: string, names: readonly string[]): string =>
  names.includes(name) ? `${what} ${name}` : `${what} ${name}, needs ${names.join(' or ')}`

type InputTokens = Extract<Condition, { readonly is: 'input_tokens' }>

const isTooShort = ({ over }: InputTokens, { inputTokens }: Circumstances): boolean =>
  over !== undefined && inputTokens <= over

const isTooLong = ({ under }: InputTokens, { inputTokens }: Circumstances): boolean =>
  under !== undefined && inputTokens >= under

/** From a full hour to before another, over midnight where the first is the later one. */
const isBetween = (hour: number, { from, to }: { readonly from: number; readonly to: number }): boolean =>
  from <= to ? hour >= from && hour < to : hour >= from || hour < to

/** Made once for each zone, since it costs more than all the rest. */
const formats = new Map<string, Intl.DateTimeFormat>()

/** The hour of the day, 0 to 23, and the day of the week where a zone is. */
export function localTime(at: EpochMs, zone: string): { readonly hour: number; readonly day: Weekday } {
  let format = formats.get(zone)
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', { timeZone: zone, hourCycle: 'h23', hour: 'numeric', weekday: 'short' })
    formats.set(zone, format)
  }
  const parts = format.formatToParts(at)
  const part = (type: string) => parts.find(each => each.type === type)?.value ?? ''
  const day = WEEKDAYS.find(each => each === part('weekday').toLowerCase())
  if (!day) throw new Error(`no weekday of ${zone} at ${at}`)
  return { hour: Number(part('hour')) % 24, day }
}
