import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { IncomingMessage, Server } from 'node:http'
import { connect } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { hashOf } from '../../../src/gateway/accounts/keys.ts'
import { StoreUnavailable } from '../../../src/gateway/store/store.ts'
import { waitText } from '../../../src/wire/errors/texts.ts'
import { type Backend, hang, startBackend, status } from '../../support/backend.ts'
import { eventsOf, startTestGateway, type TestGateway } from '../../support/gateway.ts'

const plans = `
plans:
  slow: { models: [tier:guest], rpm: 10, tpm: 2k, monthly_usd: 20 }
  thin: { models: [tier:guest], rpm: 10, tpm: 100k, monthly_usd: 0.01 }
`
const yaml = 'limits: { body: 1KB }\nfailover: { headers_timeout: 40s }\ninclude: [plans.yaml]'
const docs = 'http://localhost/docs/errors'

let backend: Backend
let test: TestGateway

beforeEach(async () => {
  backend = await startBackend()
  test = await startTestGateway({ onprem: [backend], yaml, files: { 'plans.yaml': plans } })
})

afterEach(async () => {
  vi.restoreAllMocks()
  await test.close()
  await backend.close()
})

/** All that a client can learn of an error; every one names its request and speaks JSON. */
async function told(response: Response) {
  const known = /^(x-svc-error-code|retry-after-ms|retry-after|x-should-retry|www-authenticate|allow)$/
  expect(response.headers.get('x-request-id')).toMatch(/^req_[0-9A-Z]{26}$/)
  expect(response.headers.get('content-type')).toBe('application/json')
  return {
    line: `${response.status} ${response.statusText}`,
    headers: Object.fromEntries([...response.headers].filter(([name]) => known.test(name))),
    body: await response.json(),
  }
}

const quota = (headers = {}) => fetch(`${test.url}/billing/quota`, { headers })
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const small = { max_tokens: 10 }

async function post(body: string, type = 'application/json'): Promise<Response> {
  const headers = { ...bearer(await test.key()), 'content-type': type }
  return fetch(`${test.url}/v1/chat/completions`, { method: 'POST', headers, body })
}

/** Asks something that stays under way, and then again. */
async function second(plan: string, body: object, ms = 0): Promise<Response> {
  const key = await test.key(plan)
  backend.next(hang)
  test.chat(key, body).catch(() => {})
  await backend.received(1)
  test.clock.advance(ms)
  return test.chat(key, body)
}

describe('who asks', () => {
  it.each<[string, object, string, string, object]>([
    [
      'nobody',
      {},
      'NO_AUTH: no Authorization header',
      'Send `Authorization: Bearer svc_…`. No key yet? See http://localhost/docs/errors#NO_AUTH',
      { 'www-authenticate': 'Bearer' },
    ],
    [
      'an unknown key',
      bearer('svc_unknown'),
      'INVALID_KEY: unknown, revoked or rotated key',
      'The key is unknown, revoked or rotated away. What to do: http://localhost/docs/errors#INVALID_KEY',
      {},
    ],
    [
      'something that is no key',
      bearer('sk-other'),
      'INVALID_TOKEN: neither a key nor a session token',
      'Send `Authorization: Bearer svc_…`; this is not a key.',
      {},
    ],
  ])('%s is a 401', async (_name, headers, reason, error, more) => {
    const [code] = reason.split(':')

    expect(await told(await quota(headers))).toEqual({
      line: `401 ${reason}`,
      headers: { 'x-svc-error-code': code, ...more },
      body: { error, code },
    })
  })
})

