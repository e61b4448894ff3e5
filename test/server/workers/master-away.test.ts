import { expect, it, onTestFinished, vi } from 'vitest'
import { Layout } from '../../../src/adapters/redis/layout.ts'
import { hashOf } from '../../../src/gateway/accounts/keys.ts'
import { answer, startBackend } from '../../support/backend.ts'
import { type RedisCluster, startCluster } from '../../support/redis/cluster.ts'
import { describeRedis, type RedisServer } from '../../support/redis/redis.ts'
import { startTree, type Tree } from './tree.ts'
import { yamlOf } from './tree-yaml.ts'

const WORKERS = 2
/** No other master takes over, and those that are there go on. */
const ALONE = { 'cluster-require-full-coverage': 'no' }
const PATIENCE = { timeout: 60_000, interval: 100 }
const layout = new Layout('svc')

/** A new account's key and master, and the server that knows the key's owner. */
async function opened(tree: Tree, cluster: RedisCluster, name: string) {
  const minted = await vi.waitFor(async () => {
    const { status, body } = await tree.ask('POST', '/admin/keys', { plan: 'pro', account: name })
    expect(status).toBe(200)
    return body as { account: string; value: string }
  }, PATIENCE)
  const { account, value: key } = minted
  const own = await cluster.nodeOf(layout.of(account).epoch)
  return { key, own, known: await cluster.nodeOf(layout.owner(hashOf(key))) }
}

const served = (tree: Tree, keys: readonly string[]) =>
  vi.waitFor(async () => {
    for (const key of keys) expect((await tree.chat(key)).status).toBe(200)
  }, PATIENCE)

const allServe = (tree: Tree, but?: number) =>
  vi.waitFor(async () => {
    const { workers } = (await tree.ask('GET', '/readyz')).body as { workers: { pid: number; state: string }[] }
    expect(workers.map(({ state }) => state)).toEqual(['serving', 'serving'])
    expect(workers.map(({ pid }) => pid)).not.toContain(but)
  }, PATIENCE)

describeRedis('a gateway on a cluster of which a master is away', { timeout: 180_000 }, () => {
  // The second one has what gateways know of each other, and the third one the identity of the store.
  it.each([0, 1])(
    'has its workers back, and begins anew, for the accounts of all others than of master %i',
    async place => {
      const backend = await startBackend()
      backend.always(answer({ content: 'Hi' }))
      onTestFinished(() => backend.close())
      const cluster = await startCluster({ durable: true, flags: ALONE })
      onTestFinished(() => cluster.stop())
      const yaml = yamlOf(backend.url, () => cluster.url)
      const tree = await startTree(WORKERS, yaml)
      onTestFinished(() => void tree.process.kill('SIGKILL'))
      const node = cluster.masters[place] as RedisServer
      const places = []
      for (let number = 0; number < 16; number++) places.push(await opened(tree, cluster, `account-${number}`))
      const others = places.filter(({ own, known }) => own !== node && known !== node).map(({ key }) => key)
      const [away = ''] = places.filter(({ own }) => own === node).map(({ key }) => key)
      expect(others.length).toBeGreaterThan(2)
      await node.kill()
      await served(tree, others)

      const [worker = 0] = tree.pids('worker')
      process.kill(worker, 'SIGKILL')
      await allServe(tree, worker)
      await served(tree, others)

      await tree.drain()
      const next = await startTree(WORKERS, yaml, tree)
      onTestFinished(async () => void (await next.end()))
      await served(next, others)
      expect((await next.chat(away)).status).toBe(503)
      await node.restart()
      await served(next, [away])
    },
  )
})
