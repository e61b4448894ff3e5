import http from 'node:http'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { ByteBackend, bytes, sha256 } from '../../support/bytes.ts'
import type { TestGateway } from '../../support/gateway.ts'
import { talk } from '../../support/raw.ts'
import { post, say, startPassing } from './fixture.ts'

let onprem: ByteBackend
let cloud: ByteBackend
let test: TestGateway
let key: string

beforeEach(async () => {
  onprem = await ByteBackend.start()
  cloud = await ByteBackend.start()
  test = await startPassing({ onprem: [onprem], cloud: [cloud] })
  key = await test.key('pro')
})

afterEach(async () => {
  await test.close()
  await Promise.all([onprem.close(), cloud.close()])
})

const MULTIPART = 'multipart/form-data; boundary=b0undary'
const UPLOAD = '/v1/audio/transcriptions'
const portOf = ({ url }: { url: string }) => Number(new URL(url).port)

const FILE = '--b0undary\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\n'
const modelPart = (model: string) => `--b0undary\r\nContent-Disposition: form-data; name="model"\r\n\r\n${model}\r\n`

/** A multipart body with a file of as many bytes, and the model after it. */
function* multipart(size: number, model = 'svc-voice'): Generator<Buffer> {
  yield Buffer.from(FILE)
  yield* bytes(size)
  yield Buffer.from(`\r\n${modelPart(model)}--b0undary--\r\n`)
}

/** The form with the model first. */
function* modelFirst(size: number, model = 'svc-voice'): Generator<Buffer> {
  yield Buffer.from(`${modelPart(model)}${FILE}`)
  yield* bytes(size)
  yield Buffer.from('\r\n--b0undary--\r\n')
}

