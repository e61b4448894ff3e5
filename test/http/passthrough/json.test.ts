import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Backend, json, startBackend, status } from '../../support/backend.ts'
import { errorOf, type TestGateway } from '../../support/gateway.ts'
import { post, say, seenBy, startPassing } from './fixture.ts'

let onprem: Backend
let cloud: Backend
let test: TestGateway
let key: string

beforeEach(async () => {
  onprem = await startBackend()
  cloud = await startBackend()
  test = await startPassing({ onprem: [onprem], cloud: [cloud] })
  key = await test.key('pro')
})

afterEach(async () => {
  await test.close()
  await Promise.all([onprem.close(), cloud.close()])
})

const mp3 = status(200, 'ID3-bytes', {
  'content-type': 'audio/mpeg',
  'set-cookie': 'session=of-the-provider',
  'x-request-id': 'req-of-the-provider',
  'openai-organization': 'acme',
  'x-ratelimit-remaining': '7',
  connection: 'keep-alive, x-hop',
  'x-hop': '1',
  'keep-alive': 'timeout=3',
  server: 'uvicorn',
})

describe('a JSON body', () => {
  it('reaches the backend with the name that the pool has for the model, and nothing else of the client', async () => {
    onprem.next(mp3)

    const response = await post(test, '/v1/audio/speech', {
      key,
      type: 'application/json',
      body: JSON.stringify({ model: 'svc-voice', input: 'Hello', voice: 'alloy' }),
      headers: { cookie: 'a=b', 'x-forwarded-host': 'evil', 'openai-beta': 'x', 'x-api-key': 'mine', te: 'trailers' },
    })

    expect([response.status, await response.text()]).toEqual([200, 'ID3-bytes'])
    expect(seenBy(onprem)).toEqual([
      {
        method: 'POST',
        path: '/v1/audio/speech',
        body: { input: 'Hello', voice: 'alloy', model: 'test-model' },
        auth: undefined,
      },
    ])
    const { 'x-request-id': id, ...headers } = onprem.requests[0]?.headers ?? {}
    expect(id).toMatch(/^req_/)
    expect(headers).toEqual({
      host: new URL(onprem.url).host,
      accept: '*/*',
      'accept-encoding': 'identity',
      'content-type': 'application/json',
      'content-length': String(onprem.requests[0]?.rawBody.length),
      connection: 'keep-alive',
    })
  })

  it('is answered with what the body is, with our headers, and none of the backend’s own', async () => {
    onprem.next(mp3)

    const { headers } = await say(test, '/v1/audio/speech', key)

    expect(headers.get('content-type')).toBe('audio/mpeg')
    expect(headers.get('x-svc-upstream')).toBe('onprem')
    expect(headers.get('x-svc-quota-plan')).toBe('pro')
    expect(headers.get('x-svc-quota-used')).toBe('0.01')
    expect(headers.get('x-request-id')).toMatch(/^req_[0-9A-Za-z]+$/)
    for (const name of ['set-cookie', 'openai-organization', 'x-ratelimit-remaining', 'x-hop', 'server'])
      expect(headers.get(name), name).toBeNull()
  })

  it('that names the model by an alias or not at all is served; one that names another is refused', async () => {
    expect((await say(test, '/v1/moderations', key, { input: 'x', model: 'svc-rank' })).status).toBe(200)
    expect((await say(test, '/v1/moderations', key, { input: 'x' })).status).toBe(200)
    for (const model of ['svc-voice', 'svc-core', 'omni-moderation', '', 5, null]) {
      const response = await say(test, '/v1/moderations', key, { input: 'x', model })
      expect([response.status, ((await response.json()) as { error: string }).error]).toEqual([
        400,
        expect.stringMatching(/^model: /),
      ])
    }
    expect(onprem.requests).toHaveLength(2)
  })

  it('fails over: to the next pool, which is told its own name for the model and its own key', async () => {
    onprem.always(status(503))
    cloud.next(mp3)

    const response = await test.clock.during(say(test, '/v1/audio/speech', key))

    expect([response.status, response.headers.get('x-svc-upstream')]).toEqual([200, 'cloud'])
    expect(seenBy(cloud)).toMatchObject([{ body: { model: 'cloud-model' }, auth: 'Bearer sk-cloud-secret-1234' }])
    expect(await test.ledger()).toMatchObject([{ pool: 'cloud', cost: 10_000_000 }])
  })

  it.each([
    [401, 'wrong key'],
    [301, ''],
    [302, ''],
    [307, ''],
    [308, ''],
    [429, 'slow down'],
    [500, ''],
    [501, ''],
    [502, ''],
    [503, ''],
    [206, 'a part'],
  ])('a %i of every backend is told as UPSTREAMS_EXHAUSTED, and nobody pays', async (code, text) => {
    const answer = status(code, { error: { message: text } }, { location: 'http://127.0.0.1:9/elsewhere' })
    onprem.always(answer)
    cloud.always(answer)

    const response = await test.clock.during(say(test, '/v1/audio/speech', key))

    expect([response.status, response.headers.get('location')]).toEqual([503, null])
    expect(await response.json()).toMatchObject({ code: 'UPSTREAMS_EXHAUSTED', tier: 'cloud' })
    expect(await test.ledger()).toEqual([])
  })

  it.each([
    [403, 'FORBIDDEN', 'this voice is not for you'],
    [404, 'NOT_FOUND', 'no such voice'],
  ])('a %i is told as what it is where the pool serves others', async (code, told, text) => {
    onprem.always(status(code, { error: { message: text } }))

    const response = await say(test, '/v1/audio/speech', key)

    expect(response.status).toBe(code)
    expect(await response.json()).toEqual({ code: told, error: `the backend refused the request: ${text}` })
    expect(onprem.probes.map(({ path, headers }) => [path, headers.authorization])).toEqual([['/v1/models', undefined]])
    expect([await test.ledger(), cloud.requests]).toEqual([[], []])
  })

  it.each([400, 413, 422])('a %i of a backend is told as 400, without addresses and keys', async code => {
    onprem.next(status(code, { error: { message: `no such voice at ${onprem.url} sk-abcdefghijkl` } }))

    const response = await say(test, '/v1/audio/speech', key)

    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({
      code: 'VALIDATION_ERROR',
      error: 'the backend refused the request: no such voice at [address] [redacted]',
    })
    expect(await test.ledger()).toEqual([])
    expect(cloud.requests).toEqual([])
  })

  it('is refused before it is admitted where it is no JSON object, too large, or of another kind', async () => {
    const send = (body: string, type = 'application/json') => post(test, '/v1/audio/speech', { key, body, type })

    expect((await send('{"input":')).status).toBe(400)
    expect((await send('[1]')).status).toBe(400)
    expect((await send(`{"input":"${'x'.repeat(32_000_001)}"}`)).status).toBe(413)
    for (const type of ['text/plain', 'multipart/form-data; boundary=x', 'application/octet-stream', 'audio/wav']) {
      const response = await send('{"input":"x"}', type)
      expect([type, response.status]).toEqual([type, 415])
    }
    expect([onprem.requests, await test.ledger()]).toEqual([[], []])
  })
})