describe('a request that is not valid', () => {
  const messages = [{ role: 'user', content: 'Hi' }]
  it.each([
    ['nothing', '', 'body: is empty; send a JSON object'],
    ['what is no JSON', '{"', 'body: is not valid JSON'],
    ['no object', '[]', 'body: must be a JSON object'],
    ['no messages', '{}', 'messages: is required'],
    ['a wrong type', JSON.stringify({ messages, temperature: 'hot' }), 'temperature: must be a number'],
    [
      'a wrong type deep down',
      JSON.stringify({ messages: [{ role: 'user', content: 1 }] }),
      'messages[0].content: must',
    ],
    ['no such model', JSON.stringify({ messages, model: 'x' }), 'model: no such model `x`'],
    ['a model of another kind', JSON.stringify({ messages, model: 'svc-embed' }), 'model: '],
    ['what would change the price', JSON.stringify({ messages, best_of: 2 }), 'best_of: is not accepted'],
  ])('with %s is a 400 that begins with the name of the field', async (_name, body, error) => {
    const [field = ''] = error.split(':')

    expect(await told(await post(body))).toEqual({
      line: expect.stringContaining(`400 VALIDATION_ERROR: ${field}: `),
      headers: { 'x-svc-error-code': 'VALIDATION_ERROR' },
      body: {
        error: expect.stringMatching(new RegExp(`^${error.replace(/[[\]{}.?]/g, '\\$&')}`)),
        code: 'VALIDATION_ERROR',
      },
    })
  })

  it('with a body over the limit is a 413', async () => {
    expect(await told(await post(JSON.stringify({ messages, user: 'x'.repeat(1000) })))).toEqual({
      line: '413 PAYLOAD_TOO_LARGE: body too large',
      headers: { 'x-svc-error-code': 'PAYLOAD_TOO_LARGE' },
      body: { error: 'The body is larger than 1000 bytes. Send a smaller one.', code: 'PAYLOAD_TOO_LARGE' },
    })
  })

  it('with a body that is encoded is a 415', async () => {
    const headers = { ...bearer(await test.key()), 'content-type': 'application/json', 'content-encoding': 'gzip' }
    const response = await fetch(`${test.url}/v1/chat/completions`, { method: 'POST', headers, body: '{}' })

    expect(await told(response)).toEqual({
      line: '415 UNSUPPORTED_MEDIA_TYPE: content type not accepted',
      headers: { 'x-svc-error-code': 'UNSUPPORTED_MEDIA_TYPE' },
      body: { error: 'Send the body as it is, without a content-encoding.', code: 'UNSUPPORTED_MEDIA_TYPE' },
    })
  })

  it('with a body that is declared as something else is a 415', async () => {
    expect(await told(await post('a=b', 'application/x-www-form-urlencoded'))).toEqual({
      line: '415 UNSUPPORTED_MEDIA_TYPE: content type not accepted',
      headers: { 'x-svc-error-code': 'UNSUPPORTED_MEDIA_TYPE' },
      body: {
        error: 'Send the body as JSON with `Content-Type: application/json`.',
        code: 'UNSUPPORTED_MEDIA_TYPE',
      },
    })
  })
})

