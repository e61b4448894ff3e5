import { describe } from 'vitest'
import { differentialContract } from '../adapters/store/aspects/differential.ts'
import { modelContract } from '../adapters/store/aspects/model.ts'
import { openEmbeddedSubject, openRedisSubject } from '../adapters/store/aspects/subjects.ts'
import { startOf } from '../adapters/store/contract.ts'
import { describeRedis, useRedis } from '../support/redis/redis.ts'

const SEQUENCES = 3000
const ANSWERS = 100_000

describe('the embedded store, at length', () => {
  modelContract(startOf(openEmbeddedSubject), SEQUENCES)
})

describeRedis('a store in Redis, at length', () => {
  const server = useRedis()
  const start = startOf(now => openRedisSubject(server().url, now))

  modelContract(start, SEQUENCES)
  differentialContract(start, ANSWERS)
})
