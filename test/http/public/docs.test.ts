import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { claudeEndpoints } from '../../../src/http/public/claude-login.ts'
import { publicEndpoints } from '../../../src/http/public/public.ts'
import { scimEndpoints } from '../../../src/http/public/scim.ts'
import { type Backend, startBackend } from '../../support/backend.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { type Exchange, violationsOf } from '../../support/openapi.ts'

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

const get = (path: string) => fetch(test.url + path)

describe('GET /docs/errors', () => {
  it('has a section for every code that the API names', async () => {
    const page = await (await get('/docs/errors')).text()
    const document = (await (await get('/openapi.json')).json()) as {
      components: { schemas: { ErrorCode: { enum: string[] } } }
    }

    const sections = [...page.matchAll(/<section id="(\w+)">/g)].map(([, code]) => code)
    expect(sections).toEqual(
      expect.arrayContaining([...document.components.schemas.ErrorCode.enum, 'UPSTREAM_INTERRUPTED']),
    )
  })

  it.each([
    ['NO_AUTH', {}],
    ['INVALID_KEY', { authorization: `Bearer svc_${'0'.repeat(40)}` }],
  ])('is where the error %s leads: to the section of its code', async (code, headers) => {
    const denied = await fetch(`${test.url}/v1/chat/completions`, { method: 'POST', headers, body: '{}' })
    const anchor = /\/docs\/errors#(\w+)/.exec(await denied.text())?.[1]

    expect(anchor).toBe(code)
    expect(await (await get('/docs/errors')).text()).toContain(`<section id="${anchor}">`)
  })

  it('explains each type of a 429 at its own anchor', async () => {
    const ofRules = ['images', 'seconds', 'spend']
    const types = [
      'requests',
      'tokens',
      'daily_limit',
      'concurrency',
      'quota_hold',
      ...ofRules,
      'session_limit',
      'guest_keys',
      'plan_limit',
    ]
    const page = await (await get('/docs/errors')).text()

    expect([...page.matchAll(/<dt id="(\w+)">/g)].map(([, type]) => type)).toEqual(types)
  })

  it('shows one error as it is answered to clients of chats, of Responses and of Messages', async () => {
    const page = await (await get('/docs/errors')).text()
    const shown = [...page.matchAll(/<dt>(\w+)<\/dt><dd>(\d+) <code>([^<]*)/g)].map(([, name, status, body]) => {
      return [name, Number(status), JSON.parse(body ?? '') as object] as const
    })
    const key = await test.key()
    const answered = async (path: string) => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      const body = { model: 'none', max_tokens: 1, input: 'Hi', messages: [{ role: 'user', content: 'Hi' }] }
      const chat = path === 'chat/completions' ? { ...body, input: undefined } : body
      return fetch(`${test.url}/v1/${path}`, { method: 'POST', headers, body: JSON.stringify(chat) })
    }
    /** The names in a body: its texts are others. */
    const shape = (body: unknown): unknown =>
      typeof body === 'object' && body ? Object.entries(body).map(([name, value]) => [name, shape(value)]) : typeof body

    expect(shown.map(([name]) => name)).toEqual(['Chats', 'Responses', 'Messages'])
    for (const [at, path] of ['chat/completions', 'responses', 'messages'].entries()) {
      const real = await answered(path)
      expect(real.status).toBe(shown[at]?.[1])
      expect(shape(await real.json())).toEqual(shape(shown[at]?.[2]))
    }
  })

  it('loads nothing and runs nothing: only its own style is allowed', async () => {
    const response = await get('/docs/errors')
    const text = await response.text()

    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const style = /<style>([\s\S]*)<\/style>/.exec(text)?.[1] ?? ''
    const hash = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(style))).toString('base64')
    expect(response.headers.get('content-security-policy')).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    )
    expect(text).not.toMatch(/<(script|link|img)| style=| src=/)
    expect(style).toContain('color-scheme:light dark')
    expect(text.length).toBeLessThan(15_000)
  })

  it('shows the links of the operator as text that cannot leave its attribute', async () => {
    const other = await startTestGateway({ onprem: [backend], yaml: 'errors: { topup: "https://x/?a=1&b=<i>" }' })

    const text = await (await fetch(`${other.url}/docs/errors`)).text()

    expect(text).toContain('href="https://x/?a=1&amp;b=&lt;i&gt;"')
    await other.close()
  })
})

