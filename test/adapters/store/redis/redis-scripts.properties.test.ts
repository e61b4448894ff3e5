import { describeRedis, useRedis } from '../../../support/redis/redis.ts'
import { times } from '../../../support/times.ts'
import { differentialContract } from '../aspects/differential.ts'
import { poolBudgetDifferential } from '../aspects/limits/pool-budget-differential.ts'
import { openRedisSubject } from '../aspects/subjects.ts'
import { startOf } from '../contract.ts'

describeRedis('the scripts of Redis', () => {
  const server = useRedis()

  const start = startOf(now => openRedisSubject(server().url, now))

  differentialContract(start, times(20_000))
  poolBudgetDifferential(start, times(10_000))
})
