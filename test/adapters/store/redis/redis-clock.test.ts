import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest'
import { openRedisStore, type RedisStore } from '../../../../src/adapters/redis/store.ts'
import { describeNeeding } from '../../../lanes/lane.ts'
import { eventually } from '../../../support/eventually.ts'
import { redisCommand } from '../../../support/redis/command.ts'
import { hasRedis, type RedisServer, startRedis } from '../../../support/redis/redis.ts'
import { canSetClocks, makeClock, type SetClock } from '../../../support/redis/set-clock.ts'
import { newDirectory } from '../directory.ts'
import { admission, admit, claimsOf, ledgerOf, openShop, type Shop, settlement } from '../fixtures.ts'

const describeClock = describeNeeding({
  isThere: hasRedis && canSetClocks,
  missing: 'tests that set the clock of a Redis. Install them: apt-get install redis-server gcc libc6-dev',
})

const RPM = 10
const HOUR_MS = 3_600_000
const ALARM = 'the clock of Redis was set'

describeClock('a Redis whose clock is set', () => {
  let clock: SetClock
  let server: RedisServer
  let alarms: string[]
  let requests = 0
  beforeAll(async () => {
    clock = makeClock()
    server = await startRedis({ durable: true, env: clock.env })
  })
  afterAll(async () => {
    await server.stop()
    await clock.remove()
  })
  beforeEach(async () => {
    alarms = []
    clock.setTo(0)
    await redisCommand(server, 'FLUSHALL')
  })

  /** A gateway that has looked at the clock. */
  async function open(): Promise<RedisStore> {
    const store = await openRedisStore({
      url: server.url,
      prefix: 'svc',
      stateDir: await newDirectory(),
      alarm: message => void alarms.push(message),
      answerMs: 15_000,
    })
    onTestFinished(() => store.close())
    return store
  }
  /** Gateways that have looked at the clock look at it again. */
  async function set(aheadMs: number): Promise<void> {
    // They look once a second; a step that comes before the first look is none to them.
    await new Promise(resolve => setTimeout(resolve, 2500))
    const before = alarms.length
    clock.setTo(aheadMs)
    await eventually(() => expect(alarms.slice(before)).toContain(ALARM))
  }
  const timeAt = async () => {
    const [seconds] = (await redisCommand(server, 'TIME')) as readonly string[]
    return Number(seconds) * 1000
  }
  const ask = async (store: RedisStore, shop: Shop, limits: Parameters<typeof claimsOf>[0]) =>
    store.holds.admit(
      admission(shop, `req_${String(++requests).padStart(4, '0')}`, claimsOf({ ...limits, at: await timeAt() })),
    )
  async function spendMinute(store: RedisStore, shop: Shop): Promise<void> {
    for (let n = 0; n < RPM; n++) expect(await ask(store, shop, { rpm: RPM })).toMatchObject({ outcome: 'admitted' })
  }

  it.each([-3000, -100_000, -118_000])(
    'back by %i ms admits nothing past a minute, and no account waits for more than 67 s',
    async shift => {
      const [store, other] = [await open(), await open()]
      const shop = await openShop(store)
      await spendMinute(store, shop)

      await set(shift)

      for (const each of [store, other])
        await eventually(async () => {
          const answer = await ask(each, shop, { rpm: RPM })
          expect(answer).toMatchObject({ denial: { code: 'rate_limit_exceeded', type: 'requests' } })
          const { denial } = answer as { denial: { retryAfterMs: number } }
          expect(denial.retryAfterMs).toBeLessThanOrEqual(67_000)
        })
    },
    60_000,
  )

  it.each([
    ['back by 130 s', -130_000],
    ['back by an hour', -HOUR_MS],
    ['ahead by 130 s', 130_000],
    ['ahead by an hour', HOUR_MS],
  ])(
    '%s, and right again, begins the minute of an account anew once for each step, and locks none out',
    async (_name, shift) => {
      const [store, other] = [await open(), await open()]
      const shop = await openShop(store)
      await spendMinute(store, shop)

      for (const step of [shift, 0]) {
        await set(step)
        let admitted = 0
        for (let n = 0; n < RPM; n++) {
          for (const each of [store, other]) if ('hold' in (await ask(each, shop, { rpm: RPM }))) admitted++
        }
        expect([step, admitted]).toEqual([step, RPM])
      }
    },
    60_000,
  )

  it('back and right again admits nothing past a minute', async () => {
    const store = await open()
    const shop = await openShop(store)
    await spendMinute(store, shop)

    await set(-90_000)
    await set(0)

    expect(await ask(store, shop, { rpm: RPM })).toMatchObject({ denial: { type: 'requests' } })
  }, 60_000)

  it.each([-100_000, -HOUR_MS])(
    'back by %i ms frees what a gateway held that died, as soon as at any other time',
    async shift => {
      const store = await open()
      const shop = await openShop(store)
      expect(await ask(store, shop, { maxConcurrent: 1 })).toMatchObject({ outcome: 'admitted' })

      await set(shift)

      await eventually(async () => {
        const leases = (await redisCommand(server, 'EVAL', LEASES, '0')) as readonly string[]
        expect(leases).toHaveLength(1)
        // Leases last 30 s, by a clock that is at most 100 s ahead of Redis's.
        expect(Number(leases[0]) - (await timeAt())).toBeLessThan(131_000)
      })
    },
    60_000,
  )

  it.each([
    ['back by 100 s', -100_000],
    ['back by an hour', -HOUR_MS],
    ['ahead by an hour', HOUR_MS],
    ['ahead by forty days', 40 * 24 * HOUR_MS],
  ])(
    '%s charges what runs once, and nothing stays held',
    async (_name, shift) => {
      const [store, other] = [await open(), await open()]
      const shop = await openShop(store)
      const hold = await admit(store, shop, 'req_running', claimsOf({ at: await timeAt() }))

      await set(shift)
      await other.holds.sweep()
      const soFar = settlement(hold, { tokens: 12, cost: hold.cost })
      await store.holds.heartbeat([{ hold, soFar }])
      await other.holds.sweep()
      await store.holds.settle(settlement(hold))
      await set(0)
      await other.holds.sweep()

      const rows = await ledgerOf(store)
      expect(rows.reduce((sum, row) => sum + row.cost, 0)).toBe(50)
      expect(await store.accounts.readSpend(shop.account)).toMatchObject({ used: 50, held: 0 })
    },
    60_000,
  )
})

/** The ends of all leases. */
const LEASES = `
  local ends = {}
  for _, name in ipairs(redis.call('KEYS', 'svc:{*}:leases')) do
    local all = redis.call('ZRANGE', name, 0, -1, 'WITHSCORES')
    for i = 2, #all, 2 do ends[#ends + 1] = all[i] end
  end
  return ends`