describe('a limit of the plan', () => {
  const wait = (ms: number) => ({ 'retry-after-ms': String(ms), 'retry-after': String(Math.ceil(ms / 1000)) })
  const noRetry = { 'x-should-retry': 'false' }

  it.each<[string, string, number, object, () => Promise<Response>]>([
    [
      'requests',
      'The account may send 2 requests a minute.',
      30_500,
      wait(30_500),
      async () => {
        const key = await test.key('tight')
        for (let i = 0; i < 2; i++) await test.chat(key, small)
        test.clock.advance(30_500)
        return test.chat(key, small)
      },
    ],
    [
      'tokens',
      'The account may use 2,000 tokens a minute.',
      30_000,
      wait(30_000),
      () => second('slow', { max_tokens: 1900 }, 31_000),
    ],
    ['concurrency', 'The account may run 1 request at once.', 1000, wait(1000), () => second('tight', small)],
    [
      'quota_hold',
      'The account may spend $0.01 a month (UTC). Running requests have reserved the rest.',
      2000,
      wait(2000),
      () => second('thin', { max_tokens: 990 }),
    ],
    [
      'daily_limit',
      'The account may send 3 requests a day (UTC).',
      50_217_000,
      noRetry,
      async () => {
        const key = await test.key('tight')
        for (let i = 0; i < 3; i++) {
          await test.chat(key, small)
          test.clock.advance(61_000)
        }
        return test.chat(key, small)
      },
    ],
  ])('%s is a 429 with the exact wait', async (type, text, ms, headers, send) => {
    expect(await told(await send())).toEqual({
      line: `429 rate_limit_exceeded: ${type}`,
      headers: { 'x-svc-error-code': 'rate_limit_exceeded', ...headers },
      body: {
        error: {
          code: 'rate_limit_exceeded',
          type,
          message: `${text} Retry in ${waitText(ms)}.`,
          retry_after_ms: ms,
          docs,
        },
      },
    })
  })

  it('plan_limit is a 429 that no SDK retries', async () => {
    expect(await told(await test.chat(await test.key('free'), { model: 'svc-ultra-pro' }))).toEqual({
      line: '429 rate_limit_exceeded: plan_limit',
      headers: { 'x-svc-error-code': 'rate_limit_exceeded', ...noRetry },
      body: {
        error: {
          code: 'rate_limit_exceeded',
          type: 'plan_limit',
          message: 'Plan free does not include svc-ultra-pro. Retrying does not help: change the plan or the model.',
          retry_after_ms: 0,
          docs,
        },
      },
    })
  })

  it('quota_exceeded is a 402 that no SDK retries', async () => {
    expect(await told(await test.chat(await test.key('thin'), { max_tokens: 1000 }))).toEqual({
      line: '402 quota_exceeded: monthly quota',
      headers: { 'x-svc-error-code': 'quota_exceeded', ...noRetry },
      body: {
        error: {
          code: 'quota_exceeded',
          message:
            'The request may cost up to $0.010025, but only $0.01 of the monthly quota remain until 2026-12-01. max_tokens up to 997 would fit.',
          resetDate: '2026-12-01',
          topupUrl: 'http://localhost/docs/errors#quota_exceeded',
          overageEnabled: false,
        },
      },
    })
  })
})

describe('what is not there', () => {
  const noPath = 'No such path. The API is below /v1; see GET /v1/models and /openapi.json.'
  const chat =
    'use POST /v1/chat/completions: createOpenAI(...).chat("svc-auto") or @ai-sdk/openai-compatible with the AI SDK, ' +
    'client.chat.completions.create with the OpenAI SDK.'

  it.each([
    ['/v1/completions', `/v1/completions is not served here; ${chat}`],
    ['/v1/assistants', `/v1/assistants is not served here; ${chat}`],
    ['/v1/threads/t/runs', `/v1/threads is not served here; ${chat}`],
    ['/responses', 'The path lacks /v1: end the base URL of the SDK in /v1, so that it calls /v1/responses'],
    ['/messages', 'The path lacks /v1: end the base URL of the SDK in /v1, so that it calls /v1/messages'],
    [
      '/chat/completions',
      'The path lacks /v1: end the base URL of the SDK in /v1, so that it calls /v1/chat/completions',
    ],
    ['/v1/v1/chat/completions', 'The path has /v1 twice: this SDK adds it, so leave it out of the base URL.'],
    ['/v1/chat/completions/', '/v1/chat/completions has an extra slash: end the base URL of the SDK without one.'],
    ['/v1/audio/speech', noPath],
    ['/', noPath],
  ])('%s is a 404 that says what to do', async (path, error) => {
    expect(await told(await fetch(test.url + path, { method: 'POST', body: '{}' }))).toEqual({
      line: '404 NOT_FOUND: no such path or model',
      headers: { 'x-svc-error-code': 'NOT_FOUND' },
      body: { error, code: 'NOT_FOUND' },
    })
  })

  it.each([
    ['DELETE', '/v1/models/svc-core', 'GET'],
    ['PUT', '/v1/chat/completions', 'POST'],
    ['PROPFIND', '/billing/quota', 'GET'],
  ])('%s %s is a 405 that names the right method', async (method, path, allow) => {
    expect(await told(await fetch(test.url + path, { method }))).toEqual({
      line: '405 METHOD_NOT_ALLOWED: method not allowed',
      headers: { 'x-svc-error-code': 'METHOD_NOT_ALLOWED', allow },
      body: { error: `Use ${allow} here.`, code: 'METHOD_NOT_ALLOWED' },
    })
  })

  it('HEAD is GET without the body', async () => {
    const response = await fetch(`${test.url}/v1/models`, { method: 'HEAD' })

    expect([response.status, await response.text()]).toEqual([200, ''])
  })
})

