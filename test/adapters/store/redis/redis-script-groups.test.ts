import { describe, expect, it, onTestFinished } from 'vitest'
import { Layout } from '../../../../src/adapters/redis/layout.ts'
import { openRedisStore } from '../../../../src/adapters/redis/store.ts'
import { useCluster } from '../../../support/redis/cluster.ts'
import { redisCommand } from '../../../support/redis/command.ts'
import { describeRedis, useRedis } from '../../../support/redis/redis.ts'
import { newDirectory } from '../directory.ts'
import {
  admission,
  admit,
  claimsOf,
  clockAt,
  ledgerOf,
  NOON,
  openShop,
  outcomes,
  settlement,
  totalsOf,
} from '../fixtures.ts'

describeRedis('requests of one turn', () => {
  const server = useRedis()
  let opened = 0

  async function openStore() {
    const prefix = `groups${opened++}`
    const { now } = clockAt(NOON)
    const stateDir = await newDirectory()
    const store = await openRedisStore({ url: server().url, prefix, stateDir, alarm: () => {}, now })
    return { store, layout: new Layout(prefix) }
  }

  async function scripts(): Promise<number> {
    const said = String(await redisCommand(server(), 'INFO', 'commandstats'))
    return [...said.matchAll(/cmdstat_(?:eval|evalsha):calls=(\d+)/g)].reduce(
      (sum, [, calls]) => sum + Number(calls),
      0,
    )
  }

  describe('with an account', () => {
    it('travel in calls of 32 and never exceed a limit', async () => {
      const { store } = await openStore()
      const shop = await openShop(store)
      const ids = Array.from({ length: 64 }, (_, at) => `req_${String(at).padStart(2, '0')}`)
      const warm = await store.holds.admit(admission(shop, 'req_warm_1'))
      await Promise.all(['req_warm_2', 'req_warm_3'].map(id => store.holds.admit(admission(shop, id))))
      expect(warm).toMatchObject({ outcome: 'admitted' })
      const before = await scripts()

      const answers = await Promise.all(ids.map(id => store.holds.admit(admission(shop, id, claimsOf({ rpm: 40 })))))

      expect((await scripts()) - before).toBe(2)
      expect(outcomes(answers)).toEqual({ admitted: 37, refused: 27 })
    })

    it('are each settled once, also where one is settled twice in that turn', async () => {
      const { store } = await openStore()
      const shop = await openShop(store)
      const answers = await Promise.all(['req_1', 'req_2', 'req_3'].map(id => store.holds.admit(admission(shop, id))))
      const holds = answers.flatMap(answer => ('hold' in answer ? [answer.hold] : []))

      await Promise.all([...holds, ...holds].map(hold => store.holds.settle(settlement(hold))))

      expect((await ledgerOf(store)).map(({ requestId }) => requestId)).toEqual(['req_1', 'req_2', 'req_3'])
      expect(await totalsOf(store)).toMatchObject([{ requests: 3 }])
    })
  })

  it('fail alone where the records of their account are broken', async () => {
    const { store, layout } = await openStore()
    const [sound, broken] = [await openShop(store, 'sound'), await openShop(store, 'broken')]
    await redisCommand(server(), 'SET', layout.of(broken.account).counters(broken.account), 'no hash')

    const answers = await Promise.allSettled(
      [sound, broken, sound, broken, sound].map((shop, at) => store.holds.admit(admission(shop, `req_${at}`))),
    )

    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled'])
    expect(answers[1]).toMatchObject({ reason: { message: expect.stringContaining('WRONGTYPE') } })
    const next = await store.holds.admit(admission(sound, 'req_next'))
    expect(next).toMatchObject({ outcome: 'admitted', readings: { requests: 3, concurrent: 3 } })
  })

  it('are served by a Redis that lost its scripts', async () => {
    const { store } = await openStore()
    const shop = await openShop(store)
    await redisCommand(server(), 'SCRIPT', 'FLUSH')

    const answers = await Promise.all(['req_1', 'req_2', 'req_3'].map(id => store.holds.admit(admission(shop, id))))

    expect(outcomes(answers)).toEqual({ admitted: 3 })
    expect(await store.accounts.readUsage(shop.account)).toMatchObject({ concurrent: 3 })
  })
})

describeRedis('requests of one turn in a cluster', () => {
  const cluster = useCluster()

  it('are admitted and settled at the masters of their accounts', async () => {
    const store = await openRedisStore({
      ...cluster(),
      prefix: 'groups',
      stateDir: await newDirectory(),
      alarm: () => {},
      // A busy machine may answer late, which is no outage here.
      answerMs: 15_000,
    })
    onTestFinished(() => store.close())
    const shops = await Promise.all(Array.from({ length: 24 }, (_, at) => openShop(store, `shop-${at}`)))
    const claims = claimsOf({ at: Date.now() })

    const holds = await Promise.all(
      shops.flatMap(shop => [1, 2].map(nth => admit(store, shop, `req_${shop.account}_${nth}`, claims))),
    )
    await Promise.all(holds.map(hold => store.holds.settle(settlement(hold))))

    expect((await ledgerOf(store)).length).toBe(48)
    for (const { account } of shops)
      expect(await store.accounts.readSpend(account)).toMatchObject({ used: 100, held: 0 })
  })
})
