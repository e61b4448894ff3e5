import { expect, it, onTestFinished, vi } from 'vitest'
import { openRedisStore, type RedisStore } from '../../../../src/adapters/redis/store.ts'
import { StoreUnavailable } from '../../../../src/gateway/store/store.ts'
import { redisCommand, replicatedFrom } from '../../../support/redis/command.ts'
import { describeRedis } from '../../../support/redis/redis.ts'
import { startSentinels } from '../../../support/redis/sentinels.ts'
import { newDirectory } from '../directory.ts'
import { admit, claimsOf, ledgerOf, openShop, type Shop, settlement } from '../fixtures.ts'

const PATIENCE = { timeout: 60_000, interval: 50 }

async function open(url: string, sentinelPassword?: string) {
  const alarms: string[] = []
  const store = await openRedisStore({
    url,
    ...(sentinelPassword !== undefined && { sentinelPassword }),
    prefix: 'svc',
    stateDir: await newDirectory(),
    alarm: (message, details) => void alarms.push(`${message} ${JSON.stringify(details ?? {})}`),
  })
  onTestFinished(() => store.close())
  return { store, alarms }
}

async function serveOne(store: RedisStore, shop: Shop, requestId: string): Promise<void> {
  const hold = await admit(store, shop, requestId, claimsOf({ at: Date.now() }))
  await store.holds.settle(settlement(hold))
}

