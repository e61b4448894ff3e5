import { randomBytes } from 'node:crypto'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createClient } from '@keyv/redis'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { openRedisStore } from '../../../../src/adapters/redis/store.ts'
import { type Store, StoreUnavailable } from '../../../../src/gateway/store/store.ts'
import { nanoUsd } from '../../../../src/policy/nano-usd.ts'
import { eventually } from '../../../support/eventually.ts'
import { redisCommand } from '../../../support/redis/command.ts'
import { describeRedis, type RedisOptions, type RedisServer, startRedis } from '../../../support/redis/redis.ts'
import { newDirectory } from '../directory.ts'
import { admission, admit, claimsOf, ledgerOf, openShop, settlement, waste } from '../fixtures.ts'

async function serve(options: RedisOptions = {}): Promise<RedisServer> {
  const server = await startRedis(options)
  onTestFinished(() => server.stop())
  return server
}

async function open(url: string, stateDir: string, alarms: string[] = [], prefix = 'svc'): Promise<Store> {
  const alarm = (message: string, details?: object) => void alarms.push(`${message} ${JSON.stringify(details ?? {})}`)
  const store = await openRedisStore({ url, prefix, stateDir, alarm, answerMs: 15_000 })
  onTestFinished(() => store.close())
  return store
}

const now = (): number => Date.now()

describeRedis('a Redis that is not fit to be the store', () => {
  it.each([
    ['evicts records when its memory is full', { flags: { 'maxmemory-policy': 'allkeys-lru' } }, 'noeviction'],
    ['is a replica', { flags: { replicaof: '127.0.0.1 1' } }, 'replica'],
    ['is a cluster', { flags: { 'cluster-enabled': 'yes' } }, 'cluster'],
  ])('is refused at the start when it %s', async (_what, options, reason) => {
    const { url } = await serve(options)

    await expect(open(url, await newDirectory())).rejects.toMatchObject({
      name: 'StoreRefused',
      message: expect.stringContaining(reason),
    })
  })

  it('is refused when a newer version wrote it', async () => {
    const { url } = await serve()
    await (await open(url, await newDirectory())).close()
    await redisCommand({ url }, 'HSET', 'svc:meta', 'schema', '99')

    await expect(open(url, await newDirectory())).rejects.toThrow('has schema 99, which a newer version wrote')
  })

  it('is refused by gateways and commands when it has a schema that no release wrote', async () => {
    const { url } = await serve()
    await (await open(url, await newDirectory())).close()
    await redisCommand({ url }, 'HSET', 'svc:meta', 'schema', '1')

    const refusal = /has schema 1, which no release wrote; this version reads 2 to 4/
    await expect(openRedisStore({ url, prefix: 'svc', alarm: () => {} })).rejects.toThrow(refusal)
    await expect(open(url, await newDirectory())).rejects.toThrow(refusal)
    expect(await redisCommand({ url }, 'HGET', 'svc:meta', 'schema')).toBe('1')
  })

  it('is told to the operator when a crash of it would lose spend', async () => {
    const alarms: string[] = []
    await open((await serve()).url, await newDirectory(), alarms)
    await open((await serve({ durable: true })).url, await newDirectory(), alarms)

    expect(alarms).toEqual([expect.stringContaining('append-only')])
  })

  it('that does not answer at the start is unavailable', async () => {
    await expect(open('redis://127.0.0.1:1', await newDirectory())).rejects.toThrow('ECONNREFUSED')
  })
})

