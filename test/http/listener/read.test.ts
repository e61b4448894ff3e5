import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Backend, startBackend } from '../../support/backend.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway.ts'

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

const get = (path: string, headers = {}) => fetch(test.url + path, { headers })

describe('GET /v1/models', () => {
  it('lists every model and alias to anybody', async () => {
    const response = await get('/v1/models')

    expect(response.status).toBe(200)
    const { object, data } = (await response.json()) as { object: string; data: { id: string }[] }
    expect(object).toBe('list')
    expect(data.map(({ id }) => id)).toEqual(['svc-core', 'svc-ultra-pro', 'svc-embed', 'svc-image', 'svc-auto'])
    expect(data[0]).toEqual({
      id: 'svc-core',
      object: 'model',
      created: Math.floor(test.clock.now() / 1000),
      owned_by: 'svc',
      name: 'svc-core',
      type: 'model',
      display_name: 'svc-core',
      created_at: new Date(test.clock.now()).toISOString().replace('.000Z', 'Z'),
      kind: 'chat',
      context_length: 32_000,
      max_model_len: 32_000,
      max_output_tokens: 4000,
      pricing: { prompt: '0.000001', completion: '0.00001' },
      architecture: { input_modalities: ['text'], output_modalities: ['text'] },
      supported_parameters: expect.arrayContaining(['tools', 'response_format', 'stream']),
      capabilities: { thinking: false, tools: true, vision: false },
      tier: 'guest',
    })
  })

  it('is one page as clients of Anthropic read it, whatever they ask for', async () => {
    const response = await get('/v1/models?limit=2&after_id=svc-core', { 'anthropic-version': '2023-06-01' })

    const page = (await response.json()) as { data: readonly object[] }
    expect(page).toMatchObject({ has_more: false, first_id: 'svc-core', last_id: 'svc-auto' })
    expect(page.data).toHaveLength(5)
  })

  it('ignores a bad key', async () => {
    expect((await get('/v1/models', { authorization: 'Bearer nonsense' })).status).toBe(200)
  })

  it('shows one by its id', async () => {
    expect(await (await get('/v1/models/svc-auto')).json()).toMatchObject({ id: 'svc-auto', alias_of: 'svc-core' })
  })

  it('knows no other', async () => {
    const response = await get('/v1/models/gpt-4')

    expect(response.status).toBe(404)
    expect(await response.json()).toEqual({ error: expect.stringContaining('`gpt-4`'), code: 'NOT_FOUND' })
  })
})

describe('GET /billing/quota', () => {
  it("is the standing of the caller's account", async () => {
    const key = await test.key()

    const response = await get('/billing/quota', { authorization: `Bearer ${key}` })

    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({
      object: 'quota',
      planSlug: 'free',
      used: 0,
      limit: 1,
      remaining: 1,
      held: 0,
      tokens: { input: 0, cached: 0, cacheWrite: 0, output: 0 },
      limits: [
        limitOf('requests', 20, { per: 'minute' }),
        limitOf('tokens', 40_000, { per: 'minute' }),
        limitOf('usd', 1, { per: 'month', resetAt: '2026-12-01T00:00:00.000Z' }),
      ],
      resetAt: '2026-12-01T00:00:00.000Z',
      unit: 'usd',
      keyPrefix: `${key.slice(0, 8)}…`,
      source: 'control',
    })
  })
})

/** A limit of an account that nothing was used of. */
const limitOf = (
  measure: string,
  limit: number,
  { per, resetAt = null }: { per: string; resetAt?: string | null },
) => ({
  ...{ measure, per, of: 'account', model: null, limit },
  ...{ used: 0, held: 0, remaining: limit, resetAt },
})

describe('any other path', () => {
  it.each([
    '/',
    '/v1',
    '/v1/',
    '/v1/models/',
    '/v1/models/a/b',
    '//v1/models',
    '/v1//models',
    '/v1/chat/completions/',
    '/V1/models',
    '/v1/%6dodels',
  ])('%s is a 404 in our own form', async path => {
    const response = await get(path)

    expect(response.status).toBe(404)
    expect(await response.json()).toEqual({ error: expect.any(String), code: 'NOT_FOUND' })
  })

  it('the wrong method is a 405 that names the right one', async () => {
    const response = await get('/v1/chat/completions')

    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('POST')
    expect(await response.json()).toEqual({ error: 'Use POST here.', code: 'METHOD_NOT_ALLOWED' })
  })

  it('a query changes nothing', async () => {
    expect((await get('/v1/models?x=/../y')).status).toBe(200)
  })
})
