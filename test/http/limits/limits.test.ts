import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { answer, type Backend, hang, startBackend } from '../../support/backend.ts'
import { errorOf, startTestGateway, type TestGateway } from '../../support/gateway.ts'

let backend: Backend
let test: TestGateway

beforeEach(async () => {
  backend = await startBackend()
  backend.always(answer({ content: 'Hi', usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 } }))
  test = await startTestGateway({ onprem: [backend] })
})

afterEach(async () => {
  await test.close()
  await backend.close()
})

it('the request after the last of a minute waits exactly until there is room', async () => {
  const key = await test.key('tight')
  const statuses = []
  for (let i = 0; i < 3; i++) statuses.push((await test.chat(key, { max_tokens: 10 })).status)
  expect(statuses).toEqual([200, 200, 429])

  const refused = await test.chat(key, { max_tokens: 10 })
  const error = await errorOf(refused)
  expect(error).toMatchObject({ code: 'rate_limit_exceeded', type: 'requests', retry_after_ms: 61_000 })

  test.clock.advance(error.retry_after_ms - 1)
  expect((await test.chat(key, { max_tokens: 10 })).status).toBe(429)
  test.clock.advance(1)
  expect((await test.chat(key, { max_tokens: 10 })).status).toBe(200)
  expect(backend.requests).toHaveLength(3)
})

it('the request after the last of a day waits for midnight, UTC', async () => {
  const key = await test.key('tight')
  for (let i = 0; i < 3; i++) {
    expect((await test.chat(key, { max_tokens: 10 })).status).toBe(200)
    test.clock.advance(61_000)
  }

  const error = await errorOf(await test.chat(key, { max_tokens: 10 }))

  expect(error).toMatchObject({ type: 'daily_limit' })
  test.clock.advance(error.retry_after_ms)
  expect((await test.chat(key, { max_tokens: 10 })).status).toBe(200)
})

it('a request beyond those allowed at once is refused while they run', async () => {
  const key = await test.key('tight')
  backend.next(hang)
  const leaving = new AbortController()
  const running = test.chat(key, { max_tokens: 10, stream: true }, { signal: leaving.signal })
  running.catch(() => {})
  await backend.received(1)

  expect(await (await test.chat(key, { max_tokens: 10 })).json()).toMatchObject({ error: { type: 'concurrency' } })

  leaving.abort()
  await test.logged(2)
  expect((await test.chat(key, { max_tokens: 10 })).status).toBe(200)
})

it("a request that its plan's minute could never hold is a 400: a 429 would be retried for ever", async () => {
  const response = await test.chat(await test.key('tight'), { max_tokens: 20_000 })

  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ error: expect.stringMatching(/^max_tokens: .*10000 a minute/) })
})

it('a request that the month cannot pay is a 402 that says what would fit', async () => {
  // 0.01 USD at 10 USD per million: at most 997 output tokens beside the input.
  const key = await test.key('tight')

  const response = await test.chat(key, { max_tokens: 1000 })

  expect(response.status).toBe(402)
  const error = await errorOf(response)
  expect(error).toMatchObject({ code: 'quota_exceeded', resetDate: '2026-12-01', overageEnabled: false })
  const fits = Number(/max_tokens up to (\d+)/.exec(error.message)?.[1])
  expect(fits).toBe(997)
  expect((await test.chat(key, { max_tokens: fits + 1 })).status).toBe(402)
  expect((await test.chat(key, { max_tokens: fits })).status).toBe(200)
})

it('without a cap the output shrinks to what is left, is sent so, and the client is told', async () => {
  const response = await test.chat(await test.key('tight'))

  expect(response.status).toBe(200)
  expect(response.headers.get('x-svc-max-tokens')).toBe('997')
  expect(backend.requests[0]?.body).toMatchObject({ max_tokens: 997 })
})

it('with overage a spent month goes on, and remaining goes below zero', async () => {
  const key = await test.key('pro')
  backend.always(
    answer({ content: 'Hi', usage: { prompt_tokens: 0, completion_tokens: 4_000_000, total_tokens: 4_000_000 } }),
  )

  expect((await test.chat(key)).status).toBe(200)
  expect((await test.chat(key)).status).toBe(200)

  const quota = await fetch(`${test.url}/billing/quota`, { headers: { authorization: `Bearer ${key}` } })
  expect(await quota.json()).toMatchObject({ used: 80, limit: 20, remaining: -60 })
  // A backend that counts more than it was allowed to say is worth an alarm.
  expect(test.alarms).toHaveLength(2)
})

it('a month begins anew at its reset', async () => {
  const key = await test.key('tight')
  expect((await test.chat(key, { max_tokens: 997 })).status).toBe(200)
  backend.always(answer({ content: 'Hi', usage: { prompt_tokens: 0, completion_tokens: 995, total_tokens: 995 } }))
  expect((await test.chat(key, { max_tokens: 990 })).status).toBe(200)
  test.clock.advance(61_000)
  expect((await test.chat(key, { max_tokens: 990 })).status).toBe(402)

  test.clock.advance(Date.UTC(2026, 11, 1) - test.clock.now())

  expect((await test.chat(key, { max_tokens: 990 })).status).toBe(200)
})

it('what was spent and counted survives a restart', async () => {
  const key = await test.key('tight')
  for (let i = 0; i < 2; i++) await (await test.chat(key, { max_tokens: 10 })).text()

  test = await test.restart()

  const quota = await fetch(`${test.url}/billing/quota`, { headers: { authorization: `Bearer ${key}` } })
  expect(await quota.json()).toMatchObject({ used: 0.000078, held: 0 })
  expect(await (await test.chat(key, { max_tokens: 10 })).json()).toMatchObject({ error: { type: 'requests' } })
})

describe('a refused request', () => {
  it('takes nothing: not of the minute, not of the day, no money', async () => {
    const key = await test.key('tight')
    for (let i = 0; i < 5; i++) await test.chat(key, { max_tokens: 1000 })
    for (let i = 0; i < 5; i++) await test.chat(key, { model: 'svc-ultra-pro' })

    expect((await test.chat(key, { max_tokens: 10 })).status).toBe(200)
    expect((await test.chat(key, { max_tokens: 10 })).status).toBe(200)
    expect(backend.requests).toHaveLength(2)
  })
})

it('a model outside the plan is a plan limit, and no retry is invited', async () => {
  const response = await test.chat(await test.key('free'), { model: 'svc-ultra-pro' })

  expect(response.status).toBe(429)
  expect(response.headers.get('x-should-retry')).toBe('false')
  expect(response.headers.has('retry-after')).toBe(false)
  expect(await response.json()).toMatchObject({ error: { code: 'rate_limit_exceeded', type: 'plan_limit' } })
})

it('a body over the limit is a 413', async () => {
  await test.close()
  test = await startTestGateway({ onprem: [backend], yaml: 'limits: { body: 1KB }' })

  const response = await test.chat(await test.key(), { messages: [{ role: 'user', content: 'x'.repeat(2000) }] })

  expect(response.status).toBe(413)
  expect(await response.json()).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' })
})