describeRedis('a store that was emptied', () => {
  /** A store with a key, a hold, and a second gateway; then all of it is gone. */
  async function emptied() {
    const { url } = await serve()
    const stateDir = await newDirectory()
    const alarms: string[] = []
    const store = await open(url, stateDir, alarms)
    const shop = await openShop(store)
    const hold = await admit(store, shop, 'req_1', claimsOf({ at: now() }))
    expect(await store.keys.findCaller(shop.keyHash)).toMatchObject({ account: shop.account })
    await redisCommand({ url }, 'FLUSHALL')
    return { url, stateDir, alarms, store, shop, hold }
  }

  it('is unavailable, and never an unknown key', async () => {
    const { store, shop, alarms } = await emptied()

    await expect(store.keys.findCaller(shop.keyHash)).rejects.toThrow(StoreUnavailable)
    await expect(store.keys.findCaller('another')).rejects.toThrow(StoreUnavailable)
    expect(alarms).toContainEqual(expect.stringContaining('emptied'))
  })

  it.each([
    [
      'admits nobody',
      (store: Store, shop: Awaited<ReturnType<typeof openShop>>) => store.holds.admit(admission(shop, 'req_2')),
    ],
    ['mints no key', (store: Store) => openShop(store, 'bob')],
    [
      'records no waste',
      (store: Store, _shop: unknown, hold: Awaited<ReturnType<typeof admit>>) =>
        store.ledger.recordWaste([waste(hold)]),
    ],
    [
      'takes nothing from a pool',
      (store: Store) => store.budgets.take({ pool: 'cloud', amount: nanoUsd(1), limit: nanoUsd(9) }),
    ],
    ['says nothing of the hour of a pool', (store: Store) => store.budgets.read('cloud')],
    [
      'revokes none',
      (store: Store, { keyHash }: { keyHash: string }) => store.keys.revoke({ hash: keyHash, by: 'operator' }),
    ],
  ])('%s', async (_what, act) => {
    const { store, shop, hold } = await emptied()

    await expect(act(store, shop, hold)).rejects.toThrow(StoreUnavailable)
  })

  it('takes no settlement: it waits on the disk of the gateway', async () => {
    const { store, stateDir, hold } = await emptied()

    await store.holds.settle(settlement(hold))

    expect(await readFile(join(stateDir, 'spool/spool.ndjson'), 'utf8')).toContain('req_1')
  })

  it('is refused at the start by whoever remembers what it held, until that is removed', async () => {
    const { url, stateDir, store } = await emptied()
    await store.close()

    await expect(open(url, stateDir)).rejects.toThrow('store-epoch')

    await rm(join(stateDir, 'store-epoch'))
    expect(await (await open(url, stateDir)).keys.list()).toEqual([])
  })

  it('serves again, with what waited, once it is restored', async () => {
    const server = await serve({ durable: true })
    const store = await open(server.url, await newDirectory())
    const shop = await openShop(store)
    const hold = await admit(store, shop, 'req_1', claimsOf({ at: now() }))
    const dump = await Promise.all(
      ((await redisCommand(server, 'KEYS', '*')) as string[]).map(async key => {
        const client = createClient({ url: server.url, commandOptions: { typeMapping: { 36: Buffer } } })
        await client.connect()
        const bytes = await client.dump(key)
        client.destroy()
        return { key, bytes }
      }),
    )
    await redisCommand(server, 'FLUSHALL')
    await expect(store.keys.findCaller(shop.keyHash)).rejects.toThrow(StoreUnavailable)
    await store.holds.settle(settlement(hold))

    const client = createClient({ url: server.url })
    await client.connect()
    // The record that marks the store as whole comes last.
    dump.sort((one, other) => Number(one.key === 'svc:meta') - Number(other.key === 'svc:meta'))
    for (const { key, bytes } of dump) await client.restore(key, 0, bytes as unknown as string)
    client.destroy()

    await eventually(async () => expect(await ledgerOf(store)).toMatchObject([{ requestId: 'req_1' }]))
    expect(await store.accounts.readSpend(shop.account)).toMatchObject({ used: 50, held: 0 })
  })
})

describeRedis('a store in the place of another one', () => {
  it('is refused at the start by whoever remembers the other', async () => {
    const { url } = await serve()
    const stateDir = await newDirectory()
    await (await open(url, stateDir)).close()
    await redisCommand({ url }, 'FLUSHALL')
    await (await open(url, await newDirectory())).close()

    await expect(open(url, stateDir)).rejects.toThrow('store-epoch')
  })

  it('is begun by a gateway, and never by a tool that only looks', async () => {
    const { url } = await serve()

    await expect(openRedisStore({ url, prefix: 'svc', alarm: () => {} })).rejects.toThrow('start a gateway first')
    expect(await redisCommand({ url }, 'DBSIZE')).toBe(0)
  })
})

