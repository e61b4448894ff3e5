import { isObject } from '../../../wire/json-safety.ts'
import type { Content } from '../written.ts'
import { type Deployment, secondsText } from './deployment.ts'
import { fallbacksOf } from './fallbacks.ts'
import { type Groups, groupsOf, poolsOf } from './groups.ts'
import { modelOf } from './model.ts'
import { Names } from './names.ts'
import { plansOf } from './plans.ts'
import { GENERAL, LITELLM, ROUTER, SECTIONS } from './reasons.ts'
import { Report } from './report.ts'
import { type Left, Section } from './section.ts'

/** A configuration, and what of the source it has not. */
export interface Imported extends Content {
  readonly models: number
  readonly pools: number
  readonly plans: number
  readonly left: readonly Left[]
  /** What has to be exported before the gateway starts. */
  readonly variables: readonly string[]
}

export interface Beside {
  /** An export of the keys of the proxy. */
  readonly keys?: unknown
  /** What clients write for models that the source names by a pattern. */
  readonly names: readonly string[]
}

/** The configuration that the `config.yaml` of a LiteLLM proxy becomes. */
export function convertLitellm(source: unknown, { keys, names }: Beside): Imported {
  const root = new Section(source, '')
  const [router, settings] = [root.section('router_settings'), root.section('litellm_settings')]
  const report = new Report()
  const groups = groupsOf(root.take('model_list'), names, report)
  const { pools, byGroup } = poolsOf(groups, report)
  const served = new Map([...groups].filter(([group]) => (byGroup.get(group) ?? []).length > 0))
  const { models, aliases, named } = modelsOf({ served, byGroup, sections: [router, settings], report })
  const tiers = new Set(Object.values(models).map(({ tier }) => tier))
  const planned = plansOf(
    settings,
    keys,
    name => named.get(name) ?? aliases[name] ?? (tiers.has(name) ? `tier:${name}` : undefined),
  )
  for (const [plan, notes] of planned.notes) report.put(`plans/${plan}`, [], notes)
  const failover = failoverOf(router, settings)
  report.put(failover ? 'failover' : 'models', router.left(ROUTER))
  report.put('plans', [...planned.left, ...settings.left(LITELLM)])
  report.put('store', root.section('general_settings').left(GENERAL))
  report.put('version', root.left(SECTIONS))
  const all = Object.keys(models)
  const usual = all.find(name => models[name]?.kind === 'chat')
  const data = {
    version: 1,
    store: 'embedded:./data',
    ...(failover && { failover }),
    plans: planned.plans,
    models,
    ...(Object.keys(aliases).length > 0 && { aliases }),
    ...(usual !== undefined && { default_model: usual }),
    pools,
  }
  return {
    ...{ data, comments: report.comments, left: report.left },
    variables: [...new Set([...JSON.stringify(pools).matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => name))],
    ...{ models: all.length, pools: Object.keys(pools).length, plans: Object.keys(planned.plans).length },
  }
}

interface Served {
  readonly served: Groups
  /** The names of the pools of each group. */
  readonly byGroup: ReadonlyMap<string, readonly string[]>
  readonly sections: readonly Section[]
  readonly report: Report
}

/** The models of the groups that have a pool, with the pools of their fallbacks behind their own, and other names for them. */
function modelsOf({ served, byGroup, sections, report }: Served) {
  const names = new Names()
  const named = new Map([...served.keys()].map(group => [group, names.next(group)]))
  const fallbacks = fallbacksOf(sections)
  const models: Record<string, Model> = {}
  const aliases: Record<string, string> = {}
  const put = (path: string, from: string, to: string) => {
    if (/^(?=[A-Za-z0-9*])[A-Za-z0-9._/:[\]-]{1,128}$/.test(from)) aliases[from] = to
    else report.put(path, [{ path: `model_list.${from}`, why: `clients have to call it ${to}` }])
  }
  for (const [group, deployments] of served) {
    const name = named.get(group) ?? group
    const { model, notes } = modelOf(deployments)
    const next = fallbacks.after(group, model.kind === 'chat').filter(other => other !== group)
    const fit = next.filter(other => kindOf(served.get(other)) === model.kind)
    models[name] = { ...model, serve: [...new Set([group, ...fit].flatMap(other => byGroup.get(other) ?? []))] }
    const lost = next.filter(other => !fit.includes(other))
    report.put(
      `models/${name}`,
      lost.map(other => ({ path: `fallbacks.${group}`, why: `\`${other}\` is no ${model.kind} model here` })),
      notes,
    )
    if (name !== group) put(`models/${name}`, group, name)
  }
  report.put('models', fallbacks.left)
  for (const [from, to] of aliasesOf(sections)) {
    const model = named.get(to)
    if (model !== undefined) put('models', from, model)
    else report.put('models', [{ path: `model_group_alias.${from}`, why: `\`${to}\` is no model here` }])
  }
  return { models, aliases, named }
}

type Model = ReturnType<typeof modelOf>['model'] & { readonly serve: readonly string[] }

const kindOf = (deployments: readonly Deployment[] = []) => deployments.find(({ pool }) => pool)?.model.kind

function aliasesOf(sections: readonly Section[]): readonly (readonly [string, string])[] {
  return sections.flatMap(section =>
    ['model_group_alias', 'model_alias_map'].flatMap(field => {
      const map = section.take(field)
      return Object.entries(isObject(map) ? map : {}).map(
        ([from, to]) => [from, String(isObject(to) ? to.model : to)] as const,
      )
    }),
  )
}

function failoverOf(router: Section, settings: Section): object | undefined {
  const fails = router.number('allowed_fails') ?? settings.number('allowed_fails')
  const cooldown = router.number('cooldown_time') ?? settings.number('cooldown_time')
  const timeout = router.number('timeout') ?? settings.number('request_timeout')
  const streamTimeout = router.number('stream_timeout')
  const failover = {
    ...(timeout !== undefined && timeout > 0 && { answer_timeout: secondsText(timeout) }),
    ...(streamTimeout !== undefined && streamTimeout > 0 && { first_content_timeout: secondsText(streamTimeout) }),
    ...((fails !== undefined || cooldown !== undefined) && {
      eject: {
        ...(fails !== undefined && { after: fails + 1 }),
        ...(cooldown && { for: secondsText(Math.min(cooldown, 60)) }),
      },
    }),
  }
  return Object.keys(failover).length > 0 ? failover : undefined
}
