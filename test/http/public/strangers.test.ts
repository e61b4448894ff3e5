import { once } from 'node:events'
import { request as send } from 'node:http'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hashOf } from '../../../src/gateway/accounts/keys.ts'
import { endpointsOf } from '../../../src/http/listener/family.ts'
import { READ_RATES } from '../../../src/http/listener/read-limits.ts'
import { clientFamily } from '../../../src/http/public/public.ts'
import { type Backend, startBackend } from '../../support/backend.ts'
import { ADMIN_TOKEN, AUDIENCE, startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { type OidcServer, startOidc } from '../../support/identity/oidc.ts'

const WRONG = `svc_${'A'.repeat(42)}`
const ROUTES = `
models:
  svc-rank: { kind: passthrough, tier: guest, serve: [onprem], usd_per_1m: { input: 2, output: 10 } }
passthrough:
  - { path: /v1/rerank, methods: [POST], model: svc-rank, meter: { usage: { max_input: 2k, max_output: 100 } } }
  - { path: /v1/live, methods: [GET], model: svc-rank, upgrade: websocket, meter: { usd_per_call: 0.005 } }
`

let backend: Backend
let oidc: OidcServer
let test: TestGateway
beforeEach(async () => {
  backend = await startBackend()
  oidc = await startOidc({ audience: AUDIENCE, users: { ada: { plan: 'free' } } })
  test = await startTestGateway({
    onprem: [backend],
    oidc,
    trustedProxies: ['127.0.0.1'],
    yaml: 'include: [routes.yaml]',
    files: { 'routes.yaml': ROUTES },
  })
})
afterEach(async () => {
  await test.close()
  await Promise.all([backend.close(), oidc.stop()])
})

interface Asked {
  readonly method: string
  readonly path: string
  readonly token?: string | undefined
  readonly address?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Asks through a proxy that says where the client is. */
async function ask({ method, path, token, address = '10.0.0.1', headers }: Asked): Promise<Response> {
  return fetch(test.url + path, {
    method,
    headers: {
      'x-forwarded-for': address,
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(method === 'POST' && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(method === 'POST' && { body: '{}' }),
  })
}

/** Takes all that an address has left, and says how much that was. */
function exhaust(reader: 'address' | 'preflights', address = '10.0.0.1'): number {
  for (let taken = 0; ; taken++) if (test.gateway.app.reads.take(reader, address) > 0) return taken
}

const wrongKey: Asked = { method: 'GET', path: '/v1/account', token: WRONG }
const unknownPath: Asked = { method: 'GET', path: '/v1/nothing' }
const wrongMethod: Asked = { method: 'DELETE', path: '/v1/models' }
const preflight: Asked = {
  method: 'OPTIONS',
  path: '/v1/chat/completions',
  headers: { origin: 'https://app.example', 'access-control-request-method': 'POST' },
}

/** Every endpoint that needs a key or a sign-in, also those of the files. */
const guarded = () =>
  endpointsOf(test.gateway.app, clientFamily).flatMap(({ method, path, who }) =>
    who === 'anyone' ? [] : [{ method, path: path.replace('{id}', 'x') }],
  )

const isLimited = async (asked: Asked) => {
  const response = await ask(asked)
  const name = `${asked.method} ${asked.path}`
  expect([name, response.status]).toEqual([name, 429])
  expect(response.headers.get('x-svc-error-code')).toBe('rate_limit_exceeded')
  expect(Number(response.headers.get('retry-after'))).toBe(1)
}

async function metric(name: string): Promise<Record<string, number>> {
  const scraped = await fetch(`${test.admin}/metrics`, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } })
  const lines = (await scraped.text()).split('\n').filter(line => line.startsWith(`${name}{`))
  return Object.fromEntries(lines.map(line => line.slice(name.length).split(' ')).map(([at, n]) => [at, Number(n)]))
}

describe('an address from which no valid key comes', () => {
  it.each([
    ['a wrong key', WRONG],
    ['a forged token', 'eyJhbGciOiJSUzI1NiJ9.e30.c2ln'],
    ['no key', undefined],
  ])('is 429 at every endpoint that needs one, after a burst, with %s', async (_, token) => {
    expect((await ask({ ...wrongKey, token })).status).toBe(401)
    expect(exhaust('address')).toBe(READ_RATES.address.burst - 1)
    expect(guarded().length).toBeGreaterThan(15)
    for (const endpoint of guarded()) await isLimited({ ...endpoint, token })

    test.clock.advance(200)
    expect([(await ask({ ...wrongKey, token })).status, (await ask({ ...wrongKey, token })).status]).toEqual([401, 429])
  })

  it('is 429 at paths that are not served, and for methods that they do not take', async () => {
    expect((await ask(unknownPath)).status).toBe(404)
    expect((await ask(wrongMethod)).status).toBe(405)
    expect(exhaust('address')).toBe(READ_RATES.address.burst - 2)
    await isLimited(unknownPath)
    await isLimited(wrongMethod)
    await isLimited({ method: 'OPTIONS', path: '/v1/nothing' })
  })

  it('is 429 where it opens a WebSocket', async () => {
    exhaust('address')
    const upgrade = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' }
    const headers = { ...upgrade, 'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==', 'x-forwarded-for': '10.0.0.1' }
    const sent = send(`${test.url}/v1/live`, { headers: { ...headers, authorization: `Bearer ${WRONG}` } }).end()
    const [response] = await once(sent, 'response')
    response.resume()

    expect(response.statusCode).toBe(429)
  })

  it('takes nothing from another address, and probes are answered', async () => {
    exhaust('address')

    expect((await ask({ ...wrongKey, address: '10.0.0.2' })).status).toBe(401)
    expect((await ask({ method: 'GET', path: '/readyz' })).status).toBe(200)
  })
})

describe('a customer behind the address of an attacker', () => {
  it('is served with a right key, also one that the gateway has not seen before', async () => {
    exhaust('address')
    const key = await test.key('pro')
    const { accessToken } = await oidc.signIn('ada')

    const chat = await fetch(`${test.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'x-forwarded-for': '10.0.0.1' },
      body: JSON.stringify({ max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] }),
    })
    expect(chat.status).toBe(200)
    expect((await ask({ method: 'GET', path: '/v1/account', token: key })).status).toBe(200)
    expect((await ask({ method: 'GET', path: '/v1/account', token: accessToken })).status).toBe(200)
    expect((await ask({ method: 'GET', path: '/v1/models', token: key })).status).toBe(200)
  })

  it('hears that a path is not served, at the rate of its key', async () => {
    exhaust('address')
    const { reads } = test.gateway.app
    const key = await test.key('pro')

    expect((await ask({ ...unknownPath, token: key })).status).toBe(404)
    let left = 0
    while (reads.take('key', hashOf(key)) === 0) left++
    expect(left).toBe(READ_RATES.key.burst - 1)
    await isLimited({ ...unknownPath, token: key })
  })

  it('has pages that ask what they may send, whatever else comes from there', async () => {
    exhaust('address')
    expect((await ask(preflight)).status).toBe(204)
    expect(exhaust('preflights')).toBe(READ_RATES.preflights.burst - 1)
    await isLimited(preflight)

    test.clock.advance(20)
    expect((await ask(preflight)).status).toBe(204)
  })

  it('is served beside preflights without a pause', async () => {
    exhaust('preflights')
    const key = await test.key('pro')

    expect((await ask({ method: 'GET', path: '/v1/account', token: key })).status).toBe(200)
    expect((await ask(unknownPath)).status).toBe(404)
  })
})

it('what strangers ask stands in metrics, by what it was and what became of it', async () => {
  await ask(wrongKey)
  exhaust('address')
  await ask(wrongKey)
  await ask(unknownPath)
  test.clock.advance(200)
  await ask(unknownPath)
  await ask(preflight)
  exhaust('preflights')
  await ask(preflight)
  await ask({ method: 'GET', path: '/v1/account', token: await test.key('pro') })

  expect(await metric('svc_strangers_total')).toEqual({
    '{request="credential",outcome="refused"}': 1,
    '{request="credential",outcome="limited"}': 1,
    '{request="path",outcome="limited"}': 1,
    '{request="path",outcome="refused"}': 1,
    '{request="preflight",outcome="served"}': 1,
    '{request="preflight",outcome="limited"}': 1,
  })
})
