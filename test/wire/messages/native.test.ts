import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/wire/json-safety.ts'
import { messagesNative } from '../../../src/wire/messages/native.ts'
import { outputBytesOf } from '../../../src/wire/usage/usage.ts'
import { chargedFor } from '../../support/charged.ts'
import { type Answer, answers, chunksOf, completionOf, request } from './answers.ts'
import { read, streamed, writerTerms } from './support.ts'

const writer = () => read(request).writer(writerTerms())
const eventsOf = (answer: Answer) => streamed(writer(), chunksOf(answer))
const start = (usage: JsonObject): JsonObject => ({ type: 'message_start', message: { usage } })
const end = (usage: JsonObject): JsonObject => ({
  type: 'message_delta',
  delta: { stop_reason: 'end_turn', stop_sequence: null },
  usage,
})

/** The meaning of one stream's events, in order. */
function readAll(events: readonly JsonObject[]) {
  const reader = messagesNative.reader()
  return events.map(event => reader.read(event))
}

describe('usage', () => {
  it('is that of the beginning where the end says no more of it', () => {
    const counts = { input_tokens: 10, cache_read_input_tokens: 80, cache_creation_input_tokens: 10, output_tokens: 1 }
    expect(readAll([start(counts), end({ output_tokens: 12 })]).at(-1)?.usage).toMatchObject({
      inputTokens: 100,
      outputTokens: 12,
    })
    expect(readAll([start(counts), end({ input_tokens: null, output_tokens: 12 })]).at(-1)?.usage).toMatchObject({
      inputTokens: 100,
      outputTokens: 12,
    })
  })

  it('is that of the end where the beginning estimates it', () => {
    const counts = { input_tokens: 30, cache_read_input_tokens: 70, output_tokens: 12 }
    expect(readAll([start({ input_tokens: 25, output_tokens: 1 }), end(counts)]).at(-1)?.usage).toMatchObject({
      inputTokens: 100,
      outputTokens: 12,
    })
  })

  it('of the beginning is the prompt, which a stream that is cut pays', () => {
    expect(readAll([start({ input_tokens: 10, output_tokens: 1 })])[0]?.usage).toEqual({
      inputTokens: 10,
      outputTokens: 0,
    })
  })
})

it('a stream that this gateway wrote is read as it was written', () => {
  fc.assert(
    fc.property(answers, answer => {
      const said = readAll(eventsOf(answer))
      expect(said.map(({ isLast }) => isLast)).toEqual(said.map((_, index) => index === said.length - 1))
      expect(said.at(-2)).toMatchObject({ isFinished: true, usage: { inputTokens: 20, outputTokens: 9 } })
      expect(said.every(({ tokens, outputBytes }) => tokens <= outputBytes && tokens > 0 === outputBytes > 0)).toBe(
        true,
      )
    }),
  )
})

it('a whole message says what was used, and what was said', () => {
  fc.assert(
    fc.property(answers, answer => {
      const native = messagesNative.answer(writer().whole(completionOf(answer), chargedFor(completionOf(answer))))
      expect(native?.usage).toMatchObject({ inputTokens: 20, outputTokens: 9 })
      const { message } = (completionOf(answer).choices as readonly { readonly message: JsonObject }[])[0] ?? {}
      expect((native?.outputBytes ?? 0) > 0).toBe(outputBytesOf(message) > 0)
    }),
  )
})

it.each<[string, JsonObject]>([
  ['a chat completion', { object: 'chat.completion', choices: [] }],
  ['an error', { type: 'error', error: { type: 'api_error', message: 'x' } }],
  ['a message without content', { type: 'message' }],
])('%s is no answer', (_name, body) => {
  expect(messagesNative.answer(body)).toBeUndefined()
})

it('events of anything are read without a throw', () => {
  const type = fc.constantFrom(
    'message_start',
    'content_block_start',
    'content_block_delta',
    'message_delta',
    'error',
    'x',
  )
  const event = fc.record(
    {
      type,
      message: fc.jsonValue(),
      content_block: fc.oneof(fc.jsonValue(), fc.constant({ type: 'tool_use' })),
      delta: fc.oneof(fc.jsonValue(), fc.record({ text: fc.jsonValue() })),
      usage: fc.oneof(fc.jsonValue(), fc.record({ output_tokens: fc.jsonValue() })),
    },
    { requiredKeys: ['type'] },
  )
  fc.assert(
    fc.property(fc.array(event, { maxLength: 4 }), events => {
      for (const { outputBytes, tokens } of readAll(events)) expect(tokens).toBeLessThanOrEqual(outputBytes)
    }),
  )
})
