import type { Deployment, Pool, Said } from './deployment.ts'
import { priceText } from './model.ts'
import { Names } from './names.ts'
import type { Report } from './report.ts'

/** The backends of models by what clients call these. */
export type Groups = ReadonlyMap<string, readonly Deployment[]>

/** The pools of all groups by their names, and the names by group. Reports groups that no pool can reach. */
export function poolsOf(groups: Groups, report: Report) {
  const names = new Names()
  const pools: Record<string, Pool> = {}
  /** The facts that the backends of a pool share. */
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
    abreast.set(group, mostAlike(made.map(({ order }) => order)))
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

/** How often the most frequent of some numbers is among them. */
function mostAlike(numbers: readonly number[]): number {
  const counts = new Map<number, number>()
  let most = 0
  for (const number of numbers) {
    const count = (counts.get(number) ?? 0) + 1
    counts.set(number, count)
    most = Math.max(most, count)
  }
  return most
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
    if (!same) made.set(like, { name: nextName(), pool, from: [deployment], order, room, replicas: new Set(replicas) })
    else {
      for (const replica of replicas) same.replicas.add(replica)
      same.from.push(deployment)
    }
  }
  return [...made.values()].map(({ replicas, pool, ...rest }) => ({
    ...rest,
    pool: { ...pool, replicas: [...replicas] },
  }))
}

interface Made {
  readonly name: string
  readonly pool: Pool
  readonly replicas: Set<string>
  readonly from: Deployment[]
  readonly order: number
  readonly room: number | undefined
}
