import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from '@keyv/redis'
import { expect, it, onTestFinished, vi } from 'vitest'
import { openRedisStore } from '../../../src/adapters/redis/store.ts'
import { removeFolder } from '../../lanes/remove-folder.ts'
import { startCluster, useCluster } from '../../support/redis/cluster.ts'
import { redisCommand } from '../../support/redis/command.ts'
import { describeRedis, startRedis } from '../../support/redis/redis.ts'
import { keptFilesOf } from '../site.ts'
import { doctorIn, type Found, filesOf } from './site.ts'

/** Files whose store is there. */
function siteOf(store: string): string {
  const { 'config.yaml': yaml } = filesOf(['http://127.0.0.1:1/v1'])
  const cwd = keptFilesOf({ 'config.yaml': yaml.replace('embedded:./state/store', store) })
  onTestFinished(() => removeFolder(cwd))
  return cwd
}

async function foundIn(cwd: string): Promise<Found> {
  const { stdout } = await doctorIn(cwd, ['--json', '--no-generate'])
  const list: readonly Found[] = JSON.parse(stdout)
  const store = list.find(({ check }) => check === 'store')
  if (!store) throw new Error('nothing is said of the store')
  return { ...store, text: store.text.replace(/\d+\.\d+ ms/, 'N ms').replace(/redis \d+\.\d+\.\d+/, 'redis V') }
}

describeRedis('a Redis Cluster', { timeout: 60_000 }, () => {
  const cluster = useCluster({ durable: true })

  it('that is as it must be is told with its version and its time, and is not begun', async () => {
    const cwd = siteOf(cluster().url)

    expect(await foundIn(cwd)).toMatchObject({
      state: 'ok',
      subject: cluster().url,
      text: 'redis V, N ms, maxmemory-policy noeviction, empty: the first gateway initialises it',
    })
    for (const { url } of cluster().masters) {
      const client = createClient({ url })
      await client.connect()
      expect(await client.dbSize()).toBe(0)
      client.destroy()
    }
    expect(existsSync(join(cwd, 'state'))).toBe(false)
  })

  it('that a gateway began fits', async () => {
    const cwd = siteOf(cluster().url)
    const stateDir = join(cwd, 'state')
    const store = await openRedisStore({
      url: cluster().url,
      prefix: 'svc',
      stateDir,
      alarm: () => {},
      answerMs: 15_000,
    })
    await store.close()

    expect(await foundIn(cwd)).toMatchObject({ state: 'ok', text: 'redis V, N ms, maxmemory-policy noeviction' })
  })

  it('of which one master forgets when it is full is a problem', async () => {
    const [, , one] = cluster().masters
    if (!one) throw new Error('there are three masters')
    await redisCommand(one, 'CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru')
    onTestFinished(() => void redisCommand(one, 'CONFIG', 'SET', 'maxmemory-policy', 'noeviction'))

    expect(await foundIn(siteOf(cluster().url))).toMatchObject({
      state: 'problem',
      text: 'redis V, N ms: Redis evicts records when its memory is full (maxmemory-policy allkeys-lru)',
      hint: 'set it to noeviction',
    })
  })

  it('is told by one node that is named, where others that are named are away', async () => {
    const [one] = cluster().masters
    const found = await foundIn(siteOf(`redis+cluster://127.0.0.1:1,127.0.0.1:${one?.port}`))

    expect(found.state).toBe('ok')
  })

  it('of which no node answers is a problem', async () => {
    expect(await foundIn(siteOf('redis+cluster://127.0.0.1:1,127.0.0.1:2'))).toMatchObject({
      state: 'problem',
      text: expect.stringMatching(/cannot be used: .*ECONNREFUSED/),
    })
  })

  it('that is a Redis by itself is a problem that says how to name it', async () => {
    const server = await startRedis({ durable: true })
    onTestFinished(() => server.stop())

    expect(await foundIn(siteOf(`redis+cluster://127.0.0.1:${server.port}`))).toMatchObject({
      state: 'problem',
      text: expect.stringContaining('this Redis is not a cluster node'),
      hint: 'use redis://',
    })
  })
})

describeRedis('a Redis Cluster that is not whole', { timeout: 60_000 }, () => {
  it('of which a master was killed is a problem that names it', async () => {
    const cluster = await startCluster({ durable: true })
    onTestFinished(() => cluster.stop())
    const [, one] = cluster.masters
    await one?.kill()

    await vi.waitFor(
      async () =>
        expect(await foundIn(siteOf(cluster.url))).toMatchObject({
          state: 'problem',
          text: expect.stringMatching(new RegExp(`cannot be used: .*:${one?.port}|no master of the cluster has slot`)),
        }),
      { timeout: 60_000, interval: 500 },
    )
  })
})
