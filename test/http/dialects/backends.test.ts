import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Backend, type Behaviour, json, startBackend, status } from '../../support/backend.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { joinedStream, joinedWhole } from '../../support/joined-chat.ts'
import { named } from './fixture.ts'

/**
 * Two backends, one that speaks only Messages and one that speaks only Responses, each as the published interface describes. The
 * first pool of `svc-either` speaks Messages, the second Responses.
 */
let messages: Backend
let responses: Backend
let test: TestGateway
let key: string

beforeEach(async () => {
  ;[messages, responses] = await Promise.all([startBackend(), startBackend()])
  for (const backend of [messages, responses]) backend.always(status(500, {}))
  const files = { 'dialects.yaml': yamlOf(messages.url, responses.url) }
  test = await startTestGateway({
    onprem: [{ url: 'http://127.0.0.1:9/v1' }],
    yaml: 'include: [dialects.yaml]\nhosted_tools: { calculator: { builtin: calculator } }',
    fields: { pro: 'tools: all' },
    files,
    env: { CLOUD_KEY: 'sk-cloud', SVC_GUEST_SECRET: 'guest-root-secret-of-the-tests-0001', MESSAGES_KEY: 'sk-ant' },
  })
  key = await test.key('pro')
})

afterEach(async () => {
  await test.close()
  await Promise.all([messages.close(), responses.close()])
})

/** A dollar for a million tokens is 1,000 nano-USD for one. */
const PRICE = '{ input: 1, cached_input: 0.1, cache_write: 1.25, output: 10 }'
const COST = 7 * 1000 + 1000 * 100 + 100 * 1250 + 20 * 10_000

const yamlOf = (messagesUrl: string, responsesUrl: string): string => `
models:
  svc-claude: { kind: chat, tier: guest, serve: [claude], context: 64k, usd_per_1m: ${PRICE} }
  svc-gpt: { kind: chat, tier: guest, serve: [gpt], context: 64k, usd_per_1m: ${PRICE} }
  svc-either: { kind: chat, tier: guest, serve: [claude, gpt], context: 64k, usd_per_1m: ${PRICE} }
pools:
  claude:
    { site: cloud, model: claude-sonnet-4-6, speaks: [messages], key: "\${MESSAGES_KEY}", replicas: ["${messagesUrl}"] }
  gpt: { site: cloud, model: gpt-5.2, speaks: [responses], key: "\${CLOUD_KEY}", replicas: ["${responsesUrl}"] }
`

const TOOLS = [{ type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } }]
const HISTORY = [
  { role: 'system', content: 'Be short.' },
  { role: 'user', content: 'Look.' },
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"at":1}' } }],
  },
  { role: 'tool', tool_call_id: 'call_1', content: 'Nothing.' },
]

async function chat(model: string, body: object = {}): Promise<{ status: number; bytes: Buffer }> {
  const response = await test.chat(key, { model, messages: HISTORY, tools: TOOLS, max_tokens: 100, ...body })
  return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) }
}

async function bills(): Promise<unknown> {
  const rows = await test.ledger()
  return rows.map(({ kind, pool, inputTokens, outputTokens, cost }) => [kind, pool, inputTokens, outputTokens, cost])
}

const MESSAGE = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-4-6',
  content: [
    { type: 'thinking', thinking: 'Hm.', signature: 'EqQB' },
    { type: 'text', text: 'Again.' },
    { type: 'tool_use', id: 'toolu_1', name: 'look', input: { at: 2 } },
  ],
  stop_reason: 'tool_use',
  stop_sequence: null,
  usage: { input_tokens: 7, cache_creation_input_tokens: 100, cache_read_input_tokens: 1000, output_tokens: 20 },
}
const MESSAGE_EVENTS = [
  {
    type: 'message_start',
    message: { ...MESSAGE, content: [], stop_reason: null, usage: { ...MESSAGE.usage, output_tokens: 1 } },
  },
  { type: 'ping' },
  { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm.' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'EqQB' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'Again.' } },
  { type: 'content_block_stop', index: 1 },
  {
    type: 'content_block_start',
    index: 2,
    content_block: { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} },
  },
  { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '{"at":' } },
  { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '2}' } },
  { type: 'content_block_stop', index: 2 },
  { type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null }, usage: { output_tokens: 20 } },
  { type: 'message_stop' },
]

