import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ClientRequestTerms, readClientRequest } from '../../src/wire/client-request.ts'
import { MarkedTexts } from '../../src/wire/fast/marked-texts.ts'
import { asObject } from '../../src/wire/json-safety.ts'
import { type DialectBody, parseDialect } from '../../src/wire/openai/body.ts'
import type { WireRequest } from '../../src/wire/openai/request.ts'

const TERMS: ClientRequestTerms = {
  names: { brand: 'svc', declared: new Map() },
  declared: new Map(),
  thinks: () => false,
  isHosted: () => false,
  spoken: new Set(['messages', 'responses']),
  passed: new Set(),
}

/** Texts that resemble a mark or a part of one, and characters that JSON escapes. */
const piece = fc.constantFrom(
  ...[
    '7',
    '00',
    '\\u00007\\u0000',
    '\\',
    '\\\\',
    '"',
    '\n',
    'é',
    '漢',
    '😀',
    'plain words ',
    '<system-reminder>',
    '{"a":"b"}',
  ],
)
/** Short ones stay, long ones are left out. */
const text = fc.oneof(
  fc.array(piece, { minLength: 1, maxLength: 4 }).map(pieces => pieces.join('')),
  fc.tuple(piece, piece, fc.integer({ min: 250, max: 600 })).map(([a, b, size]) => `${a}${b.repeat(size)}${a}`),
)

const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo='.repeat(40) } }
const messageTurn = fc.oneof(
  fc.record({ role: fc.constant('user'), content: text }),
  fc
    .array(text, { minLength: 1, maxLength: 3 })
    .map(texts => ({ role: 'user', content: [...texts.map(each => ({ type: 'text', text: each })), image] })),
  fc.tuple(text, text, text).map(([said, argument, key]) => ({
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: said, signature: 'other' },
      { type: 'text', text: said },
      { type: 'text', text: argument },
      { type: 'tool_use', id: 'call_1', name: 'write', input: { content: argument, [key]: [argument], text: said } },
    ],
  })),
  fc.tuple(text, text).map(([a, b]) => ({
    role: 'user',
    content: [
      {
        type: 'tool_result',
        tool_use_id: 'call_1',
        content: [
          { type: 'text', text: a },
          { type: 'text', text: b },
        ],
      },
    ],
  })),
  fc.record({ role: fc.constant('system'), content: text }),
)

const messages = fc.record({
  model: fc.constant('svc-core'),
  max_tokens: fc.constant(100),
  system: fc.oneof(
    text,
    fc.array(
      text.map(each => ({ type: 'text', text: each })),
      { maxLength: 3 },
    ),
  ),
  messages: fc.array(messageTurn, { maxLength: 6 }).map(turns => [...turns, { role: 'user', content: 'go on' }]),
})

const item = fc.oneof(
  fc.record({ role: fc.constantFrom('user', 'developer', 'assistant'), content: text }),
  fc.array(text, { minLength: 1, maxLength: 3 }).map(texts => ({
    type: 'message',
    role: 'user',
    content: texts.map(each => ({ type: 'input_text', text: each })),
  })),
  fc.tuple(fc.integer({ min: 1, max: 200 }), fc.constantFrom('auto', 'low')).map(([size, detail]) => ({
    role: 'user',
    content: [{ type: 'input_image', image_url: `data:image/png;base64,${'iVBO'.repeat(size)}`, detail }],
  })),
  text.map(each => ({ type: 'reasoning', summary: [{ type: 'summary_text', text: each }] })),
  text.map(each => ({
    ...{ type: 'function_call', call_id: 'call_1', name: 'write' },
    arguments: JSON.stringify({ content: each }),
  })),
  text.map(each => ({ type: 'custom_tool_call', call_id: 'call_2', name: 'patch', input: each })),
)
const outputs = fc.tuple(text, text).map(([a, b]) => [
  { type: 'function_call', call_id: 'call_3', name: 'write', arguments: '{}' },
  { type: 'function_call_output', call_id: 'call_3', output: a },
  { type: 'function_call', call_id: 'call_4', name: 'write', arguments: '{}' },
  { type: 'function_call_output', call_id: 'call_4', output: [{ type: 'input_text', text: b }] },
])
const responses = fc.record({
  model: fc.constant('svc-core'),
  instructions: text,
  input: fc.oneof(
    text,
    fc.tuple(fc.array(item, { maxLength: 6 }), outputs).map(([items, results]) => [...items, ...results]),
  ),
})

