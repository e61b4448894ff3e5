import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hashOf } from '../../../src/gateway/accounts/keys.ts'
import type { TestGateway } from '../../support/gateway.ts'
import { type HeldSocket, SocketBackend } from '../../support/socket-backend.ts'
import { joined, responseDone, startLive } from './fixture.ts'

let backend: SocketBackend
let test: TestGateway
let key: string
let client: HeldSocket
let server: HeldSocket

beforeEach(async () => {
  backend = await SocketBackend.start()
  test = await startLive({ onprem: [backend] })
  key = await test.key('pro')
  ;({ client, server } = await joined(test, backend, '/v1/realtime', key))
})

afterEach(async () => {
  await test.close()
  await backend.close()
})

/** From here on the store answers what more is held for a session once it is let go. */
function gate(): { readonly asked: Promise<void>; readonly open: () => void } {
  const { holds } = test.gateway.store
  const extend = holds.extend.bind(holds)
  let open = () => {}
  const opened = new Promise<void>(resolve => {
    open = resolve
  })
  let ask = () => {}
  const asked = new Promise<void>(resolve => {
    ask = resolve
  })
  Object.assign(holds, {
    extend: async (...args: Parameters<typeof extend>) => {
      ask()
      await opened
      return extend(...args)
    },
  })
  return { asked, open }
}

const heldNow = async () => {
  const [record] = await test.gateway.store.accounts.findByLabel('ada')
  return (await test.gateway.store.accounts.readSpend(record?.account ?? '')).held
}

/** The second of them waits for the store. */
async function waiting() {
  const store = gate()
  client.say({ type: 'response.create', event_id: 'one' })
  client.say({ type: 'response.create', event_id: 'two' })
  expect(JSON.parse(await server.next())).toMatchObject({ event_id: 'one' })
  await store.asked
  return store
}

describe('while a response waits until it is held', () => {
  it('what follows it waits too, in order, and goes on after it', async () => {
    const store = await waiting()
    for (const text of ['a', 'b', 'c']) client.say(text)
    server.say('unasked')
    expect(await client.next()).toBe('unasked')
    expect(server.got).toEqual([])

    store.open()

    expect(JSON.parse(await server.next())).toMatchObject({ event_id: 'two' })
    expect([await server.next(), await server.next(), await server.next()]).toEqual(['a', 'b', 'c'])
  })

  it('a client that says goodbye is heard once all that it said before is passed on', async () => {
    const store = await waiting()
    client.say('the last word')
    client.ws.close(1000, 'bye')
    store.open()

    expect(JSON.parse(await server.next())).toMatchObject({ event_id: 'two' })
    expect(await server.next()).toBe('the last word')
    // Two responses are running, whose usage is waited for.
    expect(await test.clock.during(server.end(), 100)).toEqual({ code: 1000, reason: 'bye' })
    await test.logged(1)
    expect(await heldNow()).toBe(0)
  })

  it.each([
    ['its client breaks off', () => client.ws.terminate(), 'client gone'],
    ['its backend breaks off', () => backend.kill(), 'backend: broke off'],
    ['its backend says goodbye', () => server.ws.close(1013), 'the backend closed with 1013'],
    ['it is idle', () => test.clock.advance(60_000), 'idle for too long'],
    [
      'its key is revoked',
      async () => {
        await test.gateway.store.keys.revoke({ hash: hashOf(key), by: 'test' })
        test.clock.advance(1000)
      },
      'key revoked',
    ],
  ])(
    'the session may end since %s: nothing is passed on then, and nothing is held',
    async (_name, end, interrupted) => {
      const store = await waiting()
      server.say(responseDone(100, 20))
      await client.next()
      await end()
      // The gateway has heard of it once the backend has.
      await server.end()

      store.open()

      expect((await test.logged(1))[0]).toMatchObject({ interrupted })
      expect(server.got).toEqual([])
      expect(await test.ledger()).toMatchObject([{ inputTokens: 100, outputTokens: 20 }])
      expect(await heldNow()).toBe(0)
    },
  )
})

it('a client that says what is refused, and does not read why, is read no further', async () => {
  client.ws.pause()
  // Long, so that kernels hold few of them.
  const refused = JSON.stringify({ type: 'session.update', event_id: 'x'.repeat(500), session: { model: 'other' } })
  let sent = 0
  let isOver = false
  const more = () => {
    if (isOver) return
    client.ws.send(refused, {}, () => {
      sent++
      more()
    })
  }
  more()
  let last = -1
  while (last !== sent) {
    last = sent
    await new Promise(resolve => setTimeout(resolve, 100))
  }
  isOver = true

  // The kernel buffers this much of one loopback connection each way, without any gateway.
  expect(sent * refused.length).toBeLessThan(20_000_000)
  client.ws.resume()
  await client.until(() => client.got.length === sent)
  client.say('still here')
  expect(await server.next()).toBe('still here')
}, 60_000)

it('a message that is costly to read has its turn, and what follows it waits', async () => {
  const costly = JSON.stringify({ type: 'other', list: Array.from({ length: 20_000 }, (_, i) => i % 10) })

  client.say(costly)
  client.say('behind it')

  expect(await server.next()).toBe(costly)
  expect(await server.next()).toBe('behind it')
})

it('an event that is too much to read is refused, and says so', async () => {
  client.say(`{"a":${'['.repeat(80)}${']'.repeat(80)}}`)
  client.say(JSON.stringify(Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`n${i}`, 1]))))

  for (const problem of ['nested deeper than', 'more than 256 fields'])
    expect(JSON.parse(await client.next())).toMatchObject({
      error: { param: 'event', message: expect.stringContaining(problem) },
    })
})
