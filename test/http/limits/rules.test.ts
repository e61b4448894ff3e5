import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parseLimitRule } from '../../../src/config/model/limit-text.ts'
import type { LimitRule } from '../../../src/policy/limits/rule.ts'
import { answer, type Backend, hang, json, startBackend, status } from '../../support/backend.ts'
import type { TestGateway } from '../../support/gateway.ts'
import { DOLLAR, limitPlan, limitsOf } from '../../support/limit-rules.ts'
import { say, startPassing } from '../passthrough/fixture.ts'

let backend: Backend
let test: TestGateway

beforeEach(async () => {
  backend = await startBackend()
  backend.always(answer({ content: 'Hi', usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 } }))
  test = await startPassing({ onprem: [backend] })
})

afterEach(async () => {
  await test.close()
  await backend.close()
})

/** Sends requests by one limit until it refuses one. */
interface Case {
  readonly limit: string
  readonly send: (key: string) => Promise<Response>
  /** How many are served. */
  readonly served: number
  /** The total of each. */
  readonly each: number
  readonly type: string
  readonly says: string
  readonly wait: number
  readonly waits: string
}

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** The clock of a test stands at 10:00 on Saturday, 2026-11-21. */
const MIDNIGHT = 14 * HOUR

describe('a limit serves what it allows, refuses the next request with the exact wait, and serves it then', () => {
  it.each<Case>([
    {
      ...{ limit: 'requests 2 per second', send: chat, served: 2, each: 1, type: 'requests' },
      ...{ says: 'The account may send 2 requests a second.', wait: 1000, waits: '1 s' },
    },
    {
      ...{ limit: 'requests 2 per minute of key', send: chat, served: 2, each: 1, type: 'requests' },
      ...{ says: 'This key may send 2 requests a minute.', wait: 61_000, waits: '61 s' },
    },
    {
      ...{ limit: 'requests 1 per hour of user', send: key => chat(key, { user: 'ada' }), served: 1, each: 1 },
      ...{
        type: 'requests',
        says: 'Each user may send 1 request an hour.',
        wait: HOUR,
        waits: '60 min',
      },
    },
    {
      ...{ limit: 'tokens 70 per hour', send: chat, served: 4, each: 12, type: 'tokens' },
      ...{ says: 'The account may use 70 tokens an hour.', wait: HOUR, waits: '60 min' },
    },
    {
      ...{ limit: 'input_tokens 60 per day of key', send: chat, served: 4, each: 9, type: 'tokens' },
      ...{ says: 'This key may use 60 prompt tokens a day (UTC).', wait: MIDNIGHT, waits: '14 h' },
    },
    {
      ...{ limit: 'output_tokens 10 per week for svc-core', send: chat, served: 3, each: 3, type: 'tokens' },
      ...{
        says: 'The account may use 10 completion tokens a week (UTC) of svc-core.',
        wait: MIDNIGHT + DAY,
        waits: '38 h',
      },
    },
    {
      ...{ limit: 'usd 0.0002 per month for tier:guest', send: chat, served: 4, each: 39_000, type: 'spend' },
      ...{
        says: 'The account may spend $0.0002 a month (UTC) of models of the tier guest.',
        wait: 9 * DAY + MIDNIGHT,
        waits: '10 days',
      },
    },
    {
      ...{ limit: 'usd 0.0002 per 7d of key', send: chat, served: 4, each: 39_000, type: 'spend' },
      ...{ says: 'This key may spend $0.0002 in any 7 days.', wait: expect.any(Number), waits: '8 days' },
    },
    {
      ...{ limit: 'images 5 per day of user', send: draw, served: 2, each: 2, type: 'images' },
      ...{ says: 'Each user may make 5 images a day (UTC).', wait: MIDNIGHT, waits: '14 h' },
    },
    {
      ...{ limit: 'seconds 25 per hour', send: sing, served: 2, each: 3, type: 'seconds' },
      ...{ says: 'The account may use 25 seconds an hour.', wait: HOUR - 6000, waits: '60 min' },
    },
    {
      ...{ limit: 'tokens 70 per day of plan', send: chat, served: 4, each: 12, type: 'tokens' },
      ...{
        says: 'All accounts on the plan together have reached a limit of tokens a day (UTC).',
        wait: MIDNIGHT,
        waits: '14 h',
      },
    },
    {
      ...{ limit: 'requests 2 per day of everybody', send: chat, served: 2, each: 1, type: 'requests' },
      ...{ says: 'All clients together have reached a limit of requests a day (UTC).', wait: MIDNIGHT, waits: '14 h' },
    },
  ])('$limit', async ({ limit, send, served, each, type, says, wait, waits }) => {
    limitPlan(test, 'pro', [ruleOf(limit)])
    const key = await test.key('pro')

    const statuses: number[] = []
    let refused: Response | undefined
    while (!refused && statuses.length < 20) {
      const response = await send(key)
      if (response.status === 200) await response.arrayBuffer()
      else refused = response
      statuses.push(response.status)
    }

    expect(statuses).toEqual([...Array(served).fill(200), 429])
    const { error } = JSON.parse((await refused?.text()) ?? '{}') as { error: { retry_after_ms: number } }
    expect(error).toEqual({
      ...{ code: 'rate_limit_exceeded', type, message: `${says} Retry in ${waits}.`, retry_after_ms: wait },
      docs: expect.stringMatching(/\/docs\/errors$/),
    })
    const { retry_after_ms: ms } = error
    const isShort = ms <= 61_000
    expect(refused?.headers.get('retry-after-ms')).toBe(isShort ? String(Math.min(ms, 59_999)) : null)
    expect(refused?.headers.get('x-should-retry')).toBe(isShort ? null : 'false')
    const used = limit.startsWith('usd') ? (served * each) / DOLLAR : served * each
    if (!/ of (?:user|plan|everybody)\b/.test(limit))
      expect(await limitsOf(test, key)).toMatchObject([{ used: expect.closeTo(used, 9), held: 0 }])
    expect(await test.ledger()).toHaveLength(served)

    test.clock.advance(ms - 1)
    expect((await send(key)).status).toBe(429)
    test.clock.advance(1)
    expect((await send(key)).status).toBe(200)
  })

  it('concurrent 1 of key, until the request that runs is over', async () => {
    limitPlan(test, 'pro', [ruleOf('concurrent 1 of key')])
    const key = await test.key('pro')
    backend.next(hang)
    const leaving = new AbortController()
    test.chat(key, { max_tokens: 3, stream: true }, { signal: leaving.signal }).catch(() => {})
    await backend.received(1)
    const refused = await chat(key)

    expect([refused.status, await refused.json()]).toEqual([
      429,
      {
        error: {
          ...{ code: 'rate_limit_exceeded', type: 'concurrency', retry_after_ms: 1000 },
          message: 'This key may run 1 request at once. Retry in 1 s.',
          docs: expect.any(String),
        },
      },
    ])
    leaving.abort()
    await test.clock.during(test.logged(2), 100)
    expect((await chat(key)).status).toBe(200)
  })
})

