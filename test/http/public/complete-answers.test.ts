import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answer, type Backend, json, startBackend } from '../../support/backend.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway.ts'

let backend: Backend
let test: TestGateway
let key: string

beforeAll(async () => {
  backend = await startBackend()
  // A suspicion of the gateway's own must not eject the replica.
  backend.answersChecks(answer({ content: 'Hi' }))
  test = await startTestGateway({ onprem: [backend] })
  key = await test.key('pro')
})
afterAll(async () => {
  await test.close()
  await backend.close()
})

const usage = { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 }
const whole = (message: object, choice: object = {}, more: object = {}) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_700_000_000,
  model: 'test-model',
  choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop', ...choice }],
  usage,
  ...more,
})
const ASKS = {
  '/v1/chat/completions': { messages: [{ role: 'user', content: 'Hi' }] },
  '/v1/messages': { max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }] },
  '/v1/responses': { input: 'Hi' },
} as const

async function ask(path: keyof typeof ASKS, completion: object): Promise<{ status: number; body: unknown }> {
  backend.always(json(completion))
  const response = await fetch(test.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'svc-core', ...ASKS[path] }),
  })
  return { status: response.status, body: await response.json() }
}

const called = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }
const fine = whole({ content: 'Hi' })
const calls = (called: object) =>
  whole(
    { content: null, tool_calls: [{ id: 'c1', type: 'function', function: called }] },
    { finish_reason: 'tool_calls' },
  )
/** A backend's answers, and the chat clients' version of members that are wrong in them. */
const cases: readonly (readonly [name: string, sent: object, got: object])[] = [
  [
    'null and empty members',
    { ...fine, id: null, created: null, object: '' },
    { id: /^chatcmpl-req_/, created: Number },
  ],
  ['an id that is no text', { ...fine, id: 7 }, { id: /^chatcmpl-req_/ }],
  ['a fraction of a second', { ...fine, created: 1_700_000_000.5 }, { created: 1_700_000_000 }],
  ['usage that is none', { ...fine, usage: {} }, { usage: undefined }],
  ['no index, role or finish', { ...fine, choices: [{ message: { content: 'Hi' } }] }, fine],
  ['null in their place', whole({ role: null, content: 'Hi' }, { index: null, finish_reason: null }), fine],
  ['a finish in capitals', whole({ content: 'Hi' }, { finish_reason: 'STOP' }), fine],
  [
    'a limit in capitals',
    whole({ content: 'Hi' }, { finish_reason: 'MAX_TOKENS' }),
    whole({ content: 'Hi' }, { finish_reason: 'length' }),
  ],
  [
    'a finish that nobody knows',
    whole({ content: 'Hi' }, { finish_reason: 'of next year' }),
    whole({ content: 'Hi' }, { finish_reason: 'length' }),
  ],
  [
    '`stop` beside calls',
    whole({ content: null, tool_calls: [called] }),
    whole({ content: null, tool_calls: [called] }, { finish_reason: 'tool_calls' }),
  ],
  [
    'a call without id and type, whose arguments are an object',
    whole({ tool_calls: [{ function: { name: 'f', arguments: { a: 1 } } }] }, { finish_reason: 'tool_calls' }),
    whole({ content: null, tool_calls: [{ ...called, id: /^call_/ }] }, { finish_reason: 'tool_calls' }),
  ],
  [
    'content in parts, with a thought',
    whole({
      content: [
        { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] },
        { type: 'text', text: 'Hi' },
      ],
    }),
    whole({ content: 'Hi', reasoning_content: 'Hm.' }),
  ],
  [
    'usage of nothing',
    { ...fine, usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } },
    { usage: undefined },
  ],
  ['a message that is a text', { ...fine, choices: [{ index: 0, message: 'Hi', finish_reason: 'stop' }] }, fine],
  ['a text as completions have it', { ...fine, choices: [{ index: 0, text: 'Hi', finish_reason: 'stop' }] }, fine],
  ['a delta', { ...fine, choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop' }] }, fine],
  ['a message with a text alone', whole({ text: 'Hi' }), fine],
  ['a finish in another spelling', { ...fine, choices: [{ message: { content: 'Hi' }, finishReason: 'STOP' }] }, fine],
  ['a finish that is an object', whole({ content: 'Hi' }, { finish_reason: { type: 'stop', matched: 2 } }), fine],
  [
    'a finish that tells of more',
    whole({ content: 'Hi' }, { finish_reason: 'not_finished' }),
    whole({ content: 'Hi' }, { finish_reason: 'length' }),
  ],
  ['`tool_calls` beside none', whole({ content: 'Hi' }, { finish_reason: 'tool_calls' }), fine],
  [
    'a call whose arguments are empty',
    whole({ content: null, tool_calls: [{ ...called, function: { name: 'f', arguments: '' } }] }),
    calls({ name: 'f', arguments: '{}' }),
  ],
  [
    'a call whose arguments are blank',
    whole({ content: null, tool_calls: [{ ...called, function: { name: 'f', arguments: ' \n' } }] }),
    calls({ name: 'f', arguments: '{}' }),
  ],
  [
    'a call without arguments',
    whole({ content: null, tool_calls: [{ ...called, function: { name: 'f' } }] }),
    calls({ name: 'f', arguments: '{}' }),
  ],
  [
    'a call that was cut before its arguments',
    whole(
      { content: null, tool_calls: [{ ...called, function: { name: 'f', arguments: '' } }] },
      { finish_reason: 'length' },
    ),
    whole(
      { content: null, tool_calls: [{ ...called, function: { name: 'f', arguments: '' } }] },
      { finish_reason: 'length' },
    ),
  ],
  [
    'a call with parameters',
    whole({ content: null, tool_calls: [{ ...called, function: { name: 'f', parameters: { a: 1 } } }] }),
    calls({ name: 'f', arguments: '{"a":1}' }),
  ],
  [
    'a call with an input',
    whole({ content: null, tool_calls: [{ ...called, function: { name: 'f', input: { a: 1 } } }] }),
    calls({ name: 'f', arguments: '{"a":1}' }),
  ],
  [
    'a call without its object',
    whole({ content: null, tool_calls: [{ id: 'c1', type: 'function', name: 'f', arguments: '{"a":1}' }] }),
    calls({ name: 'f', arguments: '{"a":1}' }),
  ],
  ['content that is false', whole({ content: false }), whole({ content: '' })],
  ['likelihoods that are none', whole({ content: 'Hi' }, { logprobs: 'none' }), fine],
]

/** Patterns and types as matchers. */
function matching(value: unknown): unknown {
  if (value instanceof RegExp) return expect.stringMatching(value)
  if (value === Number) return expect.any(Number)
  if (Array.isArray(value)) return value.map(matching)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, matching(member)]))
}

