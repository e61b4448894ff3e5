import { isDeepStrictEqual } from 'node:util'
import type { Condition } from '../../policy/config.ts'
import { conditionOf } from '../check/conditions.ts'
import type { RouteSection, WhenSection } from '../file.ts'
import type { Path } from '../model/tree.ts'
import { unitOf } from '../model/units.ts'
import type { Report, Say } from '../problem.ts'
import type { Declaration, MergedFiles } from '../read/merge.ts'
import { planIncludes, sayer } from './lint.ts'

type Sound = Declaration<RouteSection> & { readonly data: RouteSection; readonly condition: Condition }

/** Each route is held against so many before it: all of a file that people read, and of any other no more than can be afforded. */
const MOST_COMPARED = 100

/** Reports routes that can never apply, or never change anything. */
export function lintRoutes(merged: MergedFiles, report: Report): void {
  const sound = merged.routes.flatMap(({ data, ...route }): Sound[] =>
    data === undefined ? [] : [{ ...route, data, condition: conditionOf(data.when) }],
  )
  for (const [index, route] of sound.entries()) {
    const say = sayer(route.node, report)
    lintTarget(route, merged, index === sound.length - 1, say)
    lintWhen(route.data.when, ['when'], say)
    lintShadow(route, sound.slice(Math.max(0, index - MOST_COMPARED), index), merged, say)
  }
  const [first] = sound
  if (first && merged.aliases.size === 0) {
    const message = 'no route can ever apply: there is no alias, and a named model is never changed'
    sayer(first.node, report)(
      ['name'],
      'warning',
      'unused-route',
      message,
      'add `aliases`, and make one of them the default',
    )
  }
}

/** Headers that a route may name and must not look at. */
const CREDENTIALS = new Set(['authorization', 'proxy-authorization', 'cookie', 'x-api-key', 'api-key'])

function lintTarget({ name, data }: Sound, merged: MergedFiles, isLast: boolean, say: Say): void {
  const target = merged.models.get(data.use)
  if (!target?.data) return
  if (target.data.kind !== 'chat') {
    const message = `route \`${name}\` uses \`${data.use}\`, a model of kind \`${target.data.kind}\``
    say(['use'], 'error', 'route-not-chat', message, 'only chats are routed: choose a chat model')
    return
  }
  const plans = plansOf(data.when, merged)
  if (plans.length > 0 && !plans.some(({ data: plan }) => !plan || planIncludes(plan, target))) {
    const whose = data.when.plan === undefined ? 'no plan includes' : 'none of its plans includes'
    say(
      ['use'],
      'warning',
      'unused-route',
      `route \`${name}\` is always skipped: ${whose} \`${data.use}\``,
      'add the model to a plan, or remove the route',
    )
  }
  const aliases = [...merged.aliases.values()].filter(
    alias => data.when.alias === undefined || [data.when.alias].flat().includes(alias.name),
  )
  // Before others it is an exception from them.
  if (isLast && aliases.length > 0 && aliases.every(alias => alias.data === data.use)) {
    const message = `route \`${name}\` never changes anything: the alias already names \`${data.use}\``
    say(['use'], 'warning', 'unused-route', message, 'use another model, or remove the route')
  }
}

const plansOf = ({ plan }: WhenSection, { plans }: MergedFiles) =>
  [...plans.values()].filter(({ name }) => plan === undefined || [plan].flat().includes(name))

/** Warns of a condition that no request can meet. */
function lintWhen(when: WhenSection, path: Path, say: Say): void {
  const never = (at: readonly string[], message: string, hint: string) =>
    say([...path, ...at], 'error', 'never-holds', message, hint)
  const { input_tokens: tokens, hour } = when
  if (
    tokens?.over !== undefined &&
    tokens.under !== undefined &&
    unitOf('count', tokens.under) <= unitOf('count', tokens.over) + 1
  )
    never(['input_tokens'], 'no prompt can have this length', '`under` must be larger than `over`')
  if (hour && hour.from === hour.to)
    never(
      ['hour'],
      '`from` and `to` are the same hour, so the condition never holds',
      'write `from: 0, to: 24` for the whole day',
    )
  for (const phrase of [when.mentions ?? []].flat())
    if (!/[\p{L}\p{N}]/u.test(phrase))
      never(['mentions'], `\`${phrase}\` has no word in it`, 'use `matches` to search for other characters')
  for (const header of Object.keys(when.header ?? {}))
    if (CREDENTIALS.has(header.toLowerCase()))
      say(
        [...path, 'header', header],
        'error',
        'credential-header',
        `routes cannot read \`${header}\``,
        'use `plan`, or a header of your own',
      )
  for (const [index, each] of (when.any ?? []).entries()) lintWhen(each, [...path, 'any', index], say)
  if (when.not) lintWhen(when.not, [...path, 'not'], say)
}

/** A route that an earlier one leaves nothing to. */
function lintShadow(route: Sound, earlier: readonly Sound[], merged: MergedFiles, say: Say): void {
  const shadow = earlier.find(
    other => covers(other.condition, route.condition) && isForAllOf(other.data, route.data, merged),
  )
  if (!shadow) return
  const message = `route \`${route.name}\` can never apply: \`${shadow.name}\` matches everything that it would`
  say(['when'], 'warning', 'shadowed-route', message, `put it before \`${shadow.name}\`, or remove it`)
}

/** Whether each plan that a route could apply for has the model of an earlier one, so that this is never skipped there. */
function isForAllOf(earlier: RouteSection, later: RouteSection, merged: MergedFiles): boolean {
  const [first, second] = [merged.models.get(earlier.use), merged.models.get(later.use)]
  return (
    first !== undefined &&
    second !== undefined &&
    plansOf(later.when, merged).every(
      ({ data }) => data !== undefined && (planIncludes(data, first) || !planIncludes(data, second)),
    )
  )
}

/** Whether one condition holds wherever another does, as far as that can be seen. */
export function covers(wide: Condition, narrow: Condition): boolean {
  if (isDeepStrictEqual(wide, narrow)) return true
  if (wide.is === 'all') return wide.of.every(part => covers(part, narrow))
  if (narrow.is === 'all') return narrow.of.some(part => covers(wide, part))
  if (narrow.is === 'any') return narrow.of.every(part => covers(wide, part))
  if (wide.is === 'any') return wide.of.some(part => covers(part, narrow))
  if (wide.is === 'input_tokens' && narrow.is === 'input_tokens') return coversRange(wide, narrow)
  if ((wide.is === 'plan' || wide.is === 'alias') && wide.is === narrow.is)
    return narrow.names.every(name => wide.names.includes(name))
  if (
    wide.is === 'signal' &&
    narrow.is === 'signal' &&
    wide.matcher.kind === 'mentions' &&
    narrow.matcher.kind === 'mentions'
  ) {
    // As requests are searched: without case.
    const phrases = new Set(wide.matcher.phrases.map(phrase => phrase.toLowerCase()))
    return narrow.matcher.phrases.every(phrase => phrases.has(phrase.toLowerCase()))
  }
  return false
}

interface Range {
  readonly over?: number
  readonly under?: number
}

const coversRange = (wide: Range, narrow: Range): boolean =>
  (wide.over ?? -1) <= (narrow.over ?? -1) &&
  (wide.under ?? Number.POSITIVE_INFINITY) >= (narrow.under ?? Number.POSITIVE_INFINITY)
