import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { load } from '../../src/config/load.ts'
import type { Loaded } from '../../src/config/settings.ts'
import { answerOf } from '../../src/simulate/result.ts'
import { type Situation, scenarioOf } from '../../src/simulate/scenario.ts'
import { simulate } from '../../src/simulate/simulation.ts'
import { type Backend, startBackend } from '../support/backend.ts'
import { startTestGateway, type TestGateway } from '../support/gateway.ts'

let gateway: TestGateway
let backend: Backend
let loaded: Loaded
const dead = { url: 'http://127.0.0.1:1/v1' }

beforeAll(async () => {
  backend = await startBackend()
  gateway = await startTestGateway({
    ...{ onprem: [dead], cloud: [backend] },
    fields: { core: 'accepts: { steps: { max: 50 } }', free: 'limits: [{ requests: 2, per: hour, model: svc-core }]' },
  })
  const result = load(join(gateway.dir, 'config.yaml'), { CLOUD_KEY: 'sk-cloud-secret-1234' }, gateway.dir)
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  loaded = result.loaded
})
afterAll(async () => {
  await gateway.close()
  await backend.close()
})

const HI = [{ role: 'user', content: 'Hi' }]

/** The server's answer, without parts that belong to one request. */
async function answered(authorization: string | undefined, body: object | string, path = '/v1/chat/completions') {
  const response = await fetch(gateway.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(authorization && { authorization }) },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return { status: response.status, headers: response.headers, body: await response.json() }
}

async function expected(situation: Situation) {
  const scenario = scenarioOf(loaded.config, { now: gateway.clock.now(), ...situation })
  if (!scenario) throw new Error('nobody asks')
  return answerOf(loaded, await simulate(loaded, scenario))
}

test.each<[string, string, object | string, Situation]>([
  ['no key', 'none', { messages: HI }, { auth: 'none' }],
  ['a revoked key', 'svc_revoked', { messages: HI }, { auth: 'svc_revoked' }],
  ['another bearer', 'sk-other', { messages: HI }, { auth: 'sk-other' }],
  ['no messages', 'free', {}, { plan: 'free', request: { body: {} } }],
  ['no JSON', 'free', '{', { plan: 'free', request: { body: '{' } }],
  [
    'a field that the model does not accept',
    'free',
    { model: 'svc-core', messages: HI, logits_processors: ['x'] },
    { plan: 'free', request: { body: { model: 'svc-core', messages: HI, logits_processors: ['x'] } } },
  ],
  [
    'an accepted field beyond its bound',
    'free',
    { model: 'svc-core', messages: HI, steps: 51 },
    { plan: 'free', request: { body: { model: 'svc-core', messages: HI, steps: 51 } } },
  ],
  ['an unknown model', 'free', { model: 'gpt-4', messages: HI }, { plan: 'free', model: 'gpt-4', chat: 'Hi' }],
  [
    'a model outside the plan',
    'free',
    { model: 'svc-image', messages: HI },
    { plan: 'free', model: 'svc-image', chat: 'Hi' },
  ],
  [
    'an ultra model outside the plan',
    'free',
    { model: 'svc-ultra-pro', messages: HI },
    { plan: 'free', model: 'svc-ultra-pro', chat: 'Hi' },
  ],
  [
    'no room to think',
    'pro',
    { model: 'svc-ultra-pro', max_tokens: 5, messages: HI },
    { plan: 'pro', model: 'svc-ultra-pro', max_tokens: 5, chat: 'Hi' },
  ],
  [
    'more than a month has',
    'tight',
    { max_tokens: 2000, messages: HI },
    { plan: 'tight', max_tokens: 2000, chat: 'Hi' },
  ],
  [
    'more than a minute has',
    'tight',
    { max_tokens: 20_000, messages: HI },
    { plan: 'tight', max_tokens: 20_000, chat: 'Hi' },
  ],
])('%s is answered as a case says', async (name, who, body, situation) => {
  const authorization =
    'auth' in situation ? (who === 'none' ? undefined : `Bearer ${who}`) : `Bearer ${await gateway.key(who, name)}`

  const real = await answered(authorization, body)
  const told = await expected(situation)

  expect(real.status).toBe(told.status)
  expect(real.body).toEqual(told.body)
  for (const [name, value] of Object.entries(told.headers)) expect(real.headers.get(name), name).toBe(value)
})

