import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from '@keyv/redis'
import { expect, it, onTestFinished } from 'vitest'
import { openRedisStore } from '../../../src/adapters/redis/store.ts'
import { mintKey } from '../../../src/gateway/accounts/accounts.ts'
import { removeFolder } from '../../lanes/remove-folder.ts'
import { selfSigned } from '../../support/certificate.ts'
import { describeRedis, type RedisOptions, startRedis } from '../../support/redis/redis.ts'
import { startTlsRedis } from '../../support/redis/tls-redis.ts'
import { keptFilesOf } from '../site.ts'
import { doctorIn, type Found, filesOf, PASSWORD } from './site.ts'

/** A redis-server until the test is over. */
async function redisOf(options: RedisOptions = { durable: true }) {
  const server = await startRedis(options)
  onTestFinished(() => server.stop())
  return server
}

/** Files whose store is there. */
function siteOf(store: string): string {
  const { 'config.yaml': yaml } = filesOf(['http://127.0.0.1:1/v1'])
  const cwd = keptFilesOf({ 'config.yaml': yaml.replace('embedded:./state/store', store) })
  onTestFinished(() => removeFolder(cwd))
  return cwd
}

async function foundIn(cwd: string, ...args: readonly string[]): Promise<Found & { readonly shown: string }> {
  const { stdout } = await doctorIn(cwd, ['--json', '--no-generate', ...args])
  const list: readonly Found[] = JSON.parse(stdout)
  const store = list.find(({ check }) => check === 'store')
  if (!store) throw new Error('nothing is said of the store')
  return { ...store, shown: store.text.replace(/\d+\.\d+ ms/, 'N ms').replace(/redis \d+\.\d+\.\d+/, 'redis V') }
}

/** Begins a store, as a gateway does. */
async function begin(url: string, stateDir: string): Promise<void> {
  const store = await openRedisStore({ url, prefix: 'svc', stateDir, alarm: () => {}, answerMs: 15_000 })
  await mintKey(store.keys, randomBytes, { brand: 'svc', label: 'ada', plan: 'pro', most: 1, by: 'test' })
  await store.close()
}

/** Every key of the server with what it holds, and how often it was written to. */
async function stateOf(url: string) {
  const client = createClient({ url })
  await client.connect()
  const keys = await client.keys('*')
  const values = await Promise.all(keys.sort().map(async key => [key, await client.dump(key)]))
  const changes = /rdb_changes_since_last_save:(\d+)/.exec(await client.info())?.[1]
  client.destroy()
  return { values, changes }
}

