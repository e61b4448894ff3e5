import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answer, type Backend, startBackend } from '../../support/backend.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { answersIn, gone, type Heard } from '../../support/raw.ts'

/** Timeouts of Node's own clock. A sender that must be late can be so at once, even on the slowest machine. */
const SOON = { headersTimeout: 50, requestTimeout: 50, idleTimeout: 50 }

let backend: Backend
let test: TestGateway
let key: string

beforeAll(async () => {
  backend = await startBackend()
  test = await startTestGateway({ onprem: [backend], listener: SOON })
  key = await test.key('pro')
})

afterAll(async () => {
  await test.close()
  await backend.close()
})

/** Talks with a gateway of short timeouts. A machine may be too busy to read a request in time: the next gateway has longer ones. */
async function unlessLate(longer: object, talk: (site: TestGateway) => Promise<Heard>): Promise<Heard> {
  for (let ms = 100; ; ms *= 2) {
    const listener = { headersTimeout: ms, requestTimeout: ms, idleTimeout: ms, ...longer }
    const site = await startTestGateway({ onprem: [backend], listener })
    const heard = await talk(site)
    await site.close()
    if (heard.answers[0]?.status !== 408) return heard
  }
}

/** Says something, then a little more every 10 ms, until the gateway has had enough. */
async function drip(first: string, more: string, { gateway } = test): Promise<Heard> {
  const socket = connect({ port: gateway.listen.port, host: '127.0.0.1' })
  socket.on('error', () => {})
  let text = ''
  socket.on('data', chunk => (text += chunk.toString()))
  socket.write(first)
  const dripping = more && setInterval(() => socket.writable && socket.write(more), 10)
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

describe.concurrent('a connection', () => {
  it.each<[string, () => readonly [string, string]]>([
    ['that says nothing is told that it is late', () => ['', '']],
    ['that sends a line of a header now and then is told so', () => [GET, 'a: b\r\n']],
    ['that sends letters of a header now and then is told so', () => [`${GET}a: `, 'x']],
    ['that sends empty lines and no request is told so', () => ['', '\r\n']],
    ['that stops in its request line is told so', () => ['POST /v1/ch', '']],
    ['that sends a body now and then is told so', () => [post(CHAT, 'Content-Length: 9999', '{'), ' ']],
    ['that sends chunks now and then is told so', () => [post(CHAT, 'Transfer-Encoding: chunked', ''), '1\r\n \r\n']],
    ['that stops in its body is told so', () => [post(CHAT, 'Content-Length: 9999', '{'), '']],
  ])('%s', async (_name, said) => {
    const [first, more] = said()

    expect(await drip(first, more)).toMatchObject({ answers: [late], rest: '' })
  })

  it('that waits after its answer is closed without a word', async () => {
    const site = await startTestGateway({ onprem: [backend], listener: { idleTimeout: 50 } })

    expect(await drip(`${GET}\r\n`, '', site)).toMatchObject({ answers: [{ status: 200 }], rest: '' })
    await site.close()
  })

  it('that sends empty lines after its answer is closed too', async () => {
    const heard = await unlessLate({}, site => drip(`${GET}\r\n`, '\r\n', site))

    expect(heard).toMatchObject({ answers: [{ status: 200 }], rest: '' })
  })

  it('that begins another request and stops is told that this one is late', async () => {
    // Node cannot tell such a connection from an idle one: where both are over at once, either may be first.
    const heard = await unlessLate({ idleTimeout: 30_000 }, site => drip(`${GET}\r\nGET /v1/mod`, '', site))

    expect(heard).toMatchObject({ answers: [{ status: 200 }, late], rest: '' })
  })

  it('that has sent its request may wait for a slow backend for as long as it likes', async () => {
    let released = Promise.resolve()
    backend.next(async exchange => {
      await released
      exchange.response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":{"message":"at last"}}')
    })

    const heard = await unlessLate({}, async site => {
      let release = () => {}
      released = new Promise(resolve => {
        release = resolve
      })
      const token = await site.key('pro')
      const asked = drip(post(CHAT, `Content-Length: ${BODY.length}`, BODY, token), '', site)
      // Each of the timeouts ends younger connections meanwhile.
      const others = ['', post(CHAT, 'Content-Length: 9999', '{', token), `${GET}\r\n`]
      await Promise.all(others.map(first => drip(first, '', site)))
      release()
      return asked
    })

    expect(heard).toMatchObject({ answers: [{ status: 400 }], rest: '' })
  })
})

it('a connection whose client reads nothing of a long answer is closed', async () => {
  // More than kernels buffer.
  const big = 'x'.repeat(16_000_000)
  const patient = await startTestGateway({ onprem: [backend], listener: { idleTimeout: 50 } })
  const request = post(CHAT, `Content-Length: ${BODY.length}`, BODY, await patient.key('pro'))
  const socket = connect({ port: patient.gateway.listen.port, host: '127.0.0.1' })
  socket.on('error', () => {})
  socket.pause()
  backend.next(answer({ content: big, usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 } }))

  socket.write(request)

  // Its line is written once nothing more can be sent.
  expect(await patient.logged(1)).toMatchObject([{ outputTokens: 3 }])
  socket.resume()
  await gone(socket)
  expect(socket.bytesRead).toBeLessThan(big.length)
  await patient.close()
})

it('late requests reach no backend, and are no fault that an operator hears of', async () => {
  const asked = backend.requests.length

  await drip(post(CHAT, 'Content-Length: 9999', BODY), '')

  expect(backend.requests.length).toBe(asked)
  expect(test.alarms).toEqual([])
  expect(test.log.filter(({ code }) => code === 'REQUEST_TIMEOUT')).not.toEqual([])
})
