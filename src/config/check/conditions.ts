import type { Condition, Matcher } from '../../policy/config.ts'
import type { WhenSection } from '../file.ts'
import { unitOf } from '../model/units.ts'

/** An operator's `when`, as policy judges it. All that is given must hold. */
export function conditionOf(when: WhenSection): Condition {
  const parts = Object.values(partsOf(when)).filter(part => part !== undefined)
  const [only] = parts
  return only && parts.length === 1 ? only : { is: 'all', of: parts }
}

const UTC = 'UTC'

/** The parts of a condition, cheapest first. */
function partsOf(when: WhenSection): Readonly<Record<keyof WhenSection, Condition | undefined>> {
  const { plan, alias, has_tools: tools, has_images: images, input_tokens: tokens, weekday, hour, any, not } = when
  return {
    plan: plan === undefined ? undefined : { is: 'plan', names: [plan].flat() },
    alias: alias === undefined ? undefined : { is: 'alias', names: [alias].flat() },
    has_tools: tools === undefined ? undefined : { is: 'has_tools', value: tools },
    has_images: images === undefined ? undefined : { is: 'has_images', value: images },
    input_tokens: tokens && rangeOf(tokens),
    weekday: weekday && { is: 'weekday', days: weekday.days, zone: weekday.zone ?? UTC },
    hour: hour && { is: 'hour', from: hour.from, to: hour.to, zone: hour.zone ?? UTC },
    header: when.header && headersOf(when.header),
    mentions: when.mentions === undefined ? undefined : { is: 'signal', matcher: mentions([when.mentions].flat()) },
    matches: when.matches === undefined ? undefined : { is: 'signal', matcher: matches(when.matches) },
    any: any && { is: 'any', of: any.map(conditionOf) },
    not: not && { is: 'not', of: conditionOf(not) },
  }
}

const rangeOf = ({ over, under }: NonNullable<WhenSection['input_tokens']>): Condition => ({
  is: 'input_tokens',
  ...(over !== undefined && { over: unitOf('count', over) }),
  ...(under !== undefined && { under: unitOf('count', under) }),
})

function headersOf(headers: NonNullable<WhenSection['header']>): Condition {
  const of = Object.entries(headers).map(
    ([header, values]): Condition => ({
      is: 'signal',
      matcher: headerMatcher(header.toLowerCase(), [values].flat()),
    }),
  )
  const [only] = of
  return only && of.length === 1 ? only : { is: 'all', of }
}

const mentions = (phrases: readonly string[]): Matcher => {
  const sorted = [...phrases].sort()
  return { kind: 'mentions', name: `mentions ${sorted.join(', ')}`, phrases: sorted }
}

const matches = (pattern: string): Matcher => ({ kind: 'matches', name: `matches /${pattern}/`, pattern })

const headerMatcher = (header: string, values: readonly string[]): Matcher => {
  const sorted = [...values].sort()
  return { kind: 'header', name: `header ${header}: ${sorted.join(' or ')}`, header, values: sorted }
}

/** The matchers of text and headers in a condition, each once. */
export function matchersIn(conditions: readonly Condition[]): readonly Matcher[] {
  const found = new Map<string, Matcher>()
  const look = (condition: Condition): void => {
    if (condition.is === 'signal') found.set(condition.matcher.name, condition.matcher)
    else if (condition.is === 'not') look(condition.of)
    else if (condition.is === 'all' || condition.is === 'any') condition.of.forEach(look)
  }
  conditions.forEach(look)
  return [...found.values()]
}
