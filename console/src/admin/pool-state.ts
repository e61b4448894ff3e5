import type { ShownPool } from '../../../src/wire/admin/pool.ts'
import type { ShownReplica } from '../../../src/wire/admin/pool-replica.ts'
import { wait } from '../shared/fmt.ts'
import type { Place } from './api/pools.ts'
import * as text from './texts/pools.tsx'

/** A state as a word, and how it stands out. */
export interface StateWord {
  readonly word: string
  readonly tone: 'ok' | 'warn' | 'bad' | ''
}

export function stateOfPool({ drained, replicas }: ShownPool): StateWord {
  if (drained) return { word: text.drained, tone: '' }
  const healthy = replicas.filter(replica => stateOfReplica(replica).tone === 'ok')
  if (healthy.length === replicas.length) return { word: text.healthy, tone: 'ok' }
  const serves = replicas.some(({ state }) => state === 'closed' || state === 'half-open')
  return serves ? { word: text.degraded, tone: 'warn' } : { word: text.down, tone: 'bad' }
}

/** A failure is a warning while requests still go there: a probe, or some requests, and not yet enough to be ejected. */
export function stateOfReplica({ state, last_probe, failures, retry_in_ms }: ShownReplica): StateWord {
  const again = retry_in_ms ? ` ${wait(retry_in_ms)}` : ''
  switch (state) {
    case 'drained':
      return { word: text.drained, tone: '' }
    case 'open':
      return { word: text.ejected(again), tone: 'bad' }
    case 'cooling':
      return { word: text.paused(again), tone: 'warn' }
    case 'half-open':
      return { word: text.onTrial, tone: 'warn' }
    case 'closed':
      if (last_probe?.ok === false) return { word: text.probeFailed, tone: 'warn' }
      return failures > 0 ? { word: text.failing, tone: 'warn' } : { word: text.healthy, tone: 'ok' }
  }
}

/** Models that no replica would be left to serve, were this place drained. */
export function modelsLost(pools: readonly ShownPool[], { pool: name, replica: number }: Place): readonly string[] {
  const isLeft = (pool: ShownPool) =>
    pool.replicas.some(({ replica, state }) => {
      const isDrained = pool.pool === name && (number === undefined || number === replica)
      return !isDrained && (state === 'closed' || state === 'half-open')
    })
  const models = pools.find(({ pool }) => pool === name)?.models ?? []
  return models.filter(model => !pools.some(pool => servesAll(pool, model) && isLeft(pool)))
}

/** A pool with a share of a model gets no failover traffic of it. */
const servesAll = ({ models, shares = [] }: ShownPool, model: string): boolean =>
  models.includes(model) && !shares.some(share => share.model === model)
