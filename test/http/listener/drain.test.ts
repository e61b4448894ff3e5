import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { answer, type Backend, chunk, hang, MODEL, startBackend } from '../../support/backend.ts'
import { SSE_HEADERS, write } from '../../support/behaviours.ts'
import { eventually } from '../../support/eventually.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { heldStream, reading } from '../../support/held.ts'
import { outcomeOf, send } from '../calls.ts'

let backend: Backend
let test: TestGateway
let key: string

beforeEach(async () => {
  backend = await startBackend()
})

afterEach(async () => {
  await test.close()
  await backend.close()
})

const start = async (server = '', yaml = '') => {
  test = await startTestGateway({ onprem: [backend], yaml, server: [server] })
  key = await test.key('pro')
}

const readyz = async () => outcomeOf(await send(test, 'GET /readyz'))
const operatorsReadyz = async () => outcomeOf(await send({ url: test.admin }, 'GET /readyz'))
const settled = async () => (await test.restart()).ledger()
/** A turn of the event loop, after which what was begun has taken effect. */
const turn = () => new Promise(setImmediate)

/** A stream that has begun. */
async function begun() {
  const stream = heldStream()
  backend.next(stream.behaviour)
  const read = reading(await test.chat(key, { stream: true, max_tokens: 50 }))
  await read.until('Hello')
  return { ...stream, ...read }
}

/** Stops the clock of this machine, by which the gateway waits for what may never come. */
function stopTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
}

/** Two seconds of that clock, from when something waits by it. */
async function passTwoSeconds(): Promise<void> {
  while (vi.getTimerCount() === 0) await turn()
  for (let ms = 0; ms < 2000; ms += 250) {
    await vi.advanceTimersByTimeAsync(250)
    await turn()
  }
  vi.useRealTimers()
}

/** The last event, where it is an error. */
const errorIn = (text: string): unknown => JSON.parse(text.split('data: ').at(-1) ?? '').error

describe('a gateway that drains', () => {
  it('says so at once to balancers, and serves for the time it takes them to notice', async () => {
    await start('drain_delay: 5s')

    const left = test.gateway.drain()

    expect(await readyz()).toBe('503 DRAINING')
    expect(await operatorsReadyz()).toBe('503 DRAINING')
    expect((await test.chat(key)).status).toBe(200)
    test.clock.advance(5_000)
    expect(await left).toBe(true)
    await expect(test.chat(key)).rejects.toThrow()
  })

  it('lets streams under way end, and has every one of them in the ledger', async () => {
    await start()
    const streams = [await begun(), await begun(), await begun()]

    const left = test.gateway.drain()
    await turn()
    test.clock.advance(20_000)
    for (const { letGo } of streams) letGo()

    for (const { rest } of streams) expect((await rest()).endsWith('data: [DONE]\n\n')).toBe(true)
    expect(await left).toBe(true)
    expect(await settled()).toMatchObject([{ estimated: false }, { estimated: false }, { estimated: false }])
  })

  it('is there for operators until the last client is gone', async () => {
    await start()
    const stream = await begun()
    const left = test.gateway.drain()
    await turn()

    expect(await operatorsReadyz()).toBe('503 DRAINING')
    expect((await send({ url: test.admin }, 'GET /healthz')).status).toBe(200)
    stream.letGo()
    await stream.rest()
    await left
    await expect(send({ url: test.admin }, 'GET /healthz')).rejects.toThrow()
  })

  it('asks for the end of the connection with each answer, and closes those that are idle', async () => {
    await start()
    const idle = await dial('GET /v1/models HTTP/1.1\r\nhost: x\r\n\r\n')
    await idle.until('"data"')
    let finish = () => {}
    backend.next(async exchange => {
      await new Promise<void>(resolve => {
        finish = resolve
      })
      await answer({ content: 'late' })(exchange)
    })
    const busy = await dial(chatRequest('{"messages":[{"role":"user","content":"Hi"}]}'))
    await backend.received(1)

    const left = test.gateway.drain()
    await idle.ended
    finish()

    expect(await busy.ended).toMatch(/^HTTP\/1.1 200 OK\r\n(.*\r\n)*connection: close\r\n[\s\S]*late/i)
    await left
  })

  it('tells whoever asks on a connection that is still open that it leaves', async () => {
    await start()
    const stream = heldStream()
    backend.next(stream.behaviour)
    const client = await dial(chatRequest('{"stream":true,"messages":[{"role":"user","content":"Hi"}]}'))
    await client.until('Hello')
    const left = test.gateway.drain()
    await turn()

    client.socket.write('GET /v1/models HTTP/1.1\r\nhost: x\r\n\r\n')
    await turn()
    stream.letGo()

    const text = await client.ended
    expect(text).toMatch(/\[DONE\][\s\S]*HTTP\/1.1 503 DRAINING: shutting down\r\n(.*\r\n)*connection: close\r\n/i)
    await left
  })

  it('waits for a client that reads slowly to have all of its answer', async () => {
    await start()
    const content = 'x'.repeat(12_000_000)
    backend.next(answer({ content }))
    const client = await dial('')
    client.socket.pause()
    client.socket.write(chatRequest('{"messages":[{"role":"user","content":"Hi"}]}'))
    await eventually(async () => expect(await test.ledger()).toHaveLength(1))

    const left = test.gateway.drain()
    await turn()
    await turn()
    client.socket.resume()

    expect((await client.ended).length).toBeGreaterThan(content.length)
    expect(await left).toBe(true)
  })
})

