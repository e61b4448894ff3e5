import { expect, it, onTestFinished } from 'vitest'
import { useCluster } from '../../../support/redis/cluster.ts'
import { describeRedis, useRedis } from '../../../support/redis/redis.ts'
import { openRedisSubject } from '../aspects/subjects.ts'
import { NOON } from '../fixtures.ts'

describeRedis.each([
  ['Redis', useRedis],
  ['a Redis Cluster', useCluster],
] as const)('news of gateways in %s', (_name, use) => {
  const redis = use() as ReturnType<typeof useRedis>
  const open = async () => {
    const subject = await openRedisSubject(redis().url, () => NOON)
    onTestFinished(subject.destroy)
    return subject
  }

  it('reaches the others once and in order, and never its author', async () => {
    const { store } = await open()
    const pass = (from: string, after: string, text?: string) =>
      store.fleet.passNews({ from, after, ...(text !== undefined && { text }) })
    const first = await pass('a', '', '1')
    await pass('a', first.last, '2')
    const heard = await pass('b', '', '3')
    expect(heard.texts).toEqual([
      { from: 'a', text: '1' },
      { from: 'a', text: '2' },
    ])
    expect(await pass('b', heard.last)).toEqual({ texts: [], last: heard.last })
    expect((await pass('a', first.last)).texts).toEqual([{ from: 'b', text: '3' }])
  })

  it('is bounded: a gateway that does not read for a while hears the newest', async () => {
    const { store } = await open()
    for (let number = 0; number < 400; number++) await store.fleet.passNews({ from: 'a', after: '', text: `${number}` })
    const all: string[] = []
    for (let after = ''; ; ) {
      const { texts, last } = await store.fleet.passNews({ from: 'b', after })
      if (texts.length === 0) break
      all.push(...texts.map(({ text }) => text))
      after = last
    }
    expect([all.length, all[0], all.at(-1)]).toEqual([256, '144', '399'])
  })
})