describe('GET /openapi.json', () => {
  it('documents every public endpoint, and nothing else', async () => {
    const { paths } = (await (await get('/openapi.json')).json()) as { paths: Record<string, object> }

    const documented = Object.entries(paths).flatMap(([path, item]) =>
      Object.keys(item)
        .filter(name => name !== 'parameters')
        .map(method => `${method.toUpperCase()} ${path}`),
    )
    const endpoints = [...publicEndpoints, ...scimEndpoints, ...claudeEndpoints]
    expect(documented.sort()).toEqual(endpoints.map(({ method, path }) => `${method} ${path}`).sort())
  })

  it('is in the words of the deployment', async () => {
    const yaml = 'brand: acme'
    const other = await startTestGateway({ onprem: [backend], yaml })

    const text = await (await fetch(`${other.url}/openapi.json`)).text()

    expect(JSON.parse(text)).toMatchObject({ openapi: '3.1.0', servers: [{ url: 'http://localhost' }] })
    expect(text).toContain('"x-acme-upstream"')
    expect(text).toContain('`acme_`')
    expect(text).not.toContain('x-svc-')
    await other.close()
  })

  it('has no reference that leads nowhere', async () => {
    const document = (await (await get('/openapi.json')).json()) as object
    const references = JSON.stringify(document).match(/"#\/[^"]+"/g) ?? []

    expect(references.length).toBeGreaterThan(100)
    for (const reference of references) {
      const target = reference
        .slice(3, -1)
        .split('/')
        .reduce<unknown>((here, step) => (here as Record<string, unknown> | undefined)?.[step], document)
      expect(target, reference).toBeDefined()
    }
  })
})

describe('the document is enforced:', () => {
  const headers = {
    'x-request-id': `req_${'0'.repeat(26)}`,
    'access-control-allow-origin': '*',
    'content-type': 'application/json',
  }
  const refused = { ...headers, 'x-svc-error-code': 'NOT_FOUND' }
  const missing = Buffer.from('{"error":"No.","code":"NOT_FOUND"}')
  const exchange = {
    method: 'GET',
    path: '/v1/models/x',
    requestBody: Buffer.alloc(0),
    status: 404,
    headers: refused,
    body: missing,
    complete: true,
  }
  const served = {
    ...headers,
    'x-svc-upstream': 'onprem',
    'x-svc-quota-plan': 'free',
    'x-svc-quota-used': '0',
    'x-svc-quota-limit': '1',
    'x-svc-quota-reset': '2026-12-01T00:00:00.000Z',
  }
  const events = { ...served, 'content-type': 'text/event-stream; charset=utf-8' }
  const stream = { method: 'POST', path: '/v1/chat/completions', status: 200, headers: events }
  const chat = Buffer.from('{"messages":[{"role":"user","content":"Hi"}]}')

  it('an exchange that it describes is fine', () => {
    const text = ': keep-alive\n\ndata: {"error":{"message":"No.","type":"server_error","code":"INTERNAL"}}\n\n'

    expect(violationsOf(exchange)).toEqual([])
    expect(violationsOf({ ...exchange, path: '/nothing' })).toEqual([])
    expect(violationsOf({ ...exchange, ...stream, requestBody: chat, body: Buffer.from(text) })).toEqual([])
  })

  it.each<[string, Partial<Exchange>, RegExp]>([
    ['another status', { status: 403 }, /answers 403/],
    ['anything but a 404 elsewhere', { path: '/nothing', status: 200 }, /answers 200/],
    ['another media type', { headers: { ...refused, 'content-type': 'text/html' } }, /text\/html/],
    ['a header left out', { headers }, /x-svc-error-code/],
    ['a header of ours that it does not name', { headers: { ...refused, 'x-svc-new': '1' } }, /x-svc-new/],
    ['a header of another form', { headers: { ...refused, 'x-request-id': '1' } }, /x-request-id.*pattern/],
    ['another field in a body of ours', { body: Buffer.from('{"error":"","code":"NOT_FOUND","a":1}') }, /"a"/],
    ['the code of another status', { body: Buffer.from('{"error":"No.","code":"INTERNAL"}') }, /NOT_FOUND/],
    ['a body that is no JSON', { body: Buffer.from('<p>') }, /SyntaxError/],
    ['a request that it forbids', { ...stream, requestBody: Buffer.from('{}') }, /accepted request.*messages/],
    ['a chunk of another form', { ...stream, requestBody: chat, body: Buffer.from('data: {}\n\n') }, /event 0/],
    [
      'an event after the marker',
      { ...stream, requestBody: chat, body: Buffer.from('data: [DONE]\n\ndata: [DONE]\n\n') },
      /more follows/,
    ],
    [
      'a stream without an end',
      { ...stream, requestBody: chat, body: Buffer.from(': keep-alive\n\n') },
      /neither the marker nor an error/,
    ],
  ])('%s fails the test', (_name, change, fault) => {
    expect(violationsOf({ ...exchange, ...change }).join('\n')).toMatch(fault)
  })

  it('a gateway that breaks it cannot be closed without the test failing', async () => {
    const other = await startTestGateway({ onprem: [backend] })
    Object.assign(other.gateway.app, { loadedAt: -1000 })

    await (await fetch(`${other.url}/v1/models/svc-core`)).text()

    await expect(other.close()).rejects.toThrow(/GET \/v1\/models\/svc-core 200 OK: body \/created must be >= 0/)
  })
})
