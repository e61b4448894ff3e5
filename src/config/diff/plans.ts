import { type Config, type Inclusion, type Overage, type Plan, placeOf } from '../../policy/config.ts'
import { COUNT_RULES, nameOfRule } from '../../policy/limits/named-rules.ts'
import { countedBy, kindOf, type LimitRule, ruleName, type ScopeKind, scopeOf } from '../../policy/limits/rule.ts'
import { isKnownToLedger } from '../../policy/limits/rule-claim.ts'
import { type NanoUsd, nanoUsd } from '../../policy/nano-usd.ts'
import { commitOf } from '../../policy/plan.ts'
import {
  type Change,
  compare,
  compareNamed,
  highIsMore,
  highIsMoreFrom,
  type Own,
  other,
  type Rule,
  type Rules,
  type Said,
  type Sides,
  unlessWrittenOut,
  value,
} from './changes.ts'
import { count, listed, text, usd, without } from './values.ts'

/** The changes of plans that stayed, came or went. A model that is new or gone has one change of its own. */
export function comparePlans({ before, after }: Sides): readonly Change[] {
  const [was, is] = [before.loaded.config, after.loaded.config]
  const subject = (name: string) => `plan ${name}`
  return compareNamed(was.plans, is.plans, after.loaded, {
    subject,
    gone: ({ name }) => ({ field: 'plans', from: name, to: null, text: `plan ${name} is gone`, effect: 'lost' }),
    added: plan => ({ field: 'plans', from: null, to: plan.name, text: newText(plan), effect: 'more' }),
    stayed: (plan, next) =>
      compare<Own<Plan>>(rulesOf(was, is, next), subject(plan.name), [plan, next], field => placeOf(next, field)),
  })
}

const newText = ({ name, models }: Plan): string => `plan ${name} is new, with ${listed([...models.keys()])}`

const rulesOf = (before: Config, after: Config, plan: Plan): Rules<Own<Plan>> => ({
  models: modelsRule(before, after),
  tools: toolsRule(before, after),
  limits: (from, to, subject) => limitChanges(asRows(from), asRows(to), subject),
  rules: limitChanges,
  counts: () => [],
  monthlyNanoUsd: value<NanoUsd>('monthly_usd', usd, highIsMore),
  overage: value('overage', overageText, (from, to) => highIsMore(beyond(from), beyond(to))),
  priority: rankRule('priority', absentPriority(before, after, plan), '1, and 0 for guests'),
  weight: rankRule('weight', 1, '1'),
  commit: (from, to, subject) =>
    commitsOf(plan, after, from) === commitsOf(plan, after, to)
      ? []
      : value<Plan['commit']>('commit', text, other, 'as the model says')(from, to, subject),
})

/** When the answers of each model of a plan with this `commit` are committed. */
const commitsOf = ({ models }: Plan, config: Config, commit: Plan['commit']): string =>
  [...models.keys()]
    .flatMap(name => config.models.get(name) ?? [])
    .map(model => commitOf({ ...(commit && { commit }) }, model))
    .join()

const rankRule = (field: string, absent: number, shown: string): Rule<number | undefined> =>
  unlessWrittenOut(absent, value<number | undefined>(field, count, highIsMoreFrom(absent), shown))

/** The priority of a plan that states none: between that of guests and that of accounts where it is the plan of both. */
const absentPriority = (before: Config, after: Config, { name }: Plan): number =>
  [before, after].every(({ guestPlan }) => guestPlan?.name === name) ? 0.5 : 1

const asRows = (limits: Plan['limits']): Plan['rules'] => limits.map(rule => ({ rule }))

/** A limit whose number changed is the same limit. Those with a name come in the order of their table. */
function limitChanges(...[from, to, subject]: Parameters<Rule<Plan['rules']>>): readonly Said[] {
  const byCounted = (rules: Plan['rules']) => new Map(rules.map(each => [countedBy(each.rule), each]))
  const [before, after] = [byCounted(from), byCounted(to)]
  const all = [...new Map([...before, ...after])].sort(([, one], [, other]) => rankOf(one.rule) - rankOf(other.rule))
  return all.flatMap(([counted, { rule }]) => {
    const field = nameOfRule(rule)
    const amount = rule.measure === 'usd' ? (most: number) => usd(nanoUsd(most)) : count
    const compared = value<number | undefined>(field ?? ruleName(rule), amount, highIsMore, 'unlimited')
    const at = after.get(counted)?.at
    const said = compared(before.get(counted)?.rule.most, after.get(counted)?.rule.most, subject)
    if (field !== undefined) return said
    const [was, is] = [before.get(counted)?.rule, after.get(counted)?.rule]
    const turn = was && is ? turnChanges(was, is, subject) : []
    const beginning = was ? '' : beginningText(rule)
    return [...said.map(each => ({ ...each, text: `${each.text}${beginning}` })), ...turn].map(each => ({
      ...each,
      field: 'limits',
      ...(at && { at }),
    }))
  })
}

