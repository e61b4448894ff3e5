import { expect, it } from 'vitest'
import { openLink } from '../../../../src/adapters/redis/client.ts'
import { describeRedis, useRedis } from '../../../support/redis/redis.ts'

describeRedis('connections to Redis', () => {
  const server = useRedis()

  it('share the command functions of the library, which take 20 ms to build, whatever their options', async () => {
    const place = { host: '127.0.0.1', port: server().port }
    const links = await Promise.all([
      openLink({ place, isTls: false }, 'owners', () => {}),
      openLink({ place, isTls: false, database: 1 }, 'owners', () => {}),
    ])
    const [first, second] = links.map(({ client }) => client.get)
    for (const link of links) link.close()

    expect(first).toBe(second)
  })
})
