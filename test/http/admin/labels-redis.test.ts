import { afterEach, beforeEach, it } from 'vitest'
import { answer, type Backend, startBackend } from '../../support/backend.ts'
import { startTestGateway } from '../../support/gateway.ts'
import { describeRedis, type RedisServer, startRedis } from '../../support/redis/redis.ts'
import { cappedValues, DECLARED, labelledBooks } from './labels-fixture.ts'

describeRedis('on Redis', () => {
  let redis: RedisServer
  let backend: Backend
  beforeEach(async () => {
    backend = await startBackend()
    backend.always(answer({ content: 'Hi', usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 } }))
    redis = await startRedis()
  })
  afterEach(async () => {
    await redis.stop()
    await backend.close()
  })

  it('sums over any label, session and day equal the rows to the nano-dollar', async () => {
    const test = await startTestGateway({ onprem: [backend], redis, yaml: DECLARED, now: true })
    await labelledBooks(test)
    await test.close()
  })

  it('beyond a thousand values of a label an account has `other` at every gateway', async () => {
    const start = () => startTestGateway({ onprem: [backend], redis, yaml: DECLARED })
    const [one, other] = [await start(), await start()]
    await cappedValues(one, other)
    await Promise.all([one.close(), other.close()])
  })
})
