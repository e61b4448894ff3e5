import { once } from 'node:events'
import { type IncomingMessage, request, ServerResponse } from 'node:http'
import { expect, vi } from 'vitest'
import type { LogEntry } from '../../../src/http/log-entry.ts'
import type { ShownEvent } from '../../../src/wire/admin/event.ts'
import { SseSplitter } from '../../../src/wire/sse.ts'
import { ADMIN_TOKEN, type TestGateway } from '../../support/gateway.ts'
import { gatewayTest as it } from '../../support/gateway-test.ts'

/** A reader of the feed that reads at once, or only what it is let to. */
interface Reader {
  readonly response: IncomingMessage
  readonly events: readonly ShownEvent[]
  readonly ended: Promise<unknown>
  leave(): void
}

const headers = { authorization: `Bearer ${ADMIN_TOKEN}` }

async function follow(gateway: TestGateway, query = ''): Promise<Reader> {
  const asked = request(`${gateway.admin}/admin/events${query}`, { headers })
  asked.on('error', () => {})
  const response = await new Promise<IncomingMessage>(resolve => asked.once('response', resolve).end())
  expect(response.statusCode).toBe(200)
  expect(response.headers['content-type']).toContain('text/event-stream')
  const events: ShownEvent[] = []
  const splitter = new SseSplitter()
  response.on('data', (bytes: Buffer) => {
    for (const data of splitter.push(bytes)) events.push(JSON.parse(data) as ShownEvent)
  })
  const ended = new Promise(resolve => response.once('close', resolve))
  return { response, events, ended, leave: () => asked.destroy() }
}

/** Resolves once the condition holds; it is looked at whenever the reader has read something. */
async function until({ response }: Reader, condition: () => boolean): Promise<void> {
  while (!condition()) await once(response, 'data')
}

const requestsIn = ({ events }: Reader) => events.filter(({ event }) => event === 'request')
const rowsOf = async (gateway: TestGateway, query = '') => {
  const response = await fetch(`${gateway.admin}/admin/accounts${query}`, { headers })
  const text = await response.text()
  return {
    status: response.status,
    rows: text
      .split('\n')
      .filter(line => line.startsWith('{'))
      .map(line => JSON.parse(line)),
  }
}
const asked = { max_tokens: 10 }
const served = async (gateway: TestGateway, key: string) => (await gateway.chat(key, asked)).status
const someEntry: LogEntry = { at: 0, requestId: 'req_x', method: 'GET', path: '/', status: 404, ms: 1 }

it('each request is told once it is over, with how its account stands then, and without prompt, answer or key', async ({
  gateway,
}) => {
  const key = await gateway.key('free', 'ada')
  const reader = await follow(gateway)
  await (await gateway.chat(key, { ...asked, messages: [{ role: 'user', content: 'a secret prompt' }] })).text()
  await gateway.logged(1)
  gateway.clock.advance(100)

  await expect.poll(() => reader.events).toHaveLength(1)
  const [event] = reader.events
  expect(event).toEqual({
    event: 'request',
    request_id: gateway.log[0]?.requestId,
    at: '2026-11-21T10:00:00.000Z',
    method: 'POST',
    path: '/v1/chat/completions',
    status: 200,
    ms: 0,
    account: expect.stringMatching(/^acct_/),
    plan: 'free',
    asked: 'svc-auto',
    model: 'svc-core',
    pool: 'onprem',
    input_tokens: 9,
    output_tokens: 3,
    cost_nano_usd: 39_000,
    usd: '0.000039',
    estimated: false,
    standing: {
      event: 'standing',
      at: '2026-11-21T10:00:00.100Z',
      account: expect.stringMatching(/^acct_/),
      label: 'ada',
      plan: 'free',
      used_usd: '0.000039',
      held_usd: '0',
      limit_usd: '1',
      reset: '2026-12-01T00:00:00.000Z',
      requests: 1,
      requests_limit: 20,
      tokens: 12,
      tokens_limit: 40_000,
      under_way: 0,
      limits: [
        expect.objectContaining({ measure: 'requests', per: 'minute', limit: '20', used: '1', remaining: '19' }),
        expect.objectContaining({ measure: 'tokens', per: 'minute', limit: '40000', used: '12', remaining: '39988' }),
        expect.objectContaining({ measure: 'usd', per: 'month', limit: '1', used: '0.000039', held: '0' }),
      ],
    },
  })
  expect(JSON.stringify(event)).not.toMatch(/secret prompt|"Hi"/)
  expect(JSON.stringify(event)).not.toContain(key)
})

