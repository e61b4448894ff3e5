import type { Deployment, Pool, Said } from './deployment.ts'
import { priceText } from './model.ts'
import { Names } from './names.ts'
import type { Report } from './report.ts'

/** The backends of models by what clients call these. */
export type Groups = ReadonlyMap<string, readonly Deployment[]>

/** The pools of all groups by their names, and the names by group. What no pool can reach is reported. */
export function poolsOf(groups: Groups, report: Report) {
  const names = new Names()
  const pools: Record<string, Pool> = {}
  /** What the backends of a pool say of it, in which they are alike. */
  const said = new Map<string, Said>()
  const byGroup = new Map<string, readonly string[]>()
  /** The most pools of a group that are of one order, so that none of them goes before the others. */
  const abreast = new Map<string, number>()
  for (const [group, deployments] of groups) {
    const made = poolsFor(deployments, () => names.next(group))
    byGroup.set(
      group,
      made.map(({ name }) => name),
    )
    const orders = made.map(({ order }) => order)
    abreast.set(group, Math.max(0, ...orders.map(order => orders.filter(other => other === order).length)))
    for (const { name, pool, from, room } of made) {
      pools[name] = room === undefined ? pool : { ...pool, max_concurrent: room * from.length }
      if (from[0]) said.set(name, from[0].model)
      const notes = new Set(from.flatMap(each => each.notes))
      report.put(
        `pools/${name}`,
        from.flatMap(each => each.left),
        [...notes],
      )
    }
    for (const each of deployments) if (!each.pool) report.put('pools', each.left)
  }
  return { pools, said, byGroup, abreast }
}

/** Pools of a model: backends of one order that differ in their address alone are replicas of one, which has one context and price. */
function poolsFor(deployments: readonly Deployment[], nextName: () => string) {
  const made = new Map<string, Made>()
  for (const deployment of deployments) {
    const { pool, order, room, model } = deployment
    if (!pool) continue
    const { replicas, ...rest } = pool
    const like = JSON.stringify([order, room, rest, model.context, model.imageUsd, priceText(model)])
    const same = made.get(like)
    if (!same) made.set(like, { name: nextName(), pool, from: [deployment], order, room })
    else {
      same.pool = { ...same.pool, replicas: [...new Set([...same.pool.replicas, ...replicas])] }
      same.from.push(deployment)
    }
  }
  return [...made.values()]
}

interface Made {
  readonly name: string
  pool: Pool
  readonly from: Deployment[]
  readonly order: number
  readonly room: number | undefined
}
