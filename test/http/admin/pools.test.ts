import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ShownPool } from '../../../src/wire/admin/pool.ts'
import { json, status } from '../../support/backend.ts'
import { ADMIN_TOKEN } from '../../support/gateway.ts'
import { heldStream, reading } from '../../support/held.ts'
import { Failover, fine } from '../failover/fixture.ts'

let site: Failover
afterEach(() => site.close())

const start = async (fields: { onprem?: string; cloud?: string } = {}) => {
  site = await Failover.start({ fields })
  site.everyOnprem(fine)
  site.cloud.always(fine)
}

type Answer = Readonly<Record<string, unknown>>

async function send(path: string, body?: object, token = ADMIN_TOKEN): Promise<{ status: number; body: Answer }> {
  const response = await fetch(`${site.test.admin}/admin/${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: (await response.json()) as Answer }
}

async function did(path: string, body?: object): Promise<Answer> {
  const answered = await send(path, body)
  expect(answered).toMatchObject({ status: 200 })
  return answered.body
}

async function pool(name: string): Promise<Answer> {
  const { data } = await did('pools')
  const found = (data as readonly Answer[]).find(each => each.pool === name)
  if (!found) throw new Error(`no pool ${name}`)
  return found
}

const states = async (name: string) => ((await pool(name)).replicas as readonly Answer[]).map(({ state }) => state)
const upstream = async () => (await site.chat()).headers.get('x-svc-upstream')
const urls = () => site.onprem.map(({ url }) => url)

it.each([
  ['GET', 'pools'],
  ['POST', 'pools/drain'],
  ['POST', 'pools/undrain'],
  ['POST', 'pools/probe'],
])('%s /admin/%s is for operators, on the admin listener alone', async (method, path) => {
  await start()
  const body = method === 'POST' ? { pool: 'onprem' } : undefined

  expect(await send(path, body, site.key)).toMatchObject({ status: 401, body: { code: 'INVALID_TOKEN' } })
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` }
  expect((await fetch(`${site.test.url}/admin/${path}`, { method, headers })).status).toBe(404)
  expect(await upstream()).toBe('onprem')
})

describe('GET /admin/pools', () => {
  it('tells before the first request that a pool keeps no accounts apart, and of each replica what it found since', async () => {
    await start()
    expect(await pool('onprem')).toMatchObject({
      caching: { caches: 'account', isolated: false, prompt_tokens: 0, cached_tokens: 0, expected_tokens: 0 },
      replicas: expect.not.arrayContaining([expect.objectContaining({ caching: expect.anything() })]),
    })

    await site.chat()
    const { caching, replicas } = (await pool('onprem')) as unknown as ShownPool
    const counted = replicas.flatMap(each => each.caching ?? [])
    expect(counted).toEqual([{ prompt_tokens: caching?.prompt_tokens, cached_tokens: 0 }])
    expect(counted[0]?.prompt_tokens).toBeGreaterThan(0)
  })

  it('tells what is declared and what is known of it', async () => {
    await start({ onprem: 'max_concurrent: 7, max_usd_per_hour: 5' })
    const stream = heldStream()
    site.everyOnprem(stream.behaviour)
    const read = reading(await site.chat(true))
    await read.until('Hello')

    const shown = await pool('onprem')
    expect(shown).toMatchObject({
      site: 'on-premises',
      model: 'test-model',
      models: ['svc-core', 'svc-ultra-pro', 'svc-embed', 'svc-image'],
      drained: false,
      in_flight: 1,
      waiting: 0,
      max_concurrent: 7,
      hour_usd: expect.stringMatching(/^0\.00\d+$/),
      max_usd_per_hour: '5',
      requests_10s: 1,
      retries_10s: 0,
    })
    const idle = { state: 'closed', failures: 0, retry_in_ms: 0, last_probe: null }
    const [first, second] = shown.replicas as readonly Answer[]
    expect([first, second]).toMatchObject(urls().map((url, index) => ({ replica: index + 1, url, ...idle })))
    expect([first?.in_flight, second?.in_flight].sort()).toEqual([0, 1])
    expect(await pool('cloud')).toMatchObject({ site: 'cloud', max_concurrent: null, hour_usd: null })
    stream.letGo()
    await read.rest()
  })

  it('tells who is left out, who is being tried, and who asked for a pause, and for how long', async () => {
    await start()
    const { clock } = site.test
    site.breaker('onprem', 0).open(clock.now(), 5000)
    site.test.gateway.app.pools.of('onprem').replica(site.onprem[1].url).cool(clock.now(), { time: 3000, asked: true })
    clock.advance(1000)
    expect((await pool('onprem')).replicas).toMatchObject([
      { state: 'open', retry_in_ms: 4000 },
      { state: 'cooling', retry_in_ms: 2000 },
    ])
    clock.advance(4000)

    expect((await pool('onprem')).replicas).toMatchObject([
      { state: 'half-open', retry_in_ms: 0 },
      { state: 'closed', retry_in_ms: 0 },
    ])
  })

  it('counts failures in a row and second attempts', async () => {
    await start()
    site.everyOnprem(status(503))
    await upstream()

    const shown = await pool('onprem')
    expect(shown).toMatchObject({ requests_10s: 1, retries_10s: 1 })
    expect(shown.replicas).toMatchObject([{ failures: 1 }, { failures: 1 }])
  })
})

