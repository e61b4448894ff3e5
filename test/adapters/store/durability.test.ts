import { once } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { openRecords, type Records } from '../../../src/adapters/embedded/records.ts'
import { openOn } from '../../../src/adapters/embedded/store.ts'
import { lockDirectory } from '../../../src/adapters/embedded/store-directory.ts'
import { LEASE_MS } from '../../../src/gateway/store/hold-store.ts'
import { StoreUnavailable } from '../../../src/gateway/store/store.ts'
import { NOTHING } from '../../../src/policy/counters/account-counters.ts'
import { nanoUsd } from '../../../src/policy/nano-usd.ts'
import { copyOf, crash, expectBalanced, holdsIn, newDirectory, now, openHere, openWatched } from './directory.ts'
import {
  admission,
  admit,
  claimsOf,
  clockAt,
  extension,
  ledgerOf,
  NOON,
  openShop,
  rowOf,
  settlement,
  totalsOf,
  waste,
  wasteOf,
  wasteRowOf,
} from './fixtures.ts'

/** A disk that refuses commits until `mend`. */
async function openOnBrokenDisk() {
  const opened = await openWatched()
  const { disk, files } = opened
  const fail = () => {
    disk.commit = () => Promise.reject(new StoreUnavailable('no space left'))
  }
  const mend = () => {
    disk.commit = files.commit
  }
  return { ...opened, fail, mend }
}

function stopTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => {
    vi.useRealTimers()
  })
}

describe('embedded: durability', () => {
  it('a store that was closed forgets no admission, but its holds', async () => {
    const path = await newDirectory()
    const store = await openHere(path)
    const shop = await openShop(store)
    await admit(store, shop, 'req_1')

    await store.close()

    const after = await openHere(path)
    expect(await after.holds.admit(admission(shop, 'req_2'))).toMatchObject({
      readings: { requests: 1, tokens: 0, day: 1, concurrent: 0, used: 0, held: 0 },
    })
  })

  it('a settlement that resolved is in the files, with its spend and no hold', async () => {
    const path = await newDirectory()
    const store = await openHere(path)
    const shop = await openShop(store)
    const [settled, open] = [await admit(store, shop, 'req_1'), await admit(store, shop, 'req_2')]

    await store.holds.settle(settlement(settled))

    const after = await crash(path)
    expect(await ledgerOf(after)).toEqual([rowOf(settlement(settled))])
    expect(await after.accounts.readSpend(shop.account)).toMatchObject({ used: 50, held: 0 })
    expect(await after.holds.admit(admission(shop, 'req_3'))).toMatchObject({
      readings: { requests: 2, concurrent: 0, used: 50, held: 0 },
    })
    await after.holds.settle(settlement(open))
    expect(await after.accounts.readSpend(shop.account)).toMatchObject({ used: 100, held: 50 })
  })

  it('the files never hold spend without its row, nor a row without its spend', async () => {
    const { path, store, shop } = await openWatched()
    const holds = await Promise.all(Array.from({ length: 60 }, (_, index) => admit(store, shop, `req_${index}`)))

    for (const hold of holds) {
      const settled = store.holds.settle(settlement(hold))
      if (hold.requestId.endsWith('7')) await settled
    }

    const rows = await expectBalanced(await crash(path), shop.account)
    expect(rows.length).toBeGreaterThanOrEqual(58)
  })

  it('a mint and a revoke that resolved are in the files', async () => {
    const path = await newDirectory()
    const store = await openHere(path)
    const ada = await openShop(store, 'ada')
    const bob = await openShop(store, 'bob')
    await store.keys.revoke({ hash: bob.keyHash, by: 'operator' })

    const after = await crash(path)

    expect(await after.keys.findCaller(ada.keyHash)).toMatchObject({ account: ada.account })
    expect(await after.keys.findCaller(bob.keyHash)).toBeUndefined()
  })

  it('a closed store refuses everything', async () => {
    const store = await openHere(await newDirectory())
    const shop = await openShop(store)
    const hold = await admit(store, shop, 'req_1')

    await Promise.all([store.close(), store.close()])

    await expect(store.keys.findCaller(shop.keyHash)).rejects.toThrow(StoreUnavailable)
    await expect(store.holds.admit(admission(shop, 'req_1'))).rejects.toThrow(StoreUnavailable)
    await expect(store.holds.heartbeat([{ hold }])).rejects.toThrow(StoreUnavailable)
    await expect(store.holds.settle(settlement(hold))).rejects.toThrow(StoreUnavailable)
    await expect(store.holds.sweep()).rejects.toThrow(StoreUnavailable)
    await expect(store.ledger.recordWaste([waste(hold)])).rejects.toThrow(StoreUnavailable)
    await expect(store.budgets.take({ pool: 'cloud', amount: nanoUsd(1), limit: nanoUsd(9) })).rejects.toThrow(
      StoreUnavailable,
    )
    await expect(store.keys.revoke({ hash: shop.keyHash, by: 'operator' })).rejects.toThrow(StoreUnavailable)
  })
})

