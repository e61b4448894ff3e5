import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/wire/json-safety.ts'
import { sealReasoning } from '../../../src/wire/reasoning/sealed-reasoning.ts'
import { messageOf } from './blocks-of-events.ts'
import { ask, chunkOf, eventsOf, NO_USAGE, read, streamed, writerTerms } from './support.ts'

const thinking = { thinking: { type: 'adaptive' } }
const writerOf = (rest: JsonObject = {}) => read(ask(rest)).writer(writerTerms())
const textOf = (content: string) => chunkOf({ content })
const thoughtOf = (reasoning_content: string) => chunkOf({ reasoning_content })
const partOf = (index: number | undefined, args: string, named: JsonObject = {}) => ({
  ...(index !== undefined && { index }),
  ...(named.id !== undefined && { id: named.id, type: 'function' }),
  function: { ...(named.name !== undefined && { name: named.name }), arguments: args },
})
const callsOf = (...parts: JsonObject[]) => chunkOf({ tool_calls: parts })
const usageChunk = (usage: JsonObject): JsonObject => ({ ...chunkOf({}), choices: [], usage })
const finish = (reason: string, more: JsonObject = {}) => chunkOf({}, reason, more)
const message = (chunks: readonly JsonObject[], rest: JsonObject = {}) => messageOf(streamed(writerOf(rest), chunks))
const typesOf = (events: readonly JsonObject[]) => events.map(({ type }) => type)

describe('a stream is written as it comes', () => {
  it('begins with the first chunk, whatever that says', () => {
    expect(typesOf(eventsOf(writerOf().chunk(chunkOf({ role: 'assistant', content: '' }))))).toEqual([
      'message_start',
      'ping',
    ])
  })

  it('text is written with the chunk that brings it', () => {
    const writer = writerOf()
    writer.chunk(textOf('a'))
    expect(eventsOf(writer.chunk(textOf('b')))).toEqual([
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'b' } },
    ])
  })

  it('text beside an open call waits until the arguments are whole', () => {
    const writer = writerOf()
    writer.chunk(callsOf(partOf(0, '{"a":"}', { id: 'call_1', name: 'f' })))
    expect(writer.chunk(textOf('b'))).toBe('')
    expect(typesOf(eventsOf(writer.chunk(callsOf(partOf(0, '"}')))))).toEqual([
      'content_block_delta',
      'content_block_stop',
      'content_block_start',
      'content_block_delta',
    ])
  })

  it('a call goes on after its arguments could be whole, where nothing else has begun', () => {
    const chunks = [callsOf(partOf(0, '{}', { id: 'call_1', name: 'f' })), callsOf(partOf(0, ''))]
    expect(message(chunks).content).toEqual([{ type: 'tool_use', id: 'call_1', name: 'f', input: {} }])
  })

  it('ends once, with nothing after it', () => {
    const writer = writerOf()
    expect(typesOf(eventsOf(writer.end(NO_USAGE)))).toEqual(['message_start', 'ping', 'message_delta', 'message_stop'])
    const error = { message: 'x', type: 'server_error', code: 'x' }
    expect(writer.chunk(textOf('a')) + writer.end(NO_USAGE) + writer.fail(error)).toBe('')
  })

  it('a failure before anything was written is an error alone', () => {
    expect(eventsOf(writerOf().fail({ message: 'No.', type: 'server_error', code: 'x' }))).toEqual([
      { type: 'error', error: { type: 'api_error', message: 'No.' }, request_id: 'req_1' },
    ])
  })

  it('never has the marker of chats', () => {
    expect(writerOf().end(NO_USAGE)).not.toContain('[DONE]')
  })
})

describe('thinking', () => {
  it('is shown where it was asked for, also under its other name', () => {
    const content = [
      { type: 'thinking', thinking: 'Hm.', signature: 'svc1.SG0u' },
      { type: 'text', text: 'a' },
    ]
    expect(message([thoughtOf('Hm'), thoughtOf('.'), textOf('a')], thinking).content).toEqual(content)
    const signature = sealReasoning('Hm.', [], { field: 'reasoning' })
    const other = message([chunkOf({ reasoning: 'Hm.' }), textOf('a')], thinking)
    expect(other.content).toEqual([{ ...content[0], signature }, content[1]])
  })

  it('is said once where a backend sends it under both names', () => {
    const chunk = chunkOf({ reasoning: 'Hm.', reasoning_content: 'Hm.' })
    expect(message([chunk], thinking).content).toEqual([{ type: 'thinking', thinking: 'Hm.', signature: 'svc1.SG0u' }])
  })

  it('is a signature alone where its text is not wanted', () => {
    const rest = { thinking: { type: 'adaptive', display: 'omitted' } }
    expect(message([thoughtOf('Hm'), thoughtOf('.')], rest).content).toEqual([
      { type: 'thinking', thinking: '', signature: 'svc1.SG0u' },
    ])
  })

  it('is not shown where it was not asked for, and interrupts no text', () => {
    expect(message([textOf('a'), thoughtOf('Hm.'), textOf('b')]).content).toEqual([{ type: 'text', text: 'ab' }])
  })

  it('between texts is a block between them', () => {
    const { content } = message([textOf('a'), thoughtOf('Hm.'), textOf('b')], thinking)
    expect(typesOf(content as JsonObject[])).toEqual(['text', 'thinking', 'text'])
  })
})