it('refusals are events too: with their account if there is one, and without keys that a client wrote elsewhere', async ({
  gateway,
}) => {
  const key = await gateway.key('tight', 'ada')
  const reader = await follow(gateway)
  await gateway.chat(key, { ...asked, model: `model-${key}` })
  await gateway.chat(`${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`)
  await gateway.logged(2)
  gateway.clock.advance(100)

  await expect.poll(() => reader.events).toHaveLength(2)
  expect(reader.events).toMatchObject([
    { status: 400, account: expect.stringMatching(/^acct_/), plan: 'tight', standing: { label: 'ada', requests: 0 } },
    { status: 401, account: null, code: 'INVALID_KEY', standing: null },
  ])
  expect(JSON.stringify(reader.events)).not.toContain(key)
})

it('one account can be followed alone', async ({ gateway }) => {
  const [ada, bob] = [await gateway.key('free', 'ada'), await gateway.key('free', 'bob')]
  const reader = await follow(gateway, '?account=bob')
  await gateway.chat(ada, asked)
  await gateway.chat(bob, asked)
  await gateway.logged(2)
  gateway.clock.advance(100)

  await expect.poll(() => reader.events).toHaveLength(1)
  expect(reader.events).toMatchObject([{ standing: { label: 'bob' } }])
  expect((await fetch(`${gateway.admin}/admin/events?account=nobody`, { headers })).status).toBe(400)
})

it('an account at work is looked at until its minute is over, and then no more', async ({ gateway, running }) => {
  const key = await gateway.key('free', 'ada')
  const reader = await follow(gateway)
  await gateway.chat(key, asked)
  await gateway.logged(1)
  gateway.clock.advance(100)
  await expect.poll(() => requestsIn(reader)).toHaveLength(1)
  const read = vi.spyOn(running.store.accounts, 'readUsage')

  const lastStanding = () => reader.events.findLast(({ event }) => event === 'standing')
  for (let second = 1; second <= 64; second++) {
    await gateway.clock.waits(second === 1 ? 900 : 1000)
    gateway.clock.advance(second === 1 ? 900 : 1000)
  }
  await expect.poll(lastStanding).toMatchObject({ requests: 0, tokens: 0, used_usd: '0.000039' })

  await gateway.clock.waits(1000)
  const reads = read.mock.calls.length
  for (let second = 0; second < 3; second++) {
    gateway.clock.advance(1000)
    await gateway.clock.waits(1000)
  }
  expect(read.mock.calls).toHaveLength(reads)
})

it('while nobody follows, nothing is kept, read or waited for', async ({ gateway, running }) => {
  const key = await gateway.key('free', 'ada')
  const reader = await follow(gateway)
  reader.leave()
  // The connection is closed before the gateway hears of it.
  await expect.poll(() => running.app.feed.readers).toBe(0)
  const read = vi.spyOn(running.store.accounts, 'readUsage')
  const wait = vi.spyOn(gateway.clock, 'after')
  running.app.feed.began('acct_x')
  for (let each = 0; each < 3; each++) running.app.feed.tell(someEntry, running.app.config)

  expect(wait).not.toHaveBeenCalled()
  expect(read).not.toHaveBeenCalled()
  expect(await served(gateway, key)).toBe(200)
})

