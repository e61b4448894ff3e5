import { EventEmitter, once } from 'node:events'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { lockDirectory } from '../../src/adapters/embedded/lock.ts'
import { openRecords, type Records } from '../../src/adapters/embedded/records.ts'
import { EmbeddedStore } from '../../src/adapters/embedded/store.ts'
import { StoreUnavailable } from '../../src/gateway/store.ts'
import { crash, newDirectory, now, openHere } from './directory.ts'
import { admission, admit, ledgerOf, openShop, rowOf, settlement } from './fixtures.ts'

describe('embedded: durability', () => {
  it('a store that was closed forgets no admission, but its holds', async () => {
    const path = await newDirectory()
    const store = await openHere(path)
    const shop = await openShop(store)
    await admit(store, shop, 'req_1')

    await store.close()

    const after = await openHere(path)
    expect(await after.admit(admission(shop, 'req_2'))).toMatchObject({
      readings: { requests: 1, tokens: 30, day: 1, open: 0, used: 0, held: 0 },
    })
  })

  it('a settlement that resolved is in the files, with its spend and no hold', async () => {
    const path = await newDirectory()
    const store = await openHere(path)
    const shop = await openShop(store)
    const [settled, open] = [await admit(store, shop, 'req_1'), await admit(store, shop, 'req_2')]

    await store.settle(settlement(settled))

    const after = await crash(path)
    expect(await ledgerOf(after)).toEqual([rowOf(settled, 50)])
    expect(await after.readSpend(shop.account)).toMatchObject({ used: 50, held: 0 })
    expect(await after.admit(admission(shop, 'req_3'))).toMatchObject({
      readings: { requests: 2, open: 0, used: 50, held: 0 },
    })
    await after.settle(settlement(open))
    expect(await after.readSpend(shop.account)).toMatchObject({ used: 100, held: 50 })
  })

  it('the files never hold spend without its row, nor a row without its spend', async () => {
    const path = await newDirectory()
    const store = await openHere(path)
    const shop = await openShop(store)
    const holds = await Promise.all(Array.from({ length: 60 }, (_, index) => admit(store, shop, `req_${index}`)))

    for (const hold of holds) {
      const settled = store.settle(settlement(hold))
      if (hold.requestId.endsWith('7')) await settled
    }

    const after = await crash(path)
    const rows = await ledgerOf(after)
    expect(rows.length).toBeGreaterThanOrEqual(58)
    expect(await after.readSpend(shop.account)).toMatchObject({ used: 50 * rows.length, held: 0 })
  })

  it('a mint and a revoke that resolved are in the files', async () => {
    const path = await newDirectory()
    const store = await openHere(path)
    const ada = await openShop(store, 'ada')
    const bob = await openShop(store, 'bob')
    await store.revokeKey(bob.keyHash)

    const after = await crash(path)

    expect(await after.findCaller(ada.keyHash)).toMatchObject({ account: ada.account })
    expect(await after.findCaller(bob.keyHash)).toBeUndefined()
  })

  it('a closed store refuses everything', async () => {
    const store = await openHere(await newDirectory())
    const shop = await openShop(store)
    const hold = await admit(store, shop, 'req_1')

    await Promise.all([store.close(), store.close()])

    await expect(store.findCaller(shop.keyHash)).rejects.toThrow(StoreUnavailable)
    await expect(store.admit(admission(shop, 'req_1'))).rejects.toThrow(StoreUnavailable)
    await expect(store.settle(settlement(hold))).rejects.toThrow(StoreUnavailable)
    await expect(store.revokeKey(shop.keyHash)).rejects.toThrow(StoreUnavailable)
  })
})

describe('embedded: a disk that fails', () => {
  /** A store on a disk that refuses commits while `broken` is true. */
  async function openOnBrokenDisk() {
    const path = await newDirectory()
    const files = await openRecords(path)
    const disk = { broken: false, commits: 0, written: new EventEmitter() }
    const records: Records = {
      ...files,
      commit: async writes => {
        disk.commits++
        if (disk.broken) throw new StoreUnavailable('no space left')
        await files.commit(writes)
        disk.written.emit('commit')
      },
    }
    const store = new EmbeddedStore(records, await lockDirectory(path), now)
    onTestFinished(() => store.close())
    return { path, store, disk, shop: await openShop(store) }
  }

  function stopTimers(): void {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => {
      vi.useRealTimers()
    })
  }

  it('a settlement that could not be written rejects, counts, and charges once when it is written after all', async () => {
    const { path, store, disk, shop } = await openOnBrokenDisk()
    const settled = settlement(await admit(store, shop, 'req_1'))
    disk.broken = true

    await expect(store.settle(settled)).rejects.toThrow(StoreUnavailable)
    await expect(store.settle(settled)).rejects.toThrow(StoreUnavailable)
    expect(await store.readSpend(shop.account)).toMatchObject({ used: 50, held: 0 })
    expect(await ledgerOf(store)).toEqual([])

    disk.broken = false
    await store.settle(settled)
    for (const one of [store, await crash(path)]) {
      expect(await one.readSpend(shop.account)).toMatchObject({ used: 50, held: 0 })
      expect(await ledgerOf(one)).toEqual([settled.row])
    }
  })

  it('nothing more may be spent until a commit succeeds, which is tried every second', async () => {
    stopTimers()
    const { store, disk, shop } = await openOnBrokenDisk()
    const settled = settlement(await admit(store, shop, 'req_1'))
    disk.broken = true
    await expect(store.settle(settled)).rejects.toThrow(StoreUnavailable)

    await expect(store.admit(admission(shop, 'req_2'))).rejects.toThrow(StoreUnavailable)

    disk.broken = false
    const written = once(disk.written, 'commit')
    vi.advanceTimersByTime(1000)
    await written
    await store.flush()
    expect(await store.admit(admission(shop, 'req_2'))).toMatchObject({ outcome: 'admitted', readings: { used: 50 } })
  })

  it('an admission is in the files a quarter of a second later', async () => {
    stopTimers()
    const { path, store, disk, shop } = await openOnBrokenDisk()
    const written = once(disk.written, 'commit')

    await admit(store, shop, 'req_1')
    vi.advanceTimersByTime(250)
    await written

    const after = await crash(path)
    expect(await after.admit(admission(shop, 'req_2'))).toMatchObject({
      readings: { requests: 1, tokens: 30, open: 0 },
    })
  })

  it('concurrent settlements share commits', async () => {
    const { store, disk, shop } = await openOnBrokenDisk()
    const holds = await Promise.all(Array.from({ length: 64 }, (_, index) => admit(store, shop, `req_${index}`)))
    await store.flush()
    disk.commits = 0

    await Promise.all(holds.map(hold => store.settle(settlement(hold))))

    expect(disk.commits).toBe(1)
  })
})
