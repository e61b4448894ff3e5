import { connect } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { TestGateway } from '../../support/gateway.ts'
import { talk } from '../../support/raw.ts'
import { openSocket, SocketBackend } from '../../support/socket-backend.ts'
import { handshake, joined, ROUTES, responseDone, startLive } from './fixture.ts'

let onprem: SocketBackend
let cloud: SocketBackend
let test: TestGateway
let key: string

beforeEach(async () => {
  onprem = await SocketBackend.start()
  cloud = await SocketBackend.start()
  test = await startLive({ onprem: [onprem], cloud: [cloud] })
  key = await test.key('pro')
})

afterEach(async () => {
  await test.close()
  await Promise.all([onprem.close(), cloud.close()])
})

const REALTIME = '/v1/realtime'

it('messages and pings pass both ways, and the backend gets headers of ours alone', async () => {
  const client = await openSocket(`${test.url}${REALTIME}?model=svc-live-latest`, {
    key,
    headers: { cookie: 'a=b', origin: 'https://page.example', 'openai-beta': 'realtime=v1' },
  })
  const server = await onprem.socket()

  client.say('{"type":"session.update"}')
  expect(await server.next()).toBe('{"type":"session.update"}')
  server.say('{"type":"session.updated"}')
  expect(await client.next()).toBe('{"type":"session.updated"}')
  client.ws.send(Buffer.alloc(1000), { binary: true })
  expect(await server.next()).toBe('<1000>')
  client.ws.ping(Buffer.from('1'))
  expect([await server.next(), await client.next()]).toEqual(['ping:1', 'pong:1'])
  server.ws.ping(Buffer.from('2'))
  expect([await client.next(), await server.next()]).toEqual(['ping:2', 'pong:2'])

  expect(onprem.asked[0]?.url).toBe('/v1/realtime?model=test-model')
  const { 'x-request-id': id, 'sec-websocket-key': _, ...headers } = onprem.asked[0]?.headers ?? {}
  expect(id).toBe(client.headers['x-request-id'])
  expect(headers).toEqual({
    host: new URL(onprem.url).host,
    upgrade: 'websocket',
    connection: 'Upgrade',
    'sec-websocket-version': '13',
  })
  expect(client.headers).toMatchObject({ 'x-svc-upstream': 'onprem', 'access-control-allow-origin': '*' })
})

it('a session is in the ledger and in the log once it is over, before its client is told', async () => {
  const { client, server } = await joined(test, onprem, REALTIME, key)
  server.say(responseDone(100, 20))
  await client.next()
  server.say(responseDone(150, 30))
  await client.next()
  expect(await test.ledger()).toEqual([])

  server.ws.close(1000, 'all said')

  expect(await client.end()).toEqual({ code: 1000, reason: 'all said' })
  expect(await test.ledger()).toMatchObject([
    {
      kind: 'settle',
      model: 'svc-live',
      pool: 'onprem',
      inputTokens: 250,
      outputTokens: 50,
      cost: 1_800_000,
      estimated: false,
    },
  ])
  expect((await test.logged(1))[0]).toMatchObject({
    ...{ status: 101, method: 'GET', path: REALTIME, plan: 'pro', model: 'svc-live', pool: 'onprem' },
    ...{ inputTokens: 250, outputTokens: 50, failures: [], interrupted: undefined },
  })
})

it('a response that was under way when its client left costs a token for each delta, and the prompt of the one before', async () => {
  const { client, server } = await joined(test, onprem, REALTIME, key)
  server.say(responseDone(100, 20))
  for (const delta of ['Hello', ' there']) server.say({ type: 'response.output_text.delta', delta })
  server.say({ type: 'response.output_audio.delta', delta: 'UklGRiQAAABXQVZF' })
  await client.until(() => client.got.length === 4)

  client.ws.terminate()

  expect(await test.clock.during(server.end(), 100)).toMatchObject({ code: 1001 })
  expect((await test.logged(1))[0]).toMatchObject({ interrupted: 'client gone' })
  expect(await test.ledger()).toMatchObject([{ inputTokens: 200, outputTokens: 23, estimated: true }])
})

