import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Backend, startBackend } from '../../support/backend.ts'
import { ADMIN_TOKEN, startTestGateway, type TestGateway } from '../../support/gateway.ts'

let backend: Backend
let test: TestGateway

beforeEach(async () => {
  backend = await startBackend()
  test = await startTestGateway({ onprem: [backend] })
})

afterEach(async () => {
  await test.close()
  await backend.close()
})

const call = (path: string, init: RequestInit = {}) => fetch(test.url + path, init)
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })

describe.each([
  ['POST', '/v1/chat/completions'],
  ['GET', '/billing/quota'],
])('%s %s', (method, path) => {
  const send = (headers: Record<string, string>, body?: string) =>
    call(path, { method, headers, ...(body !== undefined && { body }) })

  it.each([
    ['no Authorization header', {}, 'NO_AUTH'],
    ['an empty one', { authorization: '' }, 'NO_AUTH'],
    ['a mistyped key', { authorization: `Bearer svc_${'a'.repeat(42)}` }, 'INVALID_KEY'],
    ['a key of another length', { authorization: 'Bearer svc_abc' }, 'INVALID_KEY'],
    ['a key of another service', { authorization: 'Bearer sk-1234567890' }, 'INVALID_TOKEN'],
    ['another scheme', { authorization: 'Basic YTpi' }, 'INVALID_TOKEN'],
    ['a bearer without a token', { authorization: 'Bearer' }, 'INVALID_TOKEN'],
  ])('%s is a 401', async (_name, headers, code) => {
    const response = await send(headers)

    expect(response.status).toBe(401)
    expect(response.statusText).toMatch(new RegExp(`^${code}: `))
    expect(response.headers.get('x-svc-error-code')).toBe(code)
    expect(response.headers.get('x-request-id')).toMatch(/^req_/)
    expect(await response.json()).toEqual({ error: expect.any(String), code })
  })

  it('an unknown key is a 401 INVALID_KEY, and tells as much as a revoked one', async () => {
    const other = await startTestGateway({ onprem: [backend] })
    const unknown = await other.key()
    await other.close()
    const revoked = await test.key()
    await fetch(`${test.admin}/admin/keys/revoke`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({ key: revoked }),
    })

    const answers = await Promise.all(
      [unknown, revoked].map(async key => {
        const response = await send({ authorization: `Bearer ${key}` })
        return [response.status, await response.text()]
      }),
    )

    expect(answers[0]).toEqual(answers[1])
    expect(answers[0]?.[0]).toBe(401)
  })
})

describe.each(['x-api-key', 'api-key'])('%s', header => {
  it('is a key wherever a bearer is one', async () => {
    const key = await test.key()

    expect((await call('/billing/quota', { headers: { [header]: key } })).status).toBe(200)
    const chat = await call('/v1/chat/completions', {
      method: 'POST',
      headers: { [header]: key, 'content-type': 'application/json' },
      body: JSON.stringify({ messages: [{ role: 'user', content: 'Hi' }] }),
    })
    expect(chat.status).toBe(200)
  })

  it('of an unknown key is a 401 INVALID_KEY', async () => {
    expect((await call('/billing/quota', { headers: { [header]: 'svc_abc' } })).statusText).toMatch(/^INVALID_KEY: /)
  })

  it('does not hold beside Authorization', async () => {
    const headers = { [header]: 'sk-of-another-service', ...bearer(await test.key()).headers }

    expect((await call('/billing/quota', { headers })).status).toBe(200)
  })

  it('holds beside an Authorization without a text, which some SDKs send for none', async () => {
    const headers = { [header]: await test.key(), authorization: '' }

    expect((await call('/billing/quota', { headers })).status).toBe(200)
  })

  it('keeps its answers apart in a cache that knows nothing of it', async () => {
    const key = await test.key()

    expect((await call('/billing/quota', { headers: { [header]: key } })).headers.get('vary')).toBe(
      'x-api-key, api-key',
    )
    expect((await call('/billing/quota', bearer(key))).headers.get('vary')).toBeNull()
  })

  it('does not open the admin listener', async () => {
    const response = await fetch(`${test.admin}/admin/keys`, { headers: { [header]: ADMIN_TOKEN } })

    expect(response.status).toBe(401)
  })

  it('may be sent by a page', async () => {
    const response = await call('/v1/chat/completions', {
      method: 'OPTIONS',
      headers: { 'access-control-request-method': 'POST', 'access-control-request-headers': header },
    })

    expect(response.headers.get('access-control-allow-headers')).toContain(header)
  })
})

it('a key in a header of its own is in no log and no alarm, and no backend gets it', async () => {
  const key = await test.key()
  const response = await call('/v1/chat/completions', {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ messages: [{ role: 'user', content: 'Hi' }] }),
  })
  await response.text()
  await test.logged(1)

  expect(JSON.stringify([test.log, test.alarms, backend.requests])).not.toContain(key)
})

