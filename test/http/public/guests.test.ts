import { afterEach, beforeEach, expect, it } from 'vitest'
import { hashOf } from '../../../src/gateway/accounts/keys.ts'
import { inNpmTest } from '../../lanes/lane.ts'
import { type Backend, hang, startBackend } from '../../support/backend.ts'
import { GUEST_SECRET, startTestGateway, type TestGateway, type TestPools } from '../../support/gateway.ts'
import { describeRedis, useRedis } from '../../support/redis/redis.ts'
import { codeOf, fieldOf, outcomeOf, type Sent, send, type Told } from '../calls.ts'

const GUEST = 'POST /v1/keys/guest'
const CHAT = 'POST /v1/chat/completions'
const ROOM = 'mint_per_ip_hour: 3, mint_per_net_hour: 5, usd_per_day_total: 50'
const hello = { messages: [{ role: 'user', content: 'Hello' }], max_tokens: 10 }

let backend: Backend
let test: TestGateway
let answers: Told[]

beforeEach(async () => {
  backend = await startBackend()
  answers = []
})

afterEach(async () => {
  await test.close()
  await backend.close()
})

const start = async (pools: Partial<TestPools> = {}) => {
  test = await startTestGateway({ onprem: [backend], guests: ROOM, ...pools })
}
async function ask(endpoint: string, sent: Sent = {}): Promise<Told> {
  const told = await send(test, endpoint, sent)
  answers.push(told)
  return told
}
const mint = (deviceId: unknown, headers: Record<string, string> = {}) =>
  ask(GUEST, { body: { device_id: deviceId }, headers })
const keyOf = async (deviceId: string) => fieldOf(await mint(deviceId), 'key')
const chat = (token: string, body: object = {}) => ask(CHAT, { token, body: { ...hello, ...body } })

inNpmTest.describe('a device', () => {
  it('without a key gets one, whole, with its plan and its cap of the day, and may use it', async () => {
    await start()

    const told = await mint('device-1')

    expect(told.status).toBe(200)
    expect(told.body).toEqual({
      key: expect.stringMatching(/^svc_[0-9A-Za-z]{42}$/),
      plan: 'guest-device',
      rate_limit_per_day: 5,
    })
    expect(told.headers['cache-control']).toBe('no-store')
    expect((await chat(fieldOf(told, 'key'))).headers).toMatchObject({ 'x-svc-quota-plan': 'guest-device' })
  })

  it('with a key gets the same one, also after a restart', async () => {
    await start()
    const first = await mint('device-1')

    expect((await mint('device-1')).body).toEqual(first.body)
    test = await test.restart()
    expect((await mint('device-1')).body).toEqual(first.body)
    expect((await chat(fieldOf(first, 'key'))).status).toBe(200)
  })

  it('that asks eight times at once has one key', async () => {
    await start({ guests: 'mint_per_ip_hour: 100, usd_per_day_total: 50' })

    const told = await Promise.all(Array.from({ length: 8 }, () => mint('device-1')))

    expect(new Set(told.map(({ text }) => text)).size).toBe(1)
    expect(await test.gateway.store.keys.list()).toHaveLength(1)
  })

  it('needs no authentication, and what is sent as such is not looked at', async () => {
    await start()

    expect((await mint('device-1', { authorization: 'Bearer svc_revoked' })).status).toBe(200)
  })

  it('whose key an operator revoked is refused, for good', async () => {
    await start()
    const key = await keyOf('device-1')
    await test.gateway.store.keys.revoke({ hash: hashOf(key), by: 'operator' })

    expect(outcomeOf(await mint('device-1'))).toBe('401 INVALID_KEY')
    expect(outcomeOf(await chat(key))).toBe('401 INVALID_KEY')
    expect((await mint('device-2')).status).toBe(200)
  })

  it('reads its own quota', async () => {
    await start()
    const key = await keyOf('device-1')
    await chat(key)

    expect((await ask('GET /billing/quota', { token: key })).body).toMatchObject({
      planSlug: 'guest-device',
      limit: 0.5,
      used: expect.any(Number),
      keyPrefix: `${key.slice(0, 8)}…`,
    })
  })

  it('has a key that manages no keys', async () => {
    await start()

    expect(outcomeOf(await ask('GET /v1/keys/developer', { token: await keyOf('device-1') }))).toBe('401 INVALID_TOKEN')
  })

  it('of a plan without a cap of the day is told none', async () => {
    const files = { 'p.yaml': 'plans: { uncapped: { models: [tier:guest], rpm: 10, tpm: 20k, monthly_usd: 1 } }' }
    const yaml = 'guests: { plan: uncapped, usd_per_day_total: 50 }\ninclude: [p.yaml]'
    test = await startTestGateway({ onprem: [backend], yaml, files })

    expect((await mint('device-1')).body).toEqual({ key: expect.any(String), plan: 'uncapped' })
  })
})

