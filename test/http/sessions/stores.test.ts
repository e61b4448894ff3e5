import { afterEach, beforeEach, expect, it } from 'vitest'
import { hashOf } from '../../../src/gateway/accounts/keys.ts'
import { StoreUnavailable } from '../../../src/gateway/store/store.ts'
import { inNpmTest } from '../../lanes/lane.ts'
import type { TestGateway } from '../../support/gateway.ts'
import { describeRedis, type RedisServer, startRedis } from '../../support/redis/redis.ts'
import { SocketBackend } from '../../support/socket-backend.ts'
import { joined, responseDone, startLive } from './fixture.ts'

const REALTIME = '/v1/realtime'

inNpmTest.describe('with the embedded store', () => sessionsWith(async () => undefined))
describeRedis('with Redis', () => sessionsWith(startRedis))

describeRedis('with two gateways on one Redis', () => {
  it('a key that one revokes ends its sessions on the other within a second', async () => {
    const redis = await startRedis()
    const backend = await SocketBackend.start()
    const [one, two] = [await startLive({ onprem: [backend], redis }), await startLive({ onprem: [backend], redis })]
    const key = await one.key('pro')
    const { client, server } = await joined(two, backend, REALTIME, key)

    await one.gateway.store.keys.revoke({ hash: hashOf(key), by: 'test' })
    two.clock.advance(1000)

    expect(await client.end()).toEqual({ code: 3000, reason: 'key revoked' })
    expect(await server.end()).toMatchObject({ code: 1001 })
    await Promise.all([one.close(), two.close()])
    await backend.close()
    await redis.stop()
  })
})