it('what a session transcribes is charged beside its responses, by its tokens or ten of them for a second', async () => {
  const { client, server } = await joined(test, onprem, REALTIME, key)
  const transcribed = (usage: object) => ({
    ...{ type: 'conversation.item.input_audio_transcription.completed', event_id: 'event_1', item_id: 'item_1' },
    ...{ content_index: 0, transcript: 'Hello', usage },
  })
  const details = { text_tokens: 10, audio_tokens: 60 }
  server.say(
    transcribed({
      type: 'tokens',
      total_tokens: 79,
      input_tokens: 70,
      output_tokens: 9,
      input_token_details: details,
    }),
  )
  server.say(transcribed({ type: 'duration', seconds: 3.21 }))
  server.say(responseDone(100, 20))
  await client.until(() => client.got.length === 3)

  client.ws.close(1000)

  await test.logged(1)
  // 203 tokens in at 4 USD and 29 out at 16 USD for a million.
  expect(await test.ledger()).toMatchObject([{ inputTokens: 203, outputTokens: 29, cost: 1_276_000, estimated: false }])
})

it('a session that only transcribes is held anew for each transcription, and ends where no more is left', async () => {
  await test.reload({ onprem: [onprem], cloud: [cloud] }, yaml =>
    yaml.replace('pro: { models: all, rpm: 1000, tpm: 10M', 'pro: { models: all, rpm: 9, tpm: 10k'),
  )
  const { client, server } = await joined(test, onprem, REALTIME, key)
  for (let i = 0; i < 3; i++)
    server.say({
      ...{ type: 'conversation.item.input_audio_transcription.completed', item_id: `item_${i}`, transcript: 'Hello' },
      usage: { type: 'duration', seconds: 200 },
    })

  expect(await client.end()).toEqual({ code: 1008, reason: 'no more can be reserved: rate_limit_exceeded' })
  expect(await test.ledger()).toMatchObject([{ inputTokens: 6000, outputTokens: 0 }])
})

describe('is paid', () => {
  it('by the second, from its dispatch to its end', async () => {
    const { client } = await joined(test, onprem, '/v1/live/second', key)
    test.clock.advance(12_345)

    client.ws.close(1000)

    await test.logged(1)
    expect(await test.ledger()).toMatchObject([{ cost: 12_345_000, inputTokens: 0 }])
  })

  it('by the call, once it is open', async () => {
    const { client } = await joined(test, onprem, '/v1/live/call', key)

    client.ws.close(1000)

    await test.logged(1)
    expect(await test.ledger()).toMatchObject([{ cost: 50_000_000 }])
  })

  it('by the megabyte of all messages, and ends with the last one', async () => {
    const { client, server } = await joined(test, onprem, '/v1/live/mb', key)
    client.ws.send(Buffer.alloc(400_000), { binary: true })
    await server.next()
    server.ws.send(Buffer.alloc(200_000), { binary: true })
    await client.next()
    client.ws.send(Buffer.alloc(500_000), { binary: true })

    expect(await client.end()).toEqual({ code: 1008, reason: 'more bytes than max_mb' })
    expect(await test.ledger()).toMatchObject([{ cost: 500_000_000 }])
    expect(await server.end()).toMatchObject({ code: 1001 })
  })
})

