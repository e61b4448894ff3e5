import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { JsonObject } from '../../../src/wire/json-safety.ts'
import { messages } from '../../../src/wire/messages/client.ts'
import { wholeTexts } from '../../support/whole-texts.ts'
import { checked } from './support.ts'

const terms = { texts: wholeTexts, passes: true, thinks: () => true, isHosted: (tool: string) => tool === 'web_search' }

/** Where a client may send anything. */
const anything = fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.constant(undefined), fc.constantFrom('', 'x', 1, {}, []))

/** Mostly what is meant, sometimes anything. */
const mostly = (meant: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 100, arbitrary: meant }, { weight: 1, arbitrary: anything })

const record = (fields: Readonly<Record<string, fc.Arbitrary<unknown>>>) =>
  fc.record(Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, mostly(value)])))

const of = (type: string, fields: Readonly<Record<string, fc.Arbitrary<unknown>>> = {}) =>
  record({ type: fc.constant(type), ...fields })

const text = fc.string({ maxLength: 8 })
const textBlock = of('text', { text })
const source = fc.oneof(
  of('base64', { media_type: fc.constantFrom('image/png', 'application/pdf'), data: fc.base64String() }),
  of('url', { url: fc.constantFrom('https://a.example/b.png', 'data:image/png;base64,AA==') }),
  of('file', { file_id: text }),
  of('text', { data: text }),
  of('content', { content: fc.array(textBlock, { maxLength: 2 }) }),
)
const shown = fc.oneof(
  textBlock,
  of('image', { source }),
  of('document', { source, title: text, citations: fc.record({ enabled: fc.boolean() }) }),
  of('search_result', { title: text, source: text, content: fc.array(textBlock, { maxLength: 2 }) }),
)
const id = fc.constantFrom('call_a', 'call_b')
const name = fc.oneof(fc.constantFrom('f', 'g.h', 'web_search'), text)
const block = fc.oneof(
  shown,
  of('tool_result', {
    tool_use_id: id,
    content: fc.oneof(text, fc.array(shown, { maxLength: 2 })),
    is_error: fc.boolean(),
  }),
  of('tool_use', { id, name, input: fc.dictionary(text, fc.jsonValue({ maxDepth: 1 })) }),
  of('thinking', { thinking: text, signature: fc.constantFrom('svc1.SGk', 'other') }),
  of('redacted_thinking'),
  of('web_search_tool_result'),
)
const message = record({
  role: fc.constantFrom('user', 'assistant', 'system'),
  content: fc.oneof(text, fc.array(mostly(block), { maxLength: 4 })),
})
const tool = fc.oneof(
  record({ name, description: text, input_schema: fc.constant({ type: 'object' }), strict: fc.boolean() }),
  record({ type: fc.constantFrom('web_search_20250305', 'bash_20250124', 'hosted', 'custom'), name }),
)
const request = record({
  model: text,
  max_tokens: fc.nat(),
  system: fc.oneof(text, fc.array(textBlock, { maxLength: 2 })),
  messages: fc.array(mostly(message), { minLength: 1, maxLength: 5 }),
  tools: fc.array(mostly(tool), { maxLength: 3 }),
  tool_choice: record({ type: fc.constantFrom('auto', 'any', 'tool', 'none'), name }),
  stop_sequences: fc.array(text, { maxLength: 3 }),
  thinking: record({ type: fc.constantFrom('enabled', 'adaptive', 'disabled'), budget_tokens: fc.nat() }),
  output_config: record({ effort: text, format: of('json_schema', { schema: fc.constant({ type: 'object' }) }) }),
  stream: fc.boolean(),
  temperature: fc.double({ noNaN: true, noDefaultInfinity: true }),
  mcp_servers: fc.array(fc.object(), { maxLength: 1 }),
})

/** Values that come over the wire are never undefined. */
const asJson = (value: unknown): JsonObject => JSON.parse(JSON.stringify(value))

it('any request is refused with its field, or becomes a chat that the endpoint of chats accepts or refuses', () => {
  let accepted = 0
  fc.assert(
    fc.property(request, fc.boolean(), (value, counts) => {
      const body = asJson(value)
      const result = counts ? messages.countable(body, terms) : messages.read(body, terms)
      if ('denial' in result) {
        expect(result.denial).toMatchObject({ code: 'VALIDATION_ERROR', field: expect.stringMatching(/./) })
        return
      }
      const chat = checked(result.chat)
      if ('denial' in chat) expect(chat.denial).toMatchObject({ code: 'VALIDATION_ERROR' })
      else accepted++
    }),
    { numRuns: 3000 },
  )
  expect(accepted).toBeGreaterThan(100)
})

it('a body of any JSON is read without a throw', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom('model', 'max_tokens', 'messages', 'tools', 'system'), anything),
      value => {
        const result = messages.read(asJson(value), terms)
        expect('denial' in result || 'chat' in result).toBe(true)
      },
    ),
  )
})