const ITEMS = [
  { id: 'rs_1', type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }], encrypted_content: 'gAAAA' },
  {
    id: 'msg_1',
    type: 'message',
    status: 'completed',
    role: 'assistant',
    content: [{ type: 'output_text', text: 'Again.', annotations: [], logprobs: [] }],
  },
  { id: 'fc_1', type: 'function_call', status: 'completed', call_id: 'toolu_1', name: 'look', arguments: '{"at":2}' },
] as const
const RESPONSE = {
  id: 'resp_1',
  object: 'response',
  created_at: 1_700_000_000,
  status: 'completed',
  error: null,
  incomplete_details: null,
  model: 'gpt-5.2',
  output: ITEMS,
  usage: {
    input_tokens: 1107,
    input_tokens_details: { cached_tokens: 1000, cache_write_tokens: 100 },
    output_tokens: 20,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 1127,
  },
}
const [REASONING, SAID, CALL] = ITEMS
const RESPONSE_EVENTS = [
  { type: 'response.created', response: { ...RESPONSE, status: 'in_progress', output: [], usage: null } },
  { type: 'response.in_progress', response: { ...RESPONSE, status: 'in_progress', output: [], usage: null } },
  { type: 'response.output_item.added', output_index: 0, item: { ...REASONING, summary: [] } },
  { type: 'response.reasoning_summary_text.delta', output_index: 0, summary_index: 0, delta: 'Hm.' },
  { type: 'response.output_item.done', output_index: 0, item: REASONING },
  { type: 'response.output_item.added', output_index: 1, item: { ...SAID, content: [] } },
  { type: 'response.output_text.delta', output_index: 1, content_index: 0, delta: 'Again.', logprobs: [] },
  { type: 'response.output_item.done', output_index: 1, item: SAID },
  { type: 'response.output_item.added', output_index: 2, item: { ...CALL, arguments: '' } },
  { type: 'response.function_call_arguments.delta', output_index: 2, delta: '{"at":' },
  { type: 'response.function_call_arguments.delta', output_index: 2, delta: '2}' },
  { type: 'response.output_item.done', output_index: 2, item: CALL },
  { type: 'response.completed', response: RESPONSE },
].map((event, sequence_number) => ({ ...event, sequence_number }))

const ANSWER = {
  content: 'Again.',
  reasoning: 'Hm.',
  calls: [{ id: 'toolu_1', name: 'look', arguments: '{"at":2}' }],
  finish: 'tool_calls',
  usage: { prompt_tokens: 1107, completion_tokens: 20 },
  done: true,
}

const anthropicError = (code: number, type: string, message: string, headers = {}): Behaviour =>
  status(code, { type: 'error', error: { type, message }, request_id: 'req_1' }, headers)

const BOTH = [
  { speaks: 'messages', model: 'svc-claude', pool: 'claude', whole: MESSAGE, events: MESSAGE_EVENTS },
  { speaks: 'responses', model: 'svc-gpt', pool: 'gpt', whole: RESPONSE, events: RESPONSE_EVENTS },
] as const

