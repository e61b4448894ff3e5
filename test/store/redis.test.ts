import { createClient } from '@keyv/redis'
import { describe, expect, it } from 'vitest'
import { describeRedis, useRedis } from '../support/redis.ts'
import { openRedisSubject } from './aspects/subjects.ts'
import { startOf, storeContract } from './contract.ts'
import { admit, LAPSED, ledgerOf, openShop, rowOf, settlement, totalsOf } from './fixtures.ts'

describeRedis('a store in Redis', () => {
  const server = useRedis()

  storeContract('redis', now => openRedisSubject(server().url, now))

  describe('a request that Redis keeps no marker of any more', () => {
    const start = startOf(now => openRedisSubject(server().url, now))

    /** Forgets what is kept for some hours at most. */
    async function letHoursPass(): Promise<void> {
      const client = createClient({ url: server().url })
      await client.connect()
      const short = []
      for (const key of await client.keys('*')) {
        const seconds = await client.ttl(key)
        if (seconds > 0 && seconds < 86_400) short.push(key)
      }
      expect(short).not.toEqual([])
      await client.del(short)
      client.destroy()
    }

    it('is not charged again by the same settlement', async () => {
      const { store } = await start()
      const shop = await openShop(store)
      const settled = settlement(await admit(store, shop, 'req_1'))
      await store.settle(settled)
      await letHoursPass()

      await store.settle(settled)
      await store.refund(settled.hold)

      expect(await store.readSpend(shop.account)).toMatchObject({ used: 50, held: 0 })
      expect(await ledgerOf(store)).toEqual([rowOf(settled)])
    })

    it.each([
      ['a settlement', { tokens: 30, cost: 50 }],
      ['a refund', { tokens: 0, cost: 0 }],
    ])('pays the difference to its checkpoint by %s', async (what, charge) => {
      const { store, clock } = await start()
      const shop = await openShop(store)
      const hold = await admit(store, shop, 'req_1')
      const [soFar, late] = [settlement(hold, { tokens: 12, cost: 14 }), settlement(hold, charge)]
      await store.beat([{ hold, soFar }])
      clock.at += LAPSED
      await store.sweep()
      await letHoursPass()

      const end = () => (what === 'a refund' ? store.refund(hold) : store.settle(late))
      await end()
      await end()

      expect(await ledgerOf(store)).toEqual([rowOf(soFar, clock.at, 'orphan'), rowOf(late, clock.at, 'late', soFar)])
      expect(await store.readSpend(shop.account)).toMatchObject({ used: charge.cost, held: 0 })
      expect(await totalsOf(store)).toMatchObject([{ requests: 1, cost: charge.cost }])
    })
  })
})
