import { existsSync } from 'node:fs'
import { mkdir, readdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { StoreRecord } from '../../../../src/gateway/store/record.ts'
import { useCluster } from '../../../support/redis/cluster.ts'
import { describeRedis, useRedis } from '../../../support/redis/redis.ts'
import { newDirectory } from '../directory.ts'
import { admit, all, clockAt, ledgerOf, NOON, openShop, settlement } from '../fixtures.ts'
import { fillCopy, type Kind, openCopy, type Place, placeOf } from './copied-subject.ts'

const clock = clockAt(NOON)

async function opened(place: Place) {
  const store = await openCopy(place, clock.now)
  onTestFinished(() => store.close())
  return store
}

async function* eachOf(records: Iterable<StoreRecord>): AsyncGenerator<StoreRecord> {
  yield* records
}

async function* broken(records: Iterable<StoreRecord>): AsyncGenerator<StoreRecord> {
  yield* records
  throw new Error('the disk cannot be read')
}

/** The records of a store with one request. */
async function recordsOf(place: Place): Promise<readonly StoreRecord[]> {
  const store = await openCopy(place, clock.now)
  const shop = await openShop(store)
  await store.holds.settle(settlement(await admit(store, shop, 'req_1')))
  const records = await all(store.dump())
  await store.close()
  return records
}

function restoresContract(kind: Kind, url: () => string): void {
  const newPlace = async () => placeOf(kind, await newDirectory(), url)

  it('a store that has data is refused, and stays as it was', async () => {
    const place = await newPlace()
    const records = await recordsOf(place)

    await expect(fillCopy(place, eachOf(records), clock.now)).rejects.toMatchObject({ name: 'StoreNotEmpty' })
    expect(await ledgerOf(await opened(place))).toHaveLength(1)
  })

  it('a store that was opened and never used is empty', async () => {
    const records = await recordsOf(await newPlace())
    const place = await newPlace()
    await (await openCopy(place, clock.now)).close()

    await fillCopy(place, eachOf(records), clock.now)
  })

  it('what replaces a store leaves nothing of it', async () => {
    const [place, other] = [await newPlace(), await newPlace()]
    const records = await recordsOf(place)
    const busy = await openCopy(other, clock.now)
    const shop = await openShop(busy, 'other')
    for (const id of ['req_2', 'req_3']) await busy.holds.settle(settlement(await admit(busy, shop, id)))
    await busy.close()

    await fillCopy(other, eachOf(records), clock.now, true)

    const store = await opened({ ...other, path: kind === 'redis' ? await newDirectory() : other.path })
    expect((await ledgerOf(store)).map(({ requestId }) => requestId)).toEqual(['req_1'])
    expect((await all(store.accounts.readAll())).map(({ label }) => label)).toEqual(['shop'])
    expect(await store.keys.findCaller('hash-of-other')).toBeUndefined()
  })

  it('a gateway that finds a restore which was killed says so, and it can be repeated', async () => {
    const records = await recordsOf(await newPlace())
    const place = await newPlace()
    if (kind === 'embedded') {
      // The leftovers of a killed process: the files that it was making.
      await mkdir(join(place.path, 'restoring'))
      await writeFile(join(place.path, 'restoring', 'data.mdb'), 'half of it')
    } else await expect(fillCopy(place, broken(records), clock.now)).rejects.toThrow('the disk cannot be read')

    await expect(openCopy(place, clock.now)).rejects.toThrow(/a restore into .* interrupted.*: repeat (it|the restore)/)

    await fillCopy(place, eachOf(records), clock.now)
    expect(await ledgerOf(await opened(place))).toHaveLength(1)
  })
}

const noRedis = () => {
  throw new Error('no Redis is needed here')
}

describe('a restore into an embedded store', () => {
  restoresContract('embedded', noRedis)

  it('that was killed once its files were whole is gone on from', async () => {
    const [place, from] = [await placeOf('embedded', await newDirectory(), noRedis), await newDirectory()]
    await recordsOf({ ...place, path: from })
    await mkdir(join(place.path, 'restored'))
    await rename(join(from, 'data.mdb'), join(place.path, 'restored', 'data.mdb'))

    expect(await ledgerOf(await opened(place))).toHaveLength(1)
    expect(await readdir(place.path)).not.toContain('restored')
  })

  it('that fails leaves the store as it was', async () => {
    const place = await placeOf('embedded', await newDirectory(), noRedis)
    const records = await recordsOf(place)

    await expect(fillCopy(place, broken(records), clock.now, true)).rejects.toThrow('the disk cannot be read')

    expect(existsSync(join(place.path, 'restoring'))).toBe(false)
    expect(await ledgerOf(await opened(place))).toHaveLength(1)
  })
})

describeRedis.each([
  ['Redis', useRedis],
  ['a Redis Cluster', useCluster],
] as const)('a restore into %s', (_name, use) => {
  const server: () => { readonly url: string } = use()
  const url = () => server().url
  restoresContract('redis', url)

  it('that gateways use is refused, also where it is to be replaced', async () => {
    const place = await placeOf('redis', await newDirectory(), url)
    const records = await recordsOf(place)
    const store = await opened(place)
    const member = {
      id: 'g1',
      name: 'host:1',
      version: '1',
      revision: 'r1',
      admin: 'http://host',
      since: NOON,
      inFlight: 0,
    }
    await store.fleet.announce(member, 10_000)

    await expect(fillCopy(place, eachOf(records), clock.now, true)).rejects.toThrow(
      'gateways use it (host:1): stop them first',
    )
    expect(await ledgerOf(store)).toHaveLength(1)
  })
})
