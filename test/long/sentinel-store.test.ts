import { openRedisSubject } from '../adapters/store/aspects/subjects.ts'
import { storeContract } from '../adapters/store/contract.ts'
import { describeRedis } from '../support/redis/redis.ts'
import { useSentinels } from '../support/redis/sentinels.ts'

describeRedis('a store in a Redis that sentinels watch', () => {
  const site = useSentinels()

  storeContract('sentinel', now => openRedisSubject(site().url, now))
})