it('a session that reached its limit is told to begin another, which is served, and ends without requests', async () => {
  limitPlan(test, 'pro', [ruleOf('requests 2 idle 24h of session')])
  const key = await test.key('pro')
  const ask = (session: string) => chat(key, { prompt_cache_key: session })
  expect([(await ask('one')).status, (await ask('one')).status]).toEqual([200, 200])
  const refused = await ask('one')

  expect([refused.status, refused.headers.get('x-should-retry'), refused.headers.get('retry-after')]).toEqual([
    ...[429, 'false', null],
  ])
  expect(await refused.json()).toMatchObject({
    error: {
      ...{ code: 'rate_limit_exceeded', type: 'session_limit', retry_after_ms: DAY + 1000 },
      message:
        'Each session may send 2 requests until it is idle for 24h. Retrying does not help: begin a new session.',
    },
  })
  expect((await ask('two')).status).toBe(200)
  expect([(await chat(key)).status, (await chat(key)).status, (await chat(key)).status]).toEqual([200, 200, 429])
  test.clock.advance(DAY)
  expect((await ask('one')).status).toBe(429)
  test.clock.advance(1000)
  expect((await ask('one')).status).toBe(200)
})

describe('a limit refuses those that share it, and no others', () => {
  it.each<[string, 'user' | 'account' | 'plan' | 'everybody']>([
    ['requests 1 per day of user', 'user'],
    ['requests 1 per day of key', 'account'],
    ['requests 1 per day', 'account'],
    ['requests 1 per day of plan', 'plan'],
    ['requests 1 per day of everybody', 'everybody'],
  ])('%s', async (limit, sharer) => {
    limitPlan(test, 'pro', [ruleOf(limit)])
    limitPlan(test, 'free', sharer === 'everybody' ? [ruleOf(limit)] : [])
    const ada = await test.key('pro', 'ada')
    expect((await chat(ada, { user: 'one' })).status).toBe(200)

    expect((await chat(ada, { user: 'one' })).status).toBe(429)
    const isShared = { user: sharer !== 'user', account: sharer === 'plan' || sharer === 'everybody' }
    expect((await chat(ada, { user: 'two' })).status).toBe(isShared.user ? 429 : 200)
    expect((await chat(await test.key('pro', 'bob'), { user: 'one' })).status).toBe(isShared.account ? 429 : 200)
    expect((await chat(await test.key('free', 'eve'), { user: 'one' })).status).toBe(sharer === 'everybody' ? 429 : 200)
  })

  it('a limit of a model counts the requests of that model', async () => {
    limitPlan(test, 'pro', [
      ruleOf('requests 1 per day for svc-ultra-pro'),
      ruleOf('requests 2 per day for tier:guest'),
    ])
    const key = await test.key('pro')
    const ultra = { model: 'svc-ultra-pro', max_tokens: 2000 }

    for (const [body, code] of [
      [ultra, 200],
      [ultra, 429],
      [{}, 200],
      [{ model: 'svc-core' }, 200],
      [{}, 429],
    ] as const)
      expect((await chat(key, body)).status).toBe(code)
  })
})