describe.each(BOTH)('a client of chats at a pool that speaks $speaks', ({ speaks, model, pool, whole, events }) => {
  const backend = () => (speaks === 'messages' ? messages : responses)
  const bill = [['settle', pool, 1107, 20, COST]]

  it('gets whole answers as completions, at the exact price', async () => {
    backend().next(json(whole))
    const { status: code, bytes } = await chat(model)
    expect(code).toBe(200)
    expect(joinedWhole(bytes)).toMatchObject(ANSWER)
    expect(JSON.parse(String(bytes))).toMatchObject({ object: 'chat.completion', model: whole.model })
    expect(await bills()).toEqual(bill)
  })

  it('gets streams in chunks, at the same price', async () => {
    backend().next(named(events))
    const { bytes } = await chat(model, { stream: true, stream_options: { include_usage: true } })
    expect(joinedStream(bytes)).toMatchObject(ANSWER)
    expect(await bills()).toEqual(bill)
  })

  it('gets an error after a part of a stream that broke, and pays no more than was said', async () => {
    backend().next(named(events.slice(0, -4)))
    const { bytes } = await chat(model, { stream: true })
    expect(joinedStream(bytes)).toMatchObject({ content: 'Again.', error: { type: 'upstream_error' }, done: false })
    const [row] = await test.ledger()
    expect(row?.outputTokens).toBeLessThanOrEqual(20)
  })

  it('is refused more than one answer, which cannot be asked for', async () => {
    const { status: code, bytes } = await chat(model, { n: 2 })
    expect(code).toBe(400)
    expect(String(bytes)).toContain('n: must be 1')
    expect(backend().requests).toHaveLength(0)
  })

  it('is refused functions as they were before tools', async () => {
    const { bytes } = await chat(model, { tools: undefined, functions: [{ name: 'look' }] })
    expect(String(bytes)).toContain('functions: is not supported by the pools of this model')
    expect(backend().requests).toHaveLength(0)
  })

  it('learns why its request is refused', async () => {
    backend().next(
      speaks === 'messages'
        ? anthropicError(400, 'invalid_request_error', 'tools.0: too strange')
        : status(400, { error: { message: 'tools.0: too strange', type: 'invalid_request_error', code: null } }),
    )
    const { status: code, bytes } = await chat(model)
    expect(code).toBe(400)
    expect(String(bytes)).toContain('tools.0: too strange')
  })
})

