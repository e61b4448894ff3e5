import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { answer, type Backend, json, type Seen, startBackend, status, stream } from '../support/backend.ts'
import { ENV, startTestGateway, type TestGateway } from '../support/gateway.ts'

let onprem: Backend
let cloud: Backend
let test: TestGateway

beforeEach(async () => {
  onprem = await startBackend()
  cloud = await startBackend()
})
afterEach(async () => {
  await test.close()
  await onprem.close()
  await cloud.close()
})

const VOICE = `
models: { svc-voice: { kind: passthrough, tier: standard, serve: [onprem] } }
passthrough:
  - { path: /v1/audio/speech, methods: [POST], model: svc-voice, meter: { usd_per_call: 0.01 } }
  - { path: /v1/audio/voices, methods: [GET], model: svc-voice, meter: { usd_per_call: 0 } }
`

const start = async (pool: string, second = '') => {
  onprem.always(exchange => (exchange.seen.path.startsWith('/v1/embeddings') ? vector(exchange) : hello(exchange)))
  test = await startTestGateway({
    onprem: [onprem],
    cloud: [cloud],
    fields: { onprem: pool, cloud: second },
    yaml: 'include: [voice.yaml]',
    files: { 'voice.yaml': VOICE, 'token.txt': 'token-of-a-file\n' },
    env: { ...ENV, PARTNER: 'partner 17' },
  })
}

const empty = status(402, { error: { message: 'Payment required' } })
const hello = answer({ content: 'Hello.' })
const vector = json({
  object: 'list',
  data: [{ index: 0, embedding: Array(768).fill(0.5) }],
  usage: { prompt_tokens: 1 },
})

async function post(path: string, key: string, body: object): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const response = await fetch(`${test.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  await response.text()
}

const chat = (key: string, more: object = {}) =>
  post('/v1/chat/completions', key, { messages: [{ role: 'user', content: 'Hello' }], ...more })

/** Headers that a backend received in addition to the usual ones. */
function sentIn({ headers }: Seen) {
  const known = new Set('accept accept-encoding connection content-length content-type host x-request-id'.split(' '))
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !known.has(name)))
}

const POOL = `key: "\${CLOUD_KEY}", auth: { header: X-Goog-Api-Key, prefix: "Token " }
    , headers: { X-Org: "acme 1", x-partner: "\${PARTNER}", x-token: "file:token.txt" }
    , query: { api-version: 2024-10-21, region: "eu/west 1" }`
const HEADERS = {
  'x-goog-api-key': 'Token sk-cloud-secret-1234',
  'x-org': 'acme 1',
  'x-partner': 'partner 17',
  'x-token': 'token-of-a-file',
}
const QUERY = '?api-version=2024-10-21&region=eu%2Fwest+1'

describe('a pool with a way to send its key, headers and a query', () => {
  it('is sent them with requests of every kind, and another pool is not', async () => {
    await start(POOL)
    const key = await test.key('pro')

    await chat(key)
    onprem.next(stream({ chunks: ['Hello.'] }))
    await chat(key, { stream: true })
    await post('/v1/embeddings', key, { model: 'svc-embed', input: 'Hello' })
    await post('/v1/audio/speech', key, { input: 'Hello' })
    const voices = await fetch(`${test.url}/v1/audio/voices`, { headers: { authorization: `Bearer ${key}` } })
    await voices.text()
    onprem.next(empty)
    await chat(key)

    const seen = [...onprem.requests, ...onprem.probes]
    expect(seen.map(({ path }) => path)).toEqual([
      `/v1/chat/completions${QUERY}`,
      `/v1/chat/completions${QUERY}`,
      `/v1/embeddings${QUERY}`,
      `/v1/audio/speech${QUERY}`,
      `/v1/chat/completions${QUERY}`,
      `/v1/audio/voices${QUERY}`,
    ])
    expect(seen.map(sentIn)).toEqual(seen.map(() => HEADERS))
    expect(cloud.requests.map(({ path }) => path)).toEqual(['/v1/chat/completions'])
    expect(cloud.requests.map(sentIn)).toEqual([{ authorization: 'Bearer sk-cloud-secret-1234' }])
  })

  it('is sent them with health checks: a chat, a list of models, and an empty request', async () => {
    await start(POOL)
    const key = await test.key('pro')

    onprem.always(empty)

    await chat(key)
    await post('/v1/images/generations', key, { model: 'svc-image', prompt: 'A cat' })

    const seen = [...onprem.checks, ...onprem.probes]
    const paths = new Set(seen.map(({ path }) => path))
    for (const path of ['/v1/chat/completions', '/v1/images/generations', '/v1/models'])
      expect(paths).toContain(`${path}${QUERY}`)
    expect(seen.map(sentIn)).toEqual(seen.map(() => HEADERS))
  })

  it('is sent them with probes, whose path may have a query of its own', async () => {
    await start(`${POOL}, probe: { path: "/up?deep=1", every: 1s }`)

    // A time that goes by for each turn, so that what is sent over loopback is answered.
    while (onprem.probes.length === 0) {
      test.clock.advance(100)
      await new Promise(setImmediate)
    }

    const [probe] = onprem.probes
    expect(probe?.path).toBe(`/up?deep=1&${QUERY.slice(1)}`)
    expect(probe && sentIn(probe)).toEqual(HEADERS)
  })
})

describe('the header of a key', () => {
  const ways: readonly (readonly [string, string, Record<string, string>])[] = [
    ['is authorization, where nothing is said', '', { authorization: 'Bearer KEY' }],
    ['is authorization for auth: bearer', 'auth: bearer', { authorization: 'Bearer KEY' }],
    ['is x-api-key for auth: x-api-key', 'auth: x-api-key', { 'x-api-key': 'KEY' }],
    ['is api-key for auth: api-key', 'auth: api-key', { 'api-key': 'KEY' }],
    ['has no prefix unless one is written', 'auth: { header: Authorization }', { authorization: 'KEY' }],
    [
      'is authorization for a pool that speaks messages and chat, which is sent a version too',
      'speaks: [chat, messages]',
      { authorization: 'Bearer KEY', 'anthropic-version': '2023-06-01' },
    ],
    [
      'has the version of the pool in place of the default',
      'speaks: [chat, messages], auth: x-api-key, headers: { Anthropic-Version: 2024-01-01 }',
      { 'x-api-key': 'KEY', 'anthropic-version': '2024-01-01' },
    ],
  ]

  it.each(ways)('%s', async (_, fields, headers) => {
    await start('', fields)
    onprem.always(empty)

    await chat(await test.key())

    const sent = Object.entries(headers).map(([name, value]) => [name, value.replace('KEY', 'sk-cloud-secret-1234')])
    expect(cloud.requests.map(sentIn)).toEqual([Object.fromEntries(sent)])
  })
})
