import { useCluster } from '../../support/redis/cluster.ts'
import { describeRedis } from '../../support/redis/redis.ts'
import { openRedisSubject } from './aspects/subjects.ts'
import { storeContract } from './contract.ts'

describeRedis('a store in a Redis Cluster', () => {
  const cluster = useCluster()

  storeContract('cluster', now => openRedisSubject(cluster().url, now))
})