describe('of a GET', () => {
  it('nothing but the path reaches the backend, and a HEAD or a body is refused', async () => {
    onprem.probed(json({ voices: [] }))

    const response = await post(test, '/v1/audio/voices', { key, method: 'GET' })

    expect([response.status, await response.json()]).toEqual([200, { voices: [] }])
    expect(onprem.probes).toMatchObject([{ path: '/v1/audio/voices', rawBody: '' }])
    expect((await post(test, '/v1/audio/voices', { key, method: 'HEAD' })).status).toBe(405)
    const other = await post(test, '/v1/audio/voices', { key, method: 'POST', body: '{}', type: 'application/json' })
    expect([other.status, other.headers.get('allow')]).toEqual([405, 'GET'])
    expect(onprem.probes).toHaveLength(1)
  })
})

describe('the limits of the plan', () => {
  it('a plan without the model is told so', async () => {
    const response = await say(test, '/v1/audio/speech', await test.key('free', 'bob'))

    expect(response.status).toBe(429)
    expect(await errorOf(response)).toMatchObject({ type: 'plan_limit' })
    expect(onprem.requests).toEqual([])
  })

  it('requests of the minute, of the day and the month bound it like any other', async () => {
    const tight = await test.key('tight', 'tom')
    const types = []
    for (let i = 0; i < 5; i++) {
      const response = await say(test, '/v1/moderations', tight)
      types.push(response.status === 200 ? 'served' : (await errorOf(response)).type)
      if (i === 2) test.clock.advance(61_000)
    }

    expect(types).toEqual(['served', 'served', 'requests', 'served', 'daily_limit'])
    expect(onprem.requests).toHaveLength(3)
  })

  it('what a month cannot pay for is a 402, and reaches no backend', async () => {
    await test.reload({}, yaml => yaml.replace('monthly_usd: 0.01', 'monthly_usd: 0.0201').replace('per_day: 3, ', ''))
    const tight = await test.key('tight', 'tim')
    // 2000 input tokens at 2 USD and 100 output tokens at 10 USD a million: 0.005 USD are held of each.
    onprem.always(json({ results: [], usage: { prompt_tokens: 9000, completion_tokens: 0 } }))

    const statuses = []
    for (let i = 0; i < 3; i++) {
      statuses.push((await say(test, '/v1/rerank', tight)).status)
      test.clock.advance(61_000)
    }

    expect(statuses).toEqual([200, 402, 402])
    expect(onprem.requests).toHaveLength(1)
  })

  it('nobody without a key reaches a backend', async () => {
    for (const auth of ['', 'svc_wrong', 'Bearer nothing']) {
      const response = await post(test, '/v1/audio/speech', { key: auth, type: 'application/json', body: '{}' })
      expect(response.status).toBe(401)
    }
    expect(onprem.requests).toEqual([])
  })
})