describe('a drained pool', () => {
  it('lets a stream that is under way finish, while new requests go elsewhere', async () => {
    await start()
    const stream = heldStream()
    site.everyOnprem(stream.behaviour)
    const read = reading(await site.chat(true))
    await read.until('Hello')

    expect(await did('pools/drain', { pool: 'onprem' })).toMatchObject({
      pool: 'onprem',
      drained: true,
      in_flight: 1,
      note: expect.stringMatching(/all gateways on the store.*survives restarts/),
    })
    for (let n = 0; n < 5; n++) expect(await upstream()).toBe('cloud')
    stream.letGo()

    expect((await read.rest()).endsWith('data: [DONE]\n\n')).toBe(true)
    expect(await states('onprem')).toEqual(['drained', 'drained'])
    await site.test.logged(6)
    expect(await pool('onprem')).toMatchObject({ in_flight: 0 })
  })

  it('is back when it is undrained', async () => {
    await start()
    await did('pools/drain', { pool: 'onprem' })
    expect(await upstream()).toBe('cloud')

    expect(await did('pools/undrain', { pool: 'onprem' })).toMatchObject({ drained: false })
    expect(await upstream()).toBe('onprem')
  })

  it('stays drained over a reload', async () => {
    await start()
    await did('pools/drain', { pool: 'onprem' })
    expect(await site.test.reload({}, yaml => `${yaml}# changed\n`)).toMatchObject({ changed: true })

    expect(await pool('onprem')).toMatchObject({ drained: true })
    expect(await upstream()).toBe('cloud')
  })

  it('is told of in the log once, with who did it', async () => {
    await start()
    for (let n = 0; n < 3; n++) await did('pools/drain', { pool: 'onprem' })

    expect(site.test.alarms).toEqual(['an operator drained the pool onprem {"by":"operator"}'])
  })

  it('with every other is a 503 that names them', async () => {
    await start()
    for (const name of ['onprem', 'cloud']) await did('pools/drain', { pool: name })

    const response = await site.chat()

    expect(response.status).toBe(503)
    expect(await response.json()).toMatchObject({ code: 'UPSTREAMS_EXHAUSTED', attempted: ['onprem', 'cloud'] })
    expect(site.calls).toEqual([0, 0])
  })
})

describe('a drained replica', () => {
  it.each([
    ['its number', () => 1],
    ['its URL', () => site.onprem[0].url],
    ['its URL with a slash', () => `${site.onprem[0].url}/`],
  ])('named by %s gets no requests, the others of its pool do', async (_, named) => {
    await start()
    await did('pools/drain', { pool: 'onprem', replica: named() })
    for (let n = 0; n < 10; n++) expect(await upstream()).toBe('onprem')

    expect(site.onprem.map(({ requests }) => requests.length)).toEqual([0, 10])
    expect(await states('onprem')).toEqual(['drained', 'closed'])
    await did('pools/undrain', { pool: 'onprem', replica: named() })
    expect(await states('onprem')).toEqual(['closed', 'closed'])
  })

  it('stays drained when its pool is drained and undrained', async () => {
    await start()
    await did('pools/drain', { pool: 'onprem', replica: 2 })
    await did('pools/drain', { pool: 'onprem' })
    await did('pools/undrain', { pool: 'onprem' })

    expect(await states('onprem')).toEqual(['closed', 'drained'])
  })
})

