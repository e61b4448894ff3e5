import { describe, expect } from 'vitest'
import { answer, hang } from '../../support/backend.ts'
import { errorOf } from '../../support/gateway.ts'
import { gatewayTest as it } from '../../support/gateway-test.ts'

it('the request after the last of a minute waits exactly until there is room', async ({ backend, gateway }) => {
  const key = await gateway.key('tight')
  const statuses = []
  for (let i = 0; i < 3; i++) statuses.push((await gateway.chat(key, { max_tokens: 10 })).status)
  expect(statuses).toEqual([200, 200, 429])

  const refused = await gateway.chat(key, { max_tokens: 10 })
  const error = await errorOf(refused)
  expect(error).toMatchObject({ code: 'rate_limit_exceeded', type: 'requests', retry_after_ms: 61_000 })

  gateway.clock.advance(error.retry_after_ms - 1)
  expect((await gateway.chat(key, { max_tokens: 10 })).status).toBe(429)
  gateway.clock.advance(1)
  expect((await gateway.chat(key, { max_tokens: 10 })).status).toBe(200)
  expect(backend.requests).toHaveLength(3)
})

it('the request after the last of a day waits for midnight, UTC', async ({ gateway }) => {
  const key = await gateway.key('tight')
  for (let i = 0; i < 3; i++) {
    expect((await gateway.chat(key, { max_tokens: 10 })).status).toBe(200)
    gateway.clock.advance(61_000)
  }

  const error = await errorOf(await gateway.chat(key, { max_tokens: 10 }))

  expect(error).toMatchObject({ type: 'daily_limit' })
  gateway.clock.advance(error.retry_after_ms)
  expect((await gateway.chat(key, { max_tokens: 10 })).status).toBe(200)
})

it('a request beyond those allowed at once is refused while they run', async ({ backend, gateway }) => {
  const key = await gateway.key('tight')
  backend.next(hang)
  const leaving = new AbortController()
  const running = gateway.chat(key, { max_tokens: 10, stream: true }, { signal: leaving.signal })
  running.catch(() => {})
  await backend.received(1)

  expect(await (await gateway.chat(key, { max_tokens: 10 })).json()).toMatchObject({ error: { type: 'concurrency' } })

  leaving.abort()
  await gateway.clock.during(gateway.logged(2), 100)
  expect((await gateway.chat(key, { max_tokens: 10 })).status).toBe(200)
})

it("a request that its plan's minute could never hold is a 400: a 429 would be retried for ever", async ({
  gateway,
}) => {
  const response = await gateway.chat(await gateway.key('tight'), { max_tokens: 20_000 })

  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ error: expect.stringMatching(/^max_tokens: .*10,000 tokens a minute/) })
})

it('a request that the month cannot pay is a 402 that says what would fit', async ({ gateway }) => {
  // 0.01 USD at 10 USD per million: at most 997 output tokens beside the input.
  const key = await gateway.key('tight')

  const response = await gateway.chat(key, { max_tokens: 1000 })

  expect(response.status).toBe(402)
  const error = await errorOf(response)
  expect(error).toMatchObject({ code: 'quota_exceeded', resetDate: '2026-12-01', overageEnabled: false })
  const fits = Number(/max_tokens up to (\d+)/.exec(error.message)?.[1])
  expect(fits).toBe(997)
  expect((await gateway.chat(key, { max_tokens: fits + 1 })).status).toBe(402)
  expect((await gateway.chat(key, { max_tokens: fits })).status).toBe(200)
})

it('without a cap the output shrinks to what is left, is sent so, and the client is told', async ({
  backend,
  gateway,
}) => {
  const response = await gateway.chat(await gateway.key('tight'))

  expect(response.status).toBe(200)
  expect(response.headers.get('x-svc-max-tokens')).toBe('997')
  expect(backend.requests[0]?.body).toMatchObject({ max_tokens: 997 })
})

it('with overage a spent month goes on, and remaining goes below zero', async ({ backend, gateway }) => {
  const key = await gateway.key('pro')
  backend.always(
    answer({ content: 'Hi', usage: { prompt_tokens: 40_000_000, completion_tokens: 0, total_tokens: 40_000_000 } }),
  )

  expect((await gateway.chat(key)).status).toBe(200)
  // The tokens of the minute are spent too.
  gateway.clock.advance(61_000)
  expect((await gateway.chat(key)).status).toBe(200)

  const quota = await fetch(`${gateway.url}/billing/quota`, { headers: { authorization: `Bearer ${key}` } })
  expect(await quota.json()).toMatchObject({ used: 80, limit: 20, remaining: -60 })
  // A backend that counts more than was reserved is worth an alarm.
  expect(gateway.alarms).toHaveLength(2)
})

it('a month begins anew at its reset', async ({ backend, gateway }) => {
  const key = await gateway.key('tight')
  expect((await gateway.chat(key, { max_tokens: 997 })).status).toBe(200)
  backend.always(answer({ content: 'Hi', usage: { prompt_tokens: 0, completion_tokens: 995, total_tokens: 995 } }))
  expect((await gateway.chat(key, { max_tokens: 990 })).status).toBe(200)
  gateway.clock.advance(61_000)
  expect((await gateway.chat(key, { max_tokens: 990 })).status).toBe(402)

  gateway.clock.advance(Date.UTC(2026, 11, 1) - gateway.clock.now())

  expect((await gateway.chat(key, { max_tokens: 990 })).status).toBe(200)
})

it('spend and counts survive a restart', async ({ gateway, restart }) => {
  const key = await gateway.key('tight')
  for (let i = 0; i < 2; i++) await (await gateway.chat(key, { max_tokens: 10 })).text()

  const restarted = await restart()

  const quota = await fetch(`${restarted.url}/billing/quota`, { headers: { authorization: `Bearer ${key}` } })
  expect(await quota.json()).toMatchObject({ used: 0.000078, held: 0 })
  expect(await (await restarted.chat(key, { max_tokens: 10 })).json()).toMatchObject({ error: { type: 'requests' } })
})

describe('a refused request', () => {
  it('takes nothing: not of the minute, not of the day, no money', async ({ backend, gateway }) => {
    const key = await gateway.key('tight')
    for (let i = 0; i < 5; i++) await gateway.chat(key, { max_tokens: 1000 })
    for (let i = 0; i < 5; i++) await gateway.chat(key, { model: 'svc-ultra-pro' })

    expect((await gateway.chat(key, { max_tokens: 10 })).status).toBe(200)
    expect((await gateway.chat(key, { max_tokens: 10 })).status).toBe(200)
    expect(backend.requests).toHaveLength(2)
  })
})

it('a model outside the plan is a plan limit, and no retry is invited', async ({ gateway }) => {
  const response = await gateway.chat(await gateway.key('free'), { model: 'svc-ultra-pro' })

  expect(response.status).toBe(429)
  expect(response.headers.get('x-should-retry')).toBe('false')
  expect(response.headers.has('retry-after')).toBe(false)
  expect(await response.json()).toMatchObject({ error: { code: 'rate_limit_exceeded', type: 'plan_limit' } })
})

it.extend('config', { yaml: 'limits: { body: 1KB }' })('a body over the limit is a 413', async ({ gateway }) => {
  const response = await gateway.chat(await gateway.key(), { messages: [{ role: 'user', content: 'x'.repeat(2000) }] })

  expect(response.status).toBe(413)
  expect(await response.json()).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' })
})
