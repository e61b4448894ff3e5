import { expect, it, onTestFinished, vi } from 'vitest'
import { bucketOf } from '../../../../src/adapters/redis/layout.ts'
import { openRedisStore, type RedisStore } from '../../../../src/adapters/redis/store.ts'
import { StoreUnavailable } from '../../../../src/gateway/store/store.ts'
import { type RedisCluster, startCluster } from '../../../support/redis/cluster.ts'
import { redisCommand, replicatedFrom } from '../../../support/redis/command.ts'
import { describeRedis, type RedisServer } from '../../../support/redis/redis.ts'
import { newDirectory } from '../directory.ts'
import { admit, claimsOf, ledgerOf, openShop, type Shop, settlement } from '../fixtures.ts'

/** No other master takes over, and those that are there go on. */
const ALONE = { 'cluster-require-full-coverage': 'no', 'cluster-replica-no-failover': 'yes' }
const PATIENCE = { timeout: 60_000, interval: 50 }

let cluster: RedisCluster
let alarms: string[]

async function begin(hasReplicas: boolean): Promise<void> {
  alarms = []
  cluster = await startCluster({ durable: true, hasReplicas, flags: ALONE })
  onTestFinished(() => cluster.stop())
}

async function open(stateDir: string): Promise<RedisStore> {
  const store = await openRedisStore({
    ...{ url: cluster.url, prefix: 'svc', stateDir, answerMs: 10_000, keep: () => 86_400_000 },
    alarm: (message, details) => void alarms.push(`${message} ${JSON.stringify(details ?? {})}`),
  })
  onTestFinished(() => store.close())
  return store
}

const keyOf = ({ account }: Shop) => `svc:{${bucketOf(account)}}:epoch`

/** An account of a master that has not the identity of the store, that master, and accounts that it has not. */
async function shopsOf(store: RedisStore) {
  const labels = Array.from({ length: 12 }, (_, number) => `label-${number}`)
  const shops = await Promise.all(labels.map(label => openShop(store, label)))
  const meta = await cluster.nodeOf('svc:meta')
  const nodes = await Promise.all(shops.map(shop => cluster.nodeOf(keyOf(shop))))
  const node = nodes.find(each => each !== meta) as RedisServer
  const others = shops.filter((_shop, place) => nodes[place] !== node)
  const one = shops[nodes.indexOf(node)] as Shop
  return { node, one, others, meta }
}

async function serveOne(store: RedisStore, shop: Shop, requestId: string): Promise<void> {
  await store.holds.settle(settlement(await admit(store, shop, requestId, claimsOf({ at: Date.now() }))))
}

const isFailed = (node: RedisServer) =>
  vi.waitFor(async () => {
    const [from = cluster.masters[0]] = cluster.masters.filter(each => each !== node)
    expect(String(await redisCommand(from as RedisServer, 'CLUSTER', 'NODES'))).toMatch(
      new RegExp(`:${node.port}@\\S+ master,fail[, ]`),
    )
  }, PATIENCE)

describeRedis('a store that is opened while a master of the cluster is away', { timeout: 90_000 }, () => {
  it('serves the accounts of all others, and those of that master once it is back', async () => {
    await begin(false)
    const [first, second] = [await newDirectory(), await newDirectory()]
    const before = await open(first)
    const { node, one, others } = await shopsOf(before)
    await before.close()
    await node.kill()
    await isFailed(node)

    for (const stateDir of [first, second]) {
      const store = await open(stateDir)
      for (const [place, shop] of others.entries()) await serveOne(store, shop, `req_${stateDir.at(-1)}${place}`)
      await expect(serveOne(store, one, 'req_away')).rejects.toThrow(StoreUnavailable)
    }
    expect(alarms).toContainEqual(expect.stringMatching(`a part of the store is down .*${node.port}`))

    const store = await open(await newDirectory())
    await node.restart()

    await vi.waitFor(() => serveOne(store, one, 'req_back'), PATIENCE)
    expect(alarms).toContainEqual(expect.stringMatching(`a part of the store is back .*${node.port}`))
    expect((await ledgerOf(store)).map(({ requestId }) => requestId)).toContain('req_back')
  })

  it('begins also where that master hangs', async () => {
    await begin(false)
    const stateDir = await newDirectory()
    const before = await open(stateDir)
    const { node, others } = await shopsOf(before)
    await before.close()
    node.pause()

    const store = await open(stateDir)

    for (const [place, shop] of others.entries()) await serveOne(store, shop, `req_${place}`)
    node.resume()
  })

  it('is refused where that master has the identity of the store', async () => {
    await begin(false)
    const stateDir = await newDirectory()
    const before = await open(stateDir)
    const { meta } = await shopsOf(before)
    await before.close()
    await meta.kill()

    await expect(open(stateDir)).rejects.toThrow(StoreUnavailable)
  })

  it('is refused where another one answers, and would forget records', async () => {
    await begin(false)
    const stateDir = await newDirectory()
    const before = await open(stateDir)
    const { node } = await shopsOf(before)
    await before.close()
    await redisCommand(node, 'CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru')

    await expect(open(stateDir)).rejects.toMatchObject({ name: 'StoreRefused' })
  })

  it('gives the replica that takes over what the process before it was answered', async () => {
    await begin(true)
    const stateDir = await newDirectory()
    const before = await open(stateDir)
    const { node, one } = await shopsOf(before)
    const replica = cluster.replicas[cluster.masters.indexOf(node)] as RedisServer
    await serveOne(before, one, 'req_both')
    await replicatedFrom(node)
    replica.pause()
    await serveOne(before, one, 'req_lacked')
    await before.close()
    await node.kill()

    const store = await open(stateDir)
    await expect(serveOne(store, one, 'req_away')).rejects.toThrow(StoreUnavailable)
    replica.resume()
    await vi.waitFor(() => redisCommand(replica, 'CLUSTER', 'FAILOVER', 'TAKEOVER'), PATIENCE)

    await vi.waitFor(() => serveOne(store, one, 'req_back'), PATIENCE)
    expect((await ledgerOf(store, one.account)).map(({ requestId }) => requestId)).toEqual(
      expect.arrayContaining(['req_both', 'req_lacked', 'req_back']),
    )
  })
})
