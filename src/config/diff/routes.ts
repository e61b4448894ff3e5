import { type Condition, type Config, type Plan, placeOf, type Route } from '../../policy/config.ts'
import { covers } from '../lint/lint-routes.ts'
import { conditionChanges, conditionText } from './conditions.ts'
import { compareNamed, type Sides } from './named.ts'
import { swapped } from './order.ts'
import { type Change, compare, type Own, type Rules, type Said } from './rule.ts'

/** What changed of routes, their order, and whether they can match at all. */
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

/** Routes that could match and no longer can, or the other way round; what is new or gone is told as such. */
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