inNpmTest.describe('a guest is limited:', () => {
  it('models of other tiers are not in its plan, and a retry is not invited', async () => {
    await start()

    const told = await chat(await keyOf('device-1'), { model: 'svc-ultra-pro', max_tokens: 2000 })

    expect(told.status).toBe(429)
    expect(told.body).toMatchObject({ error: { code: 'rate_limit_exceeded', type: 'plan_limit', retry_after_ms: 0 } })
    expect(told.headers['x-should-retry']).toBe('false')
    expect(backend.requests).toEqual([])
  })

  it('the cap of the day that it was told is the one that holds, until midnight UTC', async () => {
    await start()
    const told = await mint('device-1')
    const { key, rate_limit_per_day: cap } = told.body as { key: string; rate_limit_per_day: number }

    for (let i = 0; i < cap; i++) expect((await chat(key)).status).toBe(200)

    const refused = await chat(key)
    expect(refused.body).toMatchObject({
      error: { type: 'daily_limit', message: expect.stringContaining('5 requests a day'), retry_after_ms: 50_400_000 },
    })
    test.clock.advance(50_400_000)
    expect((await chat(key)).status).toBe(200)
  })

  it('each device has counters of its own', async () => {
    await start()
    const [one, other] = [await keyOf('device-1'), await keyOf('device-2')]
    for (let i = 0; i < 5; i++) await chat(one)

    expect((await chat(one)).status).toBe(429)
    expect((await chat(other)).status).toBe(200)
    expect(new Set((await test.ledger()).map(({ account }) => account)).size).toBe(2)
  })

  it('what all of them together may spend in a day ends for all, and begins again at midnight UTC', async () => {
    // Two chats of 18 input and 10 output tokens hold $0.00015 each at most.
    await start({ guests: 'usd_per_day_total: 0.0002' })
    const [one, other] = [await keyOf('device-1'), await keyOf('device-2')]
    const developer = await test.key()
    backend.next(hang)
    const underWay = new AbortController()
    const first = test.chat(one, hello, { signal: underWay.signal }).catch(() => {})
    await backend.received(1)

    const refused = await chat(other)

    expect(refused.status).toBe(429)
    expect(refused.body).toEqual({
      error: {
        code: 'rate_limit_exceeded',
        type: 'daily_limit',
        message: expect.stringMatching(
          /^All guests together have reached their limit for the UTC day\. Retry in \d+ h\.$/,
        ),
        retry_after_ms: 50_400_000,
        docs: 'http://localhost/docs/errors',
      },
    })
    expect(refused.headers['x-should-retry']).toBe('false')
    expect((await chat(developer)).status).toBe(200)
    underWay.abort()
    await first
    test.clock.advance(50_400_000)
    expect((await chat(other)).status).toBe(200)
  })
})

