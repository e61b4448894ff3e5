import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Backend, startBackend } from '../../support/backend.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { answersIn, gone, type Heard, talk } from '../../support/raw.ts'
import { vectorsFor } from './smuggling.vectors.ts'

let backend: Backend
let test: TestGateway
let key: string

beforeAll(async () => {
  backend = await startBackend()
  test = await startTestGateway({ onprem: [backend] })
  key = await test.key('pro')
})

afterAll(async () => {
  await test.close()
  await backend.close()
})

/** Time passes for the gateway whenever it speaks. */
const say = (bytes: string, cut = false): Promise<Heard> =>
  talk(test.gateway.listen.port, { bytes, cut, onData: () => test.clock.advance(1000) })

const BODY = '{"messages":[{"role":"user","content":"Hi"}]}'
const post = (...headers: readonly string[]) =>
  ['POST /v1/chat/completions HTTP/1.1', 'Host: x', 'Content-Type: application/json', ...headers].join('\r\n')

describe('bytes that two readers could take for different requests', () => {
  it.each(vectorsFor('KEY').map(({ name }) => name))(
    '%s: one refusal in our form at most, and nothing reaches a backend',
    async name => {
      const vector = vectorsFor(key).find(each => each.name === name)
      const asked = backend.requests.length

      const { answers, rest, closed } = await say(vector?.bytes ?? '', vector?.cut)

      // All of them are told; what is no fault of form is a path that is not there, and may go on.
      expect(answers.map(({ status }) => status)).toEqual([expect.toSatisfy(each => each >= 400 && each < 500)])
      expect(rest).toBe('')
      const [answer] = answers
      expect(answer?.headers['content-type']).toBe('application/json')
      expect(JSON.parse(answer?.body ?? '')).toEqual({
        error: expect.any(String),
        code: answer?.headers['x-svc-error-code'],
      })
      expect(closed || vector?.cut || answer?.status === 404).toBe(true)
      expect(backend.requests.length).toBe(asked)
      expect(await test.ledger()).toEqual([])
    },
  )
})

describe('a request whose end all readers see', () => {
  it.each([
    ['by its length', `Content-Length: ${BODY.length}`, BODY],
    ['by its last chunk', 'Transfer-Encoding: chunked', `2d\r\n${BODY}\r\n0\r\n\r\n`],
    ['by a coding in capitals', 'Transfer-Encoding: CHUNKED', `2D\r\n${BODY}\r\n0\r\n\r\n`],
    ['with an extension and a trailer', 'Transfer-Encoding: chunked', `2d;a=b\r\n${BODY}\r\n0\r\nx: y\r\n\r\n`],
  ])('%s is served', async (_name, framing, body) => {
    const { answers } = await say(`${post(`Authorization: Bearer ${key}`, framing)}\r\n\r\n${body}`)

    expect(answers.map(({ status }) => status)).toEqual([200])
  })

  it('is served, and so is the next one on its connection', async () => {
    const one = `${post(`Authorization: Bearer ${key}`, `Content-Length: ${BODY.length}`)}\r\n\r\n${BODY}`

    const { answers } = await talk(test.gateway.listen.port, { bytes: one + one, wanted: 2 })

    expect(answers.map(({ status }) => status)).toEqual([200, 200])
  })

  it.each(['websocket', 'h2c', 'TLS/1.0'])('is served where it would rather speak %s', async protocol => {
    const upgrade = `Connection: Upgrade, HTTP2-Settings\r\nUpgrade: ${protocol}\r\nHTTP2-Settings: AAMAAABkAAQAAP__`

    const { answers, rest } = await say(`GET /v1/models HTTP/1.1\r\nHost: x\r\n${upgrade}\r\n\r\n`)

    expect([answers.map(({ status }) => status), rest]).toEqual([[200], ''])
  })
})

describe('an answer that comes before the body', () => {
  it('is heard, and for one more second what is still sent is thrown away', async () => {
    const socket = connect({ port: test.gateway.listen.port, host: '127.0.0.1', allowHalfOpen: true })
    socket.on('error', () => {})
    socket.write(`${post('Authorization: Bearer svc_dead', 'Content-Length: 100000')}\r\n\r\n{`)
    const [first] = await once(socket, 'data')
    const ended = gone(socket)

    socket.write('x'.repeat(1000))
    test.clock.advance(999)
    await new Promise(setImmediate)
    expect(socket.readableEnded).toBe(false)
    test.clock.advance(1)
    socket.end()

    await ended
    const [answer] = answersIn(String(first)).answers
    expect(answer?.headers.connection).toBe('close')
    expect(JSON.parse(answer?.body ?? '')).toMatchObject({ code: 'INVALID_KEY' })
  })

  it('keeps the connection where all of the body has come', async () => {
    const response = await test.chat(key, { model: 'gpt-4' })

    expect([response.status, response.headers.get('connection')]).toEqual([400, 'keep-alive'])
  })
})
