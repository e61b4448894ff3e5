import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { adminEndpoints } from '../../../src/http/admin/admin.ts'
import { READ_RATES } from '../../../src/http/listener/read-limits.ts'
import { publicEndpoints } from '../../../src/http/public/public.ts'
import { type Backend, startBackend } from '../../support/backend.ts'
import { ADMIN_TOKEN, AUDIENCE, ENV, startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { type OidcServer, startOidc } from '../../support/identity/oidc.ts'

const isRead = (row: (typeof publicEndpoints)[number]) =>
  'rate' in row && (row.rate === 'reads' || row.rate === 'files')
const reads = publicEndpoints.filter(isRead)
const rowsOf = (who: string) =>
  reads.flatMap(row => (row.who === who ? [[row.method, row.path.replace('{id}', 'x')] as const] : []))

describe('every public endpoint says what bounds it:', () => {
  it('the limits of the plan, where it asks a model', () => {
    const asking = publicEndpoints.flatMap(row => ('rate' in row && row.rate === 'plan' ? [row] : []))

    expect(asking.every(row => 'admits' in row && row.admits === true)).toBe(true)
    expect(publicEndpoints.filter(row => 'admits' in row && row.admits)).toEqual(asking)
  })

  it('nothing, for the probe of balancers alone', () => {
    const free = publicEndpoints.filter(row => !isRead(row) && !('rate' in row && row.rate === 'plan'))

    expect(free.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /readyz'])
  })

  it('and on the listener of operators nothing but who may reach it', () => {
    const open = adminEndpoints.flatMap(row => ('rate' in row ? [[row.path, row.rate]] : []))

    expect(open).toEqual([
      ['/healthz', 'probe'],
      ['/readyz', 'probe'],
      ['/admin/console/session', 'operators'],
      ['/console', 'operators'],
      ['/console/{id}', 'operators'],
    ])
  })
})

let backend: Backend
let oidc: OidcServer
let test: TestGateway
beforeEach(async () => {
  backend = await startBackend()
  oidc = await startOidc({ audience: AUDIENCE, users: { ada: { plan: 'free' } } })
  test = await startTestGateway({
    onprem: [backend],
    oidc,
    guests: 'usd_per_day_total: 50',
    yaml: `responses: { keep: 1h, key: "\${RESPONSES_KEY}" }`,
    env: { ...ENV, RESPONSES_KEY: '0'.repeat(64) },
  })
})
afterEach(async () => {
  await test.close()
  await Promise.all([backend.close(), oidc.stop()])
})

const ask = async (method: string, path: string, token?: string) => {
  const response = await fetch(test.url + path, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(method === 'POST' && { 'content-type': 'application/json' }),
    },
    ...(method === 'POST' && { body: '{}' }),
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

/** Asks until nothing more is served, and says how often it was. */
async function exhaust(path: string, token?: string): Promise<number> {
  for (let served = 0; ; served++) if ((await ask('GET', path, token)).status === 429) return served
}

const limited = async (rows: readonly (readonly [string, string])[], token?: string) => {
  for (const [method, path] of rows) {
    const { status, headers, text } = await ask(method, path, token)
    expect([`${method} ${path}`, status]).toEqual([`${method} ${path}`, 429])
    expect(headers.get('x-svc-error-code')).toBe('rate_limit_exceeded')
    expect(Number(headers.get('retry-after'))).toBe(1)
    const { error, type } = JSON.parse(text)
    // Each dialect has a form of its own.
    if (path.startsWith('/v1/messages')) expect([type, error.type]).toEqual(['error', 'rate_limit_error'])
    else
      expect([error.code, error.message]).toEqual([
        'rate_limit_exceeded',
        expect.stringContaining('requests per second'),
      ])
  }
}

describe('a client that reads without a pause', () => {
  it('is refused at every endpoint for keys once its key has no reads left, and others are not', async () => {
    const [key, other] = [await test.key('pro'), await test.key('pro', 'bob')]

    expect(await exhaust('/v1/account', key)).toBe(READ_RATES.key.burst)
    await limited(rowsOf('caller'), key)
    expect((await ask('GET', '/v1/account', other)).status).toBe(200)
    test.clock.advance(50)
    expect([(await ask('GET', '/v1/account', key)).status, (await ask('GET', '/v1/account', key)).status]).toEqual([
      200, 429,
    ])
    expect((await test.chat(key)).status).toBe(200)
  })

  it('with a sign-in is refused at every endpoint for keys of developers', async () => {
    const { accessToken } = await oidc.signIn('ada')

    expect(await exhaust('/v1/keys/developer', accessToken)).toBe(READ_RATES.key.burst)
    await limited(rowsOf('signed-in'), accessToken)
  })

  it('without a key is refused at every endpoint for anyone, and probes are not', async () => {
    expect(await exhaust('/docs/errors.json')).toBe(READ_RATES.address.burst)
    await limited(rowsOf('anyone').filter(([, path]) => !path.startsWith('/console')))
    await limited(rowsOf('person'), (await oidc.signIn('ada')).accessToken)
    expect((await ask('GET', '/console')).status).not.toBe(429)
    for (let i = 0; i < 100; i++) expect((await ask('GET', '/readyz')).status).toBe(200)
    test.clock.advance(200)
    expect((await ask('GET', '/v1/models')).status).toBe(200)
  })

  it('has the reads of its key where its address has none left', async () => {
    const key = await test.key('pro')
    await exhaust('/v1/models')

    expect(await exhaust('/v1/models', key)).toBe(READ_RATES.key.burst)
    expect((await ask('GET', '/v1/models', `svc_${'A'.repeat(42)}`)).status).toBe(429)
  })

  it('as a guest shares its reads with the other guests of its address', async () => {
    const mint = async (device_id: string) => {
      const response = await fetch(`${test.url}/v1/keys/guest`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ device_id }),
      })
      return ((await response.json()) as { key: string }).key
    }
    const [one, two] = [await mint('one'), await mint('two')]

    expect(await exhaust('/v1/account', one)).toBe(READ_RATES.guests.burst)
    expect((await ask('GET', '/v1/account', two)).status).toBe(429)
  })

  it('loads a page of the console with all that it asks at once', async () => {
    const key = await test.key('pro')
    const page = ['/v1/account', '/v1/requests', '/billing/quota', '/billing/usage', '/v1/models', '/docs/errors.json']
    const all = await Promise.all(page.flatMap(path => [1, 2, 3].map(() => ask('GET', path, key))))

    expect(all.map(({ status }) => status)).toEqual(all.map(() => 200))
  })
})

