import { describe, expect } from 'vitest'
import type { Behaviour } from '../../support/backend.ts'
import { json } from '../../support/backend.ts'
import { gatewayTest } from '../../support/gateway-test.ts'
import { named } from '../dialects/fixture.ts'
import { say } from './fixture.ts'

const ROUTES = `
models:
  svc-listed: { kind: passthrough, tier: standard, serve: [onprem], usd_per_1m: { input: 2, output: 10 } }
  svc-declared: { kind: passthrough, tier: standard, serve: [onprem], usd_per_1m: { input: 2, cache_write: { 5m: 3, 1h: 7 }, output: 10 } }
passthrough:
  - { path: /v1/listed, methods: [POST], model: svc-listed, meter: { usage: { max_input: 2k, max_output: 100 } } }
  - { path: /v1/declared, methods: [POST], model: svc-declared, meter: { usage: { max_input: 2k, max_output: 100 } } }
`
const it = gatewayTest.extend('config', { yaml: 'include: [routes.yaml]', files: { 'routes.yaml': ROUTES } })

/** 310 tokens in, 100 of them written for five minutes and 200 for an hour. */
const usage = {
  ...{ input_tokens: 10, cache_creation_input_tokens: 300, cache_read_input_tokens: 0, output_tokens: 4 },
  cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 200 },
}
const streamed = named([
  { type: 'message_start', message: { usage: { ...usage, output_tokens: 1 } } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 4 } },
  { type: 'message_stop' },
] as never)
const answered: Behaviour = exchange =>
  (exchange.seen.body.stream === true ? streamed : json({ type: 'message', usage }))(exchange)

const saying = (mark?: object) => {
  const part = { type: 'text', text: 'x'.repeat(1200), ...(mark && { cache_control: mark }) }
  return { max_tokens: 100, messages: [{ role: 'user', content: [part] }] }
}
const HOUR = saying({ type: 'ephemeral', ttl: '1h' })

describe.each([
  ['whole', {}],
  ['streamed', { stream: true }],
])('of an answer that passes through and is paid by usage, %s, tokens written into a cache', (_form, more) => {
  it.for([
    // 10 × 2 µUSD and 4 × 10 beside what was written: 100 × 2.5 and 200 × 4, …
    ['for an hour cost twice the input', '/v1/listed', HOUR, 1_110_000],
    ['for five minutes cost 1.25 times the input', '/v1/listed', saying({ type: 'ephemeral', ttl: '5m' }), 810_000],
    ['for no time that is named cost the same', '/v1/listed', saying({ type: 'ephemeral' }), 810_000],
    ['unasked cost what other input does', '/v1/listed', saying(), 660_000],
    // … or 100 × 3 and 200 × 7.
    ['cost what the files say of each time', '/v1/declared', HOUR, 1_760_000],
  ] as const)('%s', async ([, path, body, cost], { backend, gateway, key }) => {
    backend.next(answered)

    await (await say(gateway, path, key, { ...body, ...more })).text()

    await gateway.logged(1)
    expect(await gateway.ledger()).toMatchObject([
      { kind: 'settle', inputTokens: 310, cacheWriteTokens: 300, outputTokens: 4, cost, estimated: false },
    ])
  })
})