const MESSAGES = { model: 'svc-core', max_tokens: 9, messages: HI }
const URL_IMAGE = { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } }

test.each<['/v1/responses' | '/v1/messages', string, object, string]>([
  ['/v1/responses', 'an unknown model', { model: 'gpt-4', input: 'Hi' }, 'free'],
  ['/v1/responses', 'no input', { model: 'svc-core' }, 'free'],
  ['/v1/responses', 'a tool that does not run here', { input: 'Hi', tools: [{ type: 'file_search' }] }, 'free'],
  ['/v1/messages', 'an unknown model', { ...MESSAGES, model: 'claude-x' }, 'free'],
  ['/v1/messages', 'no cap', { model: 'svc-core', messages: HI }, 'free'],
  ['/v1/messages', 'what no chat can say', { ...MESSAGES, messages: [{ role: 'user', content: [URL_IMAGE] }] }, 'free'],
  ['/v1/messages', 'more than a minute has', { ...MESSAGES, max_tokens: 20_000 }, 'tight'],
])('%s: %s is answered as a case says', async (path, name, body, plan) => {
  const key = `Bearer ${await gateway.key(plan, `${path} ${name}`)}`

  const real = await answered(key, body, path)
  const told = await expected({ plan, request: { path, body: JSON.stringify(body) } })

  expect(real.status).toBe(told.status)
  // Its id is of the real request alone.
  expect({ ...(real.body as object), request_id: null }).toEqual({ request_id: null, ...told.body })
})

test('tools that are left out are named as a case says', async () => {
  const tools = [{ type: 'web_search' }, { type: 'function', name: 'get', parameters: null, strict: false }]
  const body = { input: 'Hi', tools }

  const real = await answered(`Bearer ${await gateway.key('pro', 'ignored tools')}`, body, '/v1/responses')
  const told = await expected({
    ...{ plan: 'pro', pools: { onprem: 'failing' } },
    request: { path: '/v1/responses', body: JSON.stringify(body) },
  })

  expect(real.headers.get('x-svc-ignored-tools')).toBe('web_search')
  expect(told.headers['x-svc-ignored-tools']).toBe('web_search')
})

test('a chat is answered by the second pool when the first fails, and then the minute is full, as a case says', async () => {
  const key = `Bearer ${await gateway.key('tight', 'acct_tight')}`
  const served = await answered(key, { messages: HI, max_tokens: 5 })
  await answered(key, { messages: HI, max_tokens: 5 })
  const refused = await answered(key, { messages: HI, max_tokens: 5 })

  const request = { plan: 'tight', chat: 'Hi', max_tokens: 5, pools: { onprem: 'failing' } } as const
  const told = await expected(request)
  const full = await expected({ ...request, usage: { minute: { requests: 2, oldest: '0s' } } })

  expect([served.status, refused.status]).toEqual([told.status, full.status])
  expect(served.headers.get('x-svc-upstream')).toBe(told.headers['x-svc-upstream'])
  expect(refused.body).toEqual(full.body)
})

test('when every pool fails, the answer names the pools that a case says', async () => {
  const key = `Bearer ${await gateway.key('pro', 'acct_pro')}`

  const real = await answered(key, { model: 'svc-embed', input: 'Hi' }, '/v1/embeddings')
  const told = await expected({ plan: 'pro', model: 'svc-embed', input: 'Hi', pools: { onprem: 'failing' } })

  expect(real.status).toBe(503)
  expect(real.body).toEqual(told.body)
})

test("a plan's limit refuses exactly the cases that expect it", async () => {
  const key = `Bearer ${await gateway.key('free', 'acct_hour')}`
  for (let n = 0; n < 2; n++) expect((await answered(key, { messages: HI, max_tokens: 5 })).status).toBe(200)

  const real = await answered(key, { messages: HI, max_tokens: 5 })
  const limits = [{ requests: 2, per: 'hour', model: 'svc-core' }]
  const told = await expected({
    plan: 'free',
    chat: 'Hi',
    max_tokens: 5,
    usage: { minute: { requests: 2, tokens: 24 }, limits },
  })

  expect([real.status, told.status]).toEqual([429, 429])
  expect(real.body).toEqual(told.body)
  for (const [name, value] of Object.entries(told.headers)) expect(real.headers.get(name), name).toBe(value)
})