it('a reader that reads nothing neither slows nor grows the gateway, and is told how much it missed', async ({
  gateway,
  running,
}) => {
  const reader = await follow(gateway)
  const other = await follow(gateway)
  reader.response.pause()
  const { feed, config } = running.app
  const path = `/${'x'.repeat(4000)}`
  // 20 MB: more than kernels keep of one connection.
  const BATCHES = 25
  const EACH = 200
  const written = vi.spyOn(ServerResponse.prototype, 'write')
  const mostWaiting = () => Math.max(...written.mock.contexts.map(each => (each as ServerResponse).writableLength))
  // Straight into the feed: as many real requests would take their time.
  for (let batch = 0; batch < BATCHES; batch++) {
    for (let each = 0; each < EACH; each++) feed.tell({ ...someEntry, path }, config)
    await gateway.clock.waits(100)
    gateway.clock.advance(100)
    await until(other, () => other.events.length === (batch + 1) * EACH)
  }
  expect(mostWaiting()).toBeLessThan(2_000_000)
  expect(requestsIn(reader).length).toBeLessThan(BATCHES * EACH)

  reader.response.resume()
  const missed = () => reader.events.reduce((sum, each) => sum + (each.event === 'dropped' ? each.count : 0), 0)
  await until(reader, () => requestsIn(reader).length + missed() === BATCHES * EACH)
  expect(missed()).toBeGreaterThan(0)
  written.mockRestore()
})

it('requests that end faster than they can be sent are counted', async ({ gateway, running }) => {
  const reader = await follow(gateway)
  const { feed, config } = running.app
  for (let each = 0; each < 1500; each++) feed.tell(someEntry, config)
  gateway.clock.advance(100)

  await expect.poll(() => reader.events.at(-1)).toEqual({ event: 'dropped', count: 500 })
  expect(requestsIn(reader)).toHaveLength(1000)
})

it('the snapshot has a row for every account with a key, or for the one that is named', async ({ gateway }) => {
  const key = await gateway.key('free', 'ada')
  await gateway.key('pro', 'bob')
  await gateway.chat(key, asked)

  const all = await rowsOf(gateway)
  expect(all.rows).toMatchObject([
    { label: 'bob', plan: 'pro', used_usd: '0', limit_usd: '20', requests: 0, requests_limit: 1000 },
    { label: 'ada', plan: 'free', used_usd: '0.000039', requests: 1, tokens: 12 },
  ])
  expect((await rowsOf(gateway, '?account=ada')).rows).toMatchObject([{ label: 'ada' }])
  expect((await rowsOf(gateway, '?account=nobody')).status).toBe(400)
})

it('a gateway that leaves ends the feed cleanly, and is not held up by it', async ({ gateway, running }) => {
  const reader = await follow(gateway)
  await gateway.clock.during(running.drain())
  await reader.ended
  expect(reader.response.complete).toBe(true)
})

it('HEAD of the feed ends', async ({ gateway }) => {
  expect((await fetch(`${gateway.admin}/admin/events`, { method: 'HEAD', headers })).status).toBe(200)
})

it('pools that change and revisions that begin to serve are told to who asks for them, and to nobody else', async ({
  gateway,
  running,
}) => {
  const [usual, asked] = [await follow(gateway), await follow(gateway, '?kinds=pool,revision')]
  const drain = { method: 'POST', headers, body: JSON.stringify({ pool: 'onprem' }) }
  await fetch(`${gateway.admin}/admin/pools/drain`, {
    ...drain,
    headers: { ...headers, 'content-type': 'application/json' },
  })
  await gateway.reload({}, yaml => `${yaml}\n# another revision`)

  await expect.poll(() => asked.events.length).toBe(2)
  expect(asked.events).toMatchObject([
    { event: 'pool', pool: 'onprem', drained: true, replicas: [{ state: 'drained' }] },
    { event: 'revision', number: 2, revision: running.app.config.revision, how: 'reload', serves: true },
  ])
  expect(usual.events).toEqual([])
  for (const reader of [usual, asked]) reader.leave()
})

it('a pool is told when a replica is ejected', async ({ backend, gateway }) => {
  const reader = await follow(gateway, '?kinds=pool')
  await backend.close()
  const key = await gateway.key()
  await expect
    .poll(async () => {
      await gateway.clock.during(gateway.chat(key, { max_tokens: 10 }))
      return reader.events
    })
    .toMatchObject([{ event: 'pool', pool: 'onprem', replicas: [{ state: 'open' }] }])
  reader.leave()
})