describe('ends', () => {
  it('after max_seconds of its meter', async () => {
    const { client, server } = await joined(test, onprem, '/v1/live/second', key)
    for (let i = 0; i < 12; i++) {
      test.clock.advance(10_000)
      client.say('still here')
    }

    expect(await client.end()).toEqual({ code: 1008, reason: 'the longest time of a session is over' })
    expect(await server.end()).toMatchObject({ code: 1001 })
    expect(await test.ledger()).toMatchObject([{ cost: 120_000_000 }])
  })

  it('after max_session, whatever is said', async () => {
    const { client, server } = await joined(test, onprem, REALTIME, key)
    for (let i = 0; i < 11; i++) {
      client.say(`${i}`)
      await server.next()
      test.clock.advance(55_000)
    }

    expect(await client.end()).toEqual({ code: 1008, reason: 'the longest time of a session is over' })
  })

  it('when nothing but pings was said for idle_timeout', async () => {
    const { client, server } = await joined(test, onprem, REALTIME, key)
    test.clock.advance(59_000)
    client.say('hello')
    await server.next()
    test.clock.advance(59_000)
    client.ws.ping(Buffer.from('x'))
    await client.next()
    expect(client.closed).toBeUndefined()
    test.clock.advance(1000)

    expect(await client.end()).toEqual({ code: 1008, reason: 'idle for too long' })
  })

  it.each([
    ['the code and reason of its client', 1000, 'bye', { code: 1000, reason: 'bye' }],
    ['a code of an application', 4321, 'other', { code: 4321, reason: 'other' }],
    ['none', undefined, '', { code: 1005, reason: '' }],
  ])('for the backend with %s', async (_name, code, reason, seen) => {
    const { client, server } = await joined(test, onprem, REALTIME, key)

    client.ws.close(code, reason)

    expect(await server.end()).toEqual(seen)
    expect((await test.logged(1))[0]).toMatchObject({ status: 101, interrupted: undefined })
  })

  it.each([
    [1000, undefined],
    [4001, undefined],
    [1008, 'the backend closed with 1008'],
    [1013, 'the backend closed with 1013'],
  ])('for the client with the code %i of its backend', async (code, interrupted) => {
    const { client, server } = await joined(test, onprem, REALTIME, key)

    server.ws.close(code, 'because')

    expect(await client.end()).toEqual({ code, reason: 'because' })
    expect((await test.logged(1))[0]).toMatchObject({ interrupted })
  })

  it('with 1011 when its backend dies, and the backend is blamed', async () => {
    const { client, server } = await joined(test, onprem, REALTIME, key)
    server.say(responseDone(100, 20))
    await client.next()

    onprem.kill()

    expect(await client.end()).toEqual({ code: 1011, reason: 'the backend: broke off' })
    expect((await test.logged(1))[0]).toMatchObject({ interrupted: 'backend: broke off' })
    expect(await test.ledger()).toMatchObject([{ inputTokens: 100, outputTokens: 20 }])
  })

  it('with 1009 when a message is larger than max_message, whoever sent it', async () => {
    const one = await joined(test, onprem, REALTIME, key)
    one.client.ws.send(Buffer.alloc(100_001), { binary: true })
    expect(await one.client.end()).toMatchObject({ code: 1009 })
    expect(await one.server.end()).toMatchObject({ code: 1001 })

    const two = await joined(test, onprem, REALTIME, key)
    two.server.ws.send(Buffer.alloc(100_001), { binary: true })
    expect(await two.client.end()).toEqual({ code: 1009, reason: 'the backend: message too large' })
  })
})

describe('is refused as a request is, and opens nothing,', () => {
  const open = (path: string, options = {}) =>
    openSocket(`${test.url}${path}`, { key, ...options }).then(
      () => expect.unreachable(),
      (error: { status: number; body: string }) => ({ status: error.status, body: JSON.parse(error.body) }),
    )

  it.each([
    ['without a key', { key: undefined }, REALTIME, 401, 'NO_AUTH'],
    ['with a key of nobody', { key: 'svc_nothing' }, REALTIME, 401, 'INVALID_KEY'],
    ['for another model', {}, `${REALTIME}?model=svc-core`, 400, 'VALIDATION_ERROR'],
    ['with another query', {}, `${REALTIME}?intent=x`, 400, 'VALIDATION_ERROR'],
    ['with two models', {}, `${REALTIME}?model=svc-live&model=svc-live`, 400, 'VALIDATION_ERROR'],
  ])('%s', async (_name, options, path, status, code) => {
    expect(await open(path, options)).toMatchObject({ status, body: { code } })
    expect([onprem.asked, cloud.asked, await test.ledger()]).toEqual([[], [], []])
  })

  it('where the plan of the account has no such model', async () => {
    const free = await test.key('free', 'bob')

    expect(await open(REALTIME, { key: free })).toMatchObject({ status: 429 })
    expect(onprem.asked).toEqual([])
  })

  it('beside as many as the plan allows at once', async () => {
    await test.reload({ fields: { pro: 'max_concurrent: 1' } })
    const { client } = await joined(test, onprem, '/v1/live/call', key)

    expect(await open('/v1/live/call')).toMatchObject({ status: 429 })
    client.ws.close()
    await test.logged(2)
    await joined(test, onprem, '/v1/live/call', key)
  })

  it('while nobody is admitted', async () => {
    Object.assign(test.gateway.store.holds, { admit: async () => ({ outcome: 'key-gone' }) })

    expect(await open(REALTIME)).toMatchObject({ status: 401 })
    expect([onprem.asked, cloud.asked]).toEqual([[], []])
  })

  it('with a GET that asks for none, and a POST', async () => {
    const headers = { authorization: `Bearer ${key}` }

    expect((await fetch(`${test.url}${REALTIME}`, { headers })).status).toBe(400)
    expect((await fetch(`${test.url}${REALTIME}`, { headers, method: 'POST' })).status).toBe(405)
  })
})

