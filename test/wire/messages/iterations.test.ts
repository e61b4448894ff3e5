import { describe, expect, it } from 'vitest'
import { EventUsage } from '../../../src/wire/event-usage.ts'
import type { JsonObject } from '../../../src/wire/json-safety.ts'
import { completionOfMessage } from '../../../src/wire/messages/answer-to-chat.ts'
import { withIterations } from '../../../src/wire/messages/iterations.ts'
import { messagesNative } from '../../../src/wire/messages/native.ts'
import { MessagesStream } from '../../../src/wire/messages/stream-to-chat.ts'
import { namedEvent } from '../../../src/wire/sse.ts'

/** As Anthropic's API counts an answer before which it shortened the conversation. */
const COMPACTED = {
  ...{ input_tokens: 23_000, output_tokens: 1000, cache_read_input_tokens: 500 },
  iterations: [
    { type: 'compaction', input_tokens: 180_000, output_tokens: 3500, cache_creation_input_tokens: 7 },
    { type: 'message', input_tokens: 23_000, output_tokens: 1000, cache_read_input_tokens: 500 },
  ],
}
const PAID = { inputTokens: 203_507, outputTokens: 4500, cachedTokens: 500, cacheWriteTokens: 7 }
const message = { type: 'message', content: [{ type: 'text', text: 'Hi' }], stop_reason: 'end_turn', usage: COMPACTED }
const EVENTS: readonly (JsonObject & { readonly type: string })[] = [
  { type: 'message_start', message: { ...message, content: [], usage: { input_tokens: 23_000, output_tokens: 1 } } },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: COMPACTED },
  { type: 'message_stop' },
]
const STREAM = Buffer.from(EVENTS.map(event => namedEvent(event.type, JSON.stringify(event))).join(''))

describe('an answer of several iterations is paid for all of them', () => {
  it('where it passes as it is, whole or streamed', () => {
    expect(messagesNative.answer(message)?.usage).toEqual(PAID)
    const reader = messagesNative.reader()
    expect(EVENTS.map(event => reader.read(event).usage)[1]).toEqual(PAID)
  })

  it('where it is translated, whole or streamed', () => {
    const usage = { prompt_tokens: 203_507, completion_tokens: 4500, total_tokens: 208_007 }
    expect(completionOfMessage(message)?.usage).toMatchObject(usage)
    expect(String(new MessagesStream().push(STREAM))).toContain(JSON.stringify(usage).slice(1, -1))
  })

  it('where it goes through a pass-through route', () => {
    const usage = new EventUsage()
    usage.push(STREAM)
    expect(usage.said.usage).toEqual(PAID)
  })
})

it('iterations that are parts of the counts at the top are not paid twice', () => {
  const usage = {
    ...{ input_tokens: 30, output_tokens: 7 },
    iterations: [
      { type: 'message', input_tokens: 10, output_tokens: 3 },
      { type: 'message', input_tokens: 20, output_tokens: 4 },
    ],
  }
  expect(withIterations(usage)).toEqual(usage)
})

it('iterations that count nothing, or what is no count, change nothing', () => {
  for (const iterations of [null, 7, [], [null, { input_tokens: -1, output_tokens: 1e300 }], [[{ input_tokens: 9 }]]]) {
    const usage = { input_tokens: 3, output_tokens: 4, iterations }
    expect(withIterations(usage)).toEqual(usage)
  }
})
