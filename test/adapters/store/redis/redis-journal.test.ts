import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { openRedisStore, type RedisStore } from '../../../../src/adapters/redis/redis-store.ts'
import { redisCommand } from '../../../support/redis/command.ts'
import { describeRedis } from '../../../support/redis/redis.ts'
import { type RedisPair, startRedisPair } from '../../../support/redis/redis-pair.ts'
import { newDirectory } from '../directory.ts'
import { auditOf, openShop } from '../fixtures.ts'

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

  it('is asked of no server again that acknowledged it, when a gateway restarts', async () => {
    const stateDir = await newDirectory()
    const mortal = await gateway(stateDir)
    pair.hold()
    const { account } = await openShop(mortal)
    await mortal.accounts.changeTerms({ account, change: { override: 'free' }, by: 'operator' })
    await mortal.close()
    const calls = async () => {
      const said = String(await redisCommand(pair.primary, 'INFO', 'commandstats'))
      return [...said.matchAll(/cmdstat_(?:set|eval|evalsha):calls=(\d+)/g)].map(([, count]) => Number(count))
    }
    const before = await calls()
    await gateway()
    const between = await calls()
    const successor = await gateway(stateDir)
    const after = await calls()

    // As one that begins with an empty directory.
    expect(after.map((count, at) => count - (between[at] ?? 0))).toEqual(
      between.map((count, at) => count - (before[at] ?? 0)),
    )
    expect((await auditOf(successor)).map(({ action }) => action)).toEqual(['mint', 'set-plan'])
    expect(repeated()).toEqual([])
  })

  it('leaves no file once the replica has it', async () => {
    const stateDir = await newDirectory()
    const store = await gateway(stateDir)
    await store.fleet.setDrained(CLOUD, true)
    expect(readdirSync(join(stateDir, 'journal'))).toHaveLength(1)

    await vi.waitFor(() => expect(readdirSync(join(stateDir, 'journal'))).toEqual([]), PATIENCE)
  })

  it('is in no store that was begun anew', async () => {
    const stateDir = await newDirectory()
    const mortal = await gateway(stateDir)
    pair.hold()
    const shop = await openShop(mortal)
    await mortal.fleet.setDrained(CLOUD, true)
    await mortal.close()

    await redisCommand(pair.primary, 'FLUSHALL')
    rmSync(join(stateDir, 'store-epoch'))
    const anew = await gateway(stateDir)

    expect(await anew.accounts.find(shop.account)).toBeUndefined()
    expect(await drainedIn(anew)).toEqual([])
    expect(repeated()).toEqual([])
  })

  it('is there whichever gateway repeats its part first', async () => {
    const stateDir = await newDirectory()
    const [mortal, other] = [await gateway(stateDir), await gateway()]
    const { account } = await openShop(other)
    await pair.replicated()
    pair.hold()
    await mortal.accounts.changeTerms({ account, change: { override: 'free' }, by: 'operator' })
    await mortal.fleet.setDrained(CLOUD, true)
    await other.accounts.changeTerms({ account, change: { override: 'basic' }, by: 'operator' })
    await other.fleet.setDrained(CLOUD, false)
    await mortal.close()

    await failOver(other)
    expect(await other.accounts.find(account)).toMatchObject({ terms: { override: 'pro' } })
    const successor = await gateway(stateDir)

    await vi.waitFor(
      async () => expect(await successor.accounts.find(account)).toMatchObject({ terms: { override: 'basic' } }),
      PATIENCE,
    )
    await vi.waitFor(async () => expect(await drainedIn(successor)).toEqual([]), PATIENCE)
    expect((await auditOf(successor)).map(({ before, after }) => `${before} ${after}`).slice(1)).toEqual([
      'pro free',
      'free basic',
    ])
  })
})
