import { describe, expect, it, onTestFinished } from 'vitest'
import { type Bucket, Layout } from '../../../../src/adapters/redis/layout.ts'
import { openRedisStore } from '../../../../src/adapters/redis/store.ts'
import type { Admitted, Settlement } from '../../../../src/gateway/store/hold-store.ts'
import type { Hold } from '../../../../src/policy/counters/account-counters.ts'
import { windowOf } from '../../../../src/policy/decision.ts'
import { nanoUsd } from '../../../../src/policy/nano-usd.ts'
import { watchesOf } from '../../../../src/policy/notices.ts'
import { useCluster } from '../../../support/redis/cluster.ts'
import { redisCommand } from '../../../support/redis/command.ts'
import { describeRedis, useRedis } from '../../../support/redis/redis.ts'
import { newDirectory } from '../directory.ts'
import {
  admission,
  admit,
  all,
  claimsOf,
  clockAt,
  extension,
  ledgerOf,
  NOON,
  openGuest,
  openShop,
  outcomes,
  settlement,
  totalsOf,
  waste,
} from '../fixtures.ts'

const DIGESTS = `local records = redis.call('KEYS', ARGV[1])
for i, name in ipairs(records) do records[i] = name .. ' ' .. redis.sha1hex(redis.call('DUMP', name)) end
return records`