describeRedis('the primary of sentinels', () => {
  it('is found by its name, and its successor when it is killed', { timeout: 60_000 }, async () => {
    const site = await startSentinels()
    const { store, alarms } = await open(site.url)
    const shop = await openShop(store)
    await serveOne(store, shop, 'req_1')
    await replicatedFrom(site.primary)

    await site.primary.kill()
    await expect(store.accounts.readSpend(shop.account)).rejects.toThrow(StoreUnavailable)
    await site.failedOver()

    await vi.waitFor(() => serveOne(store, shop, 'req_2'), PATIENCE)
    expect((await ledgerOf(store)).map(({ requestId }) => requestId)).toEqual(['req_1', 'req_2'])
    expect(alarms).toContainEqual(expect.stringContaining('the store is back'))
  })

  it('is left where it hangs, once the sentinels name another', { timeout: 60_000 }, async () => {
    const site = await startSentinels()
    const { store } = await open(site.url)
    const shop = await openShop(store)
    await serveOne(store, shop, 'req_1')
    await replicatedFrom(site.primary)

    site.primary.pause()
    await site.failedOver()
    await vi.waitFor(() => serveOne(store, shop, 'req_2'), PATIENCE)
    site.primary.resume()

    expect((await ledgerOf(store)).map(({ requestId }) => requestId)).toEqual(['req_1', 'req_2'])
  })

  it('is left while it still takes writes, once the sentinels name another', { timeout: 60_000 }, async () => {
    const site = await startSentinels()
    const { store, alarms } = await open(site.url)
    const shop = await openShop(store)
    await serveOne(store, shop, 'req_1')
    await replicatedFrom(site.primary)

    await site.tellReplica('REPLICAOF', 'NO', 'ONE')
    await site.tellSentinels('SENTINEL', 'REMOVE', 'main')
    await site.tellSentinels('SENTINEL', 'MONITOR', 'main', '127.0.0.1', String(site.replica.port), '2')
    await vi.waitFor(
      () => expect(alarms).toContainEqual(expect.stringContaining('the sentinels name another primary')),
      PATIENCE,
    )
    await vi.waitFor(() => serveOne(store, shop, 'req_2'), PATIENCE)

    expect(await (await open(site.replica.url)).store.accounts.readSpend(shop.account)).toMatchObject({ used: 100 })
  })

  it('may be missing: what ends meanwhile waits for the next one', { timeout: 60_000 }, async () => {
    const site = await startSentinels()
    const { store } = await open(site.url)
    const shop = await openShop(store)
    const hold = await admit(store, shop, 'req_1', claimsOf({ at: Date.now() }))
    await replicatedFrom(site.primary)

    await site.primary.kill()
    await store.holds.settle(settlement(hold))
    await site.failedOver()

    await vi.waitFor(async () => expect(await ledgerOf(store)).toMatchObject([{ requestId: 'req_1' }]), PATIENCE)
    expect(await store.accounts.readSpend(shop.account)).toMatchObject({ used: 50, held: 0 })
  })

  it('that takes writes which no replica gets is a risk that operators hear of', { timeout: 60_000 }, async () => {
    const site = await startSentinels()
    const warned = await open(site.url)
    await site.tellPrimary('CONFIG', 'SET', 'min-replicas-to-write', '1')

    expect(warned.alarms).toContainEqual(expect.stringContaining('min-replicas-to-write 1'))
    expect((await open(site.url)).alarms).toEqual([])
  })

  it('is told by sentinels with a password of their own', { timeout: 60_000 }, async () => {
    const site = await startSentinels({ password: 'of-sentinels' })

    await expect(open(site.url)).rejects.toThrow('no sentinel knows where main is: NOAUTH')
    const { store } = await open(site.url, 'of-sentinels')
    await serveOne(store, await openShop(store), 'req_1')
    expect(await ledgerOf(store)).toHaveLength(1)
  })

  it('is asked for by no connection of a proof that was given up, or replaced what served', {
    timeout: 60_000,
  }, async () => {
    const site = await startSentinels()
    const { store } = await open(site.url)
    const [, first = ''] = /\/\/([^,]+),/.exec(site.url) ?? []
    const sentinel = { url: `redis://${first}` }
    const clients = async () =>
      String(await redisCommand(sentinel, 'CLIENT', 'LIST')).match(/ cmd=sentinel\|master /g)?.length
    await vi.waitFor(async () => expect(await clients()).toBe(1), PATIENCE)

    for (let count = 0; count < 3; count++) (await store.prove({ url: site.url, tls: {} })).drop()

    await vi.waitFor(async () => expect(await clients()).toBe(1), PATIENCE)
    const { put, drop } = await store.prove({ url: site.url, tls: {} })
    put()
    drop()
    await vi.waitFor(async () => expect(await clients()).toBe(1), PATIENCE)
    await serveOne(store, await openShop(store), 'req_1')
  })

  it('is told to another password of theirs, which a reload may bring', { timeout: 60_000 }, async () => {
    const site = await startSentinels({ password: 'first' })
    const { store, alarms } = await open(site.url, 'first')
    const [, first = ''] = /\/\/([^,]+),/.exec(site.url) ?? []
    const clients = async () =>
      String(await redisCommand({ url: `redis://:second@${first}` }, 'CLIENT', 'LIST')).match(/ cmd=sentinel\|master /g)

    await expect(store.prove({ url: site.url, sentinelPassword: 'wrong' })).rejects.toThrow('WRONGPASS')
    await site.tellSentinels('ACL', 'SETUSER', 'default', '>second')
    const { put } = await store.prove({ url: site.url, sentinelPassword: 'second' })
    put()
    await site.tellSentinels('ACL', 'SETUSER', 'default', '<first')
    await redisCommand({ url: `redis://:second@${first}` }, 'CLIENT', 'KILL', 'TYPE', 'normal')

    await vi.waitFor(async () => expect(await clients()).toHaveLength(1), PATIENCE)
    await serveOne(store, await openShop(store), 'req_1')
    expect(alarms.filter(alarm => alarm.includes('is down'))).toEqual([])
  })

  it('is unknown where no sentinel answers', async () => {
    await expect(open('redis+sentinel://127.0.0.1:1,127.0.0.1:2/main')).rejects.toThrow(
      'no sentinel knows where main is: connect ECONNREFUSED 127.0.0.1:1, connect ECONNREFUSED 127.0.0.1:2',
    )
  })
})