it('a replica that refuses or does not answer is followed by the next, before the client learns of it', async () => {
  onprem.refusals.push({ status: 503 }, { status: 503 })

  const client = await test.clock.during(openSocket(`${test.url}${REALTIME}`, { key }))

  expect(client.headers['x-svc-upstream']).toBe('cloud')
  expect(cloud.asked[0]?.headers.authorization).toBe('Bearer sk-cloud-secret-1234')
  client.ws.close()
  expect((await test.logged(1))[0]).toMatchObject({
    failures: [{ pool: 'onprem', cause: 'status 503' }, {}],
    pool: 'cloud',
  })
})

it('a backend that is silent is given up, and a request that every backend fails is a 503 that costs nothing', async () => {
  onprem.isSilent = true
  cloud.isSilent = true
  const asked = openSocket(`${test.url}${REALTIME}`, { key }).catch((error: { status: number }) => error.status)

  expect(await test.clock.during(asked, 100)).toBe(503)
  expect(await test.ledger()).toEqual([])
})

it('what a backend finds wrong with the request is a 400, and tried nowhere else', async () => {
  onprem.refusals.push({ status: 400, body: '{"error":{"message":"no such voice"}}' })

  const asked = await openSocket(`${test.url}${REALTIME}`, { key }).catch((error: { status: number }) => error)

  expect(asked).toMatchObject({ status: 400, body: expect.stringContaining('no such voice') })
  expect(cloud.asked).toEqual([])
})

