import { describe, expect } from 'vitest'
import { publicEndpoints } from '../../../src/http/public/public.ts'
import type { TestGateway } from '../../support/gateway.ts'
import { gatewayTest as it } from '../../support/gateway-test.ts'

const page = { origin: 'https://app.example' }
const ask = (gateway: TestGateway, path: string, headers: Record<string, string> = {}) =>
  fetch(gateway.url + path, {
    method: 'OPTIONS',
    headers: { ...page, 'access-control-request-method': 'POST', ...headers },
  })

describe('a preflight', () => {
  const methodsOf = (path: string) => publicEndpoints.filter(row => row.path === path).map(({ method }) => method)
  it.for(
    [...new Set(publicEndpoints.map(({ path }) => path))].map(path => [path, methodsOf(path).join(', ')] as const),
  )('of %s says %s, to anybody', async ([path, methods], { gateway }) => {
    const response = await ask(gateway, path.replace('{id}', 'svc-core'))

    expect(response.status).toBe(204)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': methods,
      'access-control-allow-headers': 'authorization, content-type',
      'access-control-max-age': '7200',
    })
    expect(await response.text()).toBe('')
  })

  it.for<[string, string]>([
    ['authorization,content-type,x-stainless-lang', 'authorization, content-type, x-stainless-lang'],
    ['X-Stainless-Retry-Count, User-Agent', 'authorization, content-type, x-stainless-retry-count, user-agent'],
    ['bad name, x(y), ok', 'authorization, content-type, ok'],
  ])('that asks for %s may send %s', async ([asked, allowed], { gateway }) => {
    const response = await ask(gateway, '/v1/chat/completions', { 'access-control-request-headers': asked })

    expect(response.headers.get('access-control-allow-headers')).toBe(allowed)
    expect(response.headers.get('vary')).toBe('access-control-request-headers')
  })

  it('of a path that does not exist is a 404', async ({ gateway }) => {
    expect((await ask(gateway, '/v1/nothing')).status).toBe(404)
  })
})

it('every answer may be read by any page, with every header that is ours: whole, streamed or refused', async ({
  gateway,
}) => {
  const key = await gateway.key()
  const answers = [
    await gateway.chat(key),
    await gateway.chat(key, { stream: true }),
    await gateway.chat('svc_wrong'),
    await gateway.chat(key, { model: 'svc-ultra-pro' }),
    await fetch(`${gateway.url}/v1/models`),
    await fetch(`${gateway.url}/nothing`),
  ]

  for (const { headers } of answers) {
    expect(headers.get('access-control-allow-origin')).toBe('*')
    const exposed = (headers.get('access-control-expose-headers') ?? '').split(', ')
    const ours = [...headers.keys()].filter(name => /^x-(svc-|request-id|should-retry)|^retry-after/.test(name))
    expect(exposed).toEqual(expect.arrayContaining(ours))
  }
  expect(answers[0]?.headers.get('access-control-expose-headers')).toBe(
    'x-request-id, request-id, retry-after, retry-after-ms, x-should-retry, x-ratelimit-limit-requests, ' +
      'x-ratelimit-limit-tokens, x-ratelimit-remaining-requests, x-ratelimit-remaining-tokens, x-ratelimit-reset-requests, ' +
      'x-ratelimit-reset-tokens, x-svc-error-code, x-svc-error-reason, x-svc-upstream, x-svc-quota-plan, ' +
      'x-svc-quota-used, x-svc-quota-limit, x-svc-quota-reset, x-svc-max-tokens, x-svc-smart-route, ' +
      'x-svc-queue-wait, x-svc-store, x-svc-ignored-tools, x-svc-ignored-fields',
  )
})

it('no credentials are allowed: a cookie never stands in for a key', async ({ gateway }) => {
  const preflight = await ask(gateway, '/v1/chat/completions')
  const answer = await fetch(`${gateway.url}/v1/models`, { headers: page })

  for (const { headers } of [preflight, answer]) expect(headers.has('access-control-allow-credentials')).toBe(false)
})

it.extend('config', { yaml: 'brand: acme' })('the brand makes the prefix of every header', async ({ gateway }) => {
  const { headers } = await fetch(`${gateway.url}/billing/quota`)

  expect(headers.get('x-acme-error-code')).toBe('NO_AUTH')
  expect(headers.get('access-control-expose-headers')).toContain('x-acme-upstream')
  expect(JSON.stringify([...headers])).not.toContain('svc')
})

it('the admin listener opens to no page', async ({ gateway }) => {
  const preflight = await fetch(`${gateway.admin}/admin/keys`, { method: 'OPTIONS', headers: page })
  const answer = await fetch(`${gateway.admin}/healthz`, { headers: page })

  expect(preflight.status).toBe(405)
  for (const { headers } of [preflight, answer])
    expect([...headers.keys()].filter(name => name.startsWith('access-control'))).toEqual([])
})
