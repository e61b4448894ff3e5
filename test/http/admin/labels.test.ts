import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SPLITTING } from '../../../src/gateway/accounts/label-sums.ts'
import type { LedgerRow } from '../../../src/records/ledger-row.ts'
import { answer, type Backend, json, startBackend, status } from '../../support/backend.ts'
import { ADMIN_TOKEN, type TestGateway } from '../../support/gateway.ts'
import { startPassing } from '../passthrough/fixture.ts'
import { cappedValues, DECLARED, labelledBooks, mintLabelled } from './labels-fixture.ts'

let backend: Backend
let test: TestGateway
let keys: { readonly key: string; readonly tight: string }

beforeAll(async () => {
  backend = await startBackend()
  test = await startPassing({ onprem: [backend], yaml: DECLARED })
  keys = { key: await test.key('pro', 'plainly'), tight: await test.key('tight', 'required') }
})
afterAll(async () => {
  await test.close()
  await backend.close()
})

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='
const CHAT = { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 10 }
const chatted = () =>
  backend.always(answer({ content: 'Hi', usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 } }))
const speaks = (body: object) => () => backend.always(json(body))

interface Endpoint {
  readonly path: string
  readonly body: object
  readonly backendSays: () => void
}

const ENDPOINTS: readonly Endpoint[] = [
  { path: '/v1/chat/completions', body: CHAT, backendSays: chatted },
  { path: '/v1/chat/completions', body: { ...CHAT, stream: true }, backendSays: chatted },
  { path: '/v1/responses', body: { input: 'Hi', store: false }, backendSays: chatted },
  { path: '/v1/messages', body: { model: 'svc-core', ...CHAT }, backendSays: chatted },
  {
    path: '/v1/embeddings',
    body: { model: 'svc-embed', input: 'Hi' },
    backendSays: speaks({
      object: 'list',
      data: [{ object: 'embedding', index: 0, embedding: Array(768).fill(0.1) }],
      usage: { prompt_tokens: 2, total_tokens: 2 },
    }),
  },
  {
    path: '/v1/images/generations',
    body: { model: 'svc-image', prompt: 'Hi', size: '512x512' },
    backendSays: speaks({ created: 1, data: [{ b64_json: PNG }] }),
  },
  {
    path: '/v1/rerank',
    body: { query: 'Hi' },
    backendSays: speaks({ usage: { prompt_tokens: 2, completion_tokens: 0, total_tokens: 2 } }),
  },
  { path: '/v1/audio/speech', body: { input: 'Hi' }, backendSays: speaks({}) },
]

const post = (path: string, key: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
  fetch(test.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

/** The row of an answered request. */
async function rowOf(response: Response): Promise<LedgerRow | undefined> {
  await response.text()
  const id = response.headers.get('x-request-id')
  return (await test.ledger()).find(({ requestId }) => requestId === id)
}

/** A request as the gateway remembers it. */
async function remembered(response: Response) {
  const found = await fetch(`${test.admin}/admin/requests/${response.headers.get('x-request-id')}`, {
    headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
  })
  return (await found.json()) as { readonly request: object }
}

describe.each(ENDPOINTS)('POST $path', ({ path, body, backendSays }) => {
  it('has the labels of its key, which no header overrides, those of its headers, and its session in its row', async () => {
    backendSays()
    const key = await mintLabelled(test, `own${path}${JSON.stringify(body).length}`, { project: 'web' })
    const headers = { 'x-svc-label-project': 'api', 'x-team': 'core', session_id: 'S-1' }
    const answered = await post(path, key, body, headers)
    expect(answered.status).toBe(200)
    const names = { labels: { project: 'web', team: 'core' }, session: 'S-1' }
    expect(await rowOf(answered)).toMatchObject(names)
    expect((await remembered(answered)).request).toMatchObject(names)
  })

  it('is refused with 400 that names the label where its header has an unknown value or no valid one', async () => {
    const before = backend.requests.length
    const { key } = keys
    for (const [name, value, says] of [
      ['x-svc-label-project', 'mobile', 'labels.project: `mobile` is no value of this label; there are web, api'],
      ['x-team', 'x'.repeat(65), 'labels.team: must be 1 to 64 letters'],
      ['x-team', '=cmd()', 'labels.team: must be 1 to 64 letters'],
      ['x-team', 'a, b', 'labels.team: must be 1 to 64 letters'],
    ] as const) {
      const refused = await post(path, key, body, { [name]: value })
      expect(refused.status).toBe(400)
      expect(await refused.text()).toContain(says.replace(/^labels\.(\w+): /, ''))
    }
    expect(backend.requests).toHaveLength(before)
  })

  it('is refused with 400 on a plan that requires a label, unless key or header has it', async () => {
    backendSays()
    const refused = await post(path, keys.tight, body)
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('is required on plan tight')])
  })
})

it('a session whose name is no id is a digest in its row, and one of none has none', async () => {
  chatted()
  const named = await post('/v1/chat/completions', keys.key, { ...CHAT, prompt_cache_key: 'ada@example.com asks' })
  expect((await rowOf(named))?.session).toMatch(/^~[\w-]{22}$/)
  const nameless = await post('/v1/chat/completions', keys.key, CHAT)
  expect(await rowOf(nameless)).not.toHaveProperty('session')
})

