import { connect } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { inNpmTest } from '../../lanes/lane.ts'
import { startBackend } from '../../support/backend.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { describeRedis, type RedisServer, useRedis } from '../../support/redis/redis.ts'

const SMALL = JSON.stringify({ messages: [{ role: 'user', content: 'Hi' }], max_tokens: 16 })
/** A body that takes long to parse, and is then seen to be none. */
const COSTLY = `{"metadata":[${Array.from({ length: 20_000 }, (_, n) => `"${n}"`).join(',')}],"messages":7}`

/** Headers that differ between answers. */
const OWN = /^(?:date|x-request-id|retry-after|retry-after-ms)$/

async function asked(test: TestGateway, key: string, body: string) {
  const response = await fetch(`${test.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body,
  })
  const headers = Object.fromEntries([...response.headers].map(([name, value]) => [name, OWN.test(name) ? '' : value]))
  return { status: response.status, headers, body: (await response.text()).replaceAll(/\d{5,}/g, 'some') }
}

function promises(redis: () => RedisServer | undefined): void {
  const start = async (fields: { readonly free?: string } = {}) => {
    const server = redis()
    return startTestGateway({ onprem: [await startBackend()], fields, ...(server && { redis: server }) })
  }

  it('is not read while the minute of its account has no room: it is refused as a small one is', async () => {
    const test = await start()
    const key = await test.key('tight')
    expect((await asked(test, key, COSTLY)).body).toContain('VALIDATION_ERROR')
    for (let n = 0; n < 2; n++) expect((await asked(test, key, SMALL)).status).toBe(200)

    const [small, costly] = [await asked(test, key, SMALL), await asked(test, key, COSTLY)]

    expect(small.status).toBe(429)
    expect(costly).toEqual(small)
  })

  it('is not read while its account has spent its day', async () => {
    const test = await start({ free: 'per_day: 3' })
    const key = await test.key('free', 'eve')
    for (let n = 0; n < 3; n++) expect((await asked(test, key, SMALL)).status).toBe(200)

    const [small, costly] = [await asked(test, key, SMALL), await asked(test, key, COSTLY)]

    expect(small.body).toContain('daily_limit')
    expect(costly).toEqual(small)
  })

  it('takes nothing by being looked at', async () => {
    const test = await start()
    const key = await test.key('tight', 'bob')
    for (let n = 0; n < 5; n++) expect((await asked(test, key, COSTLY)).status).toBe(400)

    expect((await asked(test, key, SMALL)).status).toBe(200)
  })
}

inNpmTest.describe('a costly body, on the embedded store,', () => promises(() => undefined))
describeRedis('a costly body, on Redis,', () => promises(useRedis()))

inNpmTest.describe('bodies under way', () => {
  const limits = 'limits: { body: 100KB, body_memory: 200KB, request_timeout: 10s }'

  it('of one account that take too much memory together are refused, and those of others are served', async () => {
    const test = await startTestGateway({ onprem: [await startBackend()], yaml: limits })
    const [greedy, honest] = [await test.key('free', 'greedy'), await test.key('free', 'honest')]
    const held = await Promise.all([70_000, 70_000].map(bytes => holding(test, greedy, bytes)))

    const refused = await Promise.race(held.map(({ answer }) => answer))
    expect(refused).toMatch(/^HTTP\/1.1 503 /)
    expect(refused).toContain('The request bodies from your account together take too much memory')
    expect((await asked(test, honest, SMALL)).status).toBe(200)
    // The rest of the greedy account's half.
    expect((await asked(test, greedy, SMALL)).status).toBe(200)
  })

  it('are counted no longer once they are answered, or their clients left', async () => {
    const test = await startTestGateway({ onprem: [await startBackend()], yaml: limits })
    const key = await test.key('pro')
    const large = JSON.stringify({ messages: [{ role: 'user', content: 'x'.repeat(90_000) }], max_tokens: 16 })
    for (let n = 0; n < 4; n++) expect((await asked(test, key, large)).status).toBe(200)
    expect(test.gateway.app.bodies.total).toBe(0)

    const { leave } = await holding(test, key, 70_000)
    await until(() => test.gateway.app.bodies.total >= 70_000)
    leave()
    await until(() => test.gateway.app.bodies.total === 0)
  })

  it('in ever so small pieces are refused', async () => {
    const test = await startTestGateway({ onprem: [await startBackend()] })
    const key = await test.key('pro')
    const { answer, write } = await holding(test, key, 0, 'transfer-encoding: chunked')
    write('1\r\n \r\n'.repeat(5000))

    expect(await answer).toContain('arrives in more than 4096 pieces')
  })
})

/** A request of which so much of the body is sent, and nothing more. */
async function holding(test: TestGateway, key: string, bytes: number, framing = 'content-length: 99000') {
  const socket = connect(Number(new URL(test.url).port), '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  const answer = new Promise<string>(resolve => {
    let text = ''
    socket.on('data', data => {
      text += data.toString()
      if (text.includes('}')) resolve(text)
    })
  })
  const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n${framing}\r\n\r\n`
  await new Promise<void>(resolve => socket.write(head + ' '.repeat(bytes), () => resolve()))
  return { answer, write: (text: string) => socket.write(text), leave: () => socket.destroy() }
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise(resolve => setImmediate(resolve))
}
