import { it } from 'vitest'
import { describeRedis, useRedis } from '../../support/redis/redis.ts'
import { floodBesideSmall } from './crowd.ts'

describeRedis('on Redis', () => {
  const redis = useRedis()

  it('beside an account with 200 requests whose clients leave, 20 with one wait at most a service time more than alone; money is exact', () =>
    floodBesideSmall(200, { redis: redis() }))
})
