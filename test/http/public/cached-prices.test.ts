import { afterEach, beforeEach, expect, it } from 'vitest'
import { answer, type Backend, startBackend, stream, streamThenReset } from '../../support/backend.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway.ts'

let onprem: Backend
let test: TestGateway

beforeEach(async () => {
  onprem = await startBackend()
  test = await startTestGateway({ onprem: [onprem] })
  const prices = 'input: 1, output: 10, cached_input: 0.1, cache_write: 1.25'
  await test.reload({}, yaml => yaml.replace('input: 1, output: 10', prices))
})

afterEach(async () => {
  await test.close()
  await onprem.close()
})

/** 100 tokens in, of which 60 were in the cache and 30 were written into it. */
const usage = {
  prompt_tokens: 100,
  completion_tokens: 3,
  total_tokens: 103,
  prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 30 },
}
/** 10 × 1 µUSD + 60 × 0.1 + 30 × 1.25 + 3 × 10 */
const COST = 83_500
const row = { inputTokens: 100, cachedTokens: 60, cacheWriteTokens: 30, outputTokens: 3, cost: COST, estimated: false }

/** A prompt of no fewer tokens than are reported. */
const messages = [{ role: 'user', content: 'x'.repeat(500) }]

it('tokens of the cache are paid at their prices, whole or streamed', async () => {
  onprem.next(answer({ content: 'Hi', usage }), stream({ chunks: ['Hi', ' the', 're'], usage }))
  const key = await test.key()

  await (await test.chat(key, { messages })).text()
  await (await test.chat(key, { messages, stream: true })).text()

  expect(await test.ledger()).toMatchObject([row, row])
  const [logged] = await test.logged(2)
  expect(logged).toMatchObject({ inputTokens: 100, cachedTokens: 60, cacheWriteTokens: 30 })
  const quota = await fetch(`${test.url}/billing/quota`, { headers: { authorization: `Bearer ${key}` } })
  expect(await quota.json()).toMatchObject({
    used: (2 * COST) / 1e9,
    tokens: { input: 200, cached: 120, cacheWrite: 60, output: 6 },
  })
})

it('what Anthropic and others call tokens that were written into the cache is paid as such too', async () => {
  const details = { cached_tokens: 60, cache_creation_tokens: 30 }
  onprem.next(answer({ content: 'Hi', usage: { ...usage, prompt_tokens_details: details } }))

  await (await test.chat(await test.key(), { messages })).text()

  expect(await test.ledger()).toMatchObject([row])
})

it('a backend cannot say that more was cached than it read', async () => {
  const details = { cached_tokens: 1000, cache_write_tokens: 1000 }
  onprem.next(answer({ content: 'Hi', usage: { ...usage, prompt_tokens_details: details } }))

  await (await test.chat(await test.key(), { messages })).text()

  const [settled] = await test.ledger()
  expect(settled).toMatchObject({ inputTokens: 100, cachedTokens: 100, cost: 40_000 })
  expect(settled?.cacheWriteTokens).toBeUndefined()
})

it('a request is held at the dearest price of its input, so that it never costs more', async () => {
  let finish = () => {}
  const kept = new Promise<void>(resolve => {
    finish = resolve
  })
  onprem.next(async exchange => {
    await kept
    await answer({ content: 'Hi', usage })(exchange)
  })
  const key = await test.key()
  const asked = test.chat(key, { messages, max_tokens: 10 })
  await onprem.received(1)

  const quota = await fetch(`${test.url}/billing/quota`, { headers: { authorization: `Bearer ${key}` } })
  // 520 tokens of 1.25 µUSD (user, 500 bytes, and 16 of the message), and 10 of 10
  expect(await quota.json()).toMatchObject({ held: 0.000_75 })
  finish()
  await (await asked).text()
})

it('an answer that breaks off before its usage is charged as if its prompt had been in the cache', async () => {
  onprem.next(streamThenReset({ chunks: ['One', ' two'] }))

  await (await test.chat(await test.key(), { messages, stream: true })).text().catch(() => {})
  await test.logged(1)

  // A token for each eight bytes, at 0.1 µUSD, and 2 at 10
  expect(await test.ledger()).toMatchObject([{ inputTokens: 65, cachedTokens: 65, outputTokens: 2, cost: 26_500 }])
})

it('an export of the ledger says what was cached', async () => {
  onprem.next(answer({ content: 'Hi', usage }))
  await (await test.chat(await test.key(), { messages })).text()

  const rows = await fetch(`${test.admin}/admin/ledger`, { headers: { authorization: 'Bearer test-admin-token' } })
  expect(JSON.parse(await rows.text())).toMatchObject({ cached_tokens: 60, cache_write_tokens: 30 })
})

it('metrics count what was cached, by model and plan', async () => {
  onprem.next(answer({ content: 'Hi', usage }))
  await (await test.chat(await test.key(), { messages })).text()

  const metrics = await fetch(`${test.admin}/metrics`, { headers: { authorization: 'Bearer test-admin-token' } })
  const lines = (await metrics.text()).split('\n').filter(line => line.startsWith('svc_cached_tokens_total{'))
  expect(lines.sort()).toEqual([
    'svc_cached_tokens_total{model="svc-core",plan="free",type="read"} 60',
    'svc_cached_tokens_total{model="svc-core",plan="free",type="written"} 30',
  ])
})