it('a dead key is told before a bad body', async () => {
  const response = await call('/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: 'Bearer svc_x' },
    body: '{"',
  })

  expect(response.status).toBe(401)
})

it('a good key with a bad body is told which field is wrong', async () => {
  const response = await call('/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: `Bearer ${await test.key()}`, 'content-type': 'application/json' },
    body: '{}',
  })

  expect(response.status).toBe(400)
  expect(await response.json()).toEqual({ error: 'messages: is required', code: 'VALIDATION_ERROR' })
})

it('a key works after a restart, and one revoked before it does not', async () => {
  const kept = await test.key('free', 'kept')
  const ended = await test.key('free', 'ended')
  const revoked = await fetch(`${test.admin}/admin/keys/revoke`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ key: ended }),
  })
  expect(revoked.status).toBe(200)

  test = await test.restart()

  expect((await call('/billing/quota', bearer(kept))).status).toBe(200)
  expect((await call('/billing/quota', bearer(ended))).status).toBe(401)
})

it('no key is in the store, the log or an alarm', async () => {
  const key = await test.key()
  await (await test.chat(key)).text()
  await test.logged(1)

  expect(
    JSON.stringify([test.log, test.alarms, await test.ledger(), await test.gateway.store.keys.list()]),
  ).not.toContain(key)
})

describe('the admin listener', () => {
  const admin = (path: string, init: RequestInit = {}) => fetch(test.admin + path, init)
  const operator = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' }

  it.each([
    ['GET', '/admin/keys'],
    ['POST', '/admin/keys'],
    ['POST', '/admin/keys/revoke'],
  ])('%s %s refuses everybody but the operator', async (method, path) => {
    for (const headers of [{}, { authorization: `Bearer ${await test.key('free', path + method)}` }]) {
      expect((await admin(path, { method, headers })).status).toBe(401)
    }
  })

  it('is not reachable through the public one', async () => {
    expect((await call('/admin/keys', { headers: operator })).status).toBe(404)
    expect((await call('/healthz')).status).toBe(404)
  })

  it('says that it lives and is ready', async () => {
    expect((await admin('/healthz')).status).toBe(200)
    expect((await admin('/readyz')).status).toBe(200)
    expect((await call('/readyz')).status).toBe(200)
  })

  it('mints a key once per account, and masks it ever after', async () => {
    const mint = () =>
      admin('/admin/keys', { method: 'POST', headers: operator, body: '{"account":"bob","plan":"free"}' })

    const first = (await (await mint()).json()) as Record<string, string>
    const second = await (await mint()).json()
    const listed = (await (await admin('/admin/keys', { headers: operator })).json()) as { data: object[] }

    expect(first).toMatchObject({
      existing: false,
      value: expect.stringMatching(/^svc_[0-9A-Za-z]{42}$/),
      label: 'bob',
      plan: 'free',
    })
    expect(second).toEqual({ ...first, existing: true, value: undefined })
    expect(listed.data).toMatchObject([
      { key: first.key, account: first.account, label: 'bob', plan: 'free', status: 'active', created: first.created },
    ])
    expect(first.key).toBe(`${first.value?.slice(0, 8)}…`)
  })

  it('mints nothing on a plan that is not declared', async () => {
    const response = await admin('/admin/keys', {
      method: 'POST',
      headers: operator,
      body: '{"account":"bob","plan":"gold"}',
    })

    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: expect.stringContaining('no such plan `gold`; there are') })
    expect(await test.gateway.store.keys.list()).toEqual([])
  })
})

it.each(['Bearer', 'bearer', 'BEARER', 'bEARER  '])(
  'the scheme `%s` is a bearer on both listeners: a scheme has no case',
  async scheme => {
    const key = await test.key()
    const [quota, keys, metrics] = await Promise.all([
      call('/billing/quota', { headers: { authorization: `${scheme} ${key}` } }),
      fetch(`${test.admin}/admin/keys`, { headers: { authorization: `${scheme} ${ADMIN_TOKEN}` } }),
      fetch(`${test.admin}/metrics`, { headers: { authorization: `${scheme} ${ADMIN_TOKEN}` } }),
    ])

    expect([quota.status, keys.status, metrics.status]).toEqual([200, 200, 200])
  },
)

it.each(['', 'Bearer', `Basic ${ADMIN_TOKEN}`, ADMIN_TOKEN, `Bearer ${ADMIN_TOKEN} `.trim().slice(0, -1)])(
  'the admin listener refuses `%s`',
  async authorization => {
    const response = await fetch(`${test.admin}/admin/keys`, { headers: { authorization } })

    expect(response.status).toBe(401)
  },
)