describe('a key', () => {
  const admin = (path: string, body: object) =>
    fetch(test.admin + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })

  it('keeps its labels when it is rotated', async () => {
    chatted()
    await mintLabelled(test, 'turning', { project: 'api' })
    const [minted] = (await test.gateway.store.keys.list()).filter(({ label }) => label === 'turning')
    const rotated = (await (await admin('/admin/keys/rotate', { key: minted?.id })).json()) as { value: string }
    expect((await rowOf(await post('/v1/chat/completions', rotated.value, CHAT)))?.labels).toEqual({ project: 'api' })
  })

  it('is minted only with labels and values that the files declare for keys', async () => {
    for (const [labels, says] of [
      [{ project: 'mobile' }, 'is no value of this label; there are web, api'],
      [{ team: 'core' }, 'keys have no such label; there are project'],
      [{ nope: 'x' }, 'keys have no such label; there are project'],
    ] as const) {
      const refused = await admin('/admin/keys', { account: 'nobody', plan: 'pro', labels })
      expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining(says)])
    }
  })

  it('gets none from its own account', async () => {
    const refused = await post('/v1/keys/developer', keys.key, { name: 'x', labels: { project: 'web' } })
    expect(refused.status).toBeGreaterThanOrEqual(400)
  })
})

it('sums over any label, session and day equal the rows to the nano-dollar', async () => {
  chatted()
  await labelledBooks(test)
})

it('an account that has too many reads by label waits with 503 for more of them, and no other account does', async () => {
  const { ledger } = test.gateway.store
  const [busy, free] = [await test.key('pro', 'busy reader'), await test.key('pro', 'free reader')]
  const { account = '' } = (await test.gateway.store.keys.list()).find(({ label }) => label === 'busy reader') ?? {}
  const places = Array.from({ length: 32 }, () => SPLITTING.take(ledger, account))
  const read = async (path: string, key: string) => {
    const answered = await fetch(test.url + path, { headers: { authorization: `Bearer ${key}` } })
    return [answered.status, answered.headers.get('retry-after'), await answered.text()] as const
  }
  for (const path of ['/billing/usage?by_label=true', '/billing/invoices', '/billing/invoices?month=2026-01']) {
    expect(await read(path, busy)).toEqual([503, '1', expect.stringContaining('by label from your account')])
    expect((await read(path, free))[0]).toBe(200)
  }
  expect((await read('/billing/usage', busy))[0]).toBe(200)
  for (const leave of places) if (typeof leave === 'function') leave()
  expect((await read('/billing/usage?by_label=true', busy))[0]).toBe(200)
})

it('beyond a thousand values of a label an account has `other`, and the first ones stay', async () => {
  chatted()
  await cappedValues(test)
})

it('usage names the groups there are where a label is in no file and no row', async () => {
  const refused = await fetch(`${test.admin}/admin/usage?by=projekt`, {
    headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
  })
  expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('session, project, team')])
})

it('requests list has the labels and the session of requests in the memory and in the ledger', async () => {
  chatted()
  const key = await mintLabelled(test, 'listed', { project: 'web' })
  const response = await post('/v1/chat/completions', key, CHAT, { session_id: 'S-listed' })
  const id = response.headers.get('x-request-id')
  const found = (await (
    await fetch(`${test.admin}/admin/requests?since=1d&limit=500`, {
      headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
    })
  ).json()) as { data: { request_id: string }[] }
  expect(found.data.find(({ request_id }) => request_id === id)).toMatchObject({
    labels: { project: 'web' },
    session: 'S-listed',
  })
})

it('a request that its limits refuse adds no value of a label', async () => {
  chatted()
  const key = await test.key('pro', 'limited')
  const { account = '' } = (await test.gateway.store.keys.list()).find(({ label }) => label === 'limited') ?? {}
  const set = await fetch(`${test.admin}/admin/accounts/limit`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ account, limit: { measure: 'requests', per: 'day', of: 'account', most: 1 } }),
  })
  expect(set.status).toBe(200)
  expect((await post('/v1/chat/completions', key, CHAT, { 'x-team': 'first' })).status).toBe(200)
  expect((await post('/v1/chat/completions', key, CHAT, { 'x-team': 'second' })).status).toBe(429)
  const kept = await test.gateway.store.labels.take({ account, label: 'team', value: 'third', most: 0 })
  expect(kept).toEqual(['first'])
})

it('a request that the gateway or its backend refused is remembered and found by the labels it was sent with', async () => {
  const key = await test.key('pro', 'turned away')
  const headers = { 'x-svc-label-project': 'web', session_id: 'S-refused' }
  const found = async (label: string) => {
    const listed = await fetch(`${test.admin}/admin/requests?since=1d&limit=500&label=${encodeURIComponent(label)}`, {
      headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
    })
    const { data } = (await listed.json()) as { readonly data: readonly { readonly request_id: string }[] }
    return data
  }
  const refused = await post('/v1/chat/completions', key, { ...CHAT, model: 'svc-none' }, headers)
  backend.always(status(400, '{}'))
  const failed = await post('/v1/chat/completions', key, CHAT, headers)

  expect([refused, failed].map(({ ok }) => ok)).toEqual([false, false])
  for (const response of [refused, failed]) {
    await response.text()
    const id = response.headers.get('x-request-id')
    const names = { labels: { project: 'web' }, session: 'S-refused' }
    expect((await remembered(response)).request).toMatchObject(names)
    expect((await found('project=web')).find(({ request_id }) => request_id === id)).toMatchObject(names)
    expect((await found('project=api')).some(({ request_id }) => request_id === id)).toBe(false)
  }
})
