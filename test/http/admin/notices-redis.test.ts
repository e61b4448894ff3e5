import { afterEach, beforeEach, expect, it } from 'vitest'
import { answer, type Backend, startBackend } from '../../support/backend.ts'
import { ENV, startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { describeRedis, type RedisServer, startRedis } from '../../support/redis/redis.ts'
import { freeze, listed, startReceiver } from './notices-fixture.ts'

const ACCOUNTS = 500
const TURN_MS = 3001

describeRedis('four gateways on Redis', () => {
  let redis: RedisServer
  let backend: Backend
  let gateways: readonly TestGateway[] = []
  let receiver: Awaited<ReturnType<typeof startReceiver>>
  beforeEach(async () => {
    backend = await startBackend()
    backend.always(answer({ content: 'Hi', usage: { prompt_tokens: 100, completion_tokens: 410, total_tokens: 510 } }))
    redis = await startRedis()
    receiver = await startReceiver('{ on: [freezes, ejected_pools], to: [ops] }')
    const pools = { onprem: [backend], redis, yaml: receiver.yaml, env: { ...ENV, ...receiver.env } }
    const names = ['one', 'two', 'three', 'four']
    gateways = await Promise.all(names.map(name => startTestGateway({ ...pools, name })))
  })
  afterEach(async () => {
    await Promise.all(gateways.map(gateway => gateway.close()))
    await redis.stop()
    await backend.close()
    receiver.close()
  })

  it('500 accounts that reach 80 percent at once are 500 notices, each delivered to a receiver that was down', async () => {
    receiver.state.away = true
    const [first] = gateways
    if (!first) throw new Error('there is a gateway')
    const keys: string[] = []
    for (let from = 0; from < ACCOUNTS; from += 50)
      keys.push(
        ...(await Promise.all(Array.from({ length: 50 }, (_, at) => first.key('tight', `account-${from + at}`)))),
      )
    // Two requests of each, by two gateways: 0.0042 of 0.01 dollars each.
    for (const turn of [0, 1])
      for (let from = 0; from < ACCOUNTS; from += 50)
        await Promise.all(
          keys.slice(from, from + 50).map(async (key, at) => {
            const gateway = gateways[(at + turn) % gateways.length]
            const response = await gateway?.chat(key, { max_tokens: 420 })
            expect(response?.status).toBe(200)
            await response?.text()
          }),
        )
    const soon = (read: () => number) =>
      expect.poll(
        () => {
          for (const { clock } of gateways) clock.advance(TURN_MS)
          return read()
        },
        { timeout: 60_000 },
      )
    await soon(() => receiver.state.refused).toBeGreaterThan(3)
    receiver.state.away = false
    const at80 = () => receiver.heard.filter(({ data }) => data.measure === 'usd')
    await soon(() => at80().length).toBe(ACCOUNTS)
    expect(at80().every(({ data }) => data.percent === 80)).toBe(true)
    expect(new Set(at80().map(({ id }) => id)).size).toBe(ACCOUNTS)
    expect(new Set(at80().map(({ data }) => data.account)).size).toBe(ACCOUNTS)
    // 2 of 3 requests of a day are announced too.
    await soon(() => receiver.heard.length).toBe(2 * ACCOUNTS)
    expect(new Set(receiver.heard.map(({ id }) => id)).size).toBe(2 * ACCOUNTS)
    for (const gateway of gateways)
      await expect.poll(async () => (await listed(gateway)).waiting, { timeout: 60_000 }).toBe(0)
  }, 240_000)

  it('a freeze, and a replica that every gateway ejects, are one notice each over all gateways', async () => {
    const [first, second] = gateways
    if (!first || !second) throw new Error('there are four gateways')
    await Promise.all(gateways.map((gateway, at) => gateway.key('free', `account-${at}`)))
    const step = () => {
      for (const { clock } of gateways) clock.advance(TURN_MS)
    }
    // The first look of the gateway that delivers, from which freezes are announced.
    for (let turn = 0; turn < 3; turn++) {
      step()
      await listed(first)
    }
    await freeze(second, 'account-3')
    for (const { gateway } of gateways)
      gateway.app.alarm('a replica is ejected', { pool: 'onprem', replica: 'http://east', failures: 3 })
    const kinds = () => receiver.heard.map(({ data }) => `${data.kind} ${data.state}`).sort()
    await expect
      .poll(
        () => {
          step()
          return kinds()
        },
        { timeout: 60_000 },
      )
      .toEqual(['freeze frozen', 'incident opened'])
    for (let turn = 0; turn < 20; turn++) {
      step()
      await listed(first)
    }
    expect(kinds()).toEqual(['freeze frozen', 'incident opened'])
  }, 120_000)
})
