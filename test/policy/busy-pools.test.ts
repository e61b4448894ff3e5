import { describe, expect, it } from 'vitest'
import { decide } from '../../src/policy/decide.ts'
import { explain } from '../../src/policy/explain.ts'
import type { BusyPool } from '../../src/policy/replica-load.ts'
import { config, facts } from './table.ts'

const busy = (pool: string): BusyPool => ({ pool, why: 'waiting_over', waiting: 12, over: 8 })

function poolsOf(busyPools: readonly BusyPool[], down: readonly string[] = []) {
  const given = facts()
  const decision = decide(config, { ...given, health: { down, busy: busyPools } })
  return 'denial' in decision ? [] : decision.pools.map(({ name }) => name)
}

describe('busy pools', () => {
  it.each([
    ['is asked behind the others', ['onprem-core'], [], ['cloud-core', 'onprem-core']],
    ['keeps its place where all are busy', ['onprem-core', 'cloud-core'], [], ['onprem-core', 'cloud-core']],
    ['is asked before one that is down', ['onprem-core'], ['cloud-core'], ['onprem-core', 'cloud-core']],
    ['that is down too is asked last', ['onprem-core'], ['onprem-core'], ['cloud-core', 'onprem-core']],
    ['of another model changes nothing', ['some-other'], [], ['onprem-core', 'cloud-core']],
  ])('a busy pool %s', (_, names, down, expected) => {
    expect(poolsOf(names.map(busy), down)).toEqual(expected)
  })

  it('explain says why a pool of the model is passed over, and of no other', () => {
    const given = { ...facts(), health: { down: [], busy: [busy('some-other'), busy('onprem-core')] } }
    const texts = explain(config, given, decide(config, given)).map(({ text }) => text)
    expect(texts.filter(text => text.includes('passed over'))).toEqual([
      'onprem-core is passed over: 12 requests wait at its least loaded replica, more than 8',
    ])
  })
})
