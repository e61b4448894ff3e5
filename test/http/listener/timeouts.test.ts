import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Backend, startBackend } from '../../support/backend.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { answersIn, gone, type Heard } from '../../support/raw.ts'

// The clocks of sockets are node's own, and run in real time: all of these run at once.
const yaml = 'limits: { headers_timeout: 1s, request_timeout: 1s, idle_timeout: 1s }'

let backend: Backend
let test: TestGateway
let key: string

beforeAll(async () => {
  backend = await startBackend()
  test = await startTestGateway({ onprem: [backend], yaml })
  key = await test.key('pro')
})

afterAll(async () => {
  await test.close()
  await backend.close()
})

/** Says something, then a little more every 100 ms, until the gateway has had enough. */
async function drip(first: string, more: string, { gateway } = test): Promise<Heard> {
  const socket = connect({ port: gateway.listen.port, host: '127.0.0.1' })
  socket.on('error', () => {})
  let text = ''
  socket.on('data', chunk => (text += chunk.toString()))
  socket.write(first)
  const dripping = more && setInterval(() => socket.writable && socket.write(more), 100)
  await gone(socket)
  if (dripping) clearInterval(dripping)
  return { ...answersIn(text), closed: true }
}

const GET = 'GET /v1/models HTTP/1.1\r\nHost: x\r\n'
const post = (path: string, headers: string, body: string, by = key) =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${by}\r\nContent-Type: application/json\r\n${headers}\r\n\r\n${body}`
const CHAT = '/v1/chat/completions'
const BODY = '{"messages":[{"role":"user","content":"Hi"}]}'

const late = { status: 408, body: expect.stringContaining('REQUEST_TIMEOUT') }

describe.concurrent('a connection without a request under way', () => {
  it.each<[string, () => readonly [string, string], readonly object[]]>([
    ['that says nothing is told that it is late', () => ['', ''], [late]],
    ['that sends a line of a header now and then is told so', () => [GET, 'a: b\r\n'], [late]],
    ['that sends letters of a header now and then is told so', () => [`${GET}a: `, 'x'], [late]],
    ['that sends empty lines and no request is told so', () => ['', '\r\n'], [late]],
    ['that stops in its request line is told so', () => ['POST /v1/ch', ''], [late]],
    ['that sends a body now and then is told so', () => [post(CHAT, 'Content-Length: 9999', '{'), ' '], [late]],
    [
      'that sends chunks now and then is told so',
      () => [post(CHAT, 'Transfer-Encoding: chunked', ''), '1\r\n \r\n'],
      [late],
    ],
    ['that stops in its body is told so', () => [post(CHAT, 'Content-Length: 9999', '{'), ''], [late]],
    ['that waits after its answer is closed without a word', () => [`${GET}\r\n`, ''], [{ status: 200 }]],
    ['that sends empty lines after its answer is closed too', () => [`${GET}\r\n`, '\r\n'], [{ status: 200 }]],
  ])('%s', async (_name, said, expected) => {
    const [first, more] = said()

    const { answers, rest } = await drip(first, more)

    expect(answers).toEqual(expected.map(each => expect.objectContaining(each)))
    expect(rest).toBe('')
  })

  it('that begins another request and stops is told that this one is late', async () => {
    // Node cannot tell such a connection from an idle one: where both are over at once, either may be first.
    const patient = await startTestGateway({
      onprem: [backend],
      yaml: yaml.replace('idle_timeout: 1s', 'idle_timeout: 30s'),
    })

    const { answers, rest } = await drip(`${GET}\r\nGET /v1/mod`, '', patient)

    expect(answers).toEqual([{ status: 200 }, late].map(each => expect.objectContaining(each)))
    expect(rest).toBe('')
    await patient.close()
  })
})

describe.concurrent('a connection with a request under way', () => {
  it('that has sent its request may wait for a slow backend for as long as it likes', async () => {
    let release = () => {}
    backend.next(async exchange => {
      await new Promise<void>(resolve => {
        release = resolve
      })
      exchange.response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":{"message":"at last"}}')
    })
    const asked = test.chat(key)
    await backend.received(1)
    // Longer than any of the timeouts, and the checks between them.
    const others = [drip('', ''), drip(`${GET}\r\n`, '\r\n')]
    await Promise.all(others)
    await drip('', '')

    release()

    expect((await asked).status).toBe(400)
  })

  it('whose client reads nothing of a long answer is closed', async () => {
    const big = 'x'.repeat(60_000_000)
    // Its own ones: on the others a request waits meanwhile.
    const backend = await startBackend()
    const test = await startTestGateway({ onprem: [backend], yaml })
    const request = post(CHAT, `Content-Length: ${BODY.length}`, BODY, await test.key('pro'))
    const socket = connect({ port: test.gateway.listen.port, host: '127.0.0.1' })
    socket.on('error', () => {})
    socket.pause()
    backend.next(exchange => {
      const message = { role: 'assistant', content: big }
      const usage = { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 }
      exchange.response.writeHead(200, { 'content-type': 'application/json' })
      exchange.response.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }], usage }))
    })

    socket.write(request)

    // Its line is written once nothing more can be sent.
    await expect.poll(() => test.log.some(({ outputTokens }) => outputTokens === 3), { timeout: 20_000 }).toBe(true)
    socket.resume()
    await gone(socket)
    expect(socket.bytesRead).toBeLessThan(big.length)
    await test.close()
    await backend.close()
  })
})

it('late requests reach no backend, and are no fault that an operator hears of', async () => {
  const asked = backend.requests.length

  await drip(post(CHAT, 'Content-Length: 9999', BODY), '')

  expect(backend.requests.length).toBe(asked)
  expect(test.alarms).toEqual([])
  await expect.poll(() => test.log.filter(({ code }) => code === 'REQUEST_TIMEOUT').length).toBeGreaterThan(0)
})
