import { type Condition, type Config, type Matcher, type Plan, placeOf, type Route } from '../../policy/config.ts'
import { covers } from '../lint/routes.ts'
import { type Change, compare, compareNamed, type Own, type Rules, type Said, type Sides } from './changes.ts'
import { count, swapped, without } from './values.ts'

/** The changes of routes, of their order, and of whether they can match at all. */
export function compareRoutes({ before, after }: Sides): readonly Change[] {
  const [was, is] = [before.loaded.config, after.loaded.config]
  const [old, now] = [byName(was.routes), byName(is.routes)]
  const subject = (name: string) => `route ${name}`
  const changes = compareNamed(old, now, after.loaded, {
    subject,
    gone: ({ name }) => said('routes', name, null, `route ${name} is gone`),
    added: route => said('routes', null, route.name, newText(route)),
    stayed: (route, next) =>
      compare<Own<Route>>(RULES, subject(next.name), [route, next], field => placeOf(next, field)),
  })
  return [...changes, ...orderChanges(old, now), ...matchChanges(was, is)]
}

const byName = (routes: readonly Route[]): ReadonlyMap<string, Route> =>
  new Map(routes.map(route => [route.name, route]))

const newText = ({ name, when, model }: Route): string =>
  `route ${name} is new: ${conditionText(when)}, then ${model.name}`

const RULES: Rules<Own<Route>> = {
  when: (from, to, subject) =>
    conditionChanges(from, to).map(change =>
      said('when', conditionText(from), conditionText(to), `${subject} ${change}`),
    ),
  model: (from, to, subject) =>
    from.name === to.name
      ? []
      : [said('use', from.name, to.name, `${subject} now leads to ${to.name}, no longer to ${from.name}`)],
}

const said = (field: string, from: string | null, to: string | null, text: string): Said => ({
  ...{ field, from, to, text },
  effect: 'other',
})

function orderChanges(before: ReadonlyMap<string, Route>, after: ReadonlyMap<string, Route>): readonly Change[] {
  return swapped([...before.keys()], [...after.keys()]).flatMap(([name, next]): Change[] => {
    const route = after.get(name)
    if (!route) return []
    const change = said('routes', `after ${next}`, `before ${next}`, `route ${name} now applies before ${next}`)
    return [{ ...change, subject: `route ${name}`, at: route.at }]
  })
}

/** Routes that could match and no longer can, or the other way round; a route that is new or gone has a change of its own. */
function matchChanges(before: Config, after: Config): readonly Change[] {
  const common = after.routes.filter(({ name }) => before.routes.some(route => route.name === name))
  const [could, can] = [matching(before), matching(after)]
  const dead = common.filter(({ name }) => could.has(name) && !can.has(name))
  const alive = common.filter(({ name }) => !could.has(name) && can.has(name))
  return [...matchChange(dead, 'can no longer match'), ...matchChange(alive, 'can match now')]
}

function matchChange(routes: readonly Route[], verb: string): readonly Change[] {
  const [first] = routes
  if (!first) return []
  const names = routes.map(({ name }) => name).join(', ')
  const text = routes.length === 1 ? `route ${names} ${verb}` : `${routes.length} routes ${verb}: ${names}`
  const subject = routes.length === 1 ? `route ${names}` : 'routes'
  return [{ ...said('routes', null, null, text), subject, at: first.at }]
}

/** The routes that some request may take, as far as that can be seen. */
function matching({ routes, aliases, plans }: Config): ReadonlySet<string> {
  if (aliases.size === 0) return new Set()
  const all = [...plans.values()]
  const takesAll = ({ model }: Route) => all.every(plan => plan.models.has(model.name))
  const open = routes.filter(
    ({ when, model }, index) =>
      all.some(plan => plan.models.has(model.name) && mayBe(when, 'plan', plan)) &&
      [...aliases.values()].some(alias => mayBe(when, 'alias', alias)) &&
      !routes.slice(0, index).some(earlier => covers(earlier.when, when) && takesAll(earlier)),
  )
  return new Set(open.map(({ name }) => name))
}

