import { describe, expect, it } from 'vitest'
import { CounterCache } from '../../../src/adapters/embedded/account-counters.ts'
import { Holds } from '../../../src/adapters/embedded/open-holds.ts'
import { LEASE_MS } from '../../../src/gateway/store/hold-store.ts'
import { type AccountCounters, NO_COUNTERS } from '../../../src/policy/counters/account-counters.ts'
import { nanoUsd } from '../../../src/policy/nano-usd.ts'
import { NOON } from './fixtures.ts'
import { heldOf } from './held.ts'

describe('embedded: standings in memory', () => {
  function standingsOf(max: number) {
    const disk = new Map<string, AccountCounters>()
    const unwritten = new Set<string>()
    const standings = new CounterCache(
      { read: account => disk.get(account), isWritten: account => !unwritten.has(account) },
      max,
    )
    return { standings, disk, unwritten }
  }

  const used = (used: number, held = 0): AccountCounters => ({
    ...NO_COUNTERS,
    spend: { [NOON]: { used: nanoUsd(used), held: nanoUsd(held) } },
  })

  it('accounts at rest do not stay', () => {
    const { standings } = standingsOf(100)

    for (let account = 0; account < 5000; account++) standings.put(String(account), used(1))

    expect(standings.size).toBeLessThanOrEqual(101)
  })

  it('accounts with requests under way, or newer than on disk, stay', () => {
    const { standings, unwritten } = standingsOf(10)
    unwritten.add('unwritten')
    standings.put('under way', { ...used(0, 50), concurrent: 1 })
    standings.put('unwritten', used(50))

    for (let account = 0; account < 1000; account++) standings.put(String(account), used(1))

    expect(standings.of('under way')).toEqual({ ...used(0, 50), concurrent: 1 })
    expect(standings.of('unwritten')).toEqual(used(50))
    expect(standings.of('0')).toEqual(NO_COUNTERS)
  })

  it('what a standing on disk says of holds is not believed', () => {
    const { standings, disk } = standingsOf(10)
    disk.set('ada', { ...used(70, 90), concurrent: 3 })

    expect(standings.of('ada')).toEqual(used(70))
  })

  it('spend of the eight newest windows is kept, and of older ones where something is held', () => {
    const { standings } = standingsOf(10)
    const windows = Array.from({ length: 10 }, (_, month) => Date.UTC(2025, month))
    const held = (month: number) => (month === 0 ? 4 : 0)
    const spend = Object.fromEntries(
      windows.map((window, month) => [window, { used: nanoUsd(1), held: nanoUsd(held(month)) }]),
    )

    standings.put('ada', { ...NO_COUNTERS, spend })

    const kept = Object.keys(standings.of('ada').spend).map(Number)
    expect(kept.sort()).toEqual(windows.filter((_, month) => month !== 1))
  })
})

describe('embedded: holds in memory', () => {
  function holdsOf(leases: Record<string, number>): Holds {
    const holds = new Holds()
    for (const [requestId, leaseUntil] of Object.entries(leases)) holds.put(heldOf(requestId, leaseUntil))
    return holds
  }

  const dueOf = (holds: Holds, at: number): string[] => holds.due(at).map(({ hold }) => hold.requestId)

  it('a hold is due from the moment its lease ends, until it ended or is renewed', () => {
    const holds = holdsOf({ ended: NOON + 1, renewed: NOON + 1, due: NOON + 1, later: NOON + 2 })

    expect(dueOf(holds, NOON)).toEqual([])
    holds.end('ended', 'settled')
    holds.put(heldOf('renewed', NOON + LEASE_MS))

    expect(dueOf(holds, NOON + 1)).toEqual(['due'])
    holds.end('due', 'orphan')
    expect(dueOf(holds, NOON + 2)).toEqual(['later'])
  })

  it('a hold taken after the clock stepped back is not behind those taken before', () => {
    const holds = holdsOf({ before: NOON + LEASE_MS, after: NOON - 3_600_000 + LEASE_MS })

    expect(dueOf(holds, NOON - 3_600_000 + LEASE_MS)).toEqual(['after'])
  })

  it('thousands of requests that ended are remembered, and not all of them', () => {
    const holds = new Holds()

    for (let index = 0; index < 20_000; index++) {
      holds.put(heldOf(String(index), NOON))
      holds.end(String(index), 'settled')
    }

    expect(holds.admitted('15000')).toMatchObject({ hold: { requestId: '15000' } })
    expect(holds.admitted('9999')).toBeUndefined()
  })
})
