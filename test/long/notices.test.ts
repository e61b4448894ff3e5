import { afterEach, beforeEach, expect, it } from 'vitest'
import { listed, startReceiver } from '../http/admin/notices-fixture.ts'
import { answer, type Backend, startBackend } from '../support/backend.ts'
import { ENV, startTestGateway, type TestGateway } from '../support/gateway.ts'
import { describeRedis, type RedisServer, startRedis } from '../support/redis/redis.ts'

const ACCOUNTS = 10_000
const AT_ONCE = 50
/** Longer than a gateway waits between two looks. */
const TURN_MS = 3001

describeRedis('four gateways on Redis', () => {
  let redis: RedisServer
  let backend: Backend
  let gateways: readonly TestGateway[] = []
  let receiver: Awaited<ReturnType<typeof startReceiver>>
  beforeEach(async () => {
    backend = await startBackend()
    // 0.0042 USD of the 0.01 of the plan.
    backend.always(answer({ content: 'Hi', usage: { prompt_tokens: 100, completion_tokens: 410, total_tokens: 510 } }))
    redis = await startRedis()
    receiver = await startReceiver()
    const yaml = receiver.yaml.replace('[50%, 80%, 100%]', '[80%]')
    const pools = { onprem: [backend], redis, yaml, env: { ...ENV, ...receiver.env } }
    const names = ['one', 'two', 'three', 'four']
    gateways = await Promise.all(names.map(name => startTestGateway({ ...pools, name })))
  })
  afterEach(async () => {
    await Promise.all(gateways.map(gateway => gateway.close()))
    await redis.stop()
    await backend.close()
    receiver.close()
  })

  const inTurn = async <T>(count: number, one: (index: number) => Promise<T>): Promise<T[]> => {
    const all: T[] = []
    for (let from = 0; from < count; from += AT_ONCE)
      all.push(
        ...(await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, at) => one(from + at)))),
      )
    return all
  }
  const gatewayAt = (index: number): TestGateway => {
    const gateway = gateways[index % gateways.length]
    if (!gateway) throw new Error('there are four gateways')
    return gateway
  }

  it(`${ACCOUNTS} accounts that reach 80 percent while the receiver is down are as many notices, each delivered`, async () => {
    receiver.state.away = true
    const keys = await inTurn(ACCOUNTS, index => gatewayAt(index).key('tight', `account-${index}`))
    for (const turn of [0, 1])
      await inTurn(ACCOUNTS, async index => {
        const response = await gatewayAt(index + turn).chat(keys[index] ?? '', { max_tokens: 420 })
        expect(response.status).toBe(200)
        await response.text()
      })
    const soon = (read: () => number | Promise<number>) =>
      expect.poll(
        () => {
          for (const { clock } of gateways) clock.advance(TURN_MS)
          return read()
        },
        { timeout: 300_000, interval: 100 },
      )
    // All of them wait in the store, and ten minutes pass.
    await soon(async () => (await listed(gatewayAt(0))).waiting).toBe(ACCOUNTS)
    for (let turn = 0; turn < 200; turn++) {
      for (const { clock } of gateways) clock.advance(TURN_MS)
      await listed(gatewayAt(turn))
    }
    receiver.state.away = false
    await soon(() => new Set(receiver.heard.map(({ id }) => id)).size).toBe(ACCOUNTS)
    await soon(async () => (await listed(gatewayAt(0))).waiting).toBe(0)
    expect(new Set(receiver.heard.map(({ data }) => data.account)).size).toBe(ACCOUNTS)
    expect(receiver.heard.every(({ data }) => data.percent === 80 && data.measure === 'usd')).toBe(true)
    console.error(
      `${ACCOUNTS} accounts: ${receiver.heard.length} deliveries of ${new Set(receiver.heard.map(({ id }) => id)).size} notices; ${receiver.state.refused} attempts while the receiver was down`,
    )
  }, 1_200_000)
})