describeRedis('requests of one turn', () => {
  const server = useRedis()
  let opened = 0

  async function openStore() {
    const prefix = `groups${opened++}`
    const clock = clockAt(NOON)
    const stateDir = await newDirectory()
    const store = await openRedisStore({ url: server().url, prefix, stateDir, alarm: () => {}, now: clock.now })
    onTestFinished(() => store.close())
    return { store, layout: new Layout(prefix), clock }
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

  it('that begin a fiscal month keep the name of the month before', async () => {
    const { store, layout, clock } = await openStore()
    const shop = await openShop(store)
    await admit(store, shop, 'req_before')
    const before = windowOf(clock.at)
    clock.at = before.end
    const claims = claimsOf({ at: clock.at })

    const answers = await Promise.all(
      ['req_1', 'req_2', 'req_3'].map(id => store.holds.admit(admission(shop, id, claims))),
    )

    expect(outcomes(answers)).toEqual({ admitted: 3 })
    const account = layout.of(shop.account).account(shop.account)
    const named = await redisCommand(server(), 'HMGET', account, 'window', 'window_before')
    expect(named).toEqual([String(before.end), String(before.start)])
  })

  /** Records without which a request of an account cannot be counted. */
  const RECORDS: Record<string, (bucket: Bucket, account: string) => string> = {
    'the counters': (bucket, account) => bucket.counters(account),
    'the ring of the minute': (bucket, account) => bucket.minute(account),
    'the spend of the month': (bucket, account) => bucket.spend(account, windowOf(NOON).start),
    'the leases of its bucket': bucket => bucket.leases,
  }

  const DAY = Math.floor(NOON / 86_400_000)

  /** Records without which a request of an account cannot be charged. */
  const CHARGED: Record<string, (bucket: Bucket, account: string) => string> = {
    'the ring of its minute': (bucket, account) => bucket.minute(account),
    'the totals of its bucket': bucket => bucket.totals(DAY),
    'the totals of its tools': bucket => bucket.toolTotals(DAY),
    'the ledger of its bucket': bucket => bucket.ledger,
    'the leases of its bucket': bucket => bucket.leases,
  }

  const ALL: Record<string, (layout: Layout, account: string) => string> = {
    ...Object.fromEntries(
      Object.entries({ ...RECORDS, ...CHARGED }).map(([name, nameOf]) => [
        name,
        (layout: Layout, account: string) => nameOf(layout.of(account), account),
      ]),
    ),
    'what guests share': layout => `${layout.guests.guestSpend}${DAY}`,
    'the notices of its bucket': (layout, account) => layout.of(account).crossings,
  }

  const SHARED = { limit: nanoUsd(1000) }

  const holdOf = (answer: Admitted): Hold => {
    if (!('hold' in answer)) throw new Error('a request was not admitted')
    return answer.hold
  }

  /** The name of every record with a digest of its content. */
  const recordsOf = async (layout: Layout): Promise<readonly string[]> =>
    ((await redisCommand(server(), 'EVAL', DIGESTS, '0', layout.like('*'))) as string[]).sort()

  const withTools = ({ bill, ...settled }: Settlement): Settlement => ({
    ...settled,
    bill: { ...bill, tools: { search: 2 }, toolCosts: { search: nanoUsd(5) } },
  })

  /** Puts another type of value in place of a record, until the answer is called. */
  async function breakRecord(name: string): Promise<() => Promise<void>> {
    const [sound, isThere] = [`${name}:sound`, await redisCommand(server(), 'EXISTS', name)]
    if (isThere) await redisCommand(server(), 'RENAME', name, sound)
    await redisCommand(server(), 'XADD', name, '*', 'no', 'record')
    return async () => {
      await redisCommand(server(), 'DEL', name)
      if (isThere) await redisCommand(server(), 'RENAME', sound, name)
    }
  }

  const ADMITTED = { status: 'fulfilled', value: { outcome: 'admitted' } }
  const REFUSED = { status: 'rejected', reason: { message: expect.stringContaining('WRONGTYPE') } }

  describe('of several accounts', () => {
    it.each(Object.entries(RECORDS))(
      'are refused for that account alone whose record is broken: %s',
      async (_, nameOf) => {
        const { store, layout, clock } = await openStore()
        const shops = await Promise.all(['one', 'broken', 'other', 'last'].map(label => openShop(store, label)))
        for (const shop of shops) await admit(store, shop, `req_${shop.account}_0`)
        const repair = await breakRecord(nameOf(layout.of('acct_broken'), 'acct_broken'))
        clock.at += 2000
        const asked = [1, 2, 3].flatMap(nth => shops.map(shop => ({ shop, id: `req_${shop.account}_${nth}` })))

        const answers = await Promise.allSettled(asked.map(({ shop, id }) => store.holds.admit(admission(shop, id))))

        expect(answers).toMatchObject(asked.map(({ shop }) => (shop.account === 'acct_broken' ? REFUSED : ADMITTED)))
        await repair()
        for (const shop of shops) {
          const running = shop.account === 'acct_broken' ? 1 : 4
          expect(await store.accounts.readUsage(shop.account)).toMatchObject({ requests: running, concurrent: running })
          expect(await store.accounts.readSpend(shop.account)).toMatchObject({ held: 50 * running })
          expect(await holdsOf(layout, shop.account)).toBe(running)
        }
      },
    )

    it.each(Object.entries(CHARGED))(
      'are settled but for those of an account whose record is broken, and these once it is whole: %s',
      async (_, nameOf) => {
        const { store, layout, clock } = await openStore()
        const shops = await Promise.all(['one', 'broken', 'other'].map(label => openShop(store, label)))
        const holds = await Promise.all(
          shops.flatMap(shop => [1, 2].map(nth => admit(store, shop, `req_${shop.account}_${nth}`))),
        )
        clock.at += 2000
        // The buckets of those before are in the ring from now on.
        for (const shop of shops) await admit(store, shop, `req_${shop.account}_3`)
        const repair = await breakRecord(nameOf(layout.of('acct_broken'), 'acct_broken'))
        const charge = { tokens: 20, cost: nanoUsd(30) }

        const settle = (hold: Hold) => store.holds.settle(withTools(settlement(hold, charge)))
        const settled = await Promise.allSettled(holds.map(settle))

        for (const [at, { account }] of holds.entries())
          expect(settled[at]?.status).toBe(account === 'acct_broken' ? 'rejected' : 'fulfilled')
        await repair()
        expect((await ledgerOf(store)).length).toBe(4)
        await Promise.all(holds.map(settle))
        expect((await ledgerOf(store)).length).toBe(6)
        for (const { account } of shops)
          expect(await store.accounts.readSpend(account)).toMatchObject({ used: 60, held: 50 })
        expect((await totalsOf(store)).map(({ requests }) => requests)).toEqual([2, 2, 2])
        expect((await all(store.ledger.readTools())).map(({ calls, cost }) => [calls, cost])).toEqual([
          [4, 10],
          [4, 10],
          [4, 10],
        ])
      },
    )
  })

  describe('alone', () => {
    it.each(Object.entries(CHARGED))(
      'is settled once its broken record is whole, as if it had never been tried before: %s',
      async (_, nameOf) => {
        const { store, layout, clock } = await openStore()
        const shop = await openShop(store)
        const hold = await admit(store, shop, 'req_1')
        clock.at += 2000
        await admit(store, shop, 'req_2')
        const asked = withTools(settlement(hold, { tokens: 20, cost: nanoUsd(30) }))
        const repair = await breakRecord(nameOf(layout.of(shop.account), shop.account))
        await expect(store.holds.settle(asked)).rejects.toThrow('WRONGTYPE')
        await repair()
        expect(await ledgerOf(store)).toEqual([])

        await store.holds.settle(asked)

        expect(await store.accounts.readSpend(shop.account)).toMatchObject({ used: 30, held: 50 })
        expect(await store.accounts.readUsage(shop.account)).toMatchObject({ requests: 2, concurrent: 1 })
        expect(await totalsOf(store)).toMatchObject([{ requests: 1, cost: 30 }])
        expect(await all(store.ledger.readTools())).toMatchObject([{ calls: 2, cost: 5 }])
      },
    )

    /** Each call changes these records. */
    const CALLS = {
      'an admission': [...Object.keys(RECORDS), 'what guests share'],
      'a further round': [...Object.keys(RECORDS), 'what guests share'],
      'a settlement': Object.keys(ALL).filter(name => name !== 'the ring of its minute'),
      'a refund': [...Object.keys(RECORDS), 'what guests share'],
    }
    const cases = Object.entries(CALLS).flatMap(([call, records]) => records.map(name => ({ call, name })))

    it.each(cases)('changes nothing where a record of it is broken: $call and $name', async ({ call, name }) => {
      const { store, layout, clock } = await openStore()
      const guest = await openGuest(store)
      const claims = claimsOf({ limit: 100 })
      const asked = (id: string) => store.holds.admit({ ...admission(guest, id, claims), shared: SHARED })
      const hold = holdOf(await asked('req_1'))
      clock.at += 2000
      // The bucket of the first is in the ring from now on.
      await store.holds.refund(holdOf(await asked('req_2')))
      clock.at += 1000
      const watches = watchesOf({ notices: [{ at: [20], of: ['account'], to: ['ops'] }], claims, hold }) ?? []
      const calls: Record<string, () => Promise<unknown>> = {
        'an admission': () => asked('req_3'),
        'a further round': () => store.holds.extend(extension(hold, { tokens: 20, cost: nanoUsd(30) })),
        'a settlement': () =>
          store.holds.settle({ ...withTools(settlement(hold, { tokens: 20, cost: nanoUsd(30) })), watches }),
        'a refund': () => store.holds.refund(hold),
      }
      const repair = await breakRecord(ALL[name]?.(layout, guest.account) ?? '')
      const before = await recordsOf(layout)

      await expect(calls[call]?.()).rejects.toThrow('WRONGTYPE')

      expect(await recordsOf(layout)).toEqual(before)
      await repair()
      await calls[call]?.()
      expect(await recordsOf(layout)).not.toEqual(before)
    })

    it('records a failed attempt once the broken totals are whole', async () => {
      const { store, layout } = await openStore()
      const hold = await admit(store, await openShop(store), 'req_1')
      const repair = await breakRecord(layout.pools.waste(DAY))
      await expect(store.ledger.recordWaste([waste(hold)])).rejects.toThrow('WRONGTYPE')
      await repair()
      expect(await ledgerOf(store)).toEqual([])

      await store.ledger.recordWaste([waste(hold)])

      expect(await all(store.ledger.readWaste())).toMatchObject([{ attempts: 1, cost: 9 }])
    })
  })

  /** How many holds of an account there are, open or ended. */
  async function holdsOf(layout: Layout, account: string): Promise<number> {
    return ((await redisCommand(server(), 'KEYS', layout.like(`*:hold:*${account}*`))) as string[]).length
  }

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
