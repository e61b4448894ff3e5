import { describe, expect, it } from 'vitest'
import { decide } from '../../src/policy/decide.ts'
import { explain } from '../../src/policy/explain.ts'
import type { BusyPool } from '../../src/policy/replica-load.ts'
import { config, facts } from './table.ts'

const busy = (pool: string): BusyPool => ({ pool, why: 'waiting_over', waiting: 12, over: 8 })
const DECLARED = ['onprem-core', 'cloud-core']
const TURNED = ['cloud-core', 'onprem-core']

describe('a conversation that stays at a pool', () => {
  it.each([
    ['is sent there first', ['cloud-core'], [], [], TURNED],
    ['goes back while that pool is down', ['cloud-core'], [], ['cloud-core'], DECLARED],
    ['goes back while that pool is busy', ['cloud-core'], ['cloud-core'], [], DECLARED],
    ['changes nothing where that pool is the first anyway', ['onprem-core'], [], [], DECLARED],
    ['of another model changes nothing', ['some-other'], [], [], DECLARED],
    ['at two pools is sent to the one that is declared first', ['cloud-core', 'onprem-core'], [], [], DECLARED],
  ])('%s', (_name, stays, busyPools, down, expected) => {
    const given = facts()
    const decision = decide(config, { ...given, health: { down, busy: busyPools.map(busy), stays } })
    expect('denial' in decision ? [] : decision.pools.map(({ name }) => name)).toEqual(expected)
  })

  it('is named by explain, where it changes the order of pools', () => {
    const textsFor = (stays: readonly string[]) => {
      const given = { ...facts(), health: { down: [], stays } }
      return explain(config, given, decide(config, given)).map(({ text }) => text)
    }
    expect(textsFor(['cloud-core'])).toContain('the conversation stays at cloud-core, which served it last')
    expect(textsFor(['onprem-core']).filter(text => text.includes('stays'))).toEqual([])
  })
})
