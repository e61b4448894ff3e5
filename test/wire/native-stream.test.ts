import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { messagesNative } from '../../src/wire/messages/native.ts'
import { type NativeDialect, readNative } from '../../src/wire/native/dialect.ts'
import { NativeStreamReader } from '../../src/wire/native/stream.ts'
import { responsesNative } from '../../src/wire/responses/native.ts'
import { namedEvent } from '../../src/wire/sse.ts'
import { allAtOnce } from '../../src/wire/steps.ts'

const event = (data: { readonly type: string }): string => namedEvent(data.type, JSON.stringify(data))

const MESSAGES = [
  {
    type: 'message_start',
    message: { id: 'msg_1', usage: { input_tokens: 10, cache_read_input_tokens: 90, output_tokens: 1 } },
  },
  { type: 'ping' },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'hello there, 漢字' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 12 } },
  { type: 'message_stop' },
]

const RESPONSES = [
  { type: 'response.created', sequence_number: 0, response: { id: 'resp_1', usage: null } },
  { type: 'response.output_text.delta', sequence_number: 1, delta: 'hello there, 漢字' },
  {
    type: 'response.completed',
    sequence_number: 2,
    response: {
      id: 'resp_1',
      usage: {
        ...{ input_tokens: 100, output_tokens: 12, total_tokens: 112 },
        ...{ input_tokens_details: { cached_tokens: 90 }, output_tokens_details: { reasoning_tokens: 0 } },
      },
    },
  },
]

const DIALECTS: readonly [string, NativeDialect, readonly { readonly type: string }[]][] = [
  ['messages', messagesNative, MESSAGES],
  ['responses', responsesNative, RESPONSES],
]

/** Reads a stream in pieces that end at these places. */
function readIn(dialect: NativeDialect, text: string, cuts: readonly number[]) {
  const reader = new NativeStreamReader(dialect)
  const bytes = Buffer.from(text)
  const places = [0, ...cuts.map(cut => cut % bytes.length).sort((a, b) => a - b), bytes.length]
  let events = ''
  let stop: string | undefined
  for (const [i, from] of places.entries()) {
    const reading = reader.read(bytes.subarray(from, places[i + 1] ?? bytes.length))
    events += reading.events
    stop ??= reading.stop?.kind
    if (stop !== undefined) break
  }
  return { reader, events, stop }
}

describe.each(DIALECTS)('a native stream of %s', (_name, dialect, stream) => {
  const text = stream.map(event).join('')

  it('passes on all but its last event, which is kept, wherever its bytes are cut', () => {
    const last = event(stream.at(-1) ?? { type: '' })
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 20 }), cuts => {
        const { reader, events, stop } = readIn(dialect, text, cuts)
        expect(events + reader.last).toBe(text)
        expect(reader.last).toBe(last)
        expect(stop).toBe('done')
      }),
    )
  })

  it('has the usage of all of it, tokens of the cache among those of the prompt', () => {
    const { reader } = readIn(dialect, text, [])
    expect(reader.usage).toEqual({ inputTokens: 100, cachedTokens: 90, outputTokens: 12 })
    expect(reader.outputBytes).toBe(Buffer.byteLength('hello there, 漢字'))
  })

  it('has begun with its first text, and has not finished before its end', () => {
    const until = stream.findIndex(({ type }) => type.endsWith('delta')) + 1
    const { reader } = readIn(dialect, stream.slice(0, until).map(event).join(''), [])
    expect([reader.started, reader.finished]).toEqual([true, false])
    expect(readIn(dialect, stream.slice(0, 1).map(event).join(''), []).reader.started).toBe(false)
  })

  it('ends with an error where its backend sends one', () => {
    const { reader } = readIn(dialect, stream.slice(0, 1).map(event).join(''), [])
    const said = event({ type: 'error', ...{ error: { type: 'overloaded_error', message: 'too much' } } })
    expect(reader.read(Buffer.from(said)).stop).toMatchObject({ kind: 'error', error: { message: 'too much' } })
  })

  it('is broken by what is no event of a dialect', () => {
    const reader = new NativeStreamReader(dialect)
    expect(reader.read(Buffer.from('data: nonsense\n\n')).stop).toEqual({ kind: 'broken', cause: 'malformed event' })
  })
})

it('closes a finished stream of messages whose backend left the last event out', () => {
  const { reader, stop } = readIn(messagesNative, MESSAGES.slice(0, -1).map(event).join(''), [])
  expect([reader.finished, stop]).toEqual([true, undefined])
  expect(reader.last).toBe(event({ type: 'message_stop' }))
})

