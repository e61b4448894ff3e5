import { expect } from 'vitest'
import { answer, stream, streamThenReset } from '../../support/backend.ts'
import { ADMIN_TOKEN } from '../../support/gateway.ts'
import { gatewayTest } from '../../support/gateway-test.ts'

const it = gatewayTest.extend('gateway', async ({ gateway }) => {
  const prices = 'input: 1, output: 10, cached_input: 0.1, cache_write: 1.25'
  await gateway.reload({}, yaml => yaml.replace('input: 1, output: 10', prices))
  return gateway
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
const row = {
  inputTokens: 100,
  cachedTokens: 60,
  cacheWriteTokens: 30,
  outputTokens: 3,
  cost: COST,
  saved: 54_000,
  estimated: false,
}

/** A prompt of no fewer tokens than are reported. */
const messages = [{ role: 'user', content: 'x'.repeat(500) }]

it('tokens of the cache are paid at their prices, whole or streamed', async ({ backend, gateway }) => {
  backend.next(answer({ content: 'Hi', usage }), stream({ chunks: ['Hi', ' the', 're'], usage }))
  const key = await gateway.key()

  await (await gateway.chat(key, { messages })).text()
  await (await gateway.chat(key, { messages, stream: true })).text()

  expect(await gateway.ledger()).toMatchObject([row, row])
  const [logged] = await gateway.logged(2)
  expect(logged).toMatchObject({ inputTokens: 100, cachedTokens: 60, cacheWriteTokens: 30 })
  const quota = await fetch(`${gateway.url}/billing/quota`, { headers: { authorization: `Bearer ${key}` } })
  expect(await quota.json()).toMatchObject({
    used: (2 * COST) / 1e9,
    tokens: { input: 200, cached: 120, cacheWrite: 60, output: 6 },
  })
})

it('what Anthropic and others call tokens that were written into the cache is paid as such too', async ({
  backend,
  gateway,
}) => {
  const details = { cached_tokens: 60, cache_creation_tokens: 30 }
  backend.next(answer({ content: 'Hi', usage: { ...usage, prompt_tokens_details: details } }))

  await (await gateway.chat(await gateway.key(), { messages })).text()

  expect(await gateway.ledger()).toMatchObject([row])
})

it('a backend cannot say that more was cached than it read', async ({ backend, gateway }) => {
  const details = { cached_tokens: 1000, cache_write_tokens: 1000 }
  backend.next(answer({ content: 'Hi', usage: { ...usage, prompt_tokens_details: details } }))

  await (await gateway.chat(await gateway.key(), { messages })).text()

  const [settled] = await gateway.ledger()
  expect(settled).toMatchObject({ inputTokens: 100, cachedTokens: 100, cost: 40_000 })
  expect(settled?.cacheWriteTokens).toBeUndefined()
})

it('a request is held at the dearest price of its input, so that it never costs more', async ({ backend, gateway }) => {
  let finish = () => {}
  const kept = new Promise<void>(resolve => {
    finish = resolve
  })
  backend.next(async exchange => {
    await kept
    await answer({ content: 'Hi', usage })(exchange)
  })
  const key = await gateway.key()
  const asked = gateway.chat(key, { messages, max_tokens: 10 })
  await backend.received(1)

  const quota = await fetch(`${gateway.url}/billing/quota`, { headers: { authorization: `Bearer ${key}` } })
  // 520 tokens of 1.25 µUSD (user, 500 bytes, and 16 of the message), and 10 of 10
  expect(await quota.json()).toMatchObject({ held: 0.000_75 })
  finish()
  await (await asked).text()
})

it('an answer that breaks off before its usage is charged its prompt as if nothing of it had been in the cache', async ({
  backend,
  gateway,
}) => {
  backend.next(streamThenReset({ chunks: ['One', ' two'] }))

  await (await gateway.chat(await gateway.key(), { messages, stream: true })).text().catch(() => {})
  await gateway.logged(1)

  // A token for each four bytes, at 1 µUSD, and 2 at 10
  expect(await gateway.ledger()).toMatchObject([{ inputTokens: 130, outputTokens: 2, cost: 150_000 }])
})

it('an export of the ledger says what was cached', async ({ backend, gateway }) => {
  backend.next(answer({ content: 'Hi', usage }))
  await (await gateway.chat(await gateway.key(), { messages })).text()

  const rows = await fetch(`${gateway.admin}/admin/ledger`, { headers: { authorization: 'Bearer test-admin-token' } })
  expect(JSON.parse(await rows.text())).toMatchObject({ cached_tokens: 60, cache_write_tokens: 30 })
})

it('metrics count what was cached, by model and plan', async ({ backend, gateway }) => {
  backend.next(answer({ content: 'Hi', usage }))
  await (await gateway.chat(await gateway.key(), { messages })).text()

  const metrics = await fetch(`${gateway.admin}/metrics`, { headers: { authorization: 'Bearer test-admin-token' } })
  const lines = (await metrics.text()).split('\n').filter(line => line.startsWith('svc_cached_tokens_total{'))
  expect(lines.sort()).toEqual([
    'svc_cached_tokens_total{model="svc-core",plan="free",type="read"} 60',
    'svc_cached_tokens_total{model="svc-core",plan="free",type="written"} 30',
  ])
})

it('usage and invoice add up what caching saved, to the nano-USD', async ({ backend, gateway }) => {
  backend.next(answer({ content: 'Hi', usage }), answer({ content: 'Hi', usage }), answer({ content: 'Hi' }))
  const key = await gateway.key()
  for (let n = 0; n < 3; n++) await (await gateway.chat(key, { messages })).text()
  const saved = { cached_tokens: 120, saved_nano_usd: 108_000, saved_usd: '0.000108' }
  const asAdmin = { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } }

  for (const by of ['account', 'model', 'key', 'day', 'hour']) {
    const report = await fetch(`${gateway.admin}/admin/usage?by=${by}&since=1h`, asAdmin)
    expect(await report.json(), by).toMatchObject({ data: [saved] })
  }
  const own = await fetch(`${gateway.url}/billing/usage`, { headers: { authorization: `Bearer ${key}` } })
  expect(await own.json()).toMatchObject({ data: [saved] })
  const [{ admittedAt } = { admittedAt: 0 }] = await gateway.ledger()
  const month = new Date(admittedAt).toISOString().slice(0, 7)
  const invoice = await fetch(`${gateway.url}/billing/invoices?month=${month}`, {
    headers: { authorization: `Bearer ${key}` },
  })
  expect(await invoice.json()).toMatchObject({ total: saved, days: [saved], models: [saved] })
})