/** A running request, of which the test decides when more of its body comes. */
function under(path: string, headers: http.OutgoingHttpHeaders): http.ClientRequest {
  const request = http.request(`${test.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': MULTIPART, ...headers },
  })
  request.on('error', () => {})
  return request
}

it('an upload arrives byte for byte but for its model, with its length, and leaves one row', async () => {
  const body = Buffer.concat([...modelFirst(3_000_000)])
  const sent = Buffer.concat([...modelFirst(3_000_000, 'test-model')])

  const response = await post(test, UPLOAD, { key, body, type: MULTIPART })

  expect([response.status, await response.json()]).toEqual([200, { text: 'ok' }])
  expect(onprem.seen).toMatchObject([
    { path: '/v1/audio/transcriptions', length: sent.length, sha256: sha256([sent]), complete: true },
  ])
  const { 'x-request-id': _, ...headers } = onprem.seen[0]?.headers ?? {}
  expect(headers).toEqual({
    host: new URL(onprem.url).host,
    accept: '*/*',
    'accept-encoding': 'identity',
    'content-type': MULTIPART,
    'content-length': String(body.length + 1),
    connection: 'close',
  })
  expect(await test.ledger()).toMatchObject([{ kind: 'settle', cost: 20_000_000, pool: 'onprem' }])
})

it.each([
  ['of unknown length', () => Readable.toWeb(Readable.from(multipart(300_000))) as ReadableStream<Uint8Array>],
  ['that names its model after a file', () => Buffer.concat([...multipart(300_000)])],
])('an upload %s goes on in chunks', async (_name, body) => {
  const response = await post(test, UPLOAD, { key, body: body(), type: MULTIPART })

  expect(response.status).toBe(200)
  const [seen] = onprem.seen
  expect(seen?.sha256).toBe(sha256(multipart(300_000, 'test-model')))
  expect([seen?.headers['transfer-encoding'], seen?.headers['content-length']]).toEqual(['chunked', undefined])
})

it('an upload of audio that is no form is streamed likewise', async () => {
  const body = Buffer.concat([...bytes(100_000)])

  expect((await post(test, UPLOAD, { key, body, type: 'audio/wav' })).status).toBe(200)
  expect(onprem.seen).toMatchObject([{ sha256: sha256([body]), headers: { 'content-type': 'audio/wav' } }])
})

it.each([
  ['with its length', true],
  ['in chunks', false],
])('a binary answer arrives byte for byte, %s, and leaves one row', async (_name, isSized) => {
  const size = 3_000_000
  onprem.on((request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'audio/mpeg', ...(isSized && { 'content-length': size }) })
    Readable.from(bytes(size)).pipe(response)
  })

  const response = await say(test, '/v1/audio/speech', key)

  expect(response.headers.get('content-length')).toBe(isSized ? String(size) : null)
  expect(sha256([Buffer.from(await response.arrayBuffer())])).toBe(sha256(bytes(size)))
  expect(await test.ledger()).toMatchObject([{ kind: 'settle', cost: 10_000_000 }])
})

it('a fixed price is in the ledger before the client has the headers', async () => {
  onprem.on((_, response) => response.writeHead(200, { 'content-type': 'audio/mpeg' }).flushHeaders())

  const response = await say(test, '/v1/audio/speech', key)

  expect([response.status, await test.ledger()]).toMatchObject([200, [{ cost: 10_000_000 }]])
  await response.body?.cancel()
  await onprem.until(() => onprem.aborted === 1)
})

it('what is measured is in the ledger before the client has the last byte', async () => {
  let settled = false
  const { store } = test.gateway
  const settle = store.holds.settle.bind(store.holds)
  let release: () => void = () => {}
  const released = new Promise<void>(resolve => {
    release = resolve
  })
  Object.assign(store.holds, {
    settle: async (...args: Parameters<typeof settle>) => {
      await released
      await settle(...args)
      settled = true
    },
  })
  onprem.on((request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'audio/mpeg', 'content-length': 6 }).end('abcdef')
  })

  const response = await say(test, '/v1/audio/sing', key)
  const reader = response.body?.getReader()
  const first = await reader?.read()

  expect([Buffer.from(first?.value ?? []).toString(), settled]).toEqual(['abcde', false])
  release()
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('f')
  expect(settled).toBe(true)
})

it('a client that leaves in the middle of its upload closes the backend, and pays nothing', async () => {
  let arrived = 0
  onprem.on(request =>
    request.on('data', bytes => {
      arrived += bytes.length
      onprem.happened()
    }),
  )
  const request = under(UPLOAD, { 'content-length': 1_000_000 })
  request.write(`${FILE}${'x'.repeat(50_000)}`)
  await onprem.until(() => arrived > 0)

  request.destroy()

  await onprem.until(() => onprem.aborted === 1)
  await test.logged(1)
  expect([await test.ledger(), cloud.seen]).toEqual([[], []])
})

it('a client that leaves in the middle of an answer closes the backend', async () => {
  onprem.on((request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'audio/mpeg' })
    response.write('some')
  })
  const response = await say(test, '/v1/audio/speech', key)
  const reader = response.body?.getReader()
  await reader?.read()

  await reader?.cancel()

  await onprem.until(() => onprem.aborted === 1)

  const [entry] = await test.logged(1)
  expect(entry).toMatchObject({ status: 499, cost: 10_000_000 })
  expect(await test.ledger()).toHaveLength(1)
})

it('a client that leaves while a backend works on all of its body pays for the call, and closes the backend', async () => {
  onprem.on(request => request.resume())
  const controller = new AbortController()
  const asked = post(test, '/v1/audio/speech', {
    key,
    type: 'application/json',
    body: '{"input":"x"}',
    signal: controller.signal,
  }).catch(() => undefined)
  let began = false
  onprem.on(request => {
    request.resume()
    began = true
  })
  await onprem.until(() => began)

  controller.abort()

  await asked
  await onprem.until(() => onprem.aborted === 1)
  await test.logged(1)
  expect(await test.ledger()).toMatchObject([{ cost: 10_000_000 }])
})

it.each([
  ['of known length', { 'content-length': '1000' }],
  ['in chunks', {}],
])('a backend that dies in the middle of an answer %s breaks the client’s connection', async (_name, headers) => {
  onprem.on((request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'audio/mpeg', ...headers })
    response.write('some', () => setTimeout(() => response.socket?.resetAndDestroy(), 10))
  })

  const { answers, rest } = await talk(portOf(test), {
    bytes: `POST /v1/audio/speech HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`,
    wanted: 9,
  })

  // A chunked answer has no length: its end is the empty chunk, which must not come.
  expect(`${answers.map(({ body }) => body).join('')}${rest}`).not.toContain('0\r\n\r\n')
  const [entry] = await test.logged(1)
  expect(entry).toMatchObject({ interrupted: expect.stringMatching(/ECONNRESET|Error/) })
  expect(await test.ledger()).toHaveLength(1)
})

it.each([
  [500, 503],
  [503, 503],
  [429, 503],
  [401, 503],
  [400, 400],
])('an upload that was sent gets one attempt: a %i is not tried elsewhere', async (code, told) => {
  onprem.on((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(code, { 'content-type': 'application/json' }).end('{"error":{"message":"no"}}')
    })
  })

  const response = await post(test, UPLOAD, { key, body: Buffer.concat([...multipart(1000)]), type: MULTIPART })

  expect(response.status).toBe(told)
  expect([cloud.seen, await test.ledger()]).toEqual([[], []])
})

it('an upload that no connection came to stand for is tried elsewhere, and arrives whole', async () => {
  await onprem.close()

  const response = await post(test, UPLOAD, { key, body: Buffer.concat([...multipart(100_000)]), type: MULTIPART })

  expect([response.status, response.headers.get('x-svc-upstream')]).toEqual([200, 'cloud'])
  expect(cloud.seen).toMatchObject([{ sha256: sha256(multipart(100_000, 'cloud-model')) }])
  onprem = await ByteBackend.start()
})

it('an upload that no pool can be reached for is told so, and the pools are named', async () => {
  await Promise.all([onprem.close(), cloud.close()])

  const response = await post(test, UPLOAD, { key, body: Buffer.concat([...multipart(1000)]), type: MULTIPART })

  expect([response.status, await response.json()]).toMatchObject([
    503,
    { code: 'UPSTREAMS_EXHAUSTED', attempted: ['onprem', 'cloud'] },
  ])
  expect(await test.ledger()).toEqual([])
  onprem = await ByteBackend.start()
  cloud = await ByteBackend.start()
})

it('a backend is not late while its client still sends, and blamed for nothing', async () => {
  const request = under(UPLOAD, { 'content-type': 'audio/wav', 'content-length': 4 })
  const status = answered(request)
  request.write('au')
  await onprem.until(() => onprem.asked > 0)

  for (let i = 0; i < 3; i++) test.clock.advance(600_000)
  request.end('io')

  expect(await status).toBe(200)
  expect(onprem.seen).toMatchObject([{ length: 4, complete: true }])
  expect((await test.logged(1))[0]).toMatchObject({ status: 200, failures: [] })
})

it('a client that sends for longer than max_seconds is ended there, and the backend is blamed for nothing', async () => {
  const request = under('/v1/audio/sing', { 'content-type': 'audio/wav', 'content-length': 4 })
  const status = answered(request)
  request.write('au')
  await onprem.until(() => onprem.asked > 0)

  test.clock.advance(20_000)

  expect(await status).toBe(408)
  request.destroy()
  await test.clock.during(test.logged(1))
  expect(test.log[0]).toMatchObject({ code: 'REQUEST_TIMEOUT', failures: [] })
  expect(await test.ledger()).toEqual([])
})

it('a body that is too large is a 413: before a byte of it where it says so, and else as soon as it is', async () => {
  const announced = under(UPLOAD, { 'content-length': 60_000_001, expect: '100-continue' })
  const [first] = await Promise.all([answered(announced), announced.flushHeaders()])
  expect([first, onprem.seen]).toEqual([413, []])
  announced.destroy()

  const body = Readable.toWeb(Readable.from(bytes(5_000_000))) as ReadableStream<Uint8Array>
  const response = await post(test, '/v1/audio/convert', { key, type: 'audio/wav', body }).catch(() => undefined)
  if (response) expect(response.status).toBe(413)
  await onprem.until(() => onprem.seen.length === 1)
  expect(onprem.seen).toMatchObject([{ complete: false }])
  // The rest of the body is discarded for a moment.
  await test.clock.during(test.logged(2))
  expect(test.log[1]).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' })
  expect(await test.ledger()).toEqual([])
})

const answered = (request: http.ClientRequest): Promise<number> =>
  new Promise(resolve => request.on('response', ({ statusCode = 0 }) => resolve(statusCode)))

it('whoever waits to be asked for a body is asked once it is admitted, and refused unasked', async () => {
  let asked = 0
  const send = async (token: string) => {
    const body = `${modelPart('svc-voice')}--b0undary--`
    const { length } = body
    const request = under(UPLOAD, {
      authorization: `Bearer ${token}`,
      'content-length': length,
      expect: '100-continue',
    })
    request.on('continue', () => {
      asked++
      request.end(body)
    })
    request.flushHeaders()
    const status = await answered(request)
    request.destroy()
    return status
  }

  expect([await send('svc_nothing'), asked]).toEqual([401, 0])
  expect([await send(await test.key('free', 'bob')), asked]).toEqual([429, 0])
  expect([await send(key), asked]).toEqual([200, 1])
  expect(onprem.seen).toMatchObject([{ length: modelPart('test-model').length + 12, complete: true }])
  expect(onprem.seen[0]?.headers.expect).toBeUndefined()
  // For a second, what clients that were refused may still send is thrown away.
  test.clock.advance(1000)
})

it('a chat that waits to be asked for its body is asked as well', async () => {
  onprem.on((request, response) => {
    request.resume()
    response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":{"message":"heard"}}')
  })
  const request = under('/v1/chat/completions', { 'content-type': 'application/json', expect: '100-continue' })
  request.on('continue', () => request.end('{"messages":[{"role":"user","content":"Hi"}]}'))
  request.flushHeaders()

  expect(await answered(request)).toBe(400)
  expect((await test.logged(1))[0]).toMatchObject({ code: 'VALIDATION_ERROR', failures: [{ cause: 'status 400' }] })
})

it('a backend that answers before it has read all of the body is believed, and the connection ends', async () => {
  onprem.on((_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"early":true}'))
  const request = under(UPLOAD, { 'content-length': 10_000_000 })
  request.write(`${FILE}${'x'.repeat(50_000)}`)

  const body = await new Promise<string>(resolve =>
    request.on('response', async response => {
      const parts: Buffer[] = []
      for await (const part of response) parts.push(part)
      resolve(`${response.headers.connection} ${Buffer.concat(parts)}`)
    }),
  )

  expect(body).toBe('close {"early":true}')
  request.destroy()
  await test.logged(1)
  expect(await test.ledger()).toHaveLength(1)
})

it('a client that reads nothing slows the backend, and one that is slow to send waits for nobody else', async () => {
  let written = 0
  onprem.on((request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'audio/mpeg' })
    const more = () => {
      while (written < 200_000_000) {
        written += 65_536
        if (!response.write(Buffer.alloc(65_536))) return void response.once('drain', more)
      }
      response.end()
    }
    more()
  })
  const request = under('/v1/audio/speech', { 'content-type': 'application/json', 'content-length': 2 })
  request.end('{}')
  const response = await new Promise<http.IncomingMessage>(resolve => request.on('response', resolve))
  response.pause()

  let before = -1
  while (before !== written) {
    before = written
    await new Promise(resolve => setTimeout(resolve, 100))
  }

  // The kernel buffers this much of three loopback connections, without any gateway.
  expect(written).toBeLessThan(40_000_000)
  request.destroy()
  await onprem.until(() => onprem.aborted === 1)
})

it('a gateway that shuts down breaks an answer that is under way, and it is paid', async () => {
  onprem.on((request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'audio/mpeg' })
    response.write('some')
  })
  const response = await say(test, '/v1/audio/speech', key)
  const rest = response.text()

  const again = test.restart()

  await expect(rest).rejects.toThrow()
  await onprem.until(() => onprem.aborted === 1)
  test = await again
  expect(await test.ledger()).toHaveLength(1)
})

it('an answer outlives a reload', async () => {
  let finish: () => void = () => {}
  onprem.on((request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'audio/mpeg' })
    response.write('some')
    finish = () => response.end('more')
  })
  const response = await say(test, '/v1/audio/speech', key)
  await test.reload({}, yaml => yaml.replace('include: [passthrough.yaml]', ''))

  expect((await say(test, '/v1/audio/speech', key)).status).toBe(404)
  finish()
  expect(await response.text()).toBe('somemore')
})