describe('an outage', () => {
  const flat = (line: string, code: string, error: string, headers = {}) => ({
    line,
    headers: { 'x-svc-error-code': code, ...headers },
    body: { error, code },
  })

  it('of every backend is a 503 with the pools that were tried', async () => {
    backend.always(status(529))

    expect(await told(await test.chat(await test.key()))).toEqual({
      line: '503 UPSTREAMS_EXHAUSTED: no backend could answer',
      headers: { 'x-svc-error-code': 'UPSTREAMS_EXHAUSTED', 'retry-after': '1' },
      body: {
        error: 'No backend of this model could answer. Retry in 1 s.',
        code: 'UPSTREAMS_EXHAUSTED',
        tier: 'on-premises',
        attempted: ['onprem'],
      },
    })
  })

  it('of the store is a 503, while the catalogue is served', async () => {
    vi.spyOn(test.gateway.store.keys, 'findCaller').mockRejectedValue(new StoreUnavailable('down'))

    expect(await told(await quota(bearer(await test.key())))).toEqual(
      flat(
        '503 STORE_UNAVAILABLE: the store does not answer',
        'STORE_UNAVAILABLE',
        'The gateway cannot reach its store, so it cannot check keys and limits. Retry in 2 s.',
        { 'retry-after': '2' },
      ),
    )
    expect((await fetch(`${test.url}/v1/models`)).status).toBe(200)
  })

  it('that nobody foresaw is a 500 that tells nothing but its request id', async () => {
    vi.spyOn(test.gateway.store.keys, 'findCaller').mockRejectedValue(new Error('secret at 10.0.0.1'))

    expect(await told(await quota(bearer(await test.key())))).toEqual(
      flat(
        '500 INTERNAL: unexpected error',
        'INTERNAL',
        'An unexpected error. If it persists, give the operator the value of x-request-id.',
      ),
    )
    expect(test.alarms).toEqual([expect.stringContaining('secret at 10.0.0.1')])
  })

  it('of the store behind the headers of a slow stream is an error event, not a cut', async () => {
    vi.spyOn(test.gateway.store.holds, 'refund').mockRejectedValue(new StoreUnavailable('down'))
    backend.next(hang)
    const asked = test.chat(await test.key('pro'), { stream: true })
    await backend.received(1)
    test.clock.advance(25_000)
    const response = await asked

    await backend.refuse()

    expect(await test.clock.during(eventsOf(response))).toEqual([
      JSON.stringify({
        error: {
          message: 'The gateway cannot reach its store, so it cannot check keys and limits. Retry in 2 s.',
          type: 'server_error',
          code: 'STORE_UNAVAILABLE',
        },
      }),
    ])
  })

  it('of a client that leaves while its key is looked up leaves nothing behind', async () => {
    const key = await test.key()
    const { store } = test.gateway
    const found = await store.keys.findCaller(hashOf(key))
    let find = () => {}
    const looking = new Promise<void>(resolve => {
      vi.spyOn(store.keys, 'findCaller').mockImplementation(async () => {
        resolve()
        await new Promise<void>(go => {
          find = go
        })
        return found
      })
    })
    const leaving = new AbortController()
    const asked = test.chat(key, {}, { signal: leaving.signal })
    await looking
    leaving.abort()
    await expect(asked).rejects.toThrow()
    await test.closed(1)

    find()

    expect(await test.logged(1)).toMatchObject([{ status: 499 }])
    expect(backend.requests).toEqual([])
  })

  it('by intent is a 503 for balancers', async () => {
    vi.spyOn(test.gateway.app, 'ready').mockReturnValue(false)

    expect(await told(await fetch(`${test.url}/readyz`))).toEqual(
      flat('503 DRAINING: shutting down', 'DRAINING', 'This gateway is shutting down. Retry in 1 s.', {
        'retry-after': '1',
      }),
    )
  })
})

