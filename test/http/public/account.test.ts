import { expect } from 'vitest'
import type { TestGateway } from '../../support/gateway.ts'
import { gatewayTest } from '../../support/gateway-test.ts'
import { type Sent, send } from '../calls.ts'

const it = gatewayTest.extend('config', { guests: 'usd_per_day_total: 50' })

const account = (gateway: TestGateway, token: string, more: Sent = {}) =>
  send(gateway, 'GET /v1/account', { ...more, token })

it('says of a key who it is, what its plan has, and what the account used', async ({ gateway }) => {
  const key = await gateway.key('tight')
  expect((await gateway.chat(key, { max_tokens: 10 })).status).toBe(200)

  const { status, headers, body } = await account(gateway, key)
  const quota = await fetch(`${gateway.url}/billing/quota`, { headers: { authorization: `Bearer ${key}` } })

  expect(status).toBe(200)
  expect(headers['cache-control']).toBe('no-store')
  expect(body).toEqual({
    object: 'account',
    account: expect.stringMatching(/^acct_/),
    label: expect.any(String),
    kind: 'developer',
    signed_in: false,
    frozen: false,
    plan: 'tight',
    plan_source: 'operator',
    declared: true,
    models: ['svc-core'],
    tools: [],
    limits: { rpm: 2, tpm: 10_000, per_day: 3, max_concurrent: 1, monthly_usd: '0.01', overage: 'off' },
    minute: { requests: 1, tokens: 12 },
    day: { requests: 1 },
    under_way: 0,
    window: {
      start: '2026-11-01T00:00:00.000Z',
      end: '2026-12-01T00:00:00.000Z',
      used_usd: '0.000039',
      held_usd: '0',
      granted_usd: '0',
      limit_usd: '0.01',
    },
    uses: ((await quota.json()) as { limits: unknown }).limits,
    at: expect.stringMatching(/^2026-11-21T10:00:/),
  })
})

it('a limit that the plan has not is null, and overage is what the plan says', async ({ gateway }) => {
  const { body } = await account(gateway, await gateway.key('pro'))

  expect(body).toMatchObject({
    models: ['svc-core', 'svc-ultra-pro', 'svc-embed', 'svc-image'],
    limits: { rpm: 1000, per_day: null, max_concurrent: null, overage: 'on' },
  })
})

it('an account whose plan is gone has no models and no limits', async ({ gateway }) => {
  const key = await gateway.key('tight')
  await gateway.reload({}, yaml => yaml.replace(/^ {2}tight: .*$/m, ''))

  const { status, body } = await account(gateway, key)

  expect(status).toBe(200)
  expect(body).toMatchObject({ plan: 'tight', declared: false, models: [], limits: null, window: { limit_usd: null } })
})

it('a device is on the plan of guests', async ({ gateway }) => {
  const minted = await send(gateway, 'POST /v1/keys/guest', { body: { device_id: 'device-0001' } })
  const { key } = minted.body as { key: string }

  expect((await account(gateway, key)).body).toMatchObject({
    kind: 'guest',
    plan: 'guest-device',
    plan_source: 'guests',
  })
})

it('is in no log where it is served, and in it where it is refused', async ({ gateway }) => {
  const key = await gateway.key()
  await account(gateway, key)
  await account(gateway, key)
  await account(gateway, 'svc_none')
  await account(gateway, key)
  await send(gateway, 'GET /billing/quota', { token: key })

  const entries = await gateway.logged(2)
  expect(entries.map(({ path, status }) => [path, status])).toEqual([
    ['/v1/account', 401],
    ['/billing/quota', 200],
  ])
  const metrics = await fetch(`${gateway.admin}/metrics`, { headers: { authorization: 'Bearer test-admin-token' } })
  const counted = [...(await metrics.text()).matchAll(/^svc_requests_total\{.*?\} (\d+)$/gm)]
  expect(counted.reduce((sum, [, count]) => sum + Number(count), 0)).toBe(2)
})

it('GET /docs/errors.json has the codes of the page, each with what to do', async ({ gateway }) => {
  const page = await send(gateway, 'GET /docs/errors')
  const list = await send(gateway, 'GET /docs/errors.json')
  const { data, types } = list.body as { data: { code: string }[]; types: { type: string }[] }

  expect(list.headers['cache-control']).toBe('max-age=300')
  expect(data.map(({ code }) => code)).toEqual([...page.text.matchAll(/<section id="(\w+)">/g)].map(([, code]) => code))
  expect(types.map(({ type }) => type)).toEqual([...page.text.matchAll(/<dt id="(\w+)">/g)].map(([, type]) => type))
  expect(data.find(({ code }) => code === 'NO_AUTH')).toMatchObject({ status: 401, retry: 'No.' })
})
