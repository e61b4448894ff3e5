import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Backend, startBackend } from '../../support/backend.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { talk } from '../../support/raw.ts'

let backend: Backend
let test: TestGateway

beforeAll(async () => {
  backend = await startBackend()
  test = await startTestGateway({ onprem: [backend] })
})

afterAll(async () => {
  await test.close()
  await backend.close()
})

// Each finds its address with all that it may ask without a key.
beforeEach(() => test.clock.advance(10_000))

/** No client of HTTP may tidy the path up. */
async function ask(line: string): Promise<{ status: number | undefined; headers: object; body: string }> {
  const { answers } = await talk(test.gateway.listen.port, { bytes: `${line} HTTP/1.1\r\nHost: x\r\n\r\n` })
  const [answer] = answers
  return { status: answer?.status, headers: answer?.headers ?? {}, body: answer?.body ?? '' }
}

describe('a path is one only by the letter:', () => {
  it.each([
    '//v1/models',
    '/v1//models',
    '/v1/models/',
    '/v1/models//',
    '/v1/./models',
    '/v1/x/../models',
    '/v1/models/../models',
    '/../v1/models',
    '/v1%2fmodels',
    '/v1%2Fmodels',
    '/v1/%6dodels',
    '/%2e/v1/models',
    '/V1/models',
    '/v1/Models',
    '/v1/models;x',
    '/v1;x/models',
    '/v1/models%20',
    '/v1/models%00',
    '/v1/models&a=b',
    '/v1/models/a/b',
    '/v1/keys/developer/',
    '/v1/chat/completions/',
    '/v1/chat/completions/../../models',
    '/admin/keys',
    '/admin/usage',
    '/healthz',
    '/docs/errors/../../../etc/passwd',
    '/openapi.json/',
    '/.git/config',
    '/constructor',
    '/__proto__',
  ])('%s is a 404', async path => {
    const { status, body } = await ask(`GET ${path}`)

    expect([status, JSON.parse(body)]).toEqual([404, { error: expect.any(String), code: 'NOT_FOUND' }])
  })

  it.each(['/v1/models', '/v1/models?', '/v1/models?x=//../%2f;y', '/v1/models/svc-auto?x'])(
    '%s is served',
    async path => {
      expect((await ask(`GET ${path}`)).status).toBe(200)
    },
  )
})

describe('GET /v1/models/{id}', () => {
  it.each([
    '__proto__',
    'constructor',
    'hasOwnProperty',
    'toString',
    '..',
    '.',
    '%2e%2e',
    '%00',
    '%0d%0aX:%20y',
    'svc-core%20',
    'SVC-CORE',
    'svc-core;x',
    'svc%252dcore',
    '<script>',
    '$%7bx%7d',
    "'OR'1'='1",
    'x'.repeat(10_000),
  ])('knows no model %s', async id => {
    const { status, body } = await ask(`GET /v1/models/${id}`)

    expect([status, JSON.parse(body)]).toEqual([404, { error: expect.any(String), code: 'NOT_FOUND' }])
  })
})

describe('a method that a path does not take', () => {
  it.each([
    ['HEAD /v1/chat/completions', 'POST'],
    ['HEAD /v1/keys/guest', 'POST'],
    ['TRACE /v1/models', 'GET'],
    ['PUT /v1/keys/developer', 'GET, POST'],
    ['M-SEARCH /v1/models', 'GET'],
    ['PURGE /v1/models', 'GET'],
  ])('%s is a 405', async (line, allow) => {
    const bytes = `${line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`

    const { answers, rest } = await talk(test.gateway.listen.port, { bytes })

    const text = answers[0] ? JSON.stringify(answers[0].headers) : rest
    expect(text).toContain('METHOD_NOT_ALLOWED')
    expect(text).toContain(allow)
  })

  it('OPTIONS is answered without a body on every path there is, and nowhere else', async () => {
    expect(await ask('OPTIONS /v1/chat/completions')).toMatchObject({ status: 204, body: '' })
    expect(await ask('OPTIONS /v1/models/x')).toMatchObject({ status: 204, body: '' })
    expect(await ask('OPTIONS /nothing')).toMatchObject({ status: 404 })
  })

  it('HEAD is GET without its body', async () => {
    const bytes = 'HEAD /v1/models HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'

    const { rest } = await talk(test.gateway.listen.port, { bytes })

    expect(rest).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(rest.endsWith('\r\n\r\n')).toBe(true)
  })
})
