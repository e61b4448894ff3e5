import type { Deployment, Pool } from './deployment.ts'
import { Names } from './names.ts'
import type { Report } from './report.ts'

/** The backends of models by what clients call these. */
export type Groups = ReadonlyMap<string, readonly Deployment[]>

/** The pools of all groups by their names, and the names by group. What no pool can reach is reported. */
export function poolsOf(groups: Groups, report: Report) {
  const names = new Names()
  const pools: Record<string, Pool> = {}
  const byGroup = new Map<string, readonly string[]>()
  for (const [group, deployments] of groups) {
    const made = poolsFor(deployments, () => names.next(group))
    byGroup.set(
      group,
      made.map(({ name }) => name),
    )
    for (const { name, pool, from } of made) {
      pools[name] = pool
      const notes = new Set(from.flatMap(each => each.notes))
      report.put(
        `pools/${name}`,
        from.flatMap(each => each.left),
        [...notes],
      )
    }
    for (const each of deployments) if (!each.pool) report.put('pools', each.left)
  }
  return { pools, byGroup }
}

/** Pools of a model: backends that differ in their address alone are replicas of one. */
function poolsFor(deployments: readonly Deployment[], nextName: () => string) {
  const made = new Map<string, { name: string; pool: Pool; from: Deployment[] }>()
  for (const deployment of deployments) {
    const { pool } = deployment
    if (!pool) continue
    const { replicas, ...rest } = pool
    const same = made.get(JSON.stringify(rest))
    if (!same) made.set(JSON.stringify(rest), { name: nextName(), pool, from: [deployment] })
    else {
      same.pool = { ...same.pool, replicas: [...new Set([...same.pool.replicas, ...replicas])] }
      same.from.push(deployment)
    }
  }
  return [...made.values()]
}
