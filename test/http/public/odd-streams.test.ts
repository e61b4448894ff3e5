import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answer, type Backend, sse, startBackend } from '../../support/backend.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { joinedStream } from '../../support/joined-chat.ts'

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

const chunk = (choice: object, more: object = {}) => ({
  ...{ id: 'c', object: 'chat.completion.chunk', created: 1_700_000_000, model: 'm' },
  choices: [{ index: 0, finish_reason: null, ...choice }],
  ...more,
})
const said = (delta: unknown, choice: object = {}) => chunk({ delta, ...choice })
const over = (finish_reason: unknown = 'stop', choice: object = {}) => chunk({ delta: {}, finish_reason, ...choice })
const called = (part: object) => said({ tool_calls: [part] })
const f = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }
const zero = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }

async function ask(events: readonly unknown[]) {
  backend.always(sse(`${events.map(event => `data: ${JSON.stringify(event)}\n\n`).join('')}data: [DONE]\n\n`))
  const response = await test.chat(key, { stream: true, stream_options: { include_usage: true } })
  const joined = joinedStream(Buffer.from(await response.arrayBuffer()))
  const id = response.headers.get('x-request-id')
  const row = (await test.ledger()).find(({ requestId }) => requestId === id)
  return { joined, row }
}

/** A backend's events, and the client's final result. */
const ROWS: readonly (readonly [name: string, events: readonly unknown[], got: object])[] = [
  ['a delta that is a text', [said('Hel'), said('lo'), over()], { content: 'Hello' }],
  ['texts as completions have them', [chunk({ text: 'Hel' }), chunk({ text: 'lo' }), over()], { content: 'Hello' }],
  ['texts beside empty deltas', [said({}, { text: 'Hel' }), said({}, { text: 'lo' }), over()], { content: 'Hello' }],
  ['deltas with a text', [said({ text: 'Hel' }), said({ text: 'lo' }), over()], { content: 'Hello' }],
  [
    'a choice that is no list',
    [{ ...said({}), choices: said({ content: 'Hello' }).choices[0] }, over()],
    { content: 'Hello' },
  ],
  ['a delta that is false', [said({ content: false }), said({ content: 'Hello' }), over()], { content: 'Hello' }],
  [
    'messages in place of deltas',
    [chunk({ message: { content: 'Hel' } }), chunk({ message: { content: 'lo' } }), over()],
    { content: 'Hello' },
  ],
  [
    'the whole message once more',
    [
      said({ content: 'Hel' }),
      said({ content: 'lo' }),
      chunk({ message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }),
    ],
    { content: 'Hello', finish: 'stop' },
  ],
  [
    'the whole message with its thoughts once more',
    [
      said({ reasoning_content: 'Hm' }),
      said({ content: 'Hi' }),
      chunk({ message: { reasoning_content: 'Hm', content: 'Hi' }, finish_reason: 'stop' }),
    ],
    { content: 'Hi', reasoning: 'Hm' },
  ],
  [
    'calls in the whole message alone',
    [said({ content: 'Hi' }), chunk({ message: { content: 'Hi', tool_calls: [f] }, finish_reason: 'tool_calls' })],
    { content: 'Hi', calls: [{ id: 'c1', name: 'f', arguments: '{"a":1}' }], finish: 'tool_calls' },
  ],
  [
    'a text in the whole message alone',
    [called({ index: 0, ...f }), chunk({ message: { content: 'Hi', tool_calls: [f] }, finish_reason: 'tool_calls' })],
    { content: 'Hi', calls: [{ id: 'c1', name: 'f', arguments: '{"a":1}' }] },
  ],
  [
    'a call once more when all of it came',
    [
      called({ index: 0, id: 'c1', function: { name: 'f', arguments: '{"a":' } }),
      called({ index: 0, function: { arguments: '1}' } }),
      called({ index: 0, ...f }),
      over('tool_calls'),
    ],
    { calls: [{ id: 'c1', name: 'f', arguments: '{"a":1}' }] },
  ],
  [
    'a call without arguments',
    [called({ index: 0, id: 'c1', function: { name: 'f' } }), over('tool_calls')],
    { calls: [{ id: 'c1', name: 'f', arguments: '{}' }] },
  ],
  [
    'a call whose arguments are empty',
    [called({ index: 0, id: 'c1', function: { name: 'f', arguments: '' } }), over('tool_calls')],
    { calls: [{ id: 'c1', name: 'f', arguments: '{}' }] },
  ],
  [
    'a call with the finish in one event',
    [
      said(
        { tool_calls: [{ index: 0, id: 'c1', function: { name: 'f', arguments: '' } }] },
        { finish_reason: 'tool_calls' },
      ),
    ],
    { calls: [{ id: 'c1', name: 'f', arguments: '{}' }], finish: 'tool_calls' },
  ],
  [
    'two calls, one without arguments',
    [
      called({ index: 0, id: 'c1', function: { name: 'f', arguments: null } }),
      called({ index: 1, ...f, id: 'c2' }),
      over('tool_calls'),
    ],
    {
      calls: [
        { id: 'c1', name: 'f', arguments: '{}' },
        { id: 'c2', name: 'f', arguments: '{"a":1}' },
      ],
    },
  ],
  [
    'a call that was cut before its arguments',
    [called({ index: 0, id: 'c1', function: { name: 'f', arguments: '' } }), over('length')],
    { calls: [{ id: 'c1', name: 'f', arguments: '' }], finish: 'length' },
  ],
  [
    'a call with parameters',
    [called({ index: 0, id: 'c1', function: { name: 'f', parameters: { a: 1 } } }), over('tool_calls')],
    { calls: [{ id: 'c1', name: 'f', arguments: '{"a":1}' }] },
  ],
  [
    'a call with an input',
    [called({ index: 0, id: 'c1', function: { name: 'f', input: { a: 1 } } }), over('tool_calls')],
    { calls: [{ id: 'c1', name: 'f', arguments: '{"a":1}' }] },
  ],
  [
    'a call without its object',
    [called({ index: 0, id: 'c1', name: 'f', arguments: '{"a":1}' }), over('tool_calls')],
    { calls: [{ id: 'c1', name: 'f', arguments: '{"a":1}' }] },
  ],
  ['`tool_calls` beside no call', [said({ content: 'Hi' }), over('tool_calls')], { content: 'Hi', finish: 'stop' }],
  [
    'a finish in its delta',
    [said({ content: 'Hi' }), said({ finish_reason: 'stop' })],
    { content: 'Hi', finish: 'stop' },
  ],
  ['a finish in another spelling', [said({ content: 'Hi' }), said({}, { finishReason: 'STOP' })], { finish: 'stop' }],
  ['a finish that is an object', [said({ content: 'Hi' }), over({ type: 'length', length: 4 })], { finish: 'length' }],
  ...['null', 'None', '', 'not_finished', 'FINISH_REASON_UNSPECIFIED'].map(
    word =>
      [
        `${JSON.stringify(word)} until it ends`,
        [said({ content: 'Hel' }, { finish_reason: word }), said({ content: 'lo' }, { finish_reason: word }), over()],
        { content: 'Hello', finish: 'stop' },
      ] as const,
  ),
]

describe('a stream', () => {
  it.each(ROWS)('with %s reaches chat clients whole', async (_name, events, got) => {
    const { joined } = await ask(events)

    expect(joined).toMatchObject({ calls: [], done: true, ...got })
  })

  it.each([
    ['in its last chunk', [said({ content: 'Hello world' }), { ...over(), usage: zero }]],
    ['in a chunk of its own', [said({ content: 'Hello world' }), over(), { ...chunk({}), choices: [], usage: zero }]],
  ])(
    'that counts nothing %s is charged by what was seen, and its client is told no such thing',
    async (_where, events) => {
      const { joined, row } = await ask(events)

      expect(joined).toMatchObject({ content: 'Hello world', finish: 'stop', done: true })
      expect(joined.usage).toBeUndefined()
      expect(row).toMatchObject({ estimated: true })
      expect(row?.inputTokens).toBeGreaterThan(0)
      expect(row?.outputTokens).toBeGreaterThan(0)
    },
  )
})