it('a backend of Messages gets what its interface says', async () => {
  messages.next(json(MESSAGE))
  await chat('svc-claude', { reasoning_effort: 'high', temperature: 0.2 })
  const [seen] = messages.requests
  expect(seen?.path).toBe('/v1/messages')
  expect(seen?.headers).toMatchObject({ 'x-api-key': 'sk-ant', 'anthropic-version': '2023-06-01' })
  expect(seen?.headers).not.toHaveProperty('authorization')
  expect(seen?.body).toEqual({
    model: 'claude-sonnet-4-6',
    max_tokens: 100,
    system: 'Be short.',
    messages: [
      { role: 'user', content: 'Look.' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'call_1', name: 'look', input: { at: 1 } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_1', content: 'Nothing.' }] },
    ],
    tools: [{ name: 'look', input_schema: { type: 'object', properties: {} } }],
    thinking: { type: 'adaptive', display: 'summarized' },
    output_config: { effort: 'high' },
  })
})

it('a backend of Responses gets what its interface says', async () => {
  responses.next(json(RESPONSE))
  await chat('svc-gpt', { reasoning_effort: 'high' })
  const [seen] = responses.requests
  expect(seen?.path).toBe('/v1/responses')
  expect(seen?.headers).toMatchObject({ authorization: 'Bearer sk-cloud' })
  expect(seen?.body).toEqual({
    model: 'gpt-5.2',
    max_output_tokens: 100,
    input: [
      { type: 'message', role: 'system', content: 'Be short.' },
      { type: 'message', role: 'user', content: 'Look.' },
      { type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{"at":1}' },
      { type: 'function_call_output', call_id: 'call_1', output: 'Nothing.' },
    ],
    tools: [{ type: 'function', name: 'look', parameters: { type: 'object', properties: {} }, strict: false }],
    reasoning: { effort: 'high' },
    include: ['reasoning.encrypted_content'],
    store: false,
    stream: false,
  })
})

describe('a failure of a backend of Messages', () => {
  it.each([
    ['that it is overloaded', anthropicError(529, 'overloaded_error', 'Overloaded')],
    ['that its account is empty', anthropicError(400, 'invalid_request_error', 'Your credit balance is too low.')],
    ['that it lacks the model', anthropicError(404, 'not_found_error', 'model: claude-sonnet-4-6')],
    ['that its key is wrong', anthropicError(401, 'authentication_error', 'invalid x-api-key')],
    ['that it has had enough', anthropicError(429, 'rate_limit_error', 'Slow down', { 'retry-after': '30' })],
    [
      'within a stream, before anything was said',
      named([
        ...MESSAGE_EVENTS.slice(0, 2),
        { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } } as { type: string },
      ]),
    ],
  ])('%s sends the request on to a pool that speaks another dialect', async (_what, failure) => {
    messages.always(failure)
    responses.next(named(RESPONSE_EVENTS))
    const { bytes } = await chat('svc-either', { stream: true })
    expect(joinedStream(bytes)).toMatchObject({ content: 'Again.', finish: 'tool_calls', done: true })
    expect(await bills()).toContainEqual(['settle', 'gpt', 1107, 20, COST])
  })
})

it('a failing replica is asked in its dialect, with as few tokens as that takes', async () => {
  const failure = status(529, {})
  messages.always(failure)
  responses.always(failure)
  await chat('svc-either')
  await Promise.all([messages.checked(1), responses.checked(1)])
  expect([messages.checks[0], responses.checks[0]].map(seen => [seen?.path, seen?.body])).toEqual([
    ['/v1/messages', { model: 'claude-sonnet-4-6', max_tokens: 1, messages: [{ role: 'user', content: 'Hi' }] }],
    [
      '/v1/responses',
      {
        model: 'gpt-5.2',
        max_output_tokens: 16,
        input: [{ type: 'message', role: 'user', content: 'Hi' }],
        include: ['reasoning.encrypted_content'],
        store: false,
        stream: false,
      },
    ],
  ])
})

describe.each(BOTH)('a hosted tool at a pool that speaks $speaks', ({ speaks, model, pool }) => {
  const backend = () => (speaks === 'messages' ? messages : responses)
  const args = { expression: '6*7' }
  const asked =
    speaks === 'messages'
      ? { ...MESSAGE, content: [{ type: 'tool_use', id: 'toolu_1', name: 'calculator', input: args }] }
      : { ...RESPONSE, output: [{ ...CALL, name: 'calculator', arguments: JSON.stringify(args) }] }
  const said =
    speaks === 'messages'
      ? { ...MESSAGE, content: [{ type: 'text', text: '42.' }], stop_reason: 'end_turn' }
      : { ...RESPONSE, output: [{ ...SAID, content: [{ type: 'output_text', text: '42.' }] }] }

  it('is called in one round and its result told in the next, and both are paid', async () => {
    backend().next(json(asked), json(said))
    const { bytes } = await chat(model, { tools: [{ type: 'hosted', name: 'calculator' }] })
    expect(joinedWhole(bytes)).toMatchObject({ content: '42.', calls: [], finish: 'stop' })
    expect(JSON.stringify(backend().requests[1]?.body)).toMatch(/"toolu_1"[^}]*result of calculator[^}]*42/)
    expect(await bills()).toEqual([['settle', pool, 2 * 1107, 2 * 20, 2 * COST]])
  })
})

it('a client of Responses is answered by a pool that speaks Messages, and one of Messages by one of Responses', async () => {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const ask = (path: string, body: object) =>
    fetch(`${test.url}/v1/${path}`, { method: 'POST', headers, body: JSON.stringify(body) }).then(each => each.json())
  messages.next(json(MESSAGE))
  expect(await ask('responses', { model: 'svc-claude', input: 'Look.' })).toMatchObject({
    object: 'response',
    output: [
      { type: 'reasoning' },
      { type: 'message', content: [{ text: 'Again.' }] },
      { type: 'function_call', call_id: 'toolu_1', arguments: '{"at":2}' },
    ],
  })
  responses.next(json(RESPONSE))
  const body = { model: 'svc-gpt', max_tokens: 100, messages: [{ role: 'user', content: 'Look.' }] }
  expect(await ask('messages', body)).toMatchObject({
    type: 'message',
    content: [
      // The block that its backend wants back with the result of the call.
      { type: 'redacted_thinking' },
      { type: 'text', text: 'Again.' },
      { type: 'tool_use', id: 'toolu_1', input: { at: 2 } },
    ],
    usage: { input_tokens: 7, cache_creation_input_tokens: 100, cache_read_input_tokens: 1000, output_tokens: 20 },
  })
})
