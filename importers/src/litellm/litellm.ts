import { type Beside, type Imported, modelsOf, written } from '../configuration.ts'
import { isObject } from '../json.ts'
import { Report } from '../report.ts'
import { Section } from '../section.ts'
import { Credentials } from './credentials.ts'
import { failoverOf } from './failover.ts'
import { fallbacksOf } from './fallbacks.ts'
import { groupsOf } from './groups.ts'
import { matcherOf } from './patterns.ts'
import { plansOf } from './plans.ts'
import { GENERAL, LITELLM, ROUTER, SECTIONS } from './reasons.ts'

/** The configuration that the `config.yaml` of a LiteLLM proxy becomes. */
export function convertLitellm(source: unknown, { keys = [], names }: Beside): Imported {
  const root = new Section(source, '')
  const [router, settings] = [root.section('router_settings'), root.section('litellm_settings')]
  const general = root.section('general_settings')
  const report = new Report()
  const list = root.take('model_list')
  const ids = idsIn(list)
  const fallbacks = fallbacksOf(router, settings, text => ids.get(text) ?? text)
  const aliases = aliasesOf([router, settings])
  const mentioned = [...fallbacks.names, ...aliases.map(({ to }) => to)]
  const credentials = new Credentials(root.list('credential_list'))
  const groups = groupsOf(list, { names, mentioned, credentials }, report)
  const made = modelsOf({ gateway: 'LiteLLM', groups, fallbacks: fallbacks.after, placeOf, shared, aliases, report })
  report.put('models', fallbacks.left)
  for (const { group, others, path } of fallbacks.long) {
    const name = made.named.get(group)
    report.put(name === undefined ? 'models' : `models/${name}`, [{ path, why: longPrompts(others) }])
  }
  report.put('pools', credentials.left())
  const { planned, left } = plansOf({ settings, general }, keys, namesIn(made))
  planned.report(report)
  const { failover, notes } = failoverOf(router, settings)
  report.put(failover ? 'failover' : 'models', router.left(ROUTER), notes)
  report.put('plans', [...left, ...settings.left(LITELLM)])
  const usual = general.text('completion_model')
  if (usual !== undefined && !made.named.has(usual))
    general.refuse('completion_model', `\`${usual}\` is not a model here`)
  report.put('store', general.left(GENERAL))
  report.put('version', root.left(SECTIONS))
  return written(made, { plans: planned.plans, failover, report, usual })
}

/** The models of backends that have an id, by it. No id is the name of a model. */
function idsIn(list: unknown): ReadonlyMap<string, string> {
  const entries = (Array.isArray(list) ? list : []).map((entry: unknown) => new Section(entry, ''))
  const ids = entries.map(entry => [entry.section('model_info').text('id'), entry.text('model_name')] as const)
  const names = new Set(ids.map(([, name]) => name))
  return new Map(
    ids.flatMap(([id, name]) => (id === undefined || name === undefined || names.has(id) ? [] : [[id, name]])),
  )
}

/** The models that a key may ask for by a name, which may be that of a model, of a group of models, or have stars. */
function namesIn({ models, named, aliases, groups }: ReturnType<typeof modelsOf>) {
  const matching = matcherOf([...named])
  return (name: string): readonly string[] => {
    const model = named.get(name) ?? aliases[name]
    if (model !== undefined) return [model]
    const group = groups.get(name)
    if (group !== undefined) {
      const tier = Object.keys(models).filter(each => models[each]?.tier === name)
      return tier.length === group.length && tier.every(each => group.includes(each)) ? [`tier:${name}`] : group
    }
    return name.includes('*') ? matching(name) : []
  }
}

const placeOf = (group: string) => `model_list.${group}`

const shared = (group: string, pools: number) => ({
  path: `model_list.${group}`,
  why: `LiteLLM spreads requests over its ${pools} pools; here the first in \`serve\` gets all of them until it fails`,
})

const longPrompts = (others: readonly unknown[]): string =>
  `\`serve\` is for every failure, and prompts of any length would go to ${others.map(each => `\`${each}\``).join(' and ')}: write a route by input_tokens at an alias`

function aliasesOf(sections: readonly Section[]) {
  return sections.flatMap(section =>
    ['model_group_alias', 'model_alias_map'].flatMap(field => {
      const map = section.take(field)
      return Object.entries(isObject(map) ? map : {}).map(([from, to]) => ({
        ...{ from, to: String(isObject(to) ? to.model : to) },
        path: `model_group_alias.${from}`,
      }))
    }),
  )
}
