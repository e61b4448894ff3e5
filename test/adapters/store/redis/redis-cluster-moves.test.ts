import { queryObjects } from 'node:v8'
import { expect, it, onTestFinished, vi } from 'vitest'
import { bucketOf } from '../../../../src/adapters/redis/layout.ts'
import { Connection } from '../../../../src/adapters/redis/servers/connection.ts'
import { slotOf } from '../../../../src/adapters/redis/servers/slots.ts'
import { openRedisStore, type RedisStore } from '../../../../src/adapters/redis/store.ts'
import { StoreUnavailable } from '../../../../src/gateway/store/store.ts'
import { claimsOfRules } from '../../../../src/policy/limits/rule-claim.ts'
import { type RedisCluster, startCluster } from '../../../support/redis/cluster.ts'
import { redisCommand } from '../../../support/redis/command.ts'
import { describeRedis, type RedisServer } from '../../../support/redis/redis.ts'
import { newDirectory } from '../directory.ts'
import { admit, claimsOf, ledgerOf, openShop, type Shop, settlement, totalsOf } from '../fixtures.ts'

const PRO = { plan: 'pro', model: { name: 'svc-core', tier: 'basic' } }
const PATIENCE = { timeout: 60_000, interval: 50 }

let cluster: RedisCluster
let store: RedisStore
let shops: readonly Shop[]
let alarms: string[]

const keyOf = ({ account }: Shop) => `svc:{${bucketOf(account)}}:epoch`
// Two cores that also run other tests may answer late, which is no outage here.
const open = async () => {
  const opened = await openRedisStore({
    url: cluster.url,
    prefix: 'svc',
    stateDir: await newDirectory(),
    alarm: (message, details) => void alarms.push(`${message} ${JSON.stringify(details ?? {})}`),
    answerMs: 10_000,
    keep: () => 86_400_000,
  })
  onTestFinished(() => opened.close())
  return opened
}

async function serveOne(shop: Shop, requestId: string): Promise<void> {
  // A fast machine admits more in the minute than other tests leave room for.
  const room = { rpm: 1_000_000, tpm: 100_000_000, limit: 100_000_000 }
  const hold = await admit(store, shop, requestId, claimsOf({ at: Date.now(), ...room }))
  await store.holds.settle(settlement(hold))
}

/** The accounts that a node has, and those of the others. */
async function splitAt(node: RedisServer): Promise<readonly [readonly Shop[], readonly Shop[]]> {
  const nodes = await Promise.all(shops.map(shop => cluster.nodeOf(keyOf(shop))))
  const isThere = (_shop: Shop, place: number) => nodes[place] === node
  return [shops.filter(isThere), shops.filter((shop, place) => !isThere(shop, place))]
}

async function begin(hasReplicas: boolean, more: Parameters<typeof startCluster>[0] = {}): Promise<void> {
  alarms = []
  cluster = await startCluster({ hasReplicas, ...more })
  onTestFinished(() => cluster.stop())
  store = await open()
  const labels = Array.from({ length: 12 }, (_, number) => `label-${number}`)
  shops = await Promise.all(labels.map(label => openShop(store, label)))
}