describe.each([
  ['the time for streams is over', () => test.clock.advance(5_000)],
  ['nobody wants to wait', () => test.gateway.cut()],
])('when %s', (_name, end) => {
  const drainTimeout = 'drain_timeout: 5s'

  it('streams end with an error event, never well, and what they said is settled', async () => {
    await start(drainTimeout)
    const stream = await begun()
    const left = test.gateway.drain()
    await turn()

    end()

    const text = await stream.rest()
    expect(text).toContain('Hello')
    expect(text).not.toContain('[DONE]')
    expect(errorIn(text)).toEqual({
      message: 'This gateway is shutting down. Retry in 1 s.',
      type: 'server_error',
      code: 'DRAINING',
    })
    await backend.clientGone(1)
    expect(await left).toBe(true)
    expect(test.log.find(({ path }) => path === '/v1/chat/completions')).toMatchObject({
      status: 200,
      code: 'DRAINING',
      interrupted: 'the gateway shut down',
      outputTokens: 1,
    })
    expect(await settled()).toMatchObject([{ estimated: true, outputTokens: 1 }])
  })

  it.each([false, true])('a request without an answer is told so, and costs nothing (stream: %s)', async streamed => {
    await start(drainTimeout)
    backend.next(hang)
    const asked = test.chat(key, { stream: streamed })
    await backend.received(1)
    const left = test.gateway.drain()
    await turn()

    end()

    const response = await asked
    expect([response.status, response.headers.get('x-svc-error-code')]).toEqual([503, 'DRAINING'])
    expect(response.headers.get('connection')).toBe('close')
    await backend.clientGone(1)
    expect(await left).toBe(true)
    const again = await test.restart()
    expect(await again.ledger()).toEqual([])
    expect(await again.gateway.store.accounts.readSpend(await accountOf(again))).toMatchObject({ used: 0, held: 0 })
    expect(test.alarms).toEqual([])
    await again.close()
  })

  it('a request whose body has not come is told so', async () => {
    await start(drainTimeout)
    const client = await dial(chatRequest('{"messages":[{"role":"user","content":"Hi"}]}').slice(0, -5))
    await turn()
    const left = test.gateway.drain()
    await turn()

    stopTimers()
    end()
    await client.until('503 DRAINING')
    await passTwoSeconds()

    expect(await left).toBe(true)
    expect(test.alarms).toEqual([])
  })
})

it('a stream whose headers went out before its backend spoke is told as well', async () => {
  await start('', 'failover: { headers_timeout: 40s, first_content_timeout: 40s }')
  backend.next(hang)
  const asked = test.chat(key, { stream: true })
  await backend.received(1)
  test.clock.advance(25_000)
  const read = reading(await asked)
  const left = test.gateway.drain()

  test.gateway.cut()

  expect(errorIn(await read.rest())).toMatchObject({ code: 'DRAINING' })
  expect(await left).toBe(true)
})

it('a stream that is cut before its usage costs what it said at the least, also where its backend had finished', async () => {
  await start()
  backend.next(async ({ response }) => {
    response.writeHead(200, SSE_HEADERS)
    await write(response, chunk(MODEL, { content: 'Hello' }, 'stop'))
  })
  const read = reading(await test.chat(key, { stream: true, max_tokens: 50 }))
  await read.until('Hello')
  const left = test.gateway.drain()

  test.gateway.cut()

  expect(errorIn(await read.rest())).toMatchObject({ code: 'DRAINING' })
  expect(await left).toBe(true)
  expect(await settled()).toMatchObject([{ estimated: true, outputTokens: 1 }])
})

it('a reader that does not read holds nobody up', async () => {
  await start()
  const client = await dial('')
  client.socket.pause()
  backend.next(answer({ content: 'x'.repeat(12_000_000) }))
  client.socket.write(chatRequest('{"messages":[{"role":"user","content":"Hi"}]}'))
  await eventually(async () => expect(await test.ledger()).toHaveLength(1))
  const left = test.gateway.drain()

  stopTimers()
  test.gateway.cut()
  await passTwoSeconds()

  expect(await left).toBe(true)
})

it('a ledger that cannot be written in 5 s is told', async () => {
  await start()
  const { store } = test.gateway
  const close = store.close.bind(store)
  vi.spyOn(store, 'close').mockReturnValue(new Promise(() => {}))
  stopTimers()

  const left = test.gateway.drain()
  while (vi.getTimerCount() === 0 || vi.mocked(store.close).mock.calls.length === 0) await turn()
  await vi.advanceTimersByTimeAsync(5_000)
  vi.useRealTimers()

  expect(await left).toBe(false)
  await close()
})

const chatRequest = (body: string): string =>
  `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`

interface RawClient {
  readonly socket: Socket
  until(text: string): Promise<void>
  /** All that was read when the gateway had closed the connection. */
  readonly ended: Promise<string>
}

/** A client that sends these bytes and keeps its connection open. */
async function dial(bytes: string): Promise<RawClient> {
  const socket = connect(Number(new URL(test.url).port), '127.0.0.1')
  await once(socket, 'connect')
  let text = ''
  const heard = new Set<() => void>()
  socket.on('data', chunk => {
    text += chunk
    for (const listener of heard) listener()
  })
  const ended = once(socket, 'close').then(() => text)
  socket.write(bytes)
  const until = (wanted: string) =>
    new Promise<void>(resolve => {
      const look = () => text.includes(wanted) && resolve()
      heard.add(look)
      look()
    })
  return { socket, until, ended }
}

async function accountOf({ gateway }: TestGateway): Promise<string> {
  const [first] = await gateway.store.keys.list()
  return first?.account ?? ''
}