describe('what is recorded', () => {
  it('one row for each call, with the price of the route', async () => {
    await (await say(test, '/v1/audio/speech', key, { input: 'x', model: 'svc-voice' })).text()
    await (await say(test, '/v1/moderations', key)).text()

    const rows = (await test.ledger()).sort((a, b) => b.cost - a.cost)
    expect(rows).toMatchObject([
      { kind: 'settle', model: 'svc-voice', asked: 'svc-voice', pool: 'onprem', cost: 10_000_000, estimated: false },
      { kind: 'settle', model: 'svc-rank', asked: '', pool: 'onprem', cost: 1_000_000, inputTokens: 0 },
    ])
    const [first] = await test.logged(2)
    expect(first).toMatchObject({ path: '/v1/audio/speech', model: 'svc-voice', cost: 10_000_000, status: 200 })
  })

  it.each<[string, unknown, object]>([
    [
      'prompt and completion tokens',
      { usage: { prompt_tokens: 40, completion_tokens: 2, total_tokens: 42 } },
      { inputTokens: 40, outputTokens: 2, cost: 100_000, estimated: false },
    ],
    [
      'input and output tokens',
      { usage: { input_tokens: 40, output_tokens: 0 } },
      { inputTokens: 40, outputTokens: 0, cost: 80_000, estimated: false },
    ],
    [
      'a total alone',
      { usage: { total_tokens: 9 } },
      { inputTokens: 9, outputTokens: 0, cost: 18_000, estimated: false },
    ],
    [
      'billed units',
      { meta: { billed_units: { input_tokens: 5, output_tokens: 1 } } },
      { inputTokens: 5, outputTokens: 1, cost: 20_000, estimated: false },
    ],
    [
      'seconds of sound, of which each is ten tokens',
      { text: 'Hello', usage: { type: 'duration', seconds: 4.05 } },
      { inputTokens: 41, outputTokens: 0, cost: 82_000, estimated: false },
    ],
    [
      'no usage: the input that was held, and a token for three bytes',
      { a: 1 },
      { inputTokens: 2000, outputTokens: 3, cost: 4_030_000, estimated: true },
    ],
  ])('by usage: %s', async (_name, answer, row) => {
    onprem.next(json(answer))

    const response = await say(test, '/v1/rerank', key, { query: 'a', documents: ['b'] })

    expect([response.status, await response.json()]).toEqual([200, answer])
    expect(await test.ledger()).toMatchObject([row])
    expect(seenBy(onprem)).toMatchObject([{ path: '/v1/rerank', body: { query: 'a', documents: ['b'] } }])
  })

  it('by usage, an answer that is no JSON, or an error in place of one, is tried elsewhere', async () => {
    for (const bad of ['{"results":', '{"error":{"message":"out of memory","code":500}}']) {
      onprem.always(status(200, bad, { 'content-type': 'application/json' }))
      cloud.next(json({ usage: { total_tokens: 1 } }))

      const response = await test.clock.during(say(test, '/v1/rerank', key))
      expect([response.status, response.headers.get('x-svc-upstream')]).toEqual([200, 'cloud'])
    }
    expect(await test.ledger()).toHaveLength(2)
  })

  it('by the second: the time of the backend, to its last byte', async () => {
    onprem.next(async ({ response }) => {
      response.writeHead(200, { 'content-type': 'audio/mpeg' })
      response.write('la')
      test.clock.advance(2500)
      response.end('la')
    })

    const response = await say(test, '/v1/audio/sing', key)

    expect(await response.text()).toBe('lala')
    expect(await test.ledger()).toMatchObject([{ cost: 2_500_000, estimated: false }])
  })

  it('by the second: what takes longer than may be is ended, and paid to there', async () => {
    onprem.next(({ response }) => {
      response.writeHead(200, { 'content-type': 'audio/mpeg' })
      response.write('la la')
    })

    const response = await say(test, '/v1/audio/sing', key)
    const rest = response.text()
    test.clock.advance(20_000)

    await expect(rest).rejects.toThrow()
    await onprem.clientGone(1)
    await test.logged(1)
    expect(await test.ledger()).toMatchObject([{ cost: 20_000_000 }])
  })

  it('by the megabyte: of the body and of the answer, to the byte', async () => {
    onprem.next(status(200, 'x'.repeat(1_000_001), { 'content-type': 'audio/wav' }))

    const response = await post(test, '/v1/audio/convert', { key, type: 'audio/wav', body: new Uint8Array(500_000) })

    expect((await response.arrayBuffer()).byteLength).toBe(1_000_001)
    // 1.500001 MB at 0.5 USD.
    expect(await test.ledger()).toMatchObject([{ cost: 750_000_500 }])
  })

  it('by the megabyte: an answer beyond the most is cut, and paid to there', async () => {
    onprem.next(status(200, 'x'.repeat(5_000_000), { 'content-type': 'audio/wav' }))

    const response = await post(test, '/v1/audio/convert', { key, type: 'audio/wav', body: new Uint8Array(5) })

    await expect(response.arrayBuffer()).rejects.toThrow()
    await test.logged(1)
    expect(await test.ledger()).toMatchObject([{ cost: 2_000_000_000 }])
  })
})