describeRedis('a master of a cluster', { timeout: 90_000 }, () => {
  it('that is killed holds up its accounts alone, until its replica has taken over', async () => {
    await begin(true)
    const node = cluster.masters[1] as RedisServer
    const [away, others] = await splitAt(node)
    const [one] = away
    if (!one) throw new Error('twelve accounts are on three masters')
    const half = await admit(store, one, 'req_half', claimsOf({ at: Date.now() }))
    for (const [place, shop] of shops.entries()) await serveOne(shop, `req_a${place}`)

    await node.kill()
    await expect(serveOne(one, 'req_b')).rejects.toThrow(StoreUnavailable)
    await store.holds.settle(settlement(half))
    for (const [place, shop] of others.entries()) await serveOne(shop, `req_c${place}`)

    await vi.waitFor(() => serveOne(one, 'req_d'), PATIENCE)
    await vi.waitFor(
      async () => expect((await ledgerOf(store)).map(({ requestId }) => requestId)).toContain('req_half'),
      PATIENCE,
    )
    const rows = (await ledgerOf(store)).map(({ requestId }) => requestId)
    expect(rows).toEqual([...new Set(rows)])
    expect(rows).toHaveLength(shops.length + others.length + 2)
    expect(await store.accounts.readSpend(one.account)).toMatchObject({ used: 150, held: 0 })
    expect(alarms).toContainEqual(expect.stringMatching(/a part of the store is down/))
  })

  it('that has the identity of the store holds up no other account while it is away', async () => {
    await begin(false, { durable: true, flags: { 'cluster-require-full-coverage': 'no' } })
    const node = await cluster.nodeOf('svc:meta')
    const [, [one]] = await splitAt(node)
    if (!one) throw new Error('twelve accounts are on three masters')
    const { account } = one
    const own = await cluster.nodeOf(keyOf(one))
    const kept = { account, id: 'resp_1', items: ['msg_1'], sealed: Buffer.from('sealed'), keep: 3_600_000 }
    await store.responses.keep(kept, { bytes: 1000, responses: 10, total: 1000 })
    const half = await admit(store, one, 'req_half', claimsOf({ at: Date.now() }))

    await own.kill()
    await store.holds.settle(settlement(half))
    await node.kill()
    await own.restart()

    // Spooled settlements, the counters of rules, kept responses and the sums of an account need the time.
    await vi.waitFor(
      async () => expect(await store.accounts.readSpend(account)).toMatchObject({ used: 50, held: 0 }),
      PATIENCE,
    )
    const rules = claimsOfRules([{ measure: 'requests', most: 9, per: 'hour', of: 'account' }], { terms: {} }, PRO)
    expect(await store.holds.readRules(account, { rules })).toMatchObject([{ used: 0 }])
    expect(await store.responses.findByItem(account, 'msg_1')).toBe('resp_1')
    expect(await totalsOf(store, { account })).toMatchObject([{ cost: 50 }])
  })

  it('that its replica replaced is forgotten, with its connection', async () => {
    await begin(true)
    const pair = [cluster.masters[0], cluster.replicas[0]] as RedisServer[]
    const [[one] = []] = await splitAt(pair[0] as RedisServer)
    if (!one) throw new Error('twelve accounts are on three masters')
    const count = () => queryObjects(Connection, { format: 'count' })
    const before = count()

    for (const next of [1, 0, 1, 0]) {
      const replica = pair[next] as RedisServer
      await vi.waitFor(
        async () => expect(String(await redisCommand(replica, 'INFO', 'replication'))).toContain('link_status:up'),
        PATIENCE,
      )
      await redisCommand(replica, 'CLUSTER', 'FAILOVER', 'TAKEOVER')
      await vi.waitFor(async () => expect(await cluster.nodeOf(keyOf(one))).toBe(replica), PATIENCE)
      const change = { override: next === 1 ? 'free' : 'pro' }
      // The change waits for a replica, over a connection to the new master.
      await vi.waitFor(() => store.accounts.changeTerms({ account: one.account, change, by: 'operator' }), PATIENCE)
    }

    await vi.waitFor(() => expect(count()).toBeLessThanOrEqual(before), PATIENCE)
  })

  it('gives slots to a new one under load, and no request notices', async () => {
    await begin(false)
    let stopped = false
    onTestFinished(() => {
      stopped = true
    })
    let served = 0
    const failed: unknown[] = []
    const load = shops.map(async (shop, place) => {
      for (let number = 0; !stopped; number++)
        await serveOne(shop, `req_${place}_${String(number).padStart(5, '0')}`).then(
          () => served++,
          error => {
            failed.push(error)
            stopped = true
          },
        )
    })
    await vi.waitFor(() => expect(stopped || served > 100).toBe(true), PATIENCE)

    const [from] = cluster.masters
    const to = await cluster.join()
    const [moved] = await splitAt(from as RedisServer)
    await cluster.move([...new Set(moved.map(shop => slotOf(keyOf(shop))))], from as RedisServer, to)
    const before = served
    await vi.waitFor(() => expect(stopped || served > before + 100).toBe(true), PATIENCE)
    stopped = true
    await Promise.all(load)

    expect(failed).toEqual([])
    expect(moved).not.toEqual([])
    expect(await splitAt(to)).toMatchObject([moved, expect.anything()])
    expect(await ledgerOf(store)).toHaveLength(served)
    const spent = await Promise.all(shops.map(({ account }) => store.accounts.readSpend(account)))
    expect(spent.reduce((sum, { used }) => sum + used, 0)).toBe(50 * served)
    expect(spent.every(({ held }) => held === 0)).toBe(true)
  })

  it('that comes back empty is not believed: nobody is answered that a key is unknown', async () => {
    await begin(false)
    const node = cluster.masters[2] as RedisServer
    const [away, others] = await splitAt(node)
    const [one] = away
    if (!one) throw new Error('twelve accounts are on three masters')

    await redisCommand(node, 'FLUSHALL')

    await expect(store.keys.findCaller(one.keyHash)).rejects.toThrow(StoreUnavailable)
    await expect(serveOne(one, 'req_1')).rejects.toThrow(StoreUnavailable)
    const known = await Promise.allSettled(others.map(({ keyHash }) => store.keys.findCaller(keyHash)))
    expect(known.filter(each => each.status === 'fulfilled' && each.value === undefined)).toEqual([])
    expect(alarms).toContainEqual(expect.stringContaining('emptied'))
  })

  it('that serves nothing while slots are missing fails sweeps and heartbeats, and not the gateway', async () => {
    alarms = []
    cluster = await startCluster({ masters: 1 })
    onTestFinished(() => cluster.stop())
    store = await open()
    const rejected: unknown[] = []
    const note = (reason: unknown) => void rejected.push(reason)
    process.on('unhandledRejection', note)
    onTestFinished(() => void process.off('unhandledRejection', note))
    const [node] = cluster.masters
    if (!node) throw new Error('there is a master')
    const own = await admit(store, await openShop(store), 'req_1', claimsOf({ at: Date.now() }))
    const hold = { ...own, apart: true }

    await redisCommand(node, 'CLUSTER', 'DELSLOTS', String(slotOf('a slot without records')))
    await vi.waitFor(
      async () => expect(String(await redisCommand(node, 'CLUSTER', 'INFO'))).toContain('state:fail'),
      PATIENCE,
    )

    await expect(store.holds.sweep()).rejects.toThrow(StoreUnavailable)
    await expect(store.holds.heartbeat([{ hold }])).rejects.toThrow(StoreUnavailable)
    // Node says so once the turn is over.
    await new Promise(setImmediate)
    expect(rejected).toHaveLength(0)
  })

  it('is refused as a store by itself, and a store by itself as a cluster', async () => {
    cluster = await startCluster()
    onTestFinished(() => cluster.stop())
    const [node] = cluster.masters
    const at = async (url: string) =>
      openRedisStore({ url, prefix: 'svc', stateDir: await newDirectory(), alarm: () => {} })

    await expect(at(node?.url ?? '')).rejects.toThrow('use redis+cluster://')
  })
})