const read = (dialect: 'messages' | 'responses', body: DialectBody): WireRequest => {
  const wire = readClientRequest(dialect, body, TERMS)
  if ('denial' in wire) throw new Error(JSON.stringify(wire))
  return wire
}

describe.each([
  ['messages', messages],
  ['responses', responses],
] as const)('%s', (dialect, bodies) => {
  it('comes to the same whether long texts are parsed or not', () => {
    fc.assert(
      fc.property(bodies as fc.Arbitrary<object>, asked => {
        const bytes = Buffer.from(JSON.stringify(asked))
        const outlined = parseDialect(bytes)
        if ('denial' in outlined) throw new Error(JSON.stringify(outlined))
        const whole = { body: asObject(asked), texts: new MarkedTexts(bytes, new Int32Array()), written: undefined }

        const [some, all] = [read(dialect, outlined), read(dialect, whole)]

        expect(some.request).toEqual(all.request)
        expect(some.routedText?.()).toBe(all.routedText?.())
        expect(JSON.parse(some.bodyFor('m', 7).toString())).toEqual(JSON.parse(all.bodyFor('m', 7).toString()))
        const natives = [some, all].map(({ spoken }) => JSON.parse(String(spoken?.own?.nativeBody('m', 7))))
        expect(natives[0]).toEqual(natives[1])
      }),
      { numRuns: 1000 },
    )
  })
})

it('a long text is left out of what is parsed', () => {
  const long = 'x'.repeat(300)
  const parsed = parseDialect(
    Buffer.from(JSON.stringify({ system: long, messages: [{ role: 'user', content: long }] })),
  )
  expect(JSON.stringify('body' in parsed && parsed.body)).not.toContain(long)
})

it('a picture of an item is left out but for its beginning', () => {
  const image_url = `data:image/png;base64,${'iVBO'.repeat(100)}`
  const bytes = Buffer.from(
    JSON.stringify({ input: [{ role: 'user', content: [{ type: 'input_image', image_url }] }] }),
  )
  const parsed = parseDialect(bytes)
  if ('denial' in parsed) throw new Error(JSON.stringify(parsed))
  const { body, texts } = parsed

  expect(JSON.stringify(body)).toContain('data:image/\\u0000')
  expect(JSON.stringify(body)).not.toContain('iVBO')
  expect(texts.json(body).equals(bytes)).toBe(true)
  expect(texts.whole(body)).toEqual(JSON.parse(bytes.toString()))
})

it('half a mark is a text like any other', () => {
  const texts = new MarkedTexts(Buffer.from('"x"'), Int32Array.from([0, 3, 1]))
  expect(texts.read('a\0b')).toBe('a\0b')
  expect(texts.sizeOf('a\0b')).toBe(3)
  expect(JSON.parse(texts.json(['a\0b']).toString())).toEqual(['a\0b'])
})

it.each(['messages', 'responses'] as const)('what is sealed in %s cannot bring marks along', dialect => {
  const sealed = `svc1.${Buffer.from('\0x \x000\0'.repeat(100)).toString('base64url')}`
  const long = 'y'.repeat(1000)
  const call = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' }
  const body = {
    messages: {
      ...{ model: 'm', max_tokens: 9, system: long },
      messages: [
        { role: 'user', content: 'x' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: '', signature: sealed },
            { type: 'tool_use', id: 'c', name: 'f', input: {} },
          ],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: 'z' }] },
      ],
    },
    responses: {
      ...{ model: 'm', instructions: long },
      input: [
        { type: 'reasoning', summary: [], encrypted_content: sealed },
        call,
        { type: 'function_call_output', call_id: 'c', output: 'z' },
      ],
    },
  }[dialect]
  const parsed = parseDialect(Buffer.from(JSON.stringify(body)))
  if ('denial' in parsed) throw new Error(JSON.stringify(parsed))
  const sent = read(dialect, parsed).bodyFor('m', 7).toString()
  expect(sent.length).toBeLessThan(3000)
  expect(sent.split(long)).toHaveLength(2)
})
