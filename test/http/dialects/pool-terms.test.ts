import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { json } from '../../support/backend.ts'
import { BOTH, Dialects, named } from './fixture.ts'

let site: Dialects

const PRICES = '{ input: 1, cached_input: 0.1, cache_write: 1.25, output: 10 }'
const BY_TIME = '{ input: 1, cached_input: 0.1, cache_write: { 5m: 1.25, 1h: 2 }, output: 10 }'
const MODELS = `
  svc-hourly: { kind: chat, tier: guest, serve: [native], context: 64k, usd_per_1m: ${BY_TIME} }
  svc-cached: { kind: chat, tier: guest, serve: [native], context: 64k, usd_per_1m: ${PRICES} }
  svc-strict: { kind: chat, tier: guest, serve: [onprem], context: 64k, lossy: refuse, usd_per_1m: ${PRICES} }
  svc-either: { kind: chat, tier: guest, serve: [onprem, search], context: 64k, lossy: refuse, usd_per_1m: ${PRICES} }
`

beforeEach(async () => {
  site = await Dialects.start()
  await site.test.reload({}, yaml => yaml.replace('\nmodels:\n', `\nmodels:${MODELS}`))
})

afterEach(() => site.close())

describe.each(BOTH)('a request of $path', ({ path, body, answer, events }) => {
  it('that is not translated pays tokens of a cache at their price, whole or streamed', async () => {
    site.native.next(answer, named(events))
    await (await site.ask(path, body('svc-cached'))).text()
    await (await site.ask(path, { ...body('svc-cached'), stream: true })).text()

    // 7 × 1 µUSD, 3 of the cache × 0.1, and 4 × 10
    const row = { inputTokens: 10, cachedTokens: 3, outputTokens: 4, cost: 47_300, estimated: false }
    expect(await site.test.ledger()).toMatchObject([row, row])
  })
})

it('tokens that Anthropic keeps for an hour are paid at their own price, in its dialect or in another', async () => {
  const usage = {
    ...{ input_tokens: 10, cache_creation_input_tokens: 300, cache_read_input_tokens: 0, output_tokens: 4 },
    cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 200 },
  }
  const message = {
    ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'native-model', stop_sequence: null },
    ...{ content: [{ type: 'text', text: 'Hi' }], stop_reason: 'end_turn', usage },
  }
  const stream = [
    { type: 'message_start', message: { ...message, content: [], usage: { ...usage, output_tokens: 1 } } },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 4 } },
    { type: 'message_stop' },
  ]
  site.native.next(json(message), named(stream), json(message), named(stream))
  const asked = { model: 'svc-hourly', max_tokens: 100, messages: [{ role: 'user', content: 'x'.repeat(1500) }] }
  for (const more of [{}, { stream: true }]) await (await site.ask('messages', { ...asked, ...more })).text()
  for (const more of [{}, { stream: true }]) await (await site.test.chat(site.key, { ...asked, ...more })).text()

  // 10 × 1 µUSD, 100 × 1.25, 200 × 2 and 4 × 10
  const row = { inputTokens: 310, cacheWriteTokens: 300, outputTokens: 4, cost: 575_000, estimated: false }
  expect(await site.test.ledger()).toMatchObject([row, row, row, row])
})

/** A function, and a tool that its service would run. */
const TOOLS = {
  messages: [
    { name: 'look', input_schema: { type: 'object', properties: {} } },
    { type: 'web_search_20250305', name: 'web_search' },
  ],
  responses: [{ type: 'function', name: 'look', parameters: {}, strict: false }, { type: 'web_search' }],
}

describe.each(BOTH)('a model with lossy: refuse, asked for $path', ({ path, body, answer }) => {
  const asked = (model: string) => site.ask(path, { ...body(model), tools: TOOLS[path] })

  it('refuses what would lose a tool, in the form of the client, and charges nothing', async () => {
    const response = await asked('svc-strict')

    expect(response.status).toBe(400)
    const { error } = (await response.json()) as { error: { type: string; message: string } }
    expect(error.type).toBe('invalid_request_error')
    expect(error.message).toMatch(/web_search\w* cannot be used with svc-strict/)
    expect(site.chats.requests).toEqual([])
    expect(await site.test.ledger()).toEqual([])
  })

  it('sends it past pools of other dialects to one that speaks its own and allows the tool', async () => {
    site.native.next(answer)
    const response = await asked('svc-either')

    expect(response.status).toBe(200)
    expect(response.headers.get('x-svc-upstream')).toBe('search')
    expect(response.headers.get('x-svc-ignored-tools')).toBeNull()
    expect(site.native.requests[0]?.body.tools).toEqual(TOOLS[path])
  })

  it('answers what loses nothing at the first pool', async () => {
    const response = await site.ask(path, body('svc-either'))

    expect(response.status).toBe(200)
    expect(response.headers.get('x-svc-upstream')).toBe('onprem')
  })
})
