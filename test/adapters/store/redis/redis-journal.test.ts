import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import type { RedisStore } from '../../../../src/adapters/redis/store.ts'
import { redisCommand } from '../../../support/redis/command.ts'
import { describeRedis } from '../../../support/redis/redis.ts'
import { newDirectory } from '../directory.ts'
import { auditOf, openShop } from '../fixtures.ts'
import { PATIENCE, useGateways } from './gateways.ts'

const CLOUD = { pool: 'cloud' }

const drainedIn = async (store: RedisStore) => (await store.fleet.read()).drained

describeRedis('what several gateways decided one after the other', { timeout: 60_000 }, () => {
  const { servers, open, failOver, repeated } = useGateways()

  it('stays undrained where the gateway that drained repeats that after a failover', async () => {
    const [one, other] = [await open(), await open()]
    await one.fleet.setDrained(CLOUD, true)
    await other.fleet.setDrained(CLOUD, false)
    await servers().replicated()

    await failOver(one, other)

    expect(await drainedIn(one)).toEqual([])
    expect(repeated()).toEqual([])
  })

  it('stays drained where an undrain before is repeated', async () => {
    const [one, other] = [await open(), await open()]
    await one.fleet.setDrained(CLOUD, true)
    await one.fleet.setDrained(CLOUD, false)
    await other.fleet.setDrained(CLOUD, true)
    await servers().replicated()

    await failOver(one, other)

    expect(await drainedIn(one)).toEqual([CLOUD])
    expect(repeated()).toEqual([])
  })

  it('is asked of no server again that acknowledged it, when a gateway restarts', async () => {
    const stateDir = await newDirectory()
    const mortal = await open(stateDir)
    servers().hold()
    const { account } = await openShop(mortal)
    await mortal.accounts.changeTerms({ account, change: { override: 'free' }, by: 'operator' })
    await mortal.close()
    const calls = async () => {
      const said = String(await redisCommand(servers().primary, 'INFO', 'commandstats'))
      return [...said.matchAll(/cmdstat_(?:set|eval|evalsha):calls=(\d+)/g)].map(([, count]) => Number(count))
    }
    const before = await calls()
    await open()
    const between = await calls()
    const successor = await open(stateDir)
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
    const store = await open(stateDir)
    await store.fleet.setDrained(CLOUD, true)
    expect(readdirSync(join(stateDir, 'journal'))).toHaveLength(1)

    await vi.waitFor(() => expect(readdirSync(join(stateDir, 'journal'))).toEqual([]), PATIENCE)
  })

  it('is in no store that was begun anew', async () => {
    const stateDir = await newDirectory()
    const mortal = await open(stateDir)
    servers().hold()
    const shop = await openShop(mortal)
    await mortal.fleet.setDrained(CLOUD, true)
    await mortal.close()

    await redisCommand(servers().primary, 'FLUSHALL')
    rmSync(join(stateDir, 'store-epoch'))
    const anew = await open(stateDir)

    expect(await anew.accounts.find(shop.account)).toBeUndefined()
    expect(await drainedIn(anew)).toEqual([])
    expect(repeated()).toEqual([])
  })

  it('is there whichever gateway repeats its part first', async () => {
    const stateDir = await newDirectory()
    const [mortal, other] = [await open(stateDir), await open()]
    const { account } = await openShop(other)
    await servers().replicated()
    servers().hold()
    await mortal.accounts.changeTerms({ account, change: { override: 'free' }, by: 'operator' })
    await mortal.fleet.setDrained(CLOUD, true)
    await other.accounts.changeTerms({ account, change: { override: 'basic' }, by: 'operator' })
    await other.fleet.setDrained(CLOUD, false)
    await mortal.close()

    await failOver(other)
    expect(await other.accounts.find(account)).toMatchObject({ terms: { override: 'pro' } })
    const successor = await open(stateDir)

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
