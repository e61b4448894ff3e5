import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Backend, hang, startBackend } from '../../support/backend.ts'
import { startTestGateway, type TestGateway, type TestPools } from '../../support/gateway.ts'
import { answersIn } from '../../support/raw.ts'

let backend: Backend
let test: TestGateway
let sockets: Socket[]

beforeEach(async () => {
  backend = await startBackend()
  sockets = []
})

afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  await test.close()
  await backend.close()
})

const start = async (limits: string, pools: Partial<TestPools> = {}) => {
  test = await startTestGateway({ onprem: [backend], yaml: `limits: { ${limits} }`, ...pools })
}

/** A connection that sends what it is told; what it hears is waited for. */
class Client {
  readonly socket: Socket
  #text = ''
  readonly #over: Promise<void>

  constructor(port: number) {
    this.socket = connect({ port, host: '127.0.0.1' })
    sockets.push(this.socket)
    this.socket.on('error', () => {}).on('data', chunk => (this.#text += chunk.toString()))
    this.#over = new Promise(resolve => this.socket.once('close', () => resolve()))
  }

  send(text: string): void {
    this.socket.write(text)
  }

  /** The statuses of the first `n` answers; fewer when the connection ends before. */
  async answers(n: number): Promise<number[]> {
    for (;;) {
      const { answers } = answersIn(this.#text)
      if (answers.length >= n || this.socket.destroyed) return answers.map(({ status }) => status)
      await Promise.race([once(this.socket, 'data').catch(() => {}), this.#over])
    }
  }

  get text(): string {
    return this.#text
  }
}

const dial = () => new Client(test.gateway.listen.port)
const MODELS = 'GET /v1/models HTTP/1.1\r\nHost: x\r\n'
const get = (headers = '') => `${MODELS}${headers}\r\n`
const forwarded = (address: string) => `X-Forwarded-For: ${address}\r\n`
/** Streams end with their client. */
const BODY = '{"messages":[{"role":"user","content":"Hi"}],"stream":true}'
const chat = (key: string, headers = '') =>
  `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n` +
  `${headers}Content-Length: ${BODY.length}\r\n\r\n${BODY}`

/** Whether a fresh connection is served. */
async function served(headers = ''): Promise<boolean> {
  const client = dial()
  client.send(get(headers))
  return (await client.answers(1))[0] === 200
}

it('as many connections of one address are served as it may have, and one more is closed at once', async () => {
  await start('connections_per_ip: 3')
  const clients = [dial(), dial(), dial()]
  for (const client of clients) {
    client.send(get())
    expect(await client.answers(1)).toEqual([200])
  }

  expect(await served()).toBe(false)

  for (const client of clients) {
    client.send(get())
    expect(await client.answers(2)).toEqual([200, 200])
  }
  expect(test.alarms).toEqual([expect.stringMatching(/limits\.connections_per_ip.*127\.0\.0\.1.*trusted_proxies/)])
})

it('a connection that ends makes room for another one', async () => {
  await start('connections_per_ip: 1')
  const first = dial()
  first.send(get())
  await first.answers(1)
  expect(await served()).toBe(false)

  first.socket.end()
  await once(first.socket, 'close')

  await expect.poll(() => served()).toBe(true)
})

it('a header that nobody may be believed gives no address more room', async () => {
  await start('connections_per_ip: 1')
  const first = dial()
  first.send(get(forwarded('203.0.113.1')))
  expect(await first.answers(1)).toEqual([200])

  expect(await served(forwarded('203.0.113.2'))).toBe(false)
})

it('pipelined requests under way count as connections do', async () => {
  await start('connections_per_ip: 2')
  const key = await test.key('pro')
  backend.always(hang)
  const client = dial()

  client.send(chat(key) + chat(key) + chat(key))

  await backend.received(2)
  client.socket.destroy()
  expect((await test.clock.during(test.logged(3), 100)).map(({ code }) => code)).toContain('OVERLOADED')
  expect(backend.requests).toHaveLength(2)
})

it('a trusted proxy has as many connections as it likes, and each client behind it as many requests as it may', async () => {
  await start('connections_per_ip: 2', { trustedProxies: ['127.0.0.1'] })
  const key = await test.key('pro')
  backend.always(hang)
  const busy = [dial(), dial()]
  for (const client of busy) client.send(chat(key, forwarded('203.0.113.1')))
  await backend.received(2)

  const third = dial()
  third.send(chat(key, forwarded('203.0.113.1')))
  expect(await third.answers(1)).toEqual([503])
  expect(third.text).toMatch(/\r\nx-svc-error-code: OVERLOADED\r\n/i)
  expect(third.text).toMatch(/\r\nretry-after: 1\r\n/i)
  expect(third.text).toMatch(/\r\nconnection: close\r\n/i)

  for (const address of ['203.0.113.2', '203.0.113.3', '203.0.113.4'])
    expect(await served(forwarded(address)), address).toBe(true)
  expect(backend.requests).toHaveLength(2)
})

it('what a client behind a proxy has ended counts no more', async () => {
  await start('connections_per_ip: 1', { trustedProxies: ['127.0.0.1'] })
  const proxy = dial()

  for (let n = 1; n <= 5; n++) {
    proxy.send(get(forwarded('203.0.113.1')))
    expect(await proxy.answers(n)).toHaveLength(n)
  }
  expect(await proxy.answers(5)).toEqual([200, 200, 200, 200, 200])
})

it('all addresses of one /64 behind a proxy are one client', async () => {
  await start('connections_per_ip: 1', { trustedProxies: ['127.0.0.1'] })
  const key = await test.key('pro')
  backend.always(hang)
  dial().send(chat(key, forwarded('2001:db8:1:2::1')))
  await backend.received(1)

  expect(await served(forwarded('2001:db8:1:2::ffff'))).toBe(false)
  expect(await served(forwarded('2001:db8:1:3::1'))).toBe(true)
})

it('what is refused for its number costs nothing', async () => {
  await start('connections_per_ip: 1', { trustedProxies: ['127.0.0.1'] })
  const key = await test.key('tight')
  const hanging = await test.key('pro', 'bob')
  backend.always(hang)
  const busy = dial()
  busy.send(chat(hanging, forwarded('203.0.113.1')))
  await backend.received(1)
  for (let n = 0; n < 5; n++) {
    const client = dial()
    client.send(chat(key, forwarded('203.0.113.1')))
    expect(await client.answers(1)).toEqual([503])
  }
  busy.socket.destroy()
  await test.clock.during(backend.clientGone(1), 100)

  const after = dial()
  backend.always(exchange => {
    exchange.response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":{"message":"no"}}')
  })
  after.send(chat(key, forwarded('203.0.113.9')))

  // Both of its requests in this minute are still available.
  expect(await after.answers(1)).toEqual([400])
  expect(await test.ledger()).toMatchObject([{ account: expect.any(String) }])
})

it('of all connections together there are as many as there may be', async () => {
  await start('connections: 2', { trustedProxies: ['127.0.0.1'] })
  const clients = [dial(), dial()]
  for (const client of clients) {
    client.send(get())
    expect(await client.answers(1)).toEqual([200])
  }

  expect(await served()).toBe(false)

  expect(test.alarms).toEqual([expect.stringContaining('limits.connections')])
})

it('operators get in when clients are too many', async () => {
  await start('connections: 1, connections_per_ip: 1')
  const client = dial()
  client.send(get())
  await client.answers(1)

  const health = await Promise.all(Array.from({ length: 5 }, () => fetch(`${test.admin}/healthz`)))

  expect(health.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
})