function sessionsWith(startStore: () => Promise<RedisServer | undefined>): void {
  let redis: RedisServer | undefined
  let backend: SocketBackend
  let test: TestGateway

  beforeEach(async () => {
    redis = await startStore()
    backend = await SocketBackend.start()
    test = await startLive({ onprem: [backend], ...(redis && { redis }) })
  })

  afterEach(async () => {
    await test.close()
    await backend.close()
    await redis?.stop()
  })

  it('a revoked key ends its sessions within a second, and those of no other key', async () => {
    const [key, other] = [await test.key('pro'), await test.key('pro', 'bob')]
    const first = await joined(test, backend, REALTIME, key)
    const second = await joined(test, backend, REALTIME, key)
    const theirs = await joined(test, backend, REALTIME, other)
    first.server.say(responseDone(100, 20))
    await first.client.next()

    await test.gateway.store.keys.revoke({ hash: hashOf(key), by: 'test' })
    test.clock.advance(1000)

    expect(await first.client.end()).toEqual({ code: 3000, reason: 'key revoked' })
    expect(await second.client.end()).toEqual({ code: 3000, reason: 'key revoked' })
    expect(await first.server.end()).toMatchObject({ code: 1001 })
    const rows = await test.ledger()
    expect(rows.map(({ inputTokens }) => inputTokens).sort()).toEqual([0, 100])
    theirs.client.say('still here')
    expect(await theirs.server.next()).toBe('still here')
  })

  it('the sessions of an account that is frozen end within a second, and it opens no others', async () => {
    const key = await test.key('pro')
    const { client, server } = await joined(test, backend, REALTIME, key)

    const account = (await test.gateway.store.keys.findCaller(hashOf(key)))?.account ?? ''
    await test.gateway.store.accounts.changeTerms({ account, change: { frozen: true }, by: 'test' })
    test.clock.advance(1000)

    expect(await client.end()).toEqual({ code: 3003, reason: 'account frozen' })
    expect(await server.end()).toMatchObject({ code: 1001 })
    await expect(joined(test, backend, REALTIME, key)).rejects.toThrow('403')
  })

  it('a store that does not answer ends no session', async () => {
    const { client, server } = await joined(test, backend, REALTIME, await test.key('pro'))
    const { keys } = test.gateway.store
    const find = keys.findCaller.bind(keys)
    const asked = new Promise<void>(resolve => {
      Object.assign(keys, {
        findCaller: () => {
          resolve()
          return Promise.reject(new StoreUnavailable('away'))
        },
      })
    })
    test.clock.advance(1000)
    await asked
    client.say('still here')

    expect(await server.next()).toBe('still here')
    Object.assign(keys, { findCaller: find })
  })

  it('each response holds the next one, and the charge is what all of them used', async () => {
    const { client, server } = await joined(test, backend, REALTIME, await test.key('pro'))
    const { holds } = test.gateway.store
    const extend = holds.extend.bind(holds)
    let extended = 0
    Object.assign(holds, {
      extend: async (...args: Parameters<typeof extend>) => {
        const result = await extend(...args)
        extended++
        return result
      },
    })
    for (let i = 1; i <= 5; i++) {
      server.say(responseDone(1000 * i, 100 * i))
      await client.next()
    }
    server.ws.close(1000)
    await client.end()

    expect(extended).toBeGreaterThan(0)
    // 15,000 tokens in at 4 USD and 1,500 out at 16 USD for a million.
    expect(await test.ledger()).toMatchObject([{ inputTokens: 15_000, outputTokens: 1500, cost: 84_000_000 }])
    const [row] = await test.ledger()
    expect(await test.gateway.store.accounts.readSpend(row?.account ?? '')).toMatchObject({ used: 84_000_000, held: 0 })
  })

  it('a session ends where the minute of its account holds no further response, and is charged what it used', async () => {
    // One response holds 6,000 tokens, and the minute of the plan has 10,000.
    await test.reload({}, yaml =>
      yaml.replace('pro: { models: all, rpm: 1000, tpm: 10M', 'pro: { models: all, rpm: 9, tpm: 10k'),
    )
    const { client, server } = await joined(test, backend, REALTIME, await test.key('pro'))
    server.say(responseDone(3000, 500))
    await client.next()
    server.say(responseDone(1000, 100))
    await client.next()

    expect(await client.end()).toEqual({ code: 1008, reason: 'no more can be reserved: rate_limit_exceeded' })
    expect(await server.end()).toMatchObject({ code: 1001 })
    expect(await test.ledger()).toMatchObject([{ inputTokens: 4000, outputTokens: 600, estimated: false }])
  })

  const created = (id: string) => ({ type: 'response.created', response: { id } })
  const done = (id: string, input: number, output: number) => {
    const { type, response } = responseDone(input, output)
    return { type, response: { id, ...response } }
  }
  const heldOf = async () => {
    const [record] = await test.gateway.store.accounts.findByLabel('ada')
    return (await test.gateway.store.accounts.readSpend(record?.account ?? '')).held
  }
  /** The price of one response: 5,000 tokens in at 4 USD and 1,000 out at 16 USD per million. */
  const ONE = 36_000_000

  it('each response that is under way is held, and one that there is no room for is refused before it begins', async () => {
    // One response holds 6,000 tokens, and the minute of the plan has 13,000.
    await test.reload({}, yaml =>
      yaml.replace('pro: { models: all, rpm: 1000, tpm: 10M', 'pro: { models: all, rpm: 9, tpm: 13k'),
    )
    const { client, server } = await joined(test, backend, REALTIME, await test.key('pro'))
    for (const id of ['one', 'two', 'three']) client.say({ type: 'response.create', event_id: id, response: {} })
    client.say('still here')

    expect(JSON.parse(await client.next())).toMatchObject({
      type: 'error',
      status: 429,
      error: { type: 'tokens', code: 'rate_limit_exceeded', event_id: 'three' },
    })
    expect(JSON.parse(await server.next())).toMatchObject({ event_id: 'one' })
    expect(JSON.parse(await server.next())).toMatchObject({ event_id: 'two' })
    expect(await server.next()).toBe('still here')
    expect(await heldOf()).toBe(2 * ONE)

    for (const event of [created('a'), created('b'), done('a', 100, 20), done('b', 100, 20)]) server.say(event)
    await client.until(() => client.got.length === 4)
    client.say({ type: 'response.create', event_id: 'four' })
    expect(JSON.parse(await server.next())).toMatchObject({ event_id: 'four' })
    // Used amounts stay reserved until the whole session is settled.
    expect(await heldOf()).toBe(ONE + 1_440_000)
    client.ws.close(1000)
    await test.clock.during(test.logged(1), 100)
    // The fourth had the prompt of the one before, and up to 5 s.
    const [row] = await test.ledger()
    expect(row).toMatchObject({ inputTokens: 300, estimated: true })
    expect(row?.outputTokens).toBeGreaterThan(40)
  })

  it('a response that its backend refuses is held no longer, by the id of its event, whether the client gave it one or not', async () => {
    const { client, server } = await joined(test, backend, REALTIME, await test.key('pro'))
    client.say({ type: 'response.create' })
    client.say({ type: 'response.create' })
    const [first, second] = [JSON.parse(await server.next()), JSON.parse(await server.next())]
    expect(await heldOf()).toBe(2 * ONE)

    server.say({ type: 'error', error: { message: 'about something else', event_id: null } })
    await client.next()
    expect(await heldOf()).toBe(2 * ONE)
    server.say({ type: 'error', error: { message: 'an active response in progress', event_id: second.event_id } })
    await client.next()
    client.say({ type: 'response.cancel' })
    await server.next()

    await expect.poll(heldOf).toBe(ONE)
    expect(first.event_id).not.toBe(second.event_id)
  })

  it('responses that nobody asked for end their session where there is no room for them', async () => {
    await test.reload({}, yaml =>
      yaml.replace('pro: { models: all, rpm: 1000, tpm: 10M', 'pro: { models: all, rpm: 9, tpm: 13k'),
    )
    const { client, server } = await joined(test, backend, REALTIME, await test.key('pro'))
    for (const id of ['a', 'b', 'c']) server.say(created(id))

    await client.until(() => client.closed !== undefined)
    expect(client.closed).toEqual({ code: 1008, reason: 'no more can be reserved: rate_limit_exceeded' })
  })

  it('a store that does not answer refuses a response, and the session goes on', async () => {
    const { client, server } = await joined(test, backend, REALTIME, await test.key('pro'))
    client.say({ type: 'response.create', event_id: 'one' })
    await server.next()
    const { holds } = test.gateway.store
    const extend = holds.extend.bind(holds)
    Object.assign(holds, { extend: () => Promise.reject(new StoreUnavailable('away')) })

    client.say({ type: 'response.create', event_id: 'two' })

    expect(JSON.parse(await client.next())).toMatchObject({ status: 503, error: { event_id: 'two' } })
    Object.assign(holds, { extend })
    client.say({ type: 'response.create', event_id: 'three' })
    expect(JSON.parse(await server.next())).toMatchObject({ event_id: 'three' })
  })

  it('a gateway that dies charges what was used until its last checkpoint', async () => {
    const { client, server } = await joined(test, backend, REALTIME, await test.key('pro'))
    server.say(responseDone(100, 20))
    await client.next()
    const { holds } = test.gateway.store
    const heartbeat = holds.heartbeat.bind(holds)
    const kept = new Promise<unknown>(resolve => {
      Object.assign(holds, {
        heartbeat: async (beats: Parameters<typeof heartbeat>[0]) => {
          await heartbeat(beats)
          resolve(beats[0]?.soFar?.bill)
        },
      })
    })
    server.say({ type: 'response.output_text.delta', delta: 'Hello' })
    await client.next()

    test.clock.advance(10_000)

    expect(await kept).toMatchObject({ inputTokens: 200, outputTokens: 21 })
  })
}
