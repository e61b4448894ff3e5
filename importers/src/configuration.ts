import { type Deployment, NOTHING } from './deployment.ts'
import { poolWithOwn } from './differences.ts'
import { pushTo } from './lists.ts'
import { modelOf } from './model.ts'
import { Names } from './names.ts'
import { type Groups, poolsOf } from './pools.ts'
import { withPrices } from './priced.ts'
import type { Report } from './report.ts'
import type { Left } from './section.ts'

/** The configuration to write: plain data, and comments above its fields. */
export interface Content {
  readonly data: Readonly<Record<string, unknown>>
  /** Comments by the path of the field below them, such as `pools/cloud`. */
  readonly comments: ReadonlyMap<string, readonly string[]>
}

/** A configuration, and what of the source it has not. */
export interface Imported extends Content {
  readonly models: number
  readonly pools: number
  readonly plans: number
  /** Models whose price is that of the catalogue. */
  readonly listed: number
  /** Models that cost nothing, since nothing says their price. */
  readonly unpriced: number
  readonly left: readonly Left[]
  /** Variables that must be set before the gateway starts. */
  readonly variables: readonly string[]
  /** Those of them that are addresses. */
  readonly addresses: ReadonlySet<string>
}

/** Files that may come with the configuration of another gateway. */
export interface Beside {
  /** An export of its keys, page by page. */
  readonly keys?: readonly unknown[]
  /** Clients' names for models that the source does not name. */
  readonly names: readonly string[]
  /** The title of the source. */
  readonly title: string
}

/** The models in the configuration of another gateway. */
export interface Source {
  /** The name of that gateway. */
  readonly gateway: string
  readonly groups: Groups
  /** A model's name here, where it is not that of its clients. */
  readonly nameOf?: (group: string) => string
  /** The models that answer in place of one, in order. */
  readonly fallbacks?: (group: string, isChat: boolean) => readonly string[]
  /** Where the source has the backends of a model. */
  readonly placeOf?: (group: string) => string
  /** The note on a model whose backends have equal parts of its requests, where these are several pools here. */
  readonly shared?: (group: string, pools: number) => Left
  /** Other names for models, and where they stand in the source. */
  readonly aliases?: readonly { readonly from: string; readonly to: string; readonly path: string }[]
  readonly report: Report
}

/** The models of a source with their pools, which `written` makes a configuration of. */
export function modelsOf(source: Source) {
  const { report, gateway, nameOf = group => group, fallbacks = () => [], aliases: others = [] } = source
  const groups = withPrices(source.groups)
  const { placeOf = group => `models.${group}` } = source
  const { pools, said, byGroup, abreast } = poolsOf(groups, report)
  const served = new Map([...groups].filter(([group]) => (byGroup.get(group) ?? []).length > 0))
  const names = new Names()
  const named = new Map([...served.keys()].map(group => [group, names.next(nameOf(group))]))
  const models: Record<string, Model> = {}
  const aliases: Record<string, string> = {}
  const counts = { file: 0, catalogue: 0, nothing: 0 }
  const put = (at: string, path: string, from: string, to: string) => {
    if (/^(?=[A-Za-z0-9*])[A-Za-z0-9._/:[\]-]{1,128}$/.test(from)) aliases[from] = to
    else report.put(at, [{ path, why: `clients must call it ${to}` }])
  }
  for (const [group, deployments] of served) {
    const name = named.get(group) ?? group
    const { model, notes, left, priced } = modelOf(deployments, { gateway, place: placeOf(group) })
    counts[priced]++
    const next = fallbacks(group, model.kind === 'chat').filter(other => other !== group)
    const fit = next.filter(other => kindIn(served.get(other)) === model.kind)
    models[name] = { ...model, serve: [...new Set([group, ...fit].flatMap(other => byGroup.get(other) ?? []))] }
    const fitting = new Set(fit)
    const lost = next.filter(other => !fitting.has(other))
    const several = abreast.get(group) ?? 1
    report.put(
      `models/${name}`,
      [
        ...(several > 1 && source.shared ? [source.shared(group, several)] : []),
        ...left,
        ...lost.map(other => ({ path: `fallbacks.${group}`, why: `\`${other}\` is no ${model.kind} model here` })),
      ],
      notes,
    )
    if (name !== group) put(`models/${name}`, `models.${group}`, group, name)
  }
  for (const { from, to, path } of others) {
    const model = named.get(to)
    if (model !== undefined) put('models', path, from, model)
    else report.put('models', [{ path, why: `\`${to}\` is not a model here` }])
  }
  const owners = new Map([...byGroup].flatMap(([group, names]) => names.map(name => [name, group] as const)))
  const servedBy = new Map<string, Model[]>()
  for (const model of Object.values(models)) for (const name of model.serve) pushTo(servedBy, name, model)
  const whole = Object.entries(pools).map(([name, pool]) => {
    const own = owners.get(name) ?? ''
    const serving = servedBy.get(name) ?? []
    const known = { pool, said: said.get(name) ?? NOTHING, own: models[named.get(own) ?? own], models: serving }
    return [name, poolWithOwn(known)] as const
  })
  return { models, aliases, named, pools: Object.fromEntries(whole), groups: groupsOf(served, named), counts }
}

/** The models of each name that keys may have for several. */
function groupsOf(served: Groups, named: ReadonlyMap<string, string>): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>()
  for (const [group, deployments] of served)
    for (const name of new Set(deployments.flatMap(({ pool, model }) => (pool ? model.groups : []))))
      pushTo(groups, name, named.get(group) ?? group)
  return groups
}

type Model = ReturnType<typeof modelOf>['model'] & { readonly serve: readonly string[] }

const kindIn = (deployments: readonly Deployment[] = []) => deployments.find(({ pool }) => pool)?.model.kind

/** The whole configuration. A model for chats is the default one: `usual`, or the first. */
export function written(
  { models, aliases, pools, named, counts }: ReturnType<typeof modelsOf>,
  { plans, failover, report, usual = '' }: Rest,
): Imported {
  const all = Object.keys(models)
  const isChat = (name: string | undefined) => name !== undefined && models[name]?.kind === 'chat'
  const first = [named.get(usual), ...all].find(isChat)
  const data = {
    version: 1,
    store: 'embedded:./data',
    ...(failover && { failover }),
    plans,
    models,
    ...(Object.keys(aliases).length > 0 && { aliases }),
    ...(first !== undefined && { default_model: first }),
    pools,
  }
  return {
    ...{ data, comments: report.comments, left: report.left },
    variables: variablesIn(pools),
    addresses: new Set(variablesIn(Object.values(pools).map(({ replicas }) => replicas))),
    ...{ listed: counts.catalogue, unpriced: counts.nothing },
    ...{ models: all.length, pools: Object.keys(pools).length, plans: Object.keys(plans).length },
  }
}

const variablesIn = (data: unknown): readonly string[] => [
  ...new Set([...JSON.stringify(data).matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => name)),
]

interface Rest {
  readonly plans: Readonly<Record<string, object>>
  readonly failover?: object | undefined
  readonly report: Report
  /** The clients' name for the model that serves where they name none. */
  readonly usual?: string | undefined
}
