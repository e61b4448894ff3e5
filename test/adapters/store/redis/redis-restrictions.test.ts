import { randomBytes } from 'node:crypto'
import { expect, it, onTestFinished } from 'vitest'
import { loadRedis } from '../../../../src/adapters/redis/backup/load.ts'
import { ClusterLayout, Layout } from '../../../../src/adapters/redis/layout.ts'
import { openRedisStore, type RedisStore } from '../../../../src/adapters/redis/store.ts'
import { readBucketEpoch } from '../../../../src/adapters/redis/store-identity.ts'
import { useCluster } from '../../../support/redis/cluster.ts'
import { redisCommand } from '../../../support/redis/command.ts'
import { describeRedis, useRedis } from '../../../support/redis/redis.ts'
import { newDirectory } from '../directory.ts'
import { mintOf } from '../fixtures.ts'
import { RESTRICTING_WRITES } from '../restricting-writes.ts'
import { restrictionsContract } from '../restrictions.ts'

/** The state of a store as one command sees it. */
interface Place {
  readonly url: () => string
  /** The answer of a key's server. */
  ask(...words: readonly string[]): Promise<unknown>
  readonly layoutOf: (prefix: string) => Layout
}

const NOT_A_TEST_OF_TIME = 60_000

const openStore = async (url: string, prefix: string): Promise<RedisStore> =>
  openRedisStore({ url, prefix, alarm: () => {}, stateDir: await newDirectory(), answerMs: NOT_A_TEST_OF_TIME })

function restrictionsIn(place: Place, first: number, raised: number): void {
  const schemaOf = async (prefix: string) => Number(await place.ask('HGET', `${prefix}:meta`, 'schema'))
  const newPrefix = () => `p${randomBytes(4).toString('hex')}`

  restrictionsContract(
    async () => {
      const prefix = newPrefix()
      const store = await openStore(place.url(), prefix)
      return {
        store,
        schema: () => schemaOf(prefix),
        restored: async records => {
          const copy = newPrefix()
          const target = { server: { url: place.url() }, prefix: copy, shown: copy, now: Date.now }
          await loadRedis(target, { records, replace: false })
          return schemaOf(copy)
        },
        destroy: () => store.close(),
      }
    },
    first,
    raised,
  )

  /** The value that a running gateway of an older build compares with the epoch it read at its start. */
  const epochBeside = async (prefix: string, account: string) =>
    String(await place.ask('GET', place.layoutOf(prefix).of(account).epoch))

  it('a restriction and its mark for older builds are one step, in the bucket of the account alone', async () => {
    const prefix = newPrefix()
    const store = await openStore(place.url(), prefix)
    onTestFinished(() => store.close())
    await store.keys.mint(mintOf('ada', 'ada'))
    const epoch = await epochBeside(prefix, 'acct_ada')
    expect(epoch).toBe(String(await place.ask('HGET', `${prefix}:meta`, 'epoch')))

    await RESTRICTING_WRITES.terms.frozen?.(store)

    expect(readBucketEpoch(await epochBeside(prefix, 'acct_frozen'))).toEqual({ epoch, step: 1 })
    expect(await epochBeside(prefix, 'acct_ada')).toBe(epoch)
    expect(await store.keys.findCaller('hash-frozen')).toMatchObject({ terms: { frozen: true } })
  })

  it('the schema rises again where a mark is all that is left of it', async () => {
    const prefix = newPrefix()
    const store = await openStore(place.url(), prefix)
    await RESTRICTING_WRITES.terms.frozen?.(store)
    await store.close()
    await place.ask('HSET', `${prefix}:meta`, 'schema', String(first))

    const next = await openStore(place.url(), prefix)
    await next.close()

    expect(await schemaOf(prefix)).toBe(raised)
  })

  it('a store in which a build before steps wrote a restriction is raised as a gateway begins', async () => {
    const prefix = newPrefix()
    const store = await openStore(place.url(), prefix)
    await RESTRICTING_WRITES.key.addresses?.(store)
    const { epoch } = readBucketEpoch(await epochBeside(prefix, 'acct_bound'))
    await store.close()
    await place.ask('SET', place.layoutOf(prefix).of('acct_bound').epoch, epoch)
    await place.ask('HSET', `${prefix}:meta`, 'schema', String(first))
    await place.ask('HDEL', `${prefix}:meta`, 'searched')

    const next = await openStore(place.url(), prefix)
    await next.close()

    expect(await schemaOf(prefix)).toBe(raised)
  })

  it('a restriction of a step that this build does not know stops it, and changes nothing', async () => {
    const prefix = newPrefix()
    const store = await openStore(place.url(), prefix)
    onTestFinished(() => store.close())
    await store.keys.mint(mintOf('ada', 'ada'))
    const { epoch } = place.layoutOf(prefix).of('acct_ada')
    await place.ask('SET', epoch, `${await epochBeside(prefix, 'acct_ada')}+2`)

    await expect(store.keys.revoke({ hash: 'hash-ada', by: 'operator' })).rejects.toThrow('Redis cannot be used')

    expect(await place.ask('HGET', place.layoutOf(prefix).of('acct_ada').key('hash-ada'), 'status')).toBe('active')
  })
}

describeRedis('restrictions in Redis', () => {
  const server = useRedis()
  const place: Place = {
    url: () => server().url,
    ask: (...words) => redisCommand(server(), ...words),
    layoutOf: prefix => new Layout(prefix),
  }

  restrictionsIn(place, 2, 4)
})

describeRedis('restrictions in a Redis Cluster', () => {
  const cluster = useCluster()
  const place: Place = {
    url: () => cluster().url,
    ask: async (...words) => redisCommand(await cluster().nodeOf(words[1] ?? ''), ...words),
    layoutOf: prefix => new ClusterLayout(prefix),
  }

  restrictionsIn(place, 3, 5)
})
