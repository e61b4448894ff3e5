import { expect, it } from 'vitest'
import { redisCommand } from './command.ts'
import { describeRedis } from './redis.ts'
import { startRedisPair } from './redis-pair.ts'

describeRedis('a primary and its replica', () => {
  it('are the same once `replicated` resolves, which it does for nothing that is held on the wire', async () => {
    const pair = await startRedisPair()
    await redisCommand(pair.primary, 'SET', 'name', 'first')
    await pair.replicated()
    expect(await redisCommand(pair.replica, 'GET', 'name')).toBe('first')

    pair.hold()
    await redisCommand(pair.primary, 'SET', 'name', 'second')
    const ended: string[] = []
    const replicated = pair.replicated().then(
      () => ended.push('replicated'),
      () => ended.push('lost its server'),
    )
    // Redis has answered commands that came after the one that waits.
    await expect.poll(() => redisCommand(pair.primary, 'INFO', 'clients')).toContain('blocked_clients:1')
    expect(ended).toEqual([])

    await pair.failOver()
    await replicated
    expect(ended).toEqual(['lost its server'])
    expect(await redisCommand(pair.replica, 'GET', 'name')).toBe('first')
  })
})