describe('embedded: waste', () => {
  it('that resolved is in the files, with its total and nothing of its account', async () => {
    const { path, store, shop, disk } = await openWatched()
    const hold = await admit(store, shop, 'req_1')
    const before = disk.commits

    await store.ledger.recordWaste([waste(hold, 1), waste(hold, 2)])

    expect(disk.commits).toBe(before + 1)
    const after = await crash(path)
    expect(await ledgerOf(after)).toEqual([wasteRowOf(waste(hold, 1)), wasteRowOf(waste(hold, 2))])
    expect(await wasteOf(after)).toMatchObject([{ attempts: 2, cost: nanoUsd(18) }])
    expect(await expectBalanced(after, shop.account)).toEqual([])
  })

  it('that a full disk refused is written once when it was mended, whoever tells it again', async () => {
    const { path, store, shop, fail, mend } = await openOnBrokenDisk()
    const hold = await admit(store, shop, 'req_1')
    fail()
    await expect(store.ledger.recordWaste([waste(hold)])).rejects.toThrow(StoreUnavailable)
    await expect(store.ledger.recordWaste([waste(hold)])).rejects.toThrow(StoreUnavailable)

    mend()
    await store.ledger.recordWaste([waste(hold)])

    const after = await crash(path)
    expect(await ledgerOf(after)).toEqual([wasteRowOf(waste(hold))])
    expect(await wasteOf(after)).toMatchObject([{ attempts: 1, cost: nanoUsd(9) }])
  })
})

describe('embedded: the hour of a pool', () => {
  it('is in the files a quarter of a second after it was taken', async () => {
    stopTimers()
    const { path, store, disk } = await openWatched()
    const written = once(disk.written, 'commit')

    await store.budgets.take({ pool: 'cloud', amount: nanoUsd(60), limit: nanoUsd(100) })
    await store.budgets.amend({ pool: 'cloud', at: NOON, difference: nanoUsd(-20) })
    vi.advanceTimersByTime(250)
    await written

    expect(await (await crash(path)).budgets.read('cloud')).toBe(40)
  })

  it('is in the files once a disk that failed was mended', async () => {
    const { path, store, fail, mend } = await openOnBrokenDisk()
    fail()
    await store.budgets.take({ pool: 'cloud', amount: nanoUsd(60), limit: nanoUsd(100) })
    await expect(store.flush()).rejects.toThrow(StoreUnavailable)

    mend()
    await store.flush()

    expect(await (await crash(path)).budgets.read('cloud')).toBe(60)
  })
})

