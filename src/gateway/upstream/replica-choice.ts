import { type Fitness, type PoolChoice, type ReplicaFigures, weighReplicas } from '../../policy/balance/pool-choice.ts'
import type { EpochMs, Pool } from '../../policy/config.ts'
import { loadOf } from '../balance/pool-balance.ts'
import type { Replica } from '../pools/replica.ts'
import { AttemptPlanner, type AttemptPlannerPorts } from './attempt-planner.ts'

/**
 * The replica that the first attempt of a request would choose in a pool now, according to the same planner. Undefined if the
 * pool has one replica, or none that is usable. Sends and counts nothing.
 */
export function choiceIn(ports: AttemptPlannerPorts, pool: Pool, now: EpochMs): PoolChoice | undefined {
  const { pools, balanced, settingsOf, account } = ports
  const state = pools.of(pool.name)
  if (pool.replicas.length < 2 || !state.isUp(pool, now, 0, account)) return undefined
  const step = new AttemptPlanner(ports, [pool]).next(now)
  if (step.kind !== 'try') return undefined
  const replicas = state.replicas(pool)
  const open = step.alternatives
  const settings = settingsOf(pool)
  const weighed =
    balanced && state.balance.weigh(pool, replicas, balanced, { bytesPerToken: state.pace.bytesPerToken, among: open })
  const figures = replicas.map((replica, index): ReplicaFigures => {
    const { url, report } = replica
    const fitness = open.includes(replica) ? 'usable' : unfitness(replica, now, account)
    return {
      ...(weighed?.candidates[index] ?? { ...loadOf(replica), miss: 0 }),
      ...{ url, fitness },
      full: replica.slots.taken >= (settings.maxConcurrentEach ?? Number.POSITIVE_INFINITY),
      ...(report && { reportAge: Math.max(0, now - report.at) }),
    }
  })
  const isOpen = (index: number) => figures[index]?.fitness === 'usable'
  const why = step.pick?.why ?? (open.length === 1 ? 'only' : 'random')
  return {
    pool: pool.name,
    balance: weighed ? pool.balance : 'busy',
    promptTokens: weighed?.promptTokens ?? 0,
    ...(why !== 'random' && { chosen: replicas.indexOf(step.replica) }),
    why,
    replicas: weighReplicas(figures, isOpen),
  }
}

/** Why a replica is excluded from the choice. */
function unfitness(replica: Replica, now: EpochMs, account: string): Fitness {
  if (replica.drained) return 'drained'
  if (replica.cooling(now, account) > 0) return 'paused'
  return replica.breaker.admits(now) ? 'behind' : 'ejected'
}