/** The changes of a last turn, of which more leaves less to the turns before it, and of its notice. */
const turnChanges = (was: LimitRule, is: LimitRule, subject: string): readonly Said[] => [
  ...value<number | undefined>(`last_turn of ${ruleName(is)}`, count, other)(was.lastTurn, is.lastTurn, subject),
  ...value<number | undefined>(`warn of ${ruleName(is)}`, share => `at ${share}%`, other)(was.warn, is.warn, subject),
]

const rankOf = (rule: LimitRule): number => {
  const rank = COUNT_RULES.findIndex(({ name }) => name === nameOfRule(rule))
  return rank < 0 ? COUNT_RULES.length : rank
}

/** The note on earlier usage that a new limit does not count. */
function beginningText(rule: LimitRule): string {
  if (rule.measure === 'concurrent') return ', not counting those already running'
  if (isKnownToLedger(rule) || rule.per === 'second') return ''
  return `, counted from now on: the ledger has no ${scopeOf(rule).isInLedger ? rule.measure : SUMS_OF[kindOf(rule.of)]}`
}

/** Scopes whose sums the ledger does not keep. */
const SUMS_OF: Readonly<Partial<Record<ScopeKind, string>>> = {
  user: 'users of requests',
  session: 'sums of sessions',
  label: 'sums of labels',
}

const overageText = (overage: Overage): string =>
  typeof overage === 'object' ? `up to ${usd(overage.capNanoUsd)}` : overage ? 'always' : 'never'

const beyond = (overage: Overage): number =>
  typeof overage === 'object' ? overage.capNanoUsd : overage ? Number.POSITIVE_INFINITY : -1

type Inclusions = ReadonlyMap<string, Inclusion>

function modelsRule(before: Config, after: Config): Rule<Inclusions> {
  return (from, to, subject) => {
    const lost = without(from.keys(), to.keys()).flatMap((name): Said[] => {
      const model = after.models.get(name)
      if (!model) return []
      const tier = from.get(name)?.by.startsWith('tier:') && model.tier !== before.models.get(name)?.tier
      const reason = tier ? `, now of tier ${model.tier}` : ''
      const said = `${subject} loses ${name}${reason}`
      return [{ ...loss('models', name, said), ...(tier && { at: placeOf(model, 'tier') }) }]
    })
    const gained = without(to.keys(), from.keys()).flatMap((name): Said[] => {
      const [was, is, entry] = [before.models.get(name), after.models.get(name), to.get(name)]
      if (!was || !is || !entry) return []
      const tier = entry.by.startsWith('tier:') && was.tier !== is.tier
      const reason = tier ? `, now of tier ${is.tier}` : ''
      return [
        { ...gain('models', name, `${subject} gains ${name}${reason}`), at: tier ? placeOf(is, 'tier') : entry.at },
      ]
    })
    return [...lost, ...gained]
  }
}

function toolsRule(before: Config, after: Config): Rule<Inclusions> {
  return (from, to, subject) => {
    const lost = without(from.keys(), to.keys()).filter(name => after.tools.has(name))
    const gained = without(to.keys(), from.keys()).filter(name => before.tools.has(name))
    return [
      ...lost.map(name => loss('tools', name, `${subject} loses tool ${name}`)),
      ...gained.map((name): Said => {
        const entry = to.get(name)
        return { ...gain('tools', name, `${subject} gains tool ${name}`), ...(entry && { at: entry.at }) }
      }),
    ]
  }
}

const loss = (field: string, name: string, said: string): Said => ({
  field,
  from: name,
  to: null,
  text: said,
  effect: 'lost',
})

const gain = (field: string, name: string, said: string): Said => ({
  field,
  from: null,
  to: name,
  text: said,
  effect: 'more',
})

/** The plans that include a model or a tool. */
export function whoHas(config: Config, field: 'models' | 'tools', name: string): readonly string[] {
  return [...config.plans.values()].filter(plan => plan[field].has(name)).map(plan => plan.name)
}