it.each([
  ['drain', {}, 'pool: is required'],
  ['drain', { pool: 'nowhere' }, 'pool: no such pool `nowhere`; there are onprem, cloud'],
  ['undrain', { pool: 'nowhere' }, 'there are onprem, cloud'],
  ['drain', { pool: 'onprem', replica: 3 }, 'replica: no such replica `3` in onprem; there are 1 (http://'],
  ['drain', { pool: 'onprem', replica: 0 }, 'replica: must be at least 1'],
  ['drain', { pool: 'onprem', replica: 1.5 }, 'replica: must be'],
  [
    'undrain',
    { pool: 'onprem', replica: 'http://x/v1' },
    'no such replica `http://x/v1` in onprem; there are 1 (http://',
  ],
  ['probe', { replica: 1 }, 'pool'],
  ['probe', { pool: 'nowhere' }, 'there are onprem, cloud'],
  ['drain', { pool: 'onprem', force: true }, 'force: is not accepted'],
])('POST /admin/pools/%s %j is a 400 that says what there is', async (path, body, words) => {
  await start()

  const answered = await send(`pools/${path}`, body)

  expect(answered).toMatchObject({
    status: 400,
    body: { code: 'VALIDATION_ERROR', error: expect.stringContaining(words) },
  })
  expect(await states('onprem')).toEqual(['closed', 'closed'])
})

describe('POST /admin/pools/probe', () => {
  beforeEach(() => start({ onprem: 'probe: { path: /up }' }))

  it('asks every replica now, at the path of its probe or for its models', async () => {
    site.onprem[1].probed(status(503))
    const answer = await did('pools/probe', {})

    const [one, two] = urls()
    expect(answer).toMatchObject({
      ok: false,
      data: [
        { pool: 'onprem', replica: 1, url: one, ok: true, status: 200, error: null, ms: expect.any(Number) },
        { pool: 'onprem', replica: 2, url: two, ok: false, status: 503, error: 'status 503' },
        { pool: 'cloud', replica: 1, url: site.cloud.url, ok: true, status: 200, error: null },
      ],
    })
    expect(site.onprem[0].probes.map(({ path }) => path)).toEqual(['/up'])
    expect(site.cloud.probes).toMatchObject([
      { path: '/v1/models', headers: { authorization: 'Bearer sk-cloud-secret-1234' } },
    ])
    const shown = (await pool('onprem')).replicas as readonly Answer[]
    expect(shown.map(each => (each.last_probe as Answer).ok)).toEqual([true, false])
  })

  it('asks one replica, or those of one pool', async () => {
    const of = async (body: object) =>
      ((await did('pools/probe', body)).data as readonly Answer[]).map(each => [each.pool, each.replica])

    expect(await of({ pool: 'onprem', replica: 2 })).toEqual([['onprem', 2]])
    expect(await of({ pool: 'onprem', replica: site.onprem[0].url })).toEqual([['onprem', 1]])
    expect(await of({ pool: 'cloud' })).toEqual([['cloud', 1]])
  })

  it('that is answered lets a request try at once what was left out', async () => {
    site.breaker('onprem', 0).open(site.test.clock.now(), 60_000)
    expect(await states('onprem')).toEqual(['open', 'closed'])
    await did('pools/probe', { pool: 'onprem' })

    expect(await states('onprem')).toEqual(['half-open', 'closed'])
    while ((await states('onprem'))[0] !== 'closed') await upstream()
    expect(site.calls[1]).toBe(0)
  })

  it('that fails is told and leaves nobody out, however often', async () => {
    await site.onprem[0].refuse()
    for (let n = 0; n < 3; n++) {
      const { ok, data } = await did('pools/probe', { pool: 'onprem', replica: 1 })
      expect(ok).toBe(false)
      expect(data).toMatchObject([{ ok: false, status: null, error: 'ECONNREFUSED' }])
    }

    expect(await states('onprem')).toEqual(['closed', 'closed'])
  })

  it('undrains nothing', async () => {
    site.onprem[0].probed(json({}))
    await did('pools/drain', { pool: 'onprem', replica: 1 })
    await did('pools/probe', { pool: 'onprem' })

    expect(await states('onprem')).toEqual(['drained', 'closed'])
  })
})