describe('calls of backends that number them in their own way', () => {
  const two = [
    { type: 'tool_use', id: 'call_1', name: 'f', input: { a: 1 } },
    { type: 'tool_use', id: 'call_2', name: 'g', input: { b: 2 } },
  ]
  it.each([
    ['not at all', undefined],
    ['all alike', 0],
  ])('%s', (_name, index) => {
    const first = callsOf(partOf(index, '{"a":1}', { id: 'call_1', name: 'f' }))
    const second = callsOf(partOf(index, '{"b":2}', { id: 'call_2', name: 'g' }))
    expect(message([first, second]).content).toEqual(two)
  })

  it('ids that are missing or the same are made', () => {
    const parts = [partOf(0, '{}', { name: 'f' }), partOf(1, '{}', { id: 'x', name: 'f' })]
    const { content } = message([callsOf(...parts, partOf(2, '{}', { id: 'x', name: 'f' }))])
    const ids = (content as JsonObject[]).map(({ id }) => String(id))
    expect(ids).toEqual([expect.stringMatching(/^toolu_/), 'x', expect.stringMatching(/^toolu_/)])
    expect(new Set(ids).size).toBe(3)
  })

  it('a name that comes late opens the block', () => {
    const chunks = [callsOf(partOf(0, '{"a":', { id: 'call_1' })), callsOf(partOf(0, '1}', { name: 'f' }))]
    expect(message(chunks).content).toEqual(two.slice(0, 1))
  })

  it('a call without a name is no call', () => {
    expect(message([callsOf(partOf(0, '{}', { id: 'call_1' })), finish('tool_calls')])).toMatchObject({
      content: [],
      stop_reason: 'end_turn',
    })
  })

  it.each(['', 'null', '"x"', '[1]'])('arguments %j are no input', args => {
    const { content } = message([callsOf(partOf(0, args, { id: 'call_1', name: 'f' })), textOf('a')])
    expect(content).toEqual([
      { type: 'tool_use', id: 'call_1', name: 'f', input: {} },
      { type: 'text', text: 'a' },
    ])
  })

  it('a name that the client could not send to a backend comes back as the client knows it', () => {
    const tools = [{ name: 'a.b', input_schema: {} }]
    const { content } = message([callsOf(partOf(0, '{}', { id: 'call_1', name: 'a_b' }))], { tools })
    expect(content).toMatchObject([{ name: 'a.b' }])
  })
})

describe('the reason of the end', () => {
  const called = callsOf(partOf(0, '{}', { id: 'call_1', name: 'f' }))
  it.each<[string, JsonObject[], JsonObject]>([
    ['an end', [textOf('a'), finish('stop')], { stop_reason: 'end_turn', stop_sequence: null }],
    ['a call, whatever the backend says', [called, finish('stop')], { stop_reason: 'tool_use' }],
    ['calls that never came', [textOf('a'), finish('tool_calls')], { stop_reason: 'end_turn' }],
    ['the cap', [called, finish('length')], { stop_reason: 'max_tokens' }],
    ['a filter', [textOf('a'), finish('content_filter')], { stop_reason: 'refusal' }],
    [
      'a refusal',
      [chunkOf({ refusal: 'N' }), chunkOf({ refusal: 'o.' }), finish('stop')],
      { stop_reason: 'refusal', content: [{ type: 'text', text: 'No.' }] },
    ],
    [
      'a stop sequence',
      [finish('stop', { stop_reason: 'END' })],
      { stop_reason: 'stop_sequence', stop_sequence: 'END' },
    ],
    ['a stop of the model itself', [finish('stop', { stop_reason: 151_645 })], { stop_reason: 'end_turn' }],
    ['a stop that was not asked for', [finish('stop', { stop_reason: 'X' })], { stop_reason: 'end_turn' }],
  ])('%s', (_name, chunks, end) => {
    expect(message(chunks, { stop_sequences: ['END'] })).toMatchObject(end)
  })
})

describe('usage', () => {
  const usageOf = (usage: JsonObject) => message([textOf('a'), finish('stop'), usageChunk(usage)]).usage

  it('is an estimate at the beginning', () => {
    const [start] = eventsOf(writerOf().chunk(textOf('a')))
    expect(start).toMatchObject({ message: { usage: { input_tokens: 25, output_tokens: 1 } } })
  })

  it('counts tokens that were cached apart', () => {
    expect(usageOf({ prompt_tokens: 20, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 16 } })).toEqual({
      input_tokens: 4,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 16,
      output_tokens: 3,
      output_tokens_details: null,
      server_tool_use: null,
    })
  })

  it('is never below zero', () => {
    expect(
      usageOf({ prompt_tokens: 2, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 16 } }),
    ).toMatchObject({ input_tokens: 0, cache_read_input_tokens: 2 })
  })

  it('that no chunk reports is what the gateway counts', () => {
    const writer = writerOf()
    const events = eventsOf(writer.chunk(textOf('a')) + writer.end({ inputTokens: 7, outputTokens: 2 }))
    expect(messageOf(events).usage).toMatchObject({ input_tokens: 7, output_tokens: 2 })
  })
})

describe('a failure', () => {
  it.each([
    ['server_error', 'DRAINING', 'overloaded_error'],
    ['server_error', 'UPSTREAMS_EXHAUSTED', 'overloaded_error'],
    ['tokens', 'rate_limit_exceeded', 'rate_limit_error'],
    ['insufficient_quota', 'insufficient_quota', 'billing_error'],
    ['invalid_request_error', 'VALIDATION_ERROR', 'invalid_request_error'],
    ['upstream_error', 'UPSTREAM_INTERRUPTED', 'api_error'],
  ])('of type %s and code %s is %s', (type, code, expected) => {
    expect(eventsOf(writerOf().fail({ message: 'No.', type, code }))).toMatchObject([{ error: { type: expected } }])
  })
})