describeRedis('a Redis', () => {
  it('that is as it must be is told with its version and its time, and is not begun', async () => {
    const server = await redisOf()
    const cwd = siteOf(server.url)
    const before = await stateOf(server.url)

    expect(await foundIn(cwd)).toMatchObject({
      state: 'ok',
      subject: server.url,
      shown: 'redis V, N ms, maxmemory-policy noeviction, empty: the first gateway initialises it',
    })
    expect(await stateOf(server.url)).toEqual(before)
    expect(existsSync(join(cwd, 'state'))).toBe(false)
  })

  it('with TLS is said to have it', async () => {
    const { url, cert } = await startTlsRedis(selfSigned())
    const cwd = siteOf(`${url}\nredis: { ca: file:${cert} }`)

    expect((await foundIn(cwd)).shown).toBe(
      'redis V, N ms, TLS, maxmemory-policy noeviction, empty: the first gateway initialises it',
    )
    expect(await foundIn(siteOf(url))).toMatchObject({
      state: 'problem',
      text: expect.stringContaining('self-signed certificate'),
    })
  })

  it('whose user may not do enough is a problem that says what is missing', async () => {
    const server = await redisOf()
    const client = createClient({ url: server.url })
    await client.connect()
    await client.sendCommand(['ACL', 'SETUSER', 'gateway', 'on', 'nopass', '~*', '+@all', '-zadd', '-xadd'])
    client.destroy()

    expect(
      await foundIn(siteOf(`redis://gateway@127.0.0.1:${server.port}\nredis: { password: "\${REDIS_PASSWORD}" }`)),
    ).toMatchObject({
      state: 'problem',
      text: expect.stringContaining('the user of the store may not run XADD, ZADD'),
      hint: 'ACL SETUSER <user> ~svc:* ~keyv:* +@read +@write +@scripting +@connection +info +time',
    })
  })

  it('whose clock is ours is in step with it', async () => {
    const server = await redisOf()
    const { stdout } = await doctorIn(siteOf(server.url), ['--no-generate'])

    expect(stdout).toMatch(/✓ clock {6}\d+ ms off redis\n/)
  })

  it('that this gateway began fits, and nothing of it changes', async () => {
    const server = await redisOf()
    const cwd = siteOf(server.url)
    await begin(server.url, join(cwd, 'state'))
    const files = () => [
      readdirSync(join(cwd, 'state'), { recursive: true }),
      readFileSync(join(cwd, 'state/store-epoch'), 'utf8'),
    ]
    const before = [await stateOf(server.url), files()]

    expect((await foundIn(cwd)).shown).toBe('redis V, N ms, maxmemory-policy noeviction')
    expect([await stateOf(server.url), files()]).toEqual(before)
  })

  it('that was emptied or replaced since is a problem', async () => {
    const [first, second] = [await redisOf(), await redisOf()]
    const cwd = siteOf(second.url)
    await begin(first.url, join(cwd, 'state'))
    const replaced = {
      state: 'problem',
      shown: expect.stringMatching(/^redis V, N ms: the store is not the one that .*store-epoch remembers/),
      hint: expect.stringMatching(/^restore it from a backup, or remove that file/),
    }

    expect(await foundIn(cwd)).toMatchObject(replaced)
    await begin(second.url, join(keptFilesOf({}), 'state'))
    expect(await foundIn(cwd)).toMatchObject(replaced)
  })

  it.each<[string, RedisOptions, string, string, RegExp]>([
    [
      'forgets when it is full',
      { durable: true, flags: { 'maxmemory-policy': 'allkeys-lru' } },
      'problem',
      'redis V, N ms: Redis evicts records when its memory is full (maxmemory-policy allkeys-lru)',
      /^set it to noeviction$/,
    ],
    [
      'keeps no append-only file',
      {},
      'warning',
      'redis V, N ms: Redis keeps no append-only file, so a crash loses spend and keys',
      /appendonly yes/,
    ],
    [
      'is a node of a cluster',
      { durable: true, flags: { 'cluster-enabled': 'yes' } },
      'problem',
      'redis V, N ms: this Redis is a node of a cluster, and has only part of the keys',
      /^use redis\+cluster:\/\/$/,
    ],
  ])('that %s is told so, with what to do', async (_, options, state, shown, hint) => {
    const server = await redisOf(options)

    expect(await foundIn(siteOf(server.url))).toMatchObject({ state, shown, hint: expect.stringMatching(hint) })
  })

  it('whose maxmemory is less than what kept responses may use is told with both numbers, beside the rest', async () => {
    const server = await redisOf({ durable: true, flags: { maxmemory: '200mb' } })
    const crowdedBy = async (most: string) => {
      const cwd = siteOf(`${server.url}\nresponses: { keep: 1h, key: "\${RESPONSES_KEY}", max_bytes_total: ${most} }`)
      const env = { RESPONSES_KEY: randomBytes(32).toString('base64') }
      const { stdout } = await doctorIn(cwd, ['--json', '--no-generate'], env)
      const list: readonly Found[] = JSON.parse(stdout)
      expect(list.find(({ check }) => check === 'store')).toMatchObject({ state: 'ok' })
      return list.find(({ check }) => check === 'responses')
    }

    expect(await crowdedBy('1GB')).toMatchObject({
      state: 'warning',
      subject: 'responses.max_bytes_total',
      text: expect.stringMatching(
        /^kept responses may use 1GB, but Redis, with maxmemory 209\.7MB, has room for only 20\d(\.\d)?MB$/,
      ),
      hint: 'Raise maxmemory, or lower responses.max_bytes_total: a store without room refuses every request.',
    })
    expect(await crowdedBy('100MB')).toBeUndefined()
  })

  it('of a newer version is a problem', async () => {
    const server = await redisOf()
    const client = createClient({ url: server.url })
    await client.connect()
    await client.hSet('svc:meta', { epoch: 'e', schema: '99', since: '1' })
    client.destroy()

    expect((await foundIn(siteOf(server.url))).shown).toBe(
      'redis V, N ms: the store has schema 99, which a newer version wrote; this one reads up to 4',
    )
  })

  it('that is down is a problem, and its password is not told', async () => {
    const server = await redisOf()
    await server.kill()
    const cwd = siteOf(`redis://:\${REDIS_PASSWORD}@127.0.0.1:${server.port}/0`)
    const { stdout, code } = await doctorIn(cwd, ['--no-generate'], { REDIS_PASSWORD: encodeURIComponent(PASSWORD) })

    expect(code).toBe(1)
    expect(stdout).toMatch(
      /✗ store {6}redis:\/\/127\.0\.0\.1:\d+\/0 cannot be used: .*ECONNREFUSED.*\n {17}No request is served until it does\. It is named in config\.yaml:\d+\n/,
    )
  })

  it('that refuses the password is a problem, and the password is not told', async () => {
    const server = await redisOf({ durable: true, flags: { requirepass: 'another' } })
    const cwd = siteOf(`redis://:\${REDIS_PASSWORD}@127.0.0.1:${server.port}/0`)
    const { stdout } = await doctorIn(cwd, ['--no-generate'], { REDIS_PASSWORD: encodeURIComponent(PASSWORD) })

    expect(stdout).toMatch(/✗ store .* cannot be used: .*WRONGPASS/)
  })

  it('that hangs is a problem, and nobody waits for it', async () => {
    const server = await redisOf()
    server.pause()
    onTestFinished(() => server.resume())

    expect(await foundIn(siteOf(server.url), '--timeout', '0.5')).toMatchObject({
      state: 'problem',
      text: expect.stringMatching(/cannot be used: no answer within [\d.]+ m?s$/),
    })
  })

  it('does not save a state_dir that is not a directory', async () => {
    const server = await redisOf()
    const cwd = siteOf(server.url)
    writeFileSync(join(cwd, 'state'), '')

    expect(await foundIn(cwd)).toMatchObject({
      state: 'problem',
      text: expect.stringMatching(/state is not a directory$/),
      hint: 'Choose another server.state_dir.',
    })
  })
})
