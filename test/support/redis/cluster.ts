import { afterAll, beforeAll, expect, vi } from 'vitest'
import { freePort } from '../free-port.ts'
import { redisCommand } from './command.ts'
import { type RedisOptions, type RedisServer, startRedis } from './redis.ts'

/** A Redis Cluster on this machine. */
export interface RedisCluster {
  /** `redis+cluster://…` with every node that it began with. */
  readonly url: string
  readonly masters: readonly RedisServer[]
  /** One of each master, where it was asked for. */
  readonly replicas: readonly RedisServer[]
  /** The node that has the slot of a key now. */
  nodeOf(key: string): Promise<RedisServer>
  /** Starts one more node, a master without slots. */
  join(): Promise<RedisServer>
  /** Moves slots with all that they have, as `redis-cli --cluster reshard` does. */
  move(slots: readonly number[], from: RedisServer, to: RedisServer): Promise<void>
  stop(): Promise<void>
}

export interface ClusterOptions extends Pick<RedisOptions, 'durable' | 'flags'> {
  readonly masters?: number
  readonly hasReplicas?: boolean
  /** Opens a port by which clients and other nodes reach a node in place of its own. */
  readonly door?: () => Promise<{ readonly port: number; to: number }>
  /** Has clients and nodes speak TLS, each node on a port more. */
  readonly isTls?: boolean
}

/** One cluster for all tests of a describe. */
export function useCluster(options?: ClusterOptions): () => RedisCluster {
  let cluster: RedisCluster | undefined
  beforeAll(async () => {
    cluster = await startCluster(options)
  }, 60_000)
  afterAll(() => cluster?.stop())
  return () => {
    if (!cluster) throw new Error('the cluster is started before the first test, not while they are collected')
    return cluster
  }
}

/** Resolves once all nodes agree that it is whole. */
export async function startCluster({ masters: count = 3, hasReplicas = false, ...options }: ClusterOptions = {}) {
  const tlsPorts = new Map<RedisServer, number>()
  const startNode = async () => {
    const tlsPort = options.isTls ? await freePort() : 0
    const node = await startClusterNode(options, tlsPort)
    tlsPorts.set(node, tlsPort)
    return node
  }
  const masters = await Promise.all(Array.from({ length: count }, startNode))
  const replicas = hasReplicas ? await Promise.all(masters.map(startNode)) : []
  const nodes = [...masters, ...replicas]
  const first = masters[0] as RedisServer
  for (const [place, master] of masters.entries()) {
    const [from, to] = [Math.ceil((SLOTS * place) / count), Math.ceil((SLOTS * (place + 1)) / count) - 1]
    await redisCommand(master, 'CLUSTER', 'ADDSLOTSRANGE', String(from), String(to))
    await redisCommand(master, 'CLUSTER', 'SET-CONFIG-EPOCH', String(place + 1))
  }
  const meet = async (node: RedisServer) => {
    const bus = /^cluster-port\n(\d+)/.exec(
      String(await redisCommand(node, 'CONFIG', 'GET', 'cluster-port')).replace(',', '\n'),
    )
    await redisCommand(first, 'CLUSTER', 'MEET', '127.0.0.1', String(node.port), bus?.[1] ?? '')
  }
  for (const node of nodes.slice(1)) await meet(node)
  const agree = () =>
    vi.waitFor(async () => {
      for (const node of nodes) {
        expect(String(await redisCommand(node, 'CLUSTER', 'INFO'))).toContain('cluster_state:ok')
        expect(String(await redisCommand(node, 'CLUSTER', 'INFO'))).toContain(`cluster_known_nodes:${nodes.length}`)
      }
    }, PATIENCE)
  await agree()
  for (const [place, replica] of replicas.entries())
    await redisCommand(
      replica,
      'CLUSTER',
      'REPLICATE',
      String(await redisCommand(masters[place] as RedisServer, 'CLUSTER', 'MYID')),
    )
  for (const replica of replicas)
    await vi.waitFor(
      async () => expect(String(await redisCommand(replica, 'INFO', 'replication'))).toContain('link_status:up'),
      PATIENCE,
    )
  return {
    url: options.isTls
      ? `rediss+cluster://${nodes.map(node => `127.0.0.1:${tlsPorts.get(node)}`).join(',')}`
      : `redis+cluster://${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}`,
    masters,
    replicas,
    nodeOf: async (key: string) => {
      const slot = Number(await redisCommand(first, 'CLUSTER', 'KEYSLOT', key))
      // A node that had no processor for a while counts as failed, and its slots are not listed until it answers again.
      return vi.waitFor(async () => {
        const ranges = (await redisCommand(await anyOf(nodes), 'CLUSTER', 'SLOTS')) as [
          number,
          number,
          [string, number],
        ][]
        const [, , [, port] = ['', 0]] = ranges.find(([from, to]) => slot >= from && slot <= to) ?? []
        const found = nodes.find(node => node.port === port)
        if (!found) throw new Error(`no node has the slot of ${key}`)
        return found
      }, PATIENCE)
    },
    join: async () => {
      const node = await startNode()
      nodes.push(node)
      await meet(node)
      await agree()
      return node
    },
    move: async (slots: readonly number[], from: RedisServer, to: RedisServer) => {
      const [fromId, toId] = [
        String(await redisCommand(from, 'CLUSTER', 'MYID')),
        String(await redisCommand(to, 'CLUSTER', 'MYID')),
      ]
      for (const slot of slots.map(String)) {
        await redisCommand(to, 'CLUSTER', 'SETSLOT', slot, 'IMPORTING', fromId)
        await redisCommand(from, 'CLUSTER', 'SETSLOT', slot, 'MIGRATING', toId)
        for (;;) {
          const keys = (await redisCommand(from, 'CLUSTER', 'GETKEYSINSLOT', slot, '10')) as string[]
          if (keys.length === 0) break
          await redisCommand(from, 'MIGRATE', '127.0.0.1', String(to.port), '', '0', '5000', 'KEYS', ...keys)
        }
        for (const node of [to, from]) await redisCommand(node, 'CLUSTER', 'SETSLOT', slot, 'NODE', toId)
      }
    },
    stop: async () => {
      await Promise.all(nodes.map(node => node.stop()))
    },
  }
}

async function startClusterNode({ durable = false, flags, door }: ClusterOptions, tls: number): Promise<RedisServer> {
  const bus = String(await freePort())
  const at = await door?.()
  const announced = at && { 'cluster-announce-port': String(at.port), 'cluster-announce-bus-port': bus }
  const node = await startRedis({
    durable,
    flags: { ...FLAGS, ...flags, ...announced, ...(tls > 0 && { 'tls-port': String(tls) }), 'cluster-port': bus },
  })
  if (at) at.to = node.port
  return node
}

async function anyOf(nodes: readonly RedisServer[]): Promise<RedisServer> {
  return Promise.any(nodes.map(node => redisCommand(node, 'PING').then(() => node)))
}

const SLOTS = 16_384
const FLAGS = { 'cluster-enabled': 'yes', 'cluster-node-timeout': '1000', 'repl-diskless-sync-delay': '0' }
const PATIENCE = { timeout: 60_000, interval: 50 }
