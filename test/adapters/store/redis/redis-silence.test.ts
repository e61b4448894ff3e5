import { expect, it, onTestFinished } from 'vitest'
import { openRedisStore } from '../../../../src/adapters/redis/store.ts'
import { StoreUnavailable } from '../../../../src/gateway/store/store.ts'
import { VirtualClock } from '../../../support/clock.ts'
import { eventually } from '../../../support/eventually.ts'
import { redisCommand } from '../../../support/redis/command.ts'
import { describeRedis, type RedisServer, startRedis } from '../../../support/redis/redis.ts'
import { newDirectory } from '../directory.ts'
import { admission, admit, claimsOf, ledgerOf, openShop, settlement } from '../fixtures.ts'

/** The longest silence, and a turn of it. */
const SILENCE = 2000
const TURN = SILENCE / 8
/** How long a connection that went silent is kept for late answers. */
const LINGER = 1000

/** Requests of one turn, which travel as one call. */
const TOGETHER = ['req_1', 'req_2', 'req_3'] as const

/** A gateway on a Redis, which waits for answers by a clock that the test moves. */
async function open() {
  const redis = await startRedis({ durable: true })
  onTestFinished(() => redis.stop())
  const clock = new VirtualClock(0)
  const alarms: string[] = []
  const alarm = (message: string) => void alarms.push(message)
  const stateDir = await newDirectory()
  const store = await openRedisStore({ url: redis.url, prefix: 'svc', stateDir, alarm, after: clock.after })
  onTestFinished(() => store.close())
  const shop = await openShop(store)
  return {
    redis,
    clock,
    alarms,
    store,
    shop,
    running: async () => (await store.accounts.readUsage(shop.account))?.concurrent,
  }
}

/** The connections to a server, by their ids: that of a gateway is older than that which asks. */
async function clientsOf(redis: RedisServer): Promise<readonly string[]> {
  const list = String(await redisCommand(redis, 'CLIENT', 'LIST'))
  return [...list.matchAll(/^id=(\d+)/gm)].map(([, id = '']) => id)
}

const claims = () => claimsOf({ at: Date.now() })

describeRedis('a Redis that is silent', () => {
  it('for less than 2 s is waited for, and no request is refused', async () => {
    const { redis, clock, alarms, store, shop } = await open()
    redis.pause()
    const admitting = store.holds.admit(admission(shop, 'req_1', claims()))
    await clock.waits(TURN)

    clock.advance(SILENCE - 1)
    redis.resume()

    expect(await admitting).toMatchObject({ outcome: 'admitted' })
    expect(alarms).toEqual([])
  })

  it('for 2 s is down: from then on requests are refused without any wait', async () => {
    const { redis, clock, alarms, store, shop } = await open()
    redis.pause()
    const admitting = store.holds.admit(admission(shop, 'req_1', claims()))
    await clock.waits(TURN)

    clock.advance(SILENCE)

    await expect(admitting).rejects.toThrow(StoreUnavailable)
    await expect(store.holds.admit(admission(shop, 'req_2', claims()))).rejects.toThrow(StoreUnavailable)
    expect(alarms).toEqual(['the store is down'])
    redis.resume()
    await eventually(() => expect(alarms).toContain('the store is back'))
  })

  it('and admits a request after that request was refused holds nothing for it', async () => {
    const { redis, clock, store, shop, running } = await open()
    redis.pause()
    const admitting = store.holds.admit(admission(shop, 'req_1', claims()))
    await clock.waits(TURN)
    clock.advance(SILENCE)
    await expect(admitting).rejects.toThrow(StoreUnavailable)

    redis.resume()

    await eventually(async () => expect(await running()).toBe(0))
    expect(await ledgerOf(store)).toEqual([])
  })

  it('and admits requests of one turn after they were refused holds nothing for any of them', async () => {
    const { redis, clock, store, shop, running } = await open()
    redis.pause()
    const admitting = Promise.allSettled(TOGETHER.map(id => store.holds.admit(admission(shop, id, claims()))))
    await clock.waits(TURN)
    clock.advance(SILENCE)
    expect((await admitting).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])

    redis.resume()

    await eventually(async () => expect(await running()).toBe(0))
    expect(await ledgerOf(store)).toEqual([])
  })

  it('while requests of one turn are settled has their settlements on this disk, and charges each once', async () => {
    const { redis, clock, store, shop, running } = await open()
    const holds = await Promise.all(TOGETHER.map(id => admit(store, shop, id, claims())))
    redis.pause()
    const settling = Promise.all(holds.map(hold => store.holds.settle(settlement(hold))))
    await clock.waits(TURN)
    clock.advance(SILENCE)
    await settling

    redis.resume()

    await eventually(async () =>
      expect((await ledgerOf(store)).map(({ requestId }) => requestId)).toEqual([...TOGETHER]),
    )
    await eventually(async () =>
      expect(await store.accounts.readSpend(shop.account)).toMatchObject({ used: 150, held: 0 }),
    )
    expect(await running()).toBe(0)
  })

  it('while a request is settled has its settlement on this disk, and charges it once', async () => {
    const { redis, clock, store, shop, running } = await open()
    const hold = await admit(store, shop, 'req_1', claims())
    redis.pause()
    const settling = store.holds.settle(settlement(hold))
    await clock.waits(TURN)
    clock.advance(SILENCE)
    await settling

    redis.resume()

    await eventually(async () => expect(await ledgerOf(store)).toMatchObject([{ requestId: 'req_1', cost: 50 }]))
    expect(await store.accounts.readSpend(shop.account)).toMatchObject({ used: 50, held: 0 })
    expect(await running()).toBe(0)
  })

  it('for a further second is reached by another connection', async () => {
    const { redis, clock, alarms, store, shop } = await open()
    const [first] = await clientsOf(redis)
    redis.pause()
    const admitting = store.holds.admit(admission(shop, 'req_1', claims()))
    await clock.waits(TURN)
    clock.advance(SILENCE)
    await expect(admitting).rejects.toThrow(StoreUnavailable)

    await clock.waits(LINGER / 8)
    clock.advance(LINGER)
    redis.resume()

    await eventually(() => expect(alarms).toContain('the store is back'))
    expect(await clientsOf(redis)).not.toContain(first)
    expect(await store.holds.admit(admission(shop, 'req_2', claims()))).toMatchObject({ outcome: 'admitted' })
  })
})

describeRedis('a Redis that ended', () => {
  it('refuses requests at once, also those that wait for its answer', async () => {
    const { redis, clock, store, shop } = await open()
    redis.pause()
    const waiting = store.holds.admit(admission(shop, 'req_1', claims()))
    const refused = expect(waiting).rejects.toThrow(StoreUnavailable)
    await clock.waits(TURN)

    await redis.kill()

    await refused
    await expect(store.holds.admit(admission(shop, 'req_2', claims()))).rejects.toThrow(StoreUnavailable)
    expect(clock.now()).toBe(0)
  })
})
