import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { openRedisStore, type RedisStore } from '../../../../src/adapters/redis/redis-store.ts'
import { describeRedis } from '../../../support/redis/redis.ts'
import { type RedisPair, startRedisPair } from '../../../support/redis/redis-pair.ts'
import { newDirectory } from '../directory.ts'

const PATIENCE = { timeout: 20_000, interval: 20 }
const CLOUD = { pool: 'cloud' }

let pair: RedisPair
let alarms: string[]

/** A gateway, or its successor where another one had the directory before. */
async function gateway(stateDir?: string): Promise<RedisStore> {
  const opened = await openRedisStore({
    url: pair.url,
    prefix: 'svc',
    stateDir: stateDir ?? (await newDirectory()),
    alarm: (message, details) => void alarms.push(`${message} ${JSON.stringify(details ?? {})}`),
    answerMs: 1000,
  })
  onTestFinished(() => opened.close())
  return opened
}

/** The replica takes over, and a gateway has found it. */
async function failOver(...gateways: readonly RedisStore[]): Promise<void> {
  await pair.failOver()
  for (const each of gateways) await vi.waitFor(() => each.fleet.read(), PATIENCE)
}

const drainedIn = async (store: RedisStore) => (await store.fleet.read()).drained
const repeated = () => alarms.filter(each => each.includes('has it again'))

describeRedis('what several gateways decided one after the other', { timeout: 60_000 }, () => {
  beforeEach(async () => {
    alarms = []
    pair = await startRedisPair()
  }, 60_000)

  it('stays undrained where the gateway that drained repeats that after a failover', async () => {
    const [one, other] = [await gateway(), await gateway()]
    await one.fleet.setDrained(CLOUD, true)
    await other.fleet.setDrained(CLOUD, false)
    await pair.replicated()

    await failOver(one, other)

    expect(await drainedIn(one)).toEqual([])
    expect(repeated()).toEqual([])
  })

  it('stays drained where an undrain before is repeated', async () => {
    const [one, other] = [await gateway(), await gateway()]
    await one.fleet.setDrained(CLOUD, true)
    await one.fleet.setDrained(CLOUD, false)
    await other.fleet.setDrained(CLOUD, true)
    await pair.replicated()

    await failOver(one, other)

    expect(await drainedIn(one)).toEqual([CLOUD])
    expect(repeated()).toEqual([])
  })
})