it('the hour of a pool is charged for all responses of a session', async () => {
  const reloaded = await test.reload({
    onprem: [onprem],
    fields: { onprem: 'cost_usd_per_1m: { input: 1, output: 1 }, max_usd_per_hour: 0.01, cost_usd_per_image: 0' },
    // The cost per second of a session at a backend is unknown.
    files: { 'live.yaml': ROUTES.replaceAll('SERVE', 'onprem, cloud').replace(/ {2}- \{ path.*\n/g, '') },
  })
  expect(reloaded).not.toHaveProperty('denial')
  const { client, server } = await joined(test, onprem, REALTIME, key)
  for (let i = 0; i < 3; i++) {
    server.say(responseDone(2900, 100))
    await client.next()
  }
  server.ws.close(1000)
  await client.end()

  // 0.009 USD were spent, and one response may take 0.006.
  const next = await test.clock.during(openSocket(`${test.url}${REALTIME}`, { key }))
  expect(next.headers['x-svc-upstream']).toBe('cloud')
})

it('a client that leaves while it waits is noticed: its backend is left, and it costs nothing', async () => {
  onprem.isSilent = true
  const socket = connect(Number(new URL(test.url).port))
  socket.write(handshake(REALTIME, key))
  await onprem.until(() => onprem.asked.length === 1)

  socket.end()

  await onprem.until(() => onprem.open === 0)
  expect((await test.logged(1))[0]).toMatchObject({ status: 499, failures: [] })
  expect([cloud.asked, await test.ledger()]).toEqual([[], []])
})

it.each(['x-api-key', 'api-key'])('a key in %s opens a session as well', async header => {
  const client = await openSocket(`${test.url}${REALTIME}`, { headers: { [header]: key } })

  client.say('hello')
  expect(await (await onprem.socket()).next()).toBe('hello')
  expect(onprem.asked[0]?.headers).not.toHaveProperty(header)
})

it('a subprotocol is the one that the backend chose, and no key in one reaches it', async () => {
  const client = await openSocket(`${test.url}${REALTIME}`, {
    key,
    protocols: ['realtime', 'openai-insecure-api-key.svc_secret', 'other'],
  })

  expect(onprem.asked[0]?.headers['sec-websocket-protocol']).toBe('realtime,other')
  expect(client.ws.protocol).toBe('realtime')
})

it('subprotocols that would choose whose account pays at a provider do not reach it', async () => {
  const others = [
    'OpenAI-Insecure-API-Key.sk-1',
    'openai-project.proj_other',
    'openai-organization.org_other',
    'bearer.sk-1',
  ]
  await openSocket(`${test.url}${REALTIME}`, { key, protocols: ['realtime', ...others] })

  expect(onprem.asked[0]?.headers['sec-websocket-protocol']).toBe('realtime')
})

describe('a response whose backend reports no usage', () => {
  const delta = (id?: string) => ({ type: 'response.output_text.delta', response_id: id, delta: 'Hello there ' })
  const tokensOf = async () => {
    await test.clock.during(test.logged(1), 100)
    const [row] = await test.ledger()
    return row?.outputTokens ?? 0
  }

  it('pays a token for each delta, also once another one reports', async () => {
    const { client, server } = await joined(test, onprem, REALTIME, key)
    for (let i = 0; i < 50; i++) server.say(delta('r1'))
    server.say({ type: 'response.done', response: { id: 'r1', status: 'cancelled', usage: null } })
    server.say(responseDone(1, 1))
    await client.until(() => client.got.length === 52)
    client.ws.close(1000)

    expect(await tokensOf()).toBeGreaterThanOrEqual(51)
  })

  it('pays them beside one that runs at the same time', async () => {
    const { client, server } = await joined(test, onprem, REALTIME, key)
    for (let i = 0; i < 50; i++) server.say(delta('r1'))
    const { response } = responseDone(1, 1)
    server.say({ type: 'response.done', response: { ...response, id: 'r2' } })
    await client.until(() => client.got.length === 51)
    client.ws.close(1000)

    expect(await tokensOf()).toBeGreaterThanOrEqual(51)
  })

  it('is a round like any other: what follows is held anew', async () => {
    const { client, server } = await joined(test, onprem, REALTIME, key)
    for (let round = 0; round < 20; round++) {
      for (let i = 0; i < 100; i++) server.say(delta())
      server.say({ type: 'response.done', response: { status: 'completed' } })
      await client.until(() => client.got.length === 101 * (round + 1))
    }
    client.ws.close(1000)

    expect(await tokensOf()).toBeGreaterThanOrEqual(2000)
  })
})

it('a session that cannot be settled is reported, and ends nothing but itself', async () => {
  const { client, server } = await joined(test, onprem, REALTIME, key)
  const { holds } = test.gateway.store
  const settle = holds.settle
  Object.assign(holds, { settle: async () => Promise.reject(new Error('the disk is full')) })
  server.ws.close(1000)
  await client.end()
  await test.logged(1)
  Object.assign(holds, { settle })

  expect(test.alarms.join()).toContain('the disk is full')
  expect((await fetch(`${test.url}/v1/models`)).status).toBe(200)
})

describe('an upgrade that is none', () => {
  const asked = (lines: string) => talk(Number(new URL(test.url).port), { bytes: lines, wanted: 1 })

  it.each([
    ['to h2c, with a body', 'POST /v1/chat/completions', 'h2c', '{}', 400],
    ['to a WebSocket where there is none', 'GET /v1/models', 'websocket', '', 200],
    ['to h2c where there is a WebSocket', `GET ${REALTIME}`, 'h2c', '', 400],
  ])('is served as if nothing were offered: %s', async (_name, line, protocol, body, status) => {
    const { answers } = await asked(
      `${line} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )

    expect(answers[0]?.status).toBe(status)
  })
})