describe('a whole answer', () => {
  it('that is complete passes as the bytes that came', async () => {
    const completion = { ...whole({ content: 'Hi', odd: 1.0e21 }), system_fingerprint: null }
    backend.always(
      ({ response }) =>
        void response.writeHead(200, { 'content-type': 'application/json' }).end(` ${JSON.stringify(completion)} `),
    )
    const response = await test.chat(key)

    expect(await response.text()).toBe(` ${JSON.stringify(completion)} `)
  })

  it.each(cases)('is completed for chat clients: %s', async (_name, sent, got) => {
    expect(await ask('/v1/chat/completions', sent)).toEqual({ status: 200, body: matching({ ...fine, ...got }) })
  })

  it.each(['/v1/messages', '/v1/responses'] as const)(
    'says its text and thoughts in parts to clients of %s',
    async path => {
      const parts = [
        { type: 'thinking', thinking: 'Hm.' },
        { type: 'text', text: 'The answer is 4' },
      ]
      const { body } = await ask(path, whole({ content: parts }))

      expect(JSON.stringify(body)).toContain('"text":"The answer is 4"')
    },
  )

  it.each(Object.keys(ASKS) as (keyof typeof ASKS)[])('that its backend gave up is no answer: POST %s', async path => {
    for (const finish_reason of ['error', 'ERROR', 'abort', 'insufficient_system_resource'])
      expect(await ask(path, whole({ content: 'Half of' }, { finish_reason }))).toMatchObject({ status: 503 })
  })

  it.each([
    ['/v1/messages', { stop_reason: 'max_tokens' }],
    ['/v1/responses', { status: 'incomplete' }],
  ] as const)('whose finish nobody knows is not finished: POST %s', async (path, expected) => {
    for (const finish_reason of ['of next year', 'MAX_TOKENS', 'model_length'])
      expect((await ask(path, whole({ content: 'Half of' }, { finish_reason }))).body).toMatchObject(expected)
  })
})
