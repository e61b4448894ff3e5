import { createClient } from '@keyv/redis'
import { expect, it, onTestFinished } from 'vitest'
import { answer, startBackend } from '../support/backend.ts'
import { eventually } from '../support/eventually.ts'
import { startTestGateway } from '../support/gateway.ts'
import { describeRedis, useRedis } from '../support/redis/redis.ts'

describeRedis('the password of Redis', () => {
  const redis = useRedis()
  const tell = async (...words: string[]): Promise<void> => {
    const client = createClient({ url: redis().url })
    await client.connect()
    await client.sendCommand(words)
    client.destroy()
  }

  async function start() {
    await tell('ACL', 'SETUSER', 'gateway', 'reset', 'on', '>first', '~*', '+@all')
    const backend = await startBackend()
    backend.always(answer({ content: 'Hi' }))
    const server = { ...redis(), url: `redis://gateway@127.0.0.1:${redis().port}` }
    const yaml = 'redis: { password: file:redis.password }'
    const test = await startTestGateway({
      onprem: [backend],
      redis: server,
      yaml,
      files: { 'redis.password': 'first' },
    })
    onTestFinished(async () => {
      await test.close()
      await backend.close()
    })
    return test
  }

  it('changes by a reload while requests go on, and none of them is refused', async () => {
    const test = await start()
    const keys = await Promise.all(['ada', 'cyd', 'dan'].map(account => test.key('pro', account)))
    const statuses: number[] = []
    let isOver = false
    const clients = keys.map(async key => {
      while (!isOver) statuses.push((await test.chat(key)).status)
    })

    await tell('ACL', 'SETUSER', 'gateway', '>second')
    expect(await test.reload({ files: { 'redis.password': 'second' } })).toMatchObject({ changed: true, generation: 2 })
    await tell('ACL', 'SETUSER', 'gateway', '<first')
    const before = statuses.length
    await eventually(() => expect(statuses.length).toBeGreaterThan(before + clients.length))
    isOver = true
    await Promise.all(clients)

    expect(new Set(statuses)).toEqual(new Set([200]))
  })

  it('stays where Redis does not accept the new one', async () => {
    const test = await start()
    const key = await test.key('pro', 'bob')

    const refused = await test.reload({ files: { 'redis.password': 'wrong' } })

    expect(refused).toMatchObject({
      denial: { code: 'RELOAD_REFUSED', problems: [{ message: expect.stringContaining('WRONGPASS') }] },
    })
    expect((await test.chat(key)).status).toBe(200)
  })
})
