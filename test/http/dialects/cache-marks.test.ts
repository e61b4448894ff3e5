import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { answer, type Backend, json, startBackend } from '../../support/backend.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway.ts'

let backend: Backend
let test: TestGateway
let key: string

const POOLS = {
  claude: 'speaks: [messages]',
  chats: 'speaks: [chat]',
  router: 'speaks: [chat], provider: { is: openrouter }',
  gpt: 'speaks: [responses]',
} as const

beforeEach(async () => {
  backend = await startBackend()
  const models = Object.keys(POOLS).map(
    pool =>
      `  svc-${pool}: { kind: chat, tier: guest, serve: [${pool}], context: 64k, lossy: refuse, usd_per_1m: { input: 1, output: 10 } }`,
  )
  const pools = Object.entries(POOLS).map(
    ([name, terms]) => `  ${name}: { site: cloud, model: m, ${terms}, replicas: ["${backend.url}"] }`,
  )
  test = await startTestGateway({
    onprem: [{ url: 'http://127.0.0.1:9/v1' }],
    yaml: 'include: [marks.yaml]\nhosted_tools: { calculator: { builtin: calculator } }',
    fields: { pro: 'tools: all' },
    files: { 'marks.yaml': `models:\n${models.join('\n')}\npools:\n${pools.join('\n')}\n` },
  })
  key = await test.key('pro')
})

afterEach(async () => {
  await test.close()
  await backend.close()
})

const MARK = { cache_control: { type: 'ephemeral' } }
const LONG = 'Long. '.repeat(100)
const MARKED = {
  messages: [
    { role: 'system', content: [{ type: 'text', text: LONG, ...MARK }] },
    { role: 'user', content: LONG, ...MARK },
  ],
  tools: [{ type: 'function', function: { name: 'look', parameters: {} }, ...MARK }],
}
const MESSAGE = {
  ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [{ type: 'text', text: 'Hi' }] },
  ...{ stop_reason: 'end_turn', stop_sequence: null },
  usage: { input_tokens: 10, cache_creation_input_tokens: 100, cache_read_input_tokens: 0, output_tokens: 1 },
}
const RESPONSE = {
  ...{ id: 'resp_1', object: 'response', created_at: 1, status: 'completed', model: 'm' },
  output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] }],
  usage: { input_tokens: 110, input_tokens_details: { cache_write_tokens: 100 }, output_tokens: 1 },
}

const ask = (model: string, more: object = {}) => test.chat(key, { model, ...MARKED, ...more })

describe('a chat with marks for a cache', () => {
  it('reaches a pool of Messages with all of them, and pays for what was written', async () => {
    backend.next(json(MESSAGE))
    const response = await ask('svc-claude')

    expect(response.status).toBe(200)
    expect(response.headers.has('x-svc-ignored-fields')).toBe(false)
    const [sent] = backend.requests
    expect(sent?.body).toMatchObject({
      system: [{ type: 'text', text: LONG, ...MARK }],
      messages: [{ role: 'user', content: [{ type: 'text', text: LONG, ...MARK }] }],
      tools: [{ name: 'look', ...MARK }],
    })
    // 10 × 1 µUSD + 100 × 1.25 + 1 × 10
    expect(await test.ledger()).toMatchObject([{ inputTokens: 110, cacheWriteTokens: 100, cost: 145_000 }])
  })

  it('goes to other pools without them, also where nothing may be lost, and the answer says so', async () => {
    for (const [model, reply] of [
      ['svc-chats', answer({ content: 'Hi', usage: { prompt_tokens: 110, completion_tokens: 1, total_tokens: 111 } })],
      ['svc-gpt', json(RESPONSE)],
    ] as const) {
      backend.next(reply)
      const response = await ask(model)

      expect(response.status).toBe(200)
      expect(response.headers.get('x-svc-ignored-fields')).toBe('cache_control')
      expect(backend.requests.at(-1)?.rawBody).not.toContain('cache_control')
    }
    // Cache writes that nobody asked for count as other input: 110 × 1 µUSD + 1 × 10
    expect((await test.ledger()).map(({ cost }) => cost)).toEqual([120_000, 120_000])
  })

  it('goes to a chat pool that passes them on as it came', async () => {
    const response = await ask('svc-router')

    expect(response.headers.has('x-svc-ignored-fields')).toBe(false)
    expect(backend.requests[0]?.body).toMatchObject(MARKED)
  })

  it('keeps them in the rounds of hosted tools', async () => {
    const tools = [...MARKED.tools, { type: 'hosted', name: 'calculator' }]
    backend.next(json(MESSAGE))
    await ask('svc-claude', { tools })

    expect(backend.requests[0]?.rawBody.match(/"cache_control"/g)).toHaveLength(3)
  })
})