describeRedis('a settlement that the store cannot be told', () => {
  let server: RedisServer
  beforeAll(async () => {
    server = await startRedis({ durable: true })
  })
  afterAll(() => server.stop())

  it('waits on disk, is told by the next process, and appears once', async () => {
    const stateDir = await newDirectory()
    const prefix = `p${randomBytes(4).toString('hex')}`
    const store = await open(server.url, stateDir, [], prefix)
    const shop = await openShop(store)
    const holds = []
    for (const id of ['req_1', 'req_2', 'req_3']) holds.push(await admit(store, shop, id, claimsOf({ at: now() })))
    const [one, two, three] = holds.map(hold => settlement(hold))
    if (!one || !two || !three) throw new Error('three were admitted')
    await store.holds.settle(one)
    await server.kill()
    await Promise.all([store.holds.settle(one), store.holds.settle(two), store.holds.refund(three.hold)])
    await store.close()

    await server.restart()
    const next = await open(server.url, stateDir, [], prefix)

    await eventually(async () =>
      expect(await next.accounts.readSpend(shop.account)).toMatchObject({ used: 100, held: 0 }),
    )
    expect(await ledgerOf(next)).toMatchObject([
      { requestId: 'req_1', kind: 'settle', cost: 50 },
      { requestId: 'req_2', kind: 'settle', cost: 50 },
    ])
  })

  /** A gateway with requests of two accounts, each under way. */
  async function two(keep?: number) {
    const stateDir = await newDirectory()
    const prefix = `p${randomBytes(4).toString('hex')}`
    const alarms: string[] = []
    const alarm = (message: string, details?: object) => void alarms.push(`${message} ${JSON.stringify(details ?? {})}`)
    const options = {
      url: server.url,
      prefix,
      stateDir,
      alarm,
      answerMs: 15_000,
      ...(keep !== undefined && { keep: () => keep }),
    }
    const store = await openRedisStore(options)
    onTestFinished(() => store.close())
    const [ada, bob] = [await openShop(store, 'ada'), await openShop(store, 'bob')]
    const claims = claimsOf({ at: now() })
    const holds = [await admit(store, ada, 'req_1', claims), await admit(store, bob, 'req_2', claims)] as const
    return { stateDir, prefix, alarms, store, ada, bob, holds }
  }

  /** Makes every script fail that counts a request of an account. */
  async function spoilCounters(prefix: string, account: string): Promise<void> {
    const [standing = ''] = (await redisCommand(server, 'KEYS', `${prefix}:*standing:${account}`)) as string[]
    await redisCommand(server, 'DEL', standing)
    await redisCommand(server, 'SET', standing, 'something else')
  }

  it('because a script fails is no outage: it rejects, is kept for the operator, and waits for nothing', async () => {
    const { stateDir, prefix, alarms, store, ada, holds } = await two()
    await spoilCounters(prefix, ada.account)

    await expect(store.holds.settle(settlement(holds[0]))).rejects.toThrow(/WRONGTYPE/)
    const again = store.holds.admit(admission(ada, 'req_3', claimsOf({ at: now() })))

    await expect(again).rejects.not.toThrow(StoreUnavailable)
    expect(alarms).toContainEqual(expect.stringMatching(/cannot be written to the store.*req_1.*WRONGTYPE/))
    expect(await readFile(join(stateDir, 'spool/spool.refused.ndjson'), 'utf8')).toContain('req_1')
    expect(await readdir(join(stateDir, 'spool'))).toEqual(['spool.refused.ndjson'])
  })

  it('because of the store itself does not hold up those behind it', async () => {
    const { stateDir, prefix, alarms, store, ada, bob, holds } = await two()
    await spoilCounters(prefix, ada.account)
    await server.kill()
    await Promise.all(holds.map(hold => store.holds.settle(settlement(hold))))
    await server.restart()

    await eventually(async () => expect(await store.accounts.readSpend(bob.account)).toMatchObject({ used: 50 }))
    expect(alarms).toContainEqual(expect.stringMatching(/cannot be written to the store.*req_1/))
    expect(await readFile(join(stateDir, 'spool/spool.refused.ndjson'), 'utf8')).toContain('req_1')
  })

  it('for longer than rows are kept is told to the operator instead of being charged twice', async () => {
    const { stateDir, alarms, store, holds } = await two(1)
    await server.kill()
    await store.holds.settle(settlement(holds[0]))
    await server.restart()

    const file = join(stateDir, 'spool/spool.refused.ndjson')
    await eventually(async () => expect(await readFile(file, 'utf8')).toContain('req_1'))
    expect(alarms).toContainEqual(expect.stringContaining('older than ledger.keep'))
    expect(await ledgerOf(store)).toEqual([])
  })

  it('because it is being closed is told first', async () => {
    const { store, stateDir, prefix, ada, holds } = await two()
    const settling = store.holds.settle(settlement(holds[0]))

    await store.close()

    await settling
    const next = await open(server.url, stateDir, [], prefix)
    expect(await next.accounts.readSpend(ada.account)).toMatchObject({ used: 50, held: 0 })
  })
})