describe('what is no request', () => {
  const get = 'GET /v1/models HTTP/1.1\r\nhost: x\r\n'
  const unfinished = 'POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n'

  const dial = () => connect(Number(new URL(test.url).port), '127.0.0.1')

  it.each([
    ['a handshake of TLS', '\u0016\u0003\u0001\u0000\u00a5\u0001', '400 VALIDATION_ERROR: the request is not valid'],
    ['a line that is no HTTP', 'HELLO\r\n\r\n', '400 VALIDATION_ERROR: the request is not valid'],
    [
      'an unknown method',
      'BREW /v1/models HTTP/1.1\r\nhost: x\r\n\r\n',
      '400 VALIDATION_ERROR: the request is not valid',
    ],
    ['a header too many', `${get}a: ${'x'.repeat(17_000)}\r\n\r\n`, '431 HEADERS_TOO_LARGE: headers too large'],
    ['no host', 'GET /v1/models HTTP/1.1\r\nconnection: close\r\n\r\n', '400 VALIDATION_ERROR: host: is required'],
    [
      'a length that is none',
      `${unfinished}content-length: x\r\n\r\n`,
      '400 VALIDATION_ERROR: the request is not valid',
    ],
  ])('%s is told in our own form, and the connection closed', async (_name, bytes, line) => {
    const socket = dial()
    socket.write(bytes, 'latin1')
    const [head = '', body = ''] = (await textOf(socket)).split('\r\n\r\n')

    const [, status, reason] = /^HTTP\/1\.1 (\d+) (.*)/.exec(head) ?? []
    expect(`${status} ${reason}`).toBe(line)
    expect(head).toMatch(/\r\nx-request-id: req_[0-9A-Z]{26}\r\n/i)
    expect(head).toMatch(/\r\naccess-control-allow-origin: \*\r\n/i)
    expect(head).toMatch(/\r\nconnection: close/i)
    const [code] = reason?.split(':') ?? []
    expect(head.toLowerCase()).toContain(`x-svc-error-code: ${code?.toLowerCase()}\r\n`)
    expect(JSON.parse(body)).toEqual({ error: expect.any(String), code })
  })

  it('a request that never ends is a 408', async () => {
    // Node looks for these on a clock of its own; the event is what it does when it finds one.
    const late = (message: unknown) => {
      const { server, request } = message as { server: Server; request: IncomingMessage }
      const error = Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
      server.emit('clientError', error, request.socket)
    }
    subscribe('http.server.request.start', late)
    const socket = dial()
    socket.write(`${unfinished}authorization: Bearer ${await test.key()}\r\ncontent-length: 9\r\n\r\n{`)

    const text = await textOf(socket)

    unsubscribe('http.server.request.start', late)
    expect(text).toMatch(/^HTTP\/1\.1 408 REQUEST_TIMEOUT: the request did not arrive in time\r\n/)
    expect(text).toMatch(
      /\{"error":"The request did not arrive in time. Send it without pauses.","code":"REQUEST_TIMEOUT"\}$/,
    )
  })

  it('bytes that follow a request are never answered in its place', async () => {
    backend.next(hang)
    const body = '{"messages":[{"role":"user","content":"Hi"}]}'
    const socket = dial()
    socket.write(
      `${unfinished}authorization: Bearer ${await test.key()}\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    )
    await backend.received(1)

    socket.write('GARBAGE\r\n\r\n')

    expect(await textOf(socket).catch(() => '')).toBe('')
  })

  it('an expectation that nobody knows does not keep a request from its answer', async () => {
    const socket = dial()
    socket.write(`${get}expect: a miracle\r\nconnection: close\r\n\r\n`)

    expect(await textOf(socket)).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
  })
})
