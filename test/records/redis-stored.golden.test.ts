import { expect, it, onTestFinished } from 'vitest'
import { loadRedis } from '../../src/adapters/redis/backup/load.ts'
import { openRedisStore } from '../../src/adapters/redis/store.ts'
import type { StoreRecord } from '../../src/gateway/store/record.ts'
import { newDirectory } from '../adapters/store/directory.ts'
import { all, clockAt } from '../adapters/store/fixtures.ts'
import { useCluster } from '../support/redis/cluster.ts'
import { redisCommand } from '../support/redis/command.ts'
import { describeRedis, type RedisServer, useRedis } from '../support/redis/redis.ts'
import { golden } from './golden.ts'
import { live } from './life.ts'
import { ALL_RECORDS, AT } from './store-records.ts'

// Every record as gateways write it to Redis. It changes only by addition, as in the embedded store.

interface Place {
  readonly url: string
  readonly servers: readonly RedisServer[]
}

const PATIENCE = 60_000

const openStore = async ({ url }: Place, prefix: string, now: () => number) =>
  openRedisStore({ url, prefix, stateDir: await newDirectory(), alarm: () => {}, now, answerMs: PATIENCE })

function keepsItsTexts(name: string, placeOf: () => Place): void {
  it(`${name} has the texts that it always had of each record of a backup, and gives them back`, async () => {
    const place = placeOf()
    const prefix = `${name}-records`
    const target = { server: { url: place.url }, prefix, shown: prefix, now: () => AT }
    await loadRedis(target, { records: given(), replace: false })
    await golden(`${name}-records.txt`, await textsIn(place, prefix))

    const store = await openStore(place, prefix, () => AT)
    onTestFinished(() => store.close())
    const lines = (await all(store.dump())).map(record => JSON.stringify(record))
    await golden(`${name}-backup.txt`, lines.sort())
  })

  it(`${name} has the texts that it always had of what gateways have it write`, async () => {
    const place = placeOf()
    const prefix = `${name}-life`
    const clock = clockAt(AT)
    const store = await openStore(place, prefix, clock.now)
    onTestFinished(() => store.close())
    await live(store, clock)

    await golden(`${name}-life.txt`, await textsIn(place, prefix))
    const lines = (await all(store.dump())).map(record => JSON.stringify(record))
    await golden(`${name}-life-backup.txt`, masked(lines).sort())
  })
}

describeRedis('Redis', () => {
  const server = useRedis()
  keepsItsTexts('redis', () => ({ url: server().url, servers: [server()] }))
})

describeRedis('a Redis Cluster', () => {
  const cluster = useCluster()
  keepsItsTexts('cluster', () => ({ url: cluster().url, servers: cluster().masters }))
})

async function* given(): AsyncGenerator<StoreRecord, void, undefined> {
  yield* ALL_RECORDS
}

/** How the content of each type is read. */
const READS: Readonly<Record<string, (key: string) => string[]>> = {
  string: key => ['GET', key],
  hash: key => ['HGETALL', key],
  list: key => ['LRANGE', key, '0', '-1'],
  set: key => ['SMEMBERS', key],
  zset: key => ['ZRANGE', key, '0', '-1', 'WITHSCORES'],
  stream: key => ['XRANGE', key, '-', '+'],
}

/** All that lies under a prefix, but for what every bucket has. */
async function textsIn({ servers }: Place, prefix: string): Promise<string[]> {
  const lines: string[] = []
  for (const server of servers) {
    const keys = (await redisCommand(server, 'KEYS', '*')) as string[]
    for (const key of keys) {
      const isOwn = key.startsWith(`${prefix}:`) || key.startsWith('keyv:')
      if (!isOwn || key.endsWith(':epoch') || key.includes(':script')) continue
      const type = String(await redisCommand(server, 'TYPE', key))
      const read = READS[type]?.(key)
      if (!read) throw new Error(`${key} is a ${type}`)
      lines.push(
        `${key.replace(prefix, 'svc')} ${type} ${JSON.stringify(inOrder(type, await redisCommand(server, ...read)))}`,
      )
    }
  }
  expect(lines.length).toBeGreaterThan(20)
  return masked(lines).sort()
}

/** Redis has the fields of a hash, and the members of a set, in no order. */
function inOrder(type: string, content: unknown): unknown {
  if (type === 'set') return (content as string[]).sort()
  if (type === 'stream') return (content as [string, string[]][]).map(([, fields]) => fields)
  if (type !== 'hash') return content
  const [fields, pairs] = [content as string[], [] as [string, string][]]
  for (let at = 0; at < fields.length; at += 2) pairs.push([fields[at] ?? '', fields[at + 1] ?? ''])
  return pairs.sort(([a], [b]) => (a < b ? -1 : 1))
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g

/** Without names that are made anew each time, and with the empty seconds of a ring in short. */
const masked = (lines: readonly string[]): string[] =>
  lines.map(line =>
    line
      .replace(/(?:\\u0000)+/g, zeros => `‹${zeros.length / 6} zeros›`)
      .replace(UUID, 'uuid')
      .replace(/(\["(?:epoch|candidate)",)"[\w-]{16}"/g, '$1"epoch"')
      .replace(/("epoch":)"[\w-]{16}"/g, '$1"epoch"'),
  )
