import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { ClusterLayout } from '../../../../src/adapters/redis/layout.ts'
import { slotOf } from '../../../../src/adapters/redis/servers/slots.ts'
import { openRedisStore, type RedisStore } from '../../../../src/adapters/redis/store.ts'
import { selfSigned } from '../../../support/certificate.ts'
import { type RedisCluster, startCluster, useCluster } from '../../../support/redis/cluster.ts'
import { redisCommand } from '../../../support/redis/command.ts'
import { describeRedis, type RedisServer } from '../../../support/redis/redis.ts'
import { newDirectory } from '../directory.ts'
import { admit, claimsOf, ledgerOf, openShop, settlement } from '../fixtures.ts'

const PERMISSIONS = ['~svc*', '~keyv:*', '+@read', '+@write', '+@scripting', '+@connection', '+info', '+time']

async function open(url: string, more: Partial<Parameters<typeof openRedisStore>[0]> = {}): Promise<RedisStore> {
  const stateDir = await newDirectory()
  const store = await openRedisStore({ url, prefix: 'svc', stateDir, alarm: () => {}, answerMs: 15_000, ...more })
  onTestFinished(() => store.close())
  return store
}

/** A request of each of some accounts, which lie on several masters. */
async function serveSome(store: RedisStore): Promise<number> {
  const shops = await Promise.all(Array.from({ length: 6 }, (_, number) => openShop(store, `label-${number}`)))
  for (const [place, shop] of shops.entries())
    await store.holds.settle(settlement(await admit(store, shop, `req_${place}`, claimsOf({ at: Date.now() }))))
  return (await ledgerOf(store)).length
}

const PATIENCE = { timeout: 60_000, interval: 50 }

/** Who is connected to a node. */
const usersOf = async (node: RedisServer) =>
  [...String(await redisCommand(node, 'CLIENT', 'LIST')).matchAll(/ user=(\S+)/g)].map(([, user]) => user)

describeRedis('TLS to a Redis Cluster', () => {
  it('is spoken to every master, and trusted by the certificates of the section alone', async () => {
    const own = selfSigned()
    const directory = await newDirectory()
    const [cert, key] = [join(directory, 'server.pem'), join(directory, 'server.key')]
    await Promise.all([writeFile(cert, own.cert), writeFile(key, own.key)])
    const files = { 'tls-cert-file': cert, 'tls-key-file': key, 'tls-ca-cert-file': cert }
    const flags = { ...files, 'tls-auth-clients': 'no', 'tls-cluster': 'yes', 'tls-replication': 'yes' }
    const cluster = await startCluster({ flags, isTls: true })
    onTestFinished(() => cluster.stop())

    await expect(open(cluster.url)).rejects.toThrow('self-signed certificate')
    expect(await serveSome(await open(cluster.url, { tls: { ca: own.cert } }))).toBe(6)
  })
})

describeRedis('a user of a Redis Cluster', () => {
  const cluster = useCluster()
  const as = (name: string, password: string) => cluster().url.replace('://', `://${name}:${password}@`)
  const allow = ({ masters }: RedisCluster, name: string, ...rules: string[]) =>
    Promise.all(masters.map(master => redisCommand(master, 'ACL', 'SETUSER', name, 'on', ...rules)))

  it('needs what the documents say, and no more', async () => {
    await allow(cluster(), 'gateway', '>password', ...PERMISSIONS, '+cluster|nodes')

    expect(await serveSome(await open(as('gateway', 'password')))).toBe(6)
  })

  it('that may not ask for the nodes is refused at the start', async () => {
    await allow(cluster(), 'blind', '>password', ...PERMISSIONS)

    await expect(open(as('blind', 'password'))).rejects.toThrow(/no permissions to run the 'cluster\|nodes' command/)
  })

  describe('that gets another password', () => {
    it('is known by it at every master, and by the former one no longer', async () => {
      await allow(cluster(), 'moving', '>first', ...PERMISSIONS, '+cluster|nodes')
      const store = await open(as('moving', 'first'), { prefix: 'svc-moving' })
      const { account } = await openShop(store)
      await allow(cluster(), 'moving', '>second')

      const { put } = await store.prove({ url: as('moving', 'second') })
      put()
      await allow(cluster(), 'moving', '<first')

      expect(await store.accounts.readSpend(account)).toBeDefined()
      expect(await serveSome(store)).toBe(6)
    })

    it('is known by it also at a master that came between the proof and its use', async () => {
      const grown = await startCluster()
      onTestFinished(() => grown.stop())
      const as = (password: string) => grown.url.replace('://', `://late:${password}@`)
      const rules = [...PERMISSIONS, '+cluster|nodes']
      await allow(grown, 'late', '>first', '>second', ...rules)
      const store = await open(as('first'))
      const { account } = await openShop(store)
      const key = new ClusterLayout('svc').of(account).epoch
      const { put } = await store.prove({ url: as('second') })
      const [from, to] = [await grown.nodeOf(key), await grown.join()]
      await redisCommand(to, 'ACL', 'SETUSER', 'late', 'on', '>first', '>second', ...rules)
      await grown.move([slotOf(key)], from, to)
      await vi.waitFor(() => store.accounts.readSpend(account), PATIENCE)
      expect(await usersOf(to)).toContain('late')

      put()
      await redisCommand(to, 'ACL', 'SETUSER', 'late', '<first')
      await redisCommand(to, 'CLIENT', 'KILL', 'USER', 'late')

      await vi.waitFor(() => store.accounts.readSpend(account), PATIENCE)
      expect(await usersOf(to)).toContain('late')
    })

    it('keeps the former one where a master does not accept the new one', async () => {
      await allow(cluster(), 'staying', '>first', ...PERMISSIONS, '+cluster|nodes')
      const store = await open(as('staying', 'first'), { prefix: 'svc-staying' })
      const [one] = cluster().masters
      if (one) await redisCommand(one, 'ACL', 'SETUSER', 'staying', '>second')

      await expect(store.prove({ url: as('staying', 'second') })).rejects.toThrow('WRONGPASS')
      expect(await serveSome(store)).toBe(6)
    })
  })
})
