import { describeRedis, useRedis } from '../support/redis.ts'
import { differentialContract } from './aspects/differential.ts'
import { openRedisSubject } from './aspects/subjects.ts'
import { startOf } from './contract.ts'

describeRedis('the scripts of Redis', () => {
  const server = useRedis()

  differentialContract(
    startOf(now => openRedisSubject(server().url, now)),
    20_000,
  )
})