describe('a 429 of a rule', () => {
  it.each<[string, string, object, object]>([
    [
      'Responses',
      '/v1/responses',
      { model: 'svc-core', input: 'Hello', max_output_tokens: 3 },
      {
        error: {
          ...{ code: 'rate_limit_exceeded', type: 'requests', param: null, retry_after_ms: MIDNIGHT },
          message: 'The account may send 1 request a day (UTC). Try again in 14 h.',
          docs: expect.any(String),
        },
        code: 'rate_limit_exceeded',
      },
    ],
    [
      'Messages',
      '/v1/messages',
      { model: 'svc-core', max_tokens: 3, messages: [{ role: 'user', content: 'Hello' }] },
      {
        type: 'error',
        error: { type: 'rate_limit_error', message: 'The account may send 1 request a day (UTC). Retry in 14 h.' },
        request_id: expect.any(String),
      },
    ],
  ])('has the form of %s', async (_name, path, body, expected) => {
    limitPlan(test, 'pro', [ruleOf('requests 1 per day')])
    const key = await test.key('pro')
    await chat(key)

    const response = await say(test, path, key, body)
    expect(response.status).toBe(429)
    expect(response.headers.get('x-should-retry')).toBe('false')
    expect(await response.json()).toEqual(expected)
  })

  it('says that running requests have reserved what is left, where they may give it back', async () => {
    limitPlan(test, 'pro', [ruleOf('output_tokens 100 per day')])
    const key = await test.key('pro')
    backend.next(hang)
    const leaving = new AbortController()
    test.chat(key, { max_tokens: 90 }, { signal: leaving.signal }).catch(() => {})
    await backend.received(1)

    expect(await (await chat(key, { max_tokens: 20 })).json()).toMatchObject({
      error: {
        type: 'tokens',
        message:
          'The account may use 100 completion tokens a day (UTC). Running requests have reserved the rest. Retry in 2 s.',
      },
    })
    leaving.abort()
  })
})

it.each<[string, object, string]>([
  [
    'output_tokens 100 per day',
    { max_tokens: 200 },
    'max_tokens: needs up to 200 completion tokens, but a limit allows 100 completion tokens a day (UTC)',
  ],
  ['usd 0.001 per day of key', { max_tokens: 200 }, 'a limit allows $0.001 a day (UTC), of each key'],
])('a request that %s can never fit is a 400 that says what it needs', async (limit, body, text) => {
  limitPlan(test, 'pro', [ruleOf(limit)])

  const response = await chat(await test.key('pro'), body)
  expect(response.status).toBe(400)
  expect(await response.json()).toEqual({ code: 'VALIDATION_ERROR', error: expect.stringContaining(text) })
})

describe('images count as they are made', () => {
  const draws = (key: string, signal?: AbortSignal) =>
    fetch(`${test.url}/v1/images/generations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'svc-image', prompt: 'a cat', n: 2 }),
      ...(signal && { signal }),
    })

  it('none of a request that no backend could answer', async () => {
    limitPlan(test, 'pro', [ruleOf('images 5 per day of key')])
    const key = await test.key('pro')
    backend.next(status(500), status(500))

    expect((await test.clock.during(draws(key))).status).toBe(503)
    expect(await limitsOf(test, key)).toMatchObject([{ used: 0, held: 0, remaining: 5 }])
  })

  it('those that were made, where the client left while its backend was at work', async () => {
    limitPlan(test, 'pro', [ruleOf('images 5 per day of key')])
    const key = await test.key('pro')
    let answer = () => {}
    const hasLeft = new Promise<void>(resolve => {
      answer = resolve
    })
    backend.next(async exchange => {
      await hasLeft
      await json({ created: 1, data: Array(2).fill({ b64_json: PNG }) })(exchange)
    })
    const leaving = new AbortController()
    draws(key, leaving.signal).catch(() => {})
    await backend.received(1)
    expect(await limitsOf(test, key)).toMatchObject([{ used: 0, held: 2, remaining: 3 }])
    leaving.abort()
    await test.closed(2)
    answer()
    await test.logged(2)

    expect(await limitsOf(test, key)).toMatchObject([{ used: 2, held: 0 }])
    expect(await test.ledger()).toMatchObject([{ cost: 20_000_000 }])
  })
})

function ruleOf(text: string): LimitRule {
  const rule = parseLimitRule(text)
  if ('problem' in rule) throw new Error(rule.problem)
  return rule
}

function chat(key: string, body: object = {}): Promise<Response> {
  return test.chat(key, { max_tokens: 3, ...body })
}

/** Two images. */
function draw(key: string): Promise<Response> {
  const data = Array(2).fill({ b64_json: PNG })
  backend.next(json({ created: 1, data }))
  return say(test, '/v1/images/generations', key, { model: 'svc-image', prompt: 'a cat', n: 2 })
}

/** Three seconds of a backend. */
function sing(key: string): Promise<Response> {
  backend.next(({ response }) => {
    test.clock.advance(3000)
    response.end('la')
  })
  return say(test, '/v1/audio/sing', key)
}

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='
