import dns from 'node:dns'
import { readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { openRedisStore, type RedisStore } from '../../../../src/adapters/redis/store.ts'
import { selfSigned } from '../../../support/certificate.ts'
import { eventually } from '../../../support/eventually.ts'
import { redisCommand } from '../../../support/redis/command.ts'
import { describeRedis, type RedisServer, startRedis } from '../../../support/redis/redis.ts'
import { startTlsRedis } from '../../../support/redis/tls-redis.ts'
import { newDirectory } from '../directory.ts'
import { admit, claimsOf, ledgerOf, openShop, settlement } from '../fixtures.ts'

const PERMISSIONS = ['~svc:*', '~keyv:*', '+@read', '+@write', '+@scripting', '+@connection', '+info', '+time']

async function serve(flags: Readonly<Record<string, string>> = {}): Promise<RedisServer> {
  const server = await startRedis({ flags })
  onTestFinished(() => server.stop())
  return server
}

async function open(url: string, more: Partial<Parameters<typeof openRedisStore>[0]> = {}): Promise<RedisStore> {
  const stateDir = more.stateDir ?? (await newDirectory())
  const store = await openRedisStore({ url, prefix: 'svc', alarm: () => {}, answerMs: 15_000, ...more, stateDir })
  onTestFinished(() => store.close())
  return store
}

/** One request from its admission to its row. */
async function serveOne(store: RedisStore, label = 'ada') {
  const shop = await openShop(store, label)
  const hold = await admit(store, shop, `req_${label}`, claimsOf({ at: Date.now() }))
  await store.holds.settle(settlement(hold))
  return ledgerOf(store)
}

describeRedis('TLS to Redis', () => {
  it('is trusted by the certificates of the section alone', async () => {
    const own = selfSigned()
    const { url } = await startTlsRedis(own)

    await expect(open(url)).rejects.toThrow('self-signed certificate')
    await expect(open(url, { tls: { ca: selfSigned().cert } })).rejects.toThrow('self-signed certificate')
    expect(await serveOne(await open(url, { tls: { ca: own.cert } }))).toHaveLength(1)
  })

  it('is refused where the certificate is of another host', async () => {
    const other = selfSigned('redis.internal')
    const { url } = await startTlsRedis(other)

    await expect(open(url, { tls: { ca: other.cert } })).rejects.toThrow("does not match certificate's altnames")
  })

  it('shows its own certificate to a server that asks for one', async () => {
    const own = selfSigned()
    const { url } = await startTlsRedis(own, { 'tls-auth-clients': 'yes' })

    await expect(open(url, { tls: { ca: own.cert } })).rejects.toThrow(/certificate required|ECONNRESET|EPIPE/)
    const tls = { ca: own.cert, certificate: own.cert, key: own.key }
    expect(await serveOne(await open(url, { tls }))).toHaveLength(1)
  })

  it('with something that is no certificate is refused at the start', async () => {
    await expect(open('rediss://127.0.0.1:1', { tls: { certificate: 'none', key: 'none' } })).rejects.toMatchObject({
      name: 'StoreRefused',
      message: expect.stringContaining('`redis` cannot be used'),
    })
  })

  it('proves another certificate before it takes it', async () => {
    const own = selfSigned()
    const { url } = await startTlsRedis(own)
    const store = await open(url, { tls: { ca: own.cert } })

    await expect(store.prove({ url, tls: { ca: selfSigned().cert } })).rejects.toThrow('self-signed certificate')
    expect(await serveOne(store)).toHaveLength(1)
  })
})

describeRedis('a user of Redis', () => {
  const userOf = (server: RedisServer, name: string, password: string): string =>
    `redis://${name}:${encodeURIComponent(password)}@127.0.0.1:${server.port}`
  const allow = (server: RedisServer, name: string, ...rules: string[]) =>
    redisCommand(server, 'ACL', 'SETUSER', name, 'on', ...rules)

  it('needs what the documents say, and no more', async () => {
    const server = await serve()
    await allow(server, 'gateway', '>p@ss/word', ...PERMISSIONS)

    expect(await serveOne(await open(userOf(server, 'gateway', 'p@ss/word')))).toHaveLength(1)
  })

  it.each([
    ['a command', ['-hset'], 'may not run HSET: ACL SETUSER'],
    ['scripts', ['-@scripting'], 'ACL SETUSER <user> ~svc:* ~keyv:* +@read'],
    ['its keys', ['resetkeys', '~svc:*'], 'may not do all that a gateway does (NOPERM'],
  ])('that lacks %s is refused at the start', async (_what, rules, reason) => {
    const server = await serve()
    await allow(server, 'gateway', '>password', ...PERMISSIONS, ...rules)

    await expect(open(userOf(server, 'gateway', 'password'))).rejects.toThrow(reason)
  })

  it('that loses a command meanwhile loses no settlement', async () => {
    const server = await serve()
    await allow(server, 'gateway', '>password', ...PERMISSIONS)
    const stateDir = await newDirectory()
    const store = await open(userOf(server, 'gateway', 'password'), { stateDir })
    const shop = await openShop(store)
    const hold = await admit(store, shop, 'req_1', claimsOf({ at: Date.now() }))
    await allow(server, 'gateway', '-zadd')
    await store.holds.settle(settlement(hold))
    expect(await readFile(join(stateDir, 'spool/spool.ndjson'), 'utf8').catch(() => '')).toContain('req_1')

    await allow(server, 'gateway', '+@write')

    await eventually(async () => expect(await ledgerOf(store)).toMatchObject([{ requestId: 'req_1' }]))
  })

  it('has its rights tried with every command of the scripts that can be tried without a change', () => {
    const directory = new URL('../../../../redis/', import.meta.url)
    const texts = readdirSync(directory, { recursive: true })
      .map(String)
      .filter(name => name.endsWith('.lua') && name !== 'permitted.lua')
      .map(name => readFileSync(new URL(name, directory), 'utf8'))
    const used = new Set(texts.flatMap(text => [...text.matchAll(/redis\.call\('([A-Z]+)'/g)].map(([, name]) => name)))
    const tried = readFileSync(new URL('permitted.lua', directory), 'utf8')

    expect([...used].filter(name => !tried.includes(`{ '${name}'`)).sort()).toEqual(['HSETNX', 'LPUSH'])
  })

  it('may get another password while requests are served, and the former one be taken away', async () => {
    const server = await serve()
    await allow(server, 'gateway', '>first', ...PERMISSIONS)
    const store = await open(userOf(server, 'gateway', 'first'))
    const { account } = await openShop(store)
    let [served, stop] = [0, false]
    const load = (async () => {
      for (; !stop; served++) await store.accounts.readSpend(account)
    })()

    await allow(server, 'gateway', '>second')
    const { put } = await store.prove({ url: userOf(server, 'gateway', 'second') })
    put()
    await allow(server, 'gateway', '<first')
    const before = served
    await eventually(() => expect(served).toBeGreaterThan(before + 10))
    stop = true

    await expect(load).resolves.toBeUndefined()
    // A connection that is lost is made again with the new one.
    await redisCommand(server, 'CLIENT', 'KILL', 'USER', 'gateway')
    await eventually(async () => expect(await store.accounts.readSpend(account)).toBeDefined())
  })

  it('may be replaced by another user, and be deleted', async () => {
    const server = await serve()
    await allow(server, 'one', '>password', ...PERMISSIONS)
    const store = await open(userOf(server, 'one', 'password'))
    const { account } = await openShop(store)
    await allow(server, 'two', '>password', ...PERMISSIONS)

    const { put } = await store.prove({ url: userOf(server, 'two', 'password') })
    put()
    await store.accounts.readSpend(account)
    await redisCommand(server, 'ACL', 'DELUSER', 'one')

    expect(await store.accounts.readSpend(account)).toBeDefined()
  })

  it('keeps its password where the new one is not accepted', async () => {
    const server = await serve()
    await allow(server, 'gateway', '>first', ...PERMISSIONS)
    const store = await open(userOf(server, 'gateway', 'first'))

    await expect(store.prove({ url: userOf(server, 'gateway', 'second') })).rejects.toThrow('WRONGPASS')
    expect(await serveOne(store)).toHaveLength(1)
  })
})

describeRedis('the address of Redis', () => {
  it('may be one of IPv6', async ({ skip }) => {
    const six = await serve({ bind: '127.0.0.1 ::1' }).catch(() => skip('this machine has no IPv6'))

    expect(await serveOne(await open(`redis://[::1]:${six.port}`))).toHaveLength(1)
  })

  it('may be a name that moves to the replica which took over', async () => {
    const first = await serve()
    const second = await startRedis({
      at: { host: '127.0.0.2', port: first.port },
      flags: { replicaof: `127.0.0.1 ${first.port}` },
    })
    onTestFinished(() => second.stop())
    const [one, two] = [first.url, second.url]
    const lookup = vi.spyOn(dns, 'lookup')
    onTestFinished(() => lookup.mockRestore())
    const pointTo = (address: string) =>
      lookup.mockImplementation(((_name: string, options: { all?: boolean }, done: (...found: unknown[]) => void) =>
        options.all ? done(null, [{ address, family: 4 }]) : done(null, address, 4)) as unknown as typeof dns.lookup)
    pointTo('127.0.0.1')
    const store = await open(`redis://redis.internal:${first.port}`)
    await serveOne(store, 'ada')
    await eventually(async () =>
      expect(await redisCommand({ url: two }, 'DBSIZE')).toBe(await redisCommand({ url: one }, 'DBSIZE')),
    )

    await redisCommand({ url: two }, 'REPLICAOF', 'NO', 'ONE')
    await redisCommand({ url: one }, 'REPLICAOF', '127.0.0.2', String(first.port))
    pointTo('127.0.0.2')

    await eventually(async () => expect(await serveOne(store, 'bob')).toHaveLength(2))
    expect(await redisCommand({ url: two }, 'INFO', 'clients')).toMatch(/connected_clients:2/)
  })
})