it.each([
  ['breaks', []],
  ['says why it fails', [{ type: 'response.failed', sequence_number: 2, response: { id: 'resp_1', error: {} } }]],
])('ends a stream of responses that %s as a failure of this response', (_how, more) => {
  const { reader } = readIn(responsesNative, [...RESPONSES.slice(0, 2), ...more].map(event).join(''), [])
  const last = reader.fail({ message: 'Gone.', type: 'upstream_error', code: 'UPSTREAM_INTERRUPTED' }, 'req_1')
  const failed = { id: 'resp_1', status: 'failed', error: { code: 'server_error', message: 'Gone.' } }
  expect(last).toMatch(/^event: response\.failed\ndata: /)
  expect(JSON.parse(last.slice(last.indexOf('{')))).toMatchObject({ sequence_number: 2, response: failed })
})

it('a response that was cut is incomplete, though its backend calls the event completed', () => {
  const incomplete_details = { reason: 'max_output_tokens' }
  const response = { id: 'resp_1', object: 'response', status: 'incomplete', incomplete_details, output: [] }
  const { reader } = readIn(responsesNative, event({ type: 'response.completed', ...{ response } }), [])

  expect(reader.last).toMatch(/^event: response\.incomplete\ndata: /)
  expect(JSON.parse(reader.last.split('data: ')[1] ?? '')).toMatchObject({ type: 'response.incomplete', response })
})

describe('a response whose usage lacks members that Codex insists on', () => {
  const counts = { input_tokens: 100, output_tokens: 12 }
  const whole = {
    ...{ ...counts, total_tokens: 112 },
    ...{ input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } },
  }

  it.each([
    ['no details', counts, whole],
    ['empty details', { ...counts, input_tokens_details: {}, output_tokens_details: {} }, whole],
    ['details that are null', { ...counts, input_tokens_details: null, output_tokens_details: null }, whole],
    [
      'reasoning beside the output',
      { ...counts, total_tokens: 200, output_tokens_details: { reasoning_tokens: 88 } },
      { ...whole, output_tokens: 100, total_tokens: 200, output_tokens_details: { reasoning_tokens: 88 } },
    ],
  ])('has them, whole and as a stream, and costs what it says: %s', (_name, usage, told) => {
    const response = { id: 'resp_1', object: 'response', status: 'completed', output: [], usage }
    const { reader } = readIn(responsesNative, event({ type: 'response.completed', ...{ response } }), [])
    const answer = allAtOnce(readNative(Buffer.from(JSON.stringify(response)), responsesNative))

    const streamed = JSON.parse(reader.last.split('data: ')[1] ?? '').response.usage
    expect(streamed).toMatchObject(told)
    expect(JSON.parse(String(answer?.bytes)).usage).toEqual(streamed)
    expect(answer?.usage).toEqual({ inputTokens: told.input_tokens, outputTokens: told.output_tokens })
    expect(reader.usage).toEqual(answer?.usage)
  })
})

describe('a usage that counts nothing beside text', () => {
  const text = { type: 'text', text: 'hello there, 漢字' }
  const none = { input_tokens: 0, output_tokens: 0 }
  const uncounted = { ...none, total_tokens: 0 }
  const output = [{ type: 'message', role: 'assistant', content: [{ ...text, type: 'output_text', annotations: [] }] }]
  const response = { id: 'resp_1', object: 'response', status: 'completed', output, usage: uncounted }
  const message = { id: 'msg_1', type: 'message', role: 'assistant', content: [text], usage: none }
  const begun = { type: 'message_start', message: { id: 'msg_1', usage: none } }
  const completed = { type: 'response.completed', sequence_number: 2, response }
  const counted = { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: none }

  it.each([
    ['messages', messagesNative, [begun, ...MESSAGES.slice(1, -2), counted, { type: 'message_stop' }], message],
    ['responses', responsesNative, [...RESPONSES.slice(0, 2), completed], response],
  ] as const)('is none, so that the text is charged: %s, streamed and whole', (_name, dialect, stream, whole) => {
    const { reader } = readIn(dialect, stream.map(event).join(''), [])
    expect(reader.usage).toBeUndefined()
    expect(reader.least.outputTokens).toBeGreaterThan(0)

    const answer = allAtOnce(readNative(Buffer.from(JSON.stringify(whole)), dialect))
    expect(answer?.usage).toBeUndefined()
    expect(answer?.outputBytes).toBeGreaterThan(0)
  })
})