describe('embedded: holds a crash left', () => {
  const SO_FAR = { tokens: 12, cost: nanoUsd(14) }

  it('a checkpoint is in the files a quarter of a second later, and is what the request is charged', async () => {
    stopTimers()
    const { path, store, disk, shop } = await openWatched()
    const hold = await admit(store, shop, 'req_1')
    const soFar = settlement(hold, SO_FAR)
    const written = once(disk.written, 'commit')

    await store.holds.heartbeat([{ hold, soFar }])
    vi.advanceTimersByTime(250)
    await written

    const after = await crash(path)
    expect(await expectBalanced(after, shop.account)).toEqual([rowOf(soFar, NOON, 'orphan')])
    expect(await after.holds.admit(admission(shop, 'req_2'))).toMatchObject({
      readings: { requests: 1, tokens: 12, concurrent: 0, used: 14, held: 0 },
    })
  })

  it('a hold without a checkpoint bought nothing', async () => {
    const { path, store, shop } = await openWatched()
    await admit(store, shop, 'req_1')
    await store.flush()

    const after = await crash(path)

    expect(await holdsIn(path)).toEqual(['req_1'])
    expect(await expectBalanced(after, shop.account)).toEqual([])
    expect(await after.holds.admit(admission(shop, 'req_2'))).toMatchObject({ readings: { tokens: 0, concurrent: 0 } })
  })

  it('an extended hold is released as it was extended, and charged what its first round weighed', async () => {
    const { path, store, shop } = await openWatched()
    const first = await admit(store, shop, 'req_1')
    await store.flush()
    const extended = await store.holds.extend(extension(first, SO_FAR))
    // Another request of the account: its commit takes the extended standing, and must take the hold along.
    await store.holds.settle(settlement(await admit(store, shop, 'req_2')))

    const after = await crash(path)

    expect(extended).toMatchObject({ outcome: 'extended', hold: { round: 1 } })
    expect(await after.holds.admit(admission(shop, 'req_3'))).toMatchObject({
      readings: { requests: 2, tokens: 42, concurrent: 0, used: 64, held: 0 },
    })
  })

  it('a request that ends before the tick is never written as a hold', async () => {
    stopTimers()
    const { path, store, shop } = await openWatched()
    const [first, second] = [await admit(store, shop, 'req_1'), await admit(store, shop, 'req_2')]

    await store.holds.settle(settlement(second))
    expect(await holdsIn(path)).toEqual([])

    await store.flush()
    const third = await admit(store, shop, 'req_3')
    await store.holds.settle(settlement(await admit(store, shop, 'req_4')))
    expect(await holdsIn(path)).toEqual([first.requestId])

    await store.holds.settle(settlement(third))
    expect(await holdsIn(path)).toEqual([first.requestId])
  })

  it('a hold that was settled or refunded never reappears', async () => {
    const { path, store, shop } = await openWatched()
    const [settled, refunded] = [await admit(store, shop, 'req_1'), await admit(store, shop, 'req_2')]
    await store.holds.heartbeat([settled, refunded].map(hold => ({ hold, soFar: settlement(hold, SO_FAR) })))
    await store.flush()

    await store.holds.refund(refunded)
    await store.holds.settle(settlement(settled))

    expect(await holdsIn(path)).toEqual([])
    const after = await crash(path)
    expect(await expectBalanced(after, shop.account)).toEqual([rowOf(settlement(settled))])
    await after.holds.settle(settlement(settled))
    expect(await ledgerOf(after)).toHaveLength(1)
  })

  it('a settlement after the crash charges the difference, once, also after the next crash', async () => {
    const { path, store, shop } = await openWatched()
    const hold = await admit(store, shop, 'req_1')
    const soFar = settlement(hold, { tokens: 25, cost: nanoUsd(40) })
    await store.holds.heartbeat([{ hold, soFar }])
    await store.flush()
    const late = settlement(hold, SO_FAR)

    const second = await copyOf(path)
    const after = await openHere(second)
    await Promise.all([after.holds.settle(late), after.holds.settle(late)])
    const third = await crash(second)
    await third.holds.settle(late)

    const [orphan, row, ...others] = await expectBalanced(third, shop.account)
    expect(orphan).toMatchObject({ kind: 'orphan', outputTokens: 15, cost: nanoUsd(40) })
    expect(row).toEqual(rowOf(late, NOON, 'late', soFar))
    expect(row).toMatchObject({ inputTokens: 0, outputTokens: -13, cost: nanoUsd(-26) })
    expect(others).toEqual([])
    expect(await third.holds.admit(admission(shop, 'req_2'))).toMatchObject({ readings: { requests: 1, tokens: 12 } })
  })

  it('a recovery that is cut short settles the rest at the next start, and nothing twice', async () => {
    const { path, store, shop } = await openWatched()
    for (let index = 0; index < 1200; index++) {
      const hold = await admit(store, shop, `req_${index}`, claimsOf({ rpm: 5000 }))
      await store.holds.heartbeat([{ hold, soFar: settlement(hold, SO_FAR) }])
    }
    await store.flush()
    const copy = await copyOf(path)
    const files = await openRecords(copy)
    let commits = 0
    const commit: Records['commit'] = writes => {
      if (++commits === 2) throw new StoreUnavailable('no space left')
      return files.commit(writes)
    }

    const lock = await lockDirectory(copy)
    await expect(openOn({ ...files, commit }, lock, now)).rejects.toThrow(StoreUnavailable)
    await lock.release()

    const left = await holdsIn(copy)
    expect(left.length).toBeGreaterThan(0)
    expect(left.length).toBeLessThan(1200)
    expect(await expectBalanced(await openHere(copy), shop.account)).toHaveLength(1200)
  })
})

