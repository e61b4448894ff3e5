import type { EpochMs } from './config.ts'
import { type Condition, type Matcher, WEEKDAYS, type Weekday } from './config.ts'

/** What conditions look at. */
export interface Circumstances {
  readonly at: EpochMs
  readonly plan: string
  readonly alias: string
  readonly inputTokens: number
  readonly hasTools: boolean
  readonly hasImages: boolean
  /** By name of the matcher. */
  readonly signals: Readonly<Record<string, boolean>>
}

/** Whether a condition holds, and the part of it that decided, in words. */
export interface Holding {
  readonly holds: boolean
  readonly text: string
}

/** Judges a condition. What a signal says that nobody looked for is that it is not there. */
export function holding(condition: Condition, facts: Circumstances): Holding {
  switch (condition.is) {
    case 'all':
      return first(condition.of, facts, false) ?? { holds: true, text: textOf(condition.of, facts) }
    case 'any':
      return first(condition.of, facts, true) ?? { holds: false, text: textOf(condition.of, facts) }
    case 'not': {
      const { holds, text } = holding(condition.of, facts)
      return { holds: !holds, text: `not (${text})` }
    }
    case 'signal':
      return signal(condition.matcher, facts)
    case 'input_tokens':
      return inputTokens(condition, facts)
    case 'has_tools':
      return yesOrNo('tools', facts.hasTools, condition.value)
    case 'has_images':
      return yesOrNo('images', facts.hasImages, condition.value)
    case 'plan':
      return named('plan', facts.plan, condition.names)
    case 'alias':
      return named('alias', facts.alias, condition.names)
    case 'hour':
      return hour(condition, facts.at)
    case 'weekday':
      return weekday(condition, facts.at)
  }
}

/** The same where some signals were not looked for: undefined where the answer may hinge on one of them. */
export function perhaps(condition: Condition, facts: Circumstances): boolean | undefined {
  switch (condition.is) {
    case 'all':
      return together(condition.of, facts, false)
    case 'any':
      return together(condition.of, facts, true)
    case 'not': {
      const holds = perhaps(condition.of, facts)
      return holds === undefined ? undefined : !holds
    }
    case 'signal':
      return facts.signals[condition.matcher.name]
    default:
      return holding(condition, facts).holds
  }
}

function together(parts: readonly Condition[], facts: Circumstances, deciding: boolean): boolean | undefined {
  let isKnown = true
  for (const part of parts) {
    const holds = perhaps(part, facts)
    if (holds === deciding) return deciding
    if (holds === undefined) isKnown = false
  }
  return isKnown ? !deciding : undefined
}

/** The first part that decides the whole. */
function first(parts: readonly Condition[], facts: Circumstances, deciding: boolean): Holding | undefined {
  for (const part of parts) {
    const found = holding(part, facts)
    if (found.holds === deciding) return found
  }
  return undefined
}

const textOf = (parts: readonly Condition[], facts: Circumstances): string =>
  parts.map(part => holding(part, facts).text).join(', ')

function signal({ name }: Matcher, { signals }: Circumstances): Holding {
  const holds = signals[name] === true
  return { holds, text: holds ? name : `no ${name}` }
}

function inputTokens({ over, under }: { over?: number; under?: number }, { inputTokens: n }: Circumstances): Holding {
  if (over !== undefined && n <= over) return { holds: false, text: `${n} tokens, needs over ${over}` }
  if (under !== undefined && n >= under) return { holds: false, text: `${n} tokens, needs under ${under}` }
  return { holds: true, text: `${n} tokens` }
}

const yesOrNo = (what: string, is: boolean, wanted: boolean): Holding => ({
  holds: is === wanted,
  text: is ? `has ${what}` : `has no ${what}`,
})

function named(what: string, name: string, names: readonly string[]): Holding {
  const holds = names.includes(name)
  return { holds, text: holds ? `${what} ${name}` : `${what} ${name}, needs ${names.join(' or ')}` }
}

/** From a full hour to before another, over midnight where the first is the later one. */
function hour({ from, to, zone }: { from: number; to: number; zone: string }, at: EpochMs): Holding {
  const { hour: now } = localTime(at, zone)
  const holds = from <= to ? now >= from && now < to : now >= from || now < to
  return { holds, text: `hour ${now} in ${zone}` }
}

function weekday({ days, zone }: { days: readonly Weekday[]; zone: string }, at: EpochMs): Holding {
  const { day } = localTime(at, zone)
  return { holds: days.includes(day), text: `${day} in ${zone}` }
}

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