/** Whether a condition leaves room for a plan or an alias. */
function mayBe(condition: Condition, is: 'plan' | 'alias', named: Pick<Plan, 'name'>): boolean {
  if (condition.is === is) return condition.names.includes(named.name)
  if (condition.is === 'all') return condition.of.every(part => mayBe(part, is, named))
  return condition.is !== 'any' || condition.of.some(part => mayBe(part, is, named))
}

/** The changes of a condition, in words that follow the name of its route. */
function conditionChanges(before: Condition, after: Condition): readonly string[] {
  const [was, is] = [conjuncts(before), conjuncts(after)]
  const [gone, added] = [without(was.keys(), is.keys()), without(is.keys(), was.keys())]
  const [onlyGone, onlyAdded] = [phrasesOf(was.get(gone[0] ?? '')), phrasesOf(is.get(added[0] ?? ''))]
  if (gone.length === 1 && added.length === 1 && onlyGone && onlyAdded) return phraseChanges(onlyGone, onlyAdded)
  const [needed, needs] = [gone.join(', '), added.join(', ')]
  if (needed === '') return needs === '' ? [] : [`now also needs ${needs}`]
  return [needs === '' ? `no longer needs ${needed}` : `now needs ${needs}, no longer ${needed}`]
}

/** A condition in words; alike for those that mean the same in another order. */
function conditionText(condition: Condition): string {
  switch (condition.is) {
    case 'all':
      return [...conjuncts(condition).keys()].join(', ')
    case 'any': {
      const texts = sorted(condition.of.flatMap(part => (part.is === 'any' ? part.of : [part])).map(conditionText))
      return texts.length === 1 ? texts.join('') : `any of (${texts.join('; ')})`
    }
    case 'not':
      return `not (${conditionText(condition.of)})`
    case 'signal':
      return matcherText(condition.matcher)
    case 'input_tokens':
      return [
        ...(condition.over === undefined ? [] : [`over ${count(condition.over)} tokens`]),
        ...(condition.under === undefined ? [] : [`under ${count(condition.under)} tokens`]),
      ].join(' and ')
    case 'has_tools':
      return condition.value ? 'tools' : 'no tools'
    case 'has_images':
      return condition.value ? 'images' : 'no images'
    case 'plan':
    case 'alias':
      return `${condition.is} ${sorted(condition.names).join(' or ')}`
    case 'hour':
      return `hour ${condition.from} to ${condition.to} in ${condition.zone}`
    case 'weekday':
      return `${sorted(condition.days).join(' or ')} in ${condition.zone}`
  }
}

/** The conditions that must hold together, by their texts. */
function conjuncts(condition: Condition): ReadonlyMap<string, Condition> {
  if (condition.is !== 'all') return new Map([[conditionText(condition), condition]])
  const all = condition.of.flatMap(part => [...conjuncts(part)])
  return new Map(all.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
}

function matcherText(matcher: Matcher): string {
  switch (matcher.kind) {
    case 'mentions':
      return `a mention of ${quoted(folded(matcher.phrases))}`
    case 'matches':
      return `a match of /${matcher.pattern}/`
    case 'header':
      return `header ${matcher.header}: ${sorted(matcher.values).join(' or ')}`
  }
}

const phrasesOf = (condition: Condition | undefined): readonly string[] | undefined =>
  condition?.is === 'signal' && condition.matcher.kind === 'mentions' ? folded(condition.matcher.phrases) : undefined

function phraseChanges(before: readonly string[], after: readonly string[]): readonly string[] {
  const [gone, added] = [without(before, after), without(after, before)]
  return [
    ...(gone.length > 0 ? [`no longer looks for ${quoted(gone)}`] : []),
    ...(added.length > 0 ? [`now also looks for ${quoted(added)}`] : []),
  ]
}

/** Case and kind of blank mean nothing in a phrase. */
const folded = (phrases: readonly string[]): readonly string[] =>
  sorted(phrases.map(phrase => phrase.normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ')))

const quoted = (phrases: readonly string[]): string => phrases.map(phrase => `"${phrase}"`).join(', ')

const sorted = (names: readonly string[]): readonly string[] => [...new Set(names)].sort()
