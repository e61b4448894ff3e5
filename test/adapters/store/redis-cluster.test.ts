import { expect, it } from 'vitest'
import { useCluster } from '../../support/redis/cluster.ts'
import { describeRedis } from '../../support/redis/redis.ts'
import { openRedisSubject } from './aspects/subjects.ts'
import { startOf, storeContract } from './contract.ts'

describeRedis('a store in a Redis Cluster', () => {
  const cluster = useCluster()
  const open = (now: () => number) => openRedisSubject(cluster().url, now)

  storeContract('cluster', open, { isDumped: false })

  it('gives no dump so far, and says so', async () => {
    const { store } = await startOf(open)()

    await expect(store.dump()[Symbol.asyncIterator]().next()).rejects.toMatchObject({
      name: 'StoreRefused',
      message: expect.stringContaining('Redis Cluster'),
    })
  })
})