describe('embedded: a disk that fails', () => {
  it('a settlement that could not be written rejects, counts, and charges once when it is written after all', async () => {
    const { path, store, fail, mend, shop } = await openOnBrokenDisk()
    const settled = settlement(await admit(store, shop, 'req_1'))
    fail()

    await expect(store.holds.settle(settled)).rejects.toThrow(StoreUnavailable)
    await expect(store.holds.settle(settled)).rejects.toThrow(StoreUnavailable)
    expect(await store.accounts.readSpend(shop.account)).toMatchObject({ used: 50, held: 0 })
    expect(await ledgerOf(store)).toEqual([])

    mend()
    await store.holds.settle(settled)
    for (const one of [store, await crash(path)])
      expect(await expectBalanced(one, shop.account)).toEqual([rowOf(settled)])
  })

  it('a commit that failed and was written all the same is in the totals once', async () => {
    const { path, store, disk, files, mend, shop } = await openOnBrokenDisk()
    const settled = settlement(await admit(store, shop, 'req_1'))
    disk.commit = async writes => {
      await files.commit(writes)
      throw new StoreUnavailable('it said')
    }
    await expect(store.holds.settle(settled)).rejects.toThrow(StoreUnavailable)

    mend()
    await store.holds.settle(settled)

    for (const one of [store, await crash(path)]) await expectBalanced(one, shop.account)
    expect(await totalsOf(store)).toMatchObject([{ requests: 1, cost: nanoUsd(50) }])
  })

  it('a hold that ended while commits failed is not in the files afterwards', async () => {
    const { path, store, fail, mend, shop } = await openOnBrokenDisk()
    const [old, fresh] = [await admit(store, shop, 'req_1'), await admit(store, shop, 'req_2')]
    await store.flush()
    const later = await admit(store, shop, 'req_3')
    fail()
    await expect(store.flush()).rejects.toThrow(StoreUnavailable)
    for (const hold of [old, later]) await expect(store.holds.refund(hold)).rejects.toThrow(StoreUnavailable)
    await expect(store.flush()).rejects.toThrow(StoreUnavailable)

    mend()
    await store.flush()

    expect(await holdsIn(path)).toEqual([fresh.requestId])
  })

  it('nothing more may be spent until a commit succeeds, which is tried every second', async () => {
    stopTimers()
    const { store, disk, fail, mend, shop } = await openOnBrokenDisk()
    const open = await admit(store, shop, 'req_0')
    const settled = settlement(await admit(store, shop, 'req_1'))
    fail()
    await expect(store.holds.settle(settled)).rejects.toThrow(StoreUnavailable)

    await expect(store.holds.admit(admission(shop, 'req_2'))).rejects.toThrow(StoreUnavailable)
    await expect(store.holds.extend(extension(open, NOTHING))).rejects.toThrow(StoreUnavailable)

    mend()
    const written = once(disk.written, 'commit')
    vi.advanceTimersByTime(1000)
    await written
    await store.flush()
    expect(await store.holds.admit(admission(shop, 'req_2'))).toMatchObject({
      outcome: 'admitted',
      readings: { used: 50 },
    })
  })
})

describe('embedded: what is written when', () => {
  it('an admission is in the files a quarter of a second later', async () => {
    stopTimers()
    const { path, store, disk, shop } = await openWatched()
    const written = once(disk.written, 'commit')

    await admit(store, shop, 'req_1')
    vi.advanceTimersByTime(250)
    await written

    expect(await holdsIn(path)).toEqual(['req_1'])
    const after = await crash(path)
    expect(await after.holds.admit(admission(shop, 'req_2'))).toMatchObject({
      readings: { requests: 1, day: 1, concurrent: 0 },
    })
  })

  it('concurrent settlements share commits', async () => {
    const { store, disk, shop } = await openWatched()
    const holds = await Promise.all(Array.from({ length: 64 }, (_, index) => admit(store, shop, `req_${index}`)))
    await store.flush()
    disk.commits = 0

    await Promise.all(holds.map(hold => store.holds.settle(settlement(hold))))

    expect(disk.commits).toBe(1)
  })

  it.each([
    { before: 8, commits: 1 },
    { before: 1, commits: 2 },
  ])(
    'after a commit of $before rows, settlements some turns of the event loop apart take $commits',
    async ({ before, commits }) => {
      const { store, disk, shop } = await openWatched()
      const holds = await Promise.all(
        Array.from({ length: before + 2 }, (_, index) => admit(store, shop, `req_${index}`)),
      )
      await store.flush()
      await Promise.all(holds.slice(2).map(hold => store.holds.settle(settlement(hold))))
      disk.commits = 0

      const settled: Promise<unknown>[] = []
      for (const hold of holds.slice(0, 2)) {
        settled.push(store.holds.settle(settlement(hold)))
        for (let turn = 0; turn < 3; turn++) await setImmediate()
      }
      await Promise.all(settled)

      expect(disk.commits).toBe(commits)
    },
  )

  it('a sweep that resolved is in the files', async () => {
    const clock = clockAt(NOON)
    const { path, store, shop } = await openWatched(clock.now)
    const hold = await admit(store, shop, 'req_1')
    const soFar = settlement(hold, { tokens: 12, cost: nanoUsd(14) })
    await store.holds.heartbeat([{ hold, soFar }])
    clock.at += LEASE_MS

    expect(await store.holds.sweep()).toBe(1)

    const after = await crash(path)
    expect(await expectBalanced(after, shop.account)).toEqual([rowOf(soFar, clock.at, 'orphan')])
  })
})
