import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DIALECTS } from '../../src/wire/dialects.ts'
import { readChat } from '../../src/wire/openai/chat.ts'
import { StreamReader } from '../../src/wire/openai/stream.ts'
import { times } from '../support/times.ts'

const numRuns = times(3000)
const TRANSLATED = [
  ['messages', DIALECTS.messages],
  ['responses', DIALECTS.responses],
] as const

const text = fc.constantFrom('', ' ', 'hi', '{"a":1}', '[', 'null', 'constructor')
const anything = fc.oneof(text, fc.constantFrom(null, true, 0, -1, 1e308), fc.constant([]), fc.constant({}))
const url = fc.constantFrom('data:image/png;base64,AA', 'data:image/svg+xml,%3', 'data:image/', 'data:image/png;x,')
const name = fc.constantFrom('look', 'constructor', '__')
const part = fc.oneof(
  fc.record({ type: fc.constant('text'), text }),
  fc.record({ type: fc.constant('image_url'), image_url: fc.record({ url, detail: fc.constantFrom('low', 'auto') }) }),
)
const content = fc.oneof(text, fc.array(part, { maxLength: 3 }))
const calls = fc.array(
  fc.record({ id: text, type: fc.constant('function'), function: fc.record({ name: text, arguments: text }) }),
  { maxLength: 2 },
)
const detail = fc.record({
  type: fc.constantFrom('reasoning.summary', 'reasoning.text', 'reasoning.encrypted', null),
  format: fc.constantFrom('openai-responses-v1', 'anthropic-claude-v1'),
  ...{ data: anything, text: anything, signature: anything },
})
const thought = fc.record({
  type: fc.constantFrom('thinking', 'redacted_thinking'),
  signature: anything,
  data: anything,
})
const listed = (item: fc.Arbitrary<object>) => fc.oneof(anything, fc.array(fc.oneof(anything, item), { maxLength: 2 }))
const message = fc.oneof(
  fc.record({ role: fc.constantFrom('system', 'developer', 'user'), content }),
  fc.record({ role: fc.constant('tool'), content, tool_call_id: text }),
  fc.record(
    {
      role: fc.constant('assistant'),
      content: fc.oneof(content, fc.constant(null)),
      tool_calls: fc.oneof(fc.constant(null), calls),
      ...{ name: text, refusal: anything, reasoning_content: anything },
      thinking_blocks: listed(thought),
      reasoning_details: listed(detail),
    },
    { requiredKeys: ['role'] },
  ),
)
const tool = fc.record({
  type: fc.constant('function'),
  function: fc.record({ name, description: text, parameters: fc.constant({}) }, { requiredKeys: ['name'] }),
})
const chat = fc.record(
  {
    messages: fc.array(message, { minLength: 1, maxLength: 5 }),
    tools: fc.oneof(fc.constant(null), fc.uniqueArray(tool, { maxLength: 2, selector: each => each.function.name })),
    tool_choice: fc.oneof(
      fc.constantFrom('auto', 'none', 'required', 'constructor', null),
      fc.record({ type: fc.constant('function'), function: fc.record({ name }) }),
      fc.record({
        type: fc.constant('allowed_tools'),
        allowed_tools: fc.record({ mode: text, tools: fc.constant([]) }),
      }),
    ),
    parallel_tool_calls: fc.constantFrom(null, true, false),
    stop: fc.oneof(text, fc.constant(null), fc.array(text, { maxLength: 2 })),
    temperature: fc.constantFrom(null, 0, 2),
    top_p: fc.constantFrom(null, 0.5),
    reasoning_effort: fc.oneof(text, fc.constantFrom('low', 'none')),
    response_format: fc.constantFrom(
      { type: 'text' },
      { type: 'json_schema', json_schema: null },
      { type: 'json_schema', json_schema: { name: 'a' } },
      { type: 'json_schema', schema: {} },
    ),
    max_tokens: fc.constantFrom(1, 5000),
    stream: fc.boolean(),
  },
  { requiredKeys: ['messages'] },
)

describe.each(TRANSLATED)('in %s', (_name, dialect) => {
  it('every chat that is accepted can be said', () => {
    let accepted = 0
    fc.assert(
      fc.property(chat, fc.constantFrom('m', 'claude-sonnet-4-5', 'claude-opus-5', 'gpt-5'), (body, model) => {
        const request = readChat(Buffer.from(JSON.stringify(body)))
        if ('denial' in request) return
        accepted++
        const sent = JSON.parse(String(dialect.body('chat', request.bodyFor(model, 100))))

        expect(sent.model).toBe(model)
        expect(sent.max_tokens ?? sent.max_output_tokens).toBe(100)
      }),
      { numRuns },
    )
    expect(accepted).toBeGreaterThan(numRuns / 3)
  })

  it('no event of a backend, whatever it holds, keeps a stream from being read', () => {
    const types = fc.constantFrom(
      ...['message_start', 'message_delta', 'message_stop', 'ping', 'error'],
      ...['start', 'delta', 'stop'].map(each => `content_block_${each}`),
      ...['created', 'completed', 'incomplete', 'failed'].map(each => `response.${each}`),
      ...['output_item.added', 'output_item.done', 'output_text.delta'].map(each => `response.${each}`),
      ...['function_call_arguments', 'reasoning_text', 'refusal'].map(each => `response.${each}.delta`),
    )
    const kinds = fc.constantFrom('text', 'thinking', 'tool_use', 'function_call', 'message', 'reasoning', 'text_delta')
    const inner = fc.oneof(
      anything,
      fc.record({ type: kinds, text: anything, thinking: anything, input: anything, content: fc.array(anything) }),
    )
    const event = fc.record(
      {
        type: types,
        index: anything,
        output_index: anything,
        delta: fc.oneof(inner, text),
        content_block: inner,
        item: inner,
        usage: inner,
        error: inner,
        message: inner,
        response: fc.oneof(inner, fc.record({ output: fc.oneof(anything, fc.array(inner)), error: anything })),
      },
      { requiredKeys: ['type'] },
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(event, anything), { maxLength: 8 }), events => {
        const terms = { model: 'm', usageWanted: true, id: 'i', created: 1 }
        const reader = new StreamReader(terms, 1, dialect.translator?.())
        const readings = events.map(each => reader.read(Buffer.from(`data: ${JSON.stringify(each)}\n\n`)))

        for (const { events: written } of [...readings, reader.end()])
          for (const line of written.split('\n').filter(Boolean)) expect(line).toMatch(/^data: [{[]/)
      }),
      { numRuns },
    )
  })
})
