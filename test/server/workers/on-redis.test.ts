import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { Spool } from '../../../src/adapters/redis/spool.ts'
import { load } from '../../../src/config/load.ts'
import { openState } from '../../../src/server/state/open-state.ts'
import { world } from '../../../src/server/world.ts'
import { admit, claimsOf, openShop, settlement } from '../../adapters/store/fixtures.ts'
import { answer, type Backend, startBackend } from '../../support/backend.ts'
import { eventually } from '../../support/eventually.ts'
import { useCluster } from '../../support/redis/cluster.ts'
import { describeRedis, useRedis } from '../../support/redis/redis.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { isThere } from './kills-in-turn.ts'
import { startTree, type Tree } from './tree.ts'
import { yamlOf } from './tree-yaml.ts'

const WORKERS = 2
let backend: Backend

const yaml = (redis: string) =>
  yamlOf(backend.url, () => redis, { plans: 'tight: { models: all, rpm: 5, tpm: 900M, monthly_usd: 500 }' })

interface Usage {
  readonly data: readonly { readonly requests: number }[]
}

describeRedis.each([
  ['Redis', useRedis],
  ['a Redis Cluster', useCluster],
] as const)('workers on %s', (_name, use) => {
  const redis: () => { readonly url: string } = use()

  beforeEach(async () => {
    backend = await startBackend()
    backend.always(answer({ content: 'Hi' }))
    onTestFinished(() => backend.close())
  })

  const start = async (workers: number): Promise<Tree> => {
    const tree = await startTree(workers, yaml(redis().url))
    onTestFinished(async () => void (await tree.end()))
    return tree
  }
  const statusOf = async (tree: Tree, key: string): Promise<number> => {
    const response = await tree.chat(key)
    await response.text()
    return response.status
  }
  const statuses = (tree: Tree, key: string, count: number) =>
    Promise.all(Array.from({ length: count }, () => statusOf(tree, key)))
  const requestsOf = async (tree: Tree) =>
    ((await tree.ask('GET', '/admin/usage?by=model')).body as Usage).data.reduce((sum, row) => sum + row.requests, 0)

  it('serve each with a connection of its own, and pass no limit together', async () => {
    const tree = await start(WORKERS)
    expect([tree.pids('worker').length, tree.pids('store').length]).toEqual([WORKERS, 0])
    const tight = await tree.mint('tight', 'bob')

    const all = await statuses(tree, tight, 20)

    expect(all.filter(status => status === 200)).toHaveLength(5)
    expect(await readdir(join(tree.directory, 'workers'))).toEqual(['0', '1'])
  })

  it('refuse a revoked key by its next request, whatever worker that meets', async () => {
    const tree = await start(WORKERS)
    const key = await tree.mint('pro', 'ada')
    expect(new Set(await statuses(tree, key, 8))).toEqual(new Set([200]))

    expect(await tree.ask('POST', '/admin/keys/revoke', { key })).toMatchObject({ status: 200 })

    expect(new Set(await statuses(tree, key, 8))).toEqual(new Set([401]))
  })

  it('leave what waits for Redis to main, where there are fewer of them after a restart', async () => {
    const directory = temporaryFolder('left')
    const main = yaml(redis().url)(directory).replace('server: {', `server: { workers: ${WORKERS},`)
    await writeFile(join(directory, 'config.yaml'), main)
    const result = load('config.yaml', {}, directory)
    if (!result.ok) throw new Error(JSON.stringify(result.problems))
    const { loaded } = result
    const as = { keep: () => 86_400_000, wrote: () => {} }
    const first = await openState(loaded, world, () => {}, as)
    const shop = await openShop(first.store, 'left')
    const hold = await admit(first.store, shop, 'req_left', claimsOf({ at: Date.now() }))
    const spool = new Spool(join(directory, 'workers', '7', 'spool'))
    await spool.add({ settle: settlement(hold) })
    await spool.close()
    await first.close(5000)

    const next = await openState(loaded, world, () => {}, as)

    await eventually(async () => {
      const rows = []
      for await (const row of next.store.ledger.readRows({ account: shop.account })) rows.push(row)
      expect(rows).toMatchObject([{ kind: 'settle', requestId: 'req_left' }])
    })
    expect(await next.close(5000)).toBe(true)
  })

  it('lose nothing that they served where one is killed', async () => {
    const tree = await start(WORKERS)
    const key = await tree.mint('pro', 'eve')
    const before = await requestsOf(tree)
    await statuses(tree, key, 10)
    const [victim = 0] = tree.pids('worker')

    process.kill(victim, 'SIGKILL')

    await eventually(() => expect(tree.pids('worker').includes(victim)).toBe(false))
    await eventually(() => expect(tree.pids('worker')).toHaveLength(WORKERS))
    expect(new Set(await statuses(tree, key, 4))).toEqual(new Set([200]))
    expect(await requestsOf(tree)).toBe(before + 14)
  })
})

describeRedis('workers of which one hangs, and outlives main', () => {
  const redis = useRedis({ durable: true })

  it.each([WORKERS, 1])(
    'keep the next gateway, of %i workers, from nothing',
    async count => {
      backend = await startBackend()
      backend.always(answer({ content: 'Hi' }))
      onTestFinished(() => backend.close())
      const before = await startTree(WORKERS, yaml(redis().url))
      const key = await before.mint('pro', `hanging-${count}`)
      const [, hanging = 0] = before.pids('worker')
      onTestFinished(() => void (isThere(hanging) && process.kill(hanging, 'SIGCONT')))
      // Main writes the leftovers of a worker that no longer exists.
      await mkdir(join(before.directory, 'workers/1/spool'), { recursive: true })
      await writeFile(join(before.directory, 'workers/1/spool/spool.ndjson'), '')
      process.kill(hanging, 'SIGSTOP')
      before.process.kill('SIGKILL')
      await before.ended

      const tree = await startTree(count, yaml(redis().url), before)
      onTestFinished(async () => void (await tree.end()))

      await eventually(async () => expect((await tree.chat(key)).status).toBe(200))
      expect(tree.said.join('\n')).toContain('another process uses')
      process.kill(hanging, 'SIGCONT')
      await eventually(() => expect(isThere(hanging)).toBe(false))
      if (count === 1) return
      await vi.waitFor(
        async () => {
          const { body } = await tree.ask('GET', '/readyz')
          const { workers } = body as { readonly workers: readonly { state: string }[] }
          expect(workers.map(({ state }) => state)).toEqual(['serving', 'serving'])
        },
        { timeout: 60_000 },
      )
    },
    120_000,
  )
})

describeRedis('a worker whose Redis is away as it begins', () => {
  const redis = useRedis({ durable: true })

  it('is tried again, and serves once Redis is back', async () => {
    backend = await startBackend()
    backend.always(answer({ content: 'Hi' }))
    onTestFinished(() => backend.close())
    const tree = await startTree(WORKERS, yaml(redis().url))
    onTestFinished(async () => void (await tree.end()))
    const states = async () => {
      const { workers } = (await tree.ask('GET', '/readyz')).body as { readonly workers: readonly { state: string }[] }
      return workers.map(({ state }) => state)
    }
    await redis().kill()
    process.kill(tree.pids('worker')[0] ?? 0, 'SIGKILL')
    await eventually(() => expect(tree.said.join('\n')).toContain('a worker could not begin, and is tried again'))

    await redis().restart()

    await eventually(async () => expect(await states()).toEqual(['serving', 'serving']))
  }, 120_000)
})