inNpmTest.describe('new devices of one address', () => {
  it('are limited by the hour, and those that have a key get it all the same', async () => {
    await start()
    for (const device of ['a', 'b', 'c']) expect((await mint(device)).status).toBe(200)
    test.clock.advance(1_000_000)

    const refused = await mint('d')

    expect(refused.status).toBe(429)
    expect(refused.body).toEqual({
      error: {
        code: 'rate_limit_exceeded',
        type: 'guest_keys',
        message: 'Too many new devices came from this network within an hour. Retry in 44 min.',
        retry_after_ms: 2_600_000,
        docs: 'http://localhost/docs/errors',
      },
    })
    expect(refused.headers['x-should-retry']).toBe('false')
    expect((await mint('a')).status).toBe(200)
    test.clock.advance(2_600_000)
    expect((await mint('d')).status).toBe(200)
  })

  it('cannot choose their address by a header', async () => {
    await start()
    const spoofed = await Promise.all(
      [1, 2, 3, 4].map(n =>
        mint(`device-${n}`, {
          'x-forwarded-for': `198.51.100.${n}`,
          forwarded: `for=1.1.1.${n}`,
          'x-real-ip': `2.2.2.${n}`,
        }),
      ),
    )

    expect(spoofed.map(({ status }) => status).sort()).toEqual([200, 200, 200, 429])
  })
})

inNpmTest.describe('behind a trusted proxy, new devices', () => {
  let devices = 0
  const from = (forwarded: string) => mint(`device-${++devices}`, { 'x-forwarded-for': forwarded })
  const statusesFrom = async (...addresses: string[]) => {
    const statuses: number[] = []
    for (const address of addresses) statuses.push((await from(address)).status)
    return statuses
  }
  beforeEach(() => start({ trustedProxies: ['127.0.0.1', '10.0.0.0/8'] }))

  it('are limited by the address that the proxy saw, not by the address of the proxy', async () => {
    expect(await statusesFrom(...Array<string>(4).fill('203.0.113.9'))).toEqual([200, 200, 200, 429])
    expect(await statusesFrom('198.51.100.7')).toEqual([200])
  })

  it('are limited by the right-most address, whatever the client wrote before it', async () => {
    const spoofed = [1, 2, 3, 4].map(n => `1.2.3.${n}, 203.0.113.9, 10.0.0.${n}`)

    expect(await statusesFrom(...spoofed)).toEqual([200, 200, 200, 429])
  })

  it('are limited by their /24', async () => {
    const addresses = [1, 2, 3, 4, 5, 6].map(n => `203.0.113.${n}`)

    expect(await statusesFrom(...addresses)).toEqual([200, 200, 200, 200, 200, 429])
    expect(await statusesFrom('203.0.114.1')).toEqual([200])
  })

  it('are limited by their /64, which is one household', async () => {
    const addresses = [1, 2, 3, 4, 5, 6].map(n => `2001:db8:0:7:${n}::1`)

    expect(await statusesFrom(...addresses)).toEqual([200, 200, 200, 200, 200, 429])
    expect(await statusesFrom('2001:db8:0:8::1')).toEqual([200])
  })

  it('count as one address however that is written', async () => {
    const addresses = ['203.0.113.9', '::ffff:203.0.113.9', '::ffff:cb00:7109', '203.0.113.9:80']

    expect(await statusesFrom(...addresses)).toEqual([200, 200, 200, 429])
  })

  it('that the proxy says nothing of count as its own', async () => {
    expect(await statusesFrom('garbage', '', 'x, y', '1.2.3.4, ?')).toEqual([200, 200, 200, 429])
  })

  it('that were refused count for nothing', async () => {
    await statusesFrom(...Array<string>(9).fill('203.0.113.9'))

    expect(await statusesFrom('203.0.113.1', '203.0.113.2', '203.0.113.3')).toEqual([200, 200, 429])
  })
})