describe('reads in metrics', () => {
  it('are counted by route and outcome, each once', async () => {
    const key = await test.key('pro')
    await exhaust('/v1/account', key)
    await ask('GET', '/v1/models/none')
    await ask('GET', '/v1/account')
    const scraped = await fetch(`${test.admin}/metrics`, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } })
    const lines = (await scraped.text()).split('\n').filter(line => line.startsWith('svc_reads_total{'))
    const sums = lines.map(line => /route="(.*)",outcome="(.*)"\} (\d+)/.exec(line)?.slice(1))

    expect(sums).toEqual(
      expect.arrayContaining([
        ['GET /v1/account', 'served', String(READ_RATES.key.burst)],
        ['GET /v1/account', 'limited', '1'],
        ['GET /v1/account', 'refused', '1'],
        ['GET /v1/models/{id}', 'refused', '1'],
      ]),
    )
  })
})

describe('GET /openapi.json', () => {
  it('is compressed for who takes that, the same bytes each time, and says the same', async () => {
    const get = async (coding: string) => {
      const response = await fetch(`${test.url}/openapi.json`, { headers: { 'accept-encoding': coding } })
      return {
        coding: response.headers.get('content-encoding'),
        vary: response.headers.get('vary'),
        text: await response.text(),
      }
    }
    const [plain, gzip, br] = [await get('identity'), await get('gzip'), await get('gzip, br')]

    expect([plain, gzip, br].map(({ coding }) => coding)).toEqual([null, 'gzip', 'br'])
    expect([plain, gzip, br].map(({ vary }) => vary)).toEqual(Array(3).fill('accept-encoding'))
    expect([gzip.text, br.text]).toEqual([plain.text, plain.text])
  })
})