inNpmTest.describe('a body that is no ask of a device', () => {
  it.each<[string, unknown, string]>([
    ['nothing', '', 'body: is empty'],
    ['what is no JSON', '{"device_id"', 'body: is not valid JSON'],
    ['an array', ['device-1'], 'body: must be a JSON object'],
    ['no device', {}, 'device_id: is required'],
    ['null', { device_id: null }, 'device_id: must be a string'],
    ['a number', { device_id: 1 }, 'device_id: must be a string'],
    ['an object', { device_id: { length: 3 } }, 'device_id: must be a string'],
    ['an empty text', { device_id: '' }, 'device_id: must have 1 to 256 printable characters'],
    ['257 characters', { device_id: 'x'.repeat(257) }, 'device_id: must have 1 to 256 printable characters'],
    ['a line break', { device_id: 'a\nb' }, 'device_id: must have 1 to 256 printable characters'],
    ['a NUL', { device_id: 'a\0v1\0b' }, 'device_id: must have 1 to 256 printable characters'],
    ['half a character', '{"device_id":"\\ud800"}', 'device_id: must be well-formed Unicode'],
    ['a text that turns around', { device_id: 'a\u202eb' }, 'device_id: must have 1 to 256 printable characters'],
    ['a plan of its choice', { device_id: 'd', plan: 'pro' }, 'plan: is not accepted'],
    ['a prototype', '{"device_id":"d","__proto__":{"plan":"pro"}}', '__proto__: is not accepted'],
  ])('with %s is a 400 that names the field, and counts for nothing', async (_name, body, error) => {
    await start()

    const told = await ask(GUEST, { body })

    expect(told.status).toBe(400)
    expect(codeOf(told)).toBe('VALIDATION_ERROR')
    expect(fieldOf(told, 'error')).toContain(error)
    expect(await test.gateway.store.keys.list()).toEqual([])
  })

  it.each(['x'.repeat(256), '💥'.repeat(256), ' ', "'; DROP TABLE devices; --", '{}', 'Größe 中文'])(
    '%j is a device',
    async deviceId => {
      await start()

      expect((await mint(deviceId)).status).toBe(200)
    },
  )

  it('of megabytes is a 413, and of another type a 415', async () => {
    await start()

    expect((await mint('x'.repeat(1_000_000))).status).toBe(413)
    expect((await ask(GUEST, { body: 'device_id=1', headers: { 'content-type': 'text/plain' } })).status).toBe(415)
  })
})

inNpmTest.it('where guests are not served, nobody gets a key, and keys of guests are none', async () => {
  test = await startTestGateway({ onprem: [backend] })

  const told = await mint('device-1')

  expect(outcomeOf(told)).toBe('404 NOT_FOUND')
  expect(told.body).toEqual({ error: 'This gateway does not serve devices without an account.', code: 'NOT_FOUND' })
})

inNpmTest.it('no key, device or secret is in the log, an alarm, the store or an error', async () => {
  await start()
  const key = await keyOf('canary-device-7Hq2')
  await chat(key)
  await chat(key, { model: 'svc-ultra-pro', max_tokens: 2000 })
  for (const device of ['b', 'c', 'd']) await mint(device)
  await mint('canary-device-7Hq2\n')
  await test.logged(7)

  const errors = answers.filter(({ status }) => status !== 200)
  const stored = [await test.gateway.store.keys.list(), await test.ledger()]
  const said = JSON.stringify([test.log, test.alarms, stored, errors])
  expect(errors).toHaveLength(3)
  for (const canary of [key, 'canary-device-7Hq2', GUEST_SECRET, '127.0.0.1']) expect(said).not.toContain(canary)
})

describeRedis('two gateways on one Redis', () => {
  const redis = useRedis()
  let other: TestGateway
  afterEach(() => other.close())

  it('give a device the same key, count new devices together, and hear of a revocation at once', async () => {
    await start({ redis: redis() })
    other = await startTestGateway({ onprem: [backend], guests: ROOM, redis: redis() })

    const key = await keyOf('device-1')

    const there = await send(other, GUEST, { body: { device_id: 'device-1' } })
    expect(fieldOf(there, 'key')).toBe(key)
    const minted = [
      await send(other, GUEST, { body: { device_id: 'device-2' } }),
      await mint('device-3'),
      await send(other, GUEST, { body: { device_id: 'device-4' } }),
      await mint('device-5'),
    ]
    expect(minted.map(outcomeOf)).toEqual(['200', '200', '429 rate_limit_exceeded', '429 rate_limit_exceeded'])
    expect((await send(other, CHAT, { token: key, body: hello })).status).toBe(200)
    await test.gateway.store.keys.revoke({ hash: hashOf(key), by: 'operator' })
    expect(outcomeOf(await send(other, CHAT, { token: key, body: hello }))).toBe('401 INVALID_KEY')
    expect(outcomeOf(await send(other, GUEST, { body: { device_id: 'device-1' } }))).toBe('401 INVALID_KEY')
  })
})
