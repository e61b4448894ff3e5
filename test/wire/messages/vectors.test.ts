import { expect, it } from 'vitest'
import type { JsonObject } from '../../../src/wire/json-safety.ts'
import { messages } from '../../../src/wire/messages/client.ts'
import { tokensOf } from '../../../src/wire/token-count.ts'
import { chargedFor } from '../../support/charged.ts'
import { checked, eventsOf, NO_USAGE, read, readTerms, streamed, writerTerms } from './support.ts'
import vectors from './vectors.json' with { type: 'json' }

/** Worked examples: a request, its chat, what a chat backend answers, and what the client gets of that. */
interface Vector {
  readonly name: string
  readonly note: string
  readonly request: JsonObject
  readonly chat?: JsonObject
  readonly ignored_tools?: readonly string[]
  readonly chat_answer?: JsonObject
  readonly answer?: JsonObject
  readonly chat_stream?: readonly JsonObject[]
  readonly events?: readonly JsonObject[]
}

const all = vectors as unknown as readonly Vector[]
const served = all.filter(({ chat }) => chat)
const named = (name: string): Vector => {
  const vector = all.find(each => each.name === name)
  if (!vector) throw new Error(`no vector ${name}`)
  return vector
}

it.each(served)('$name becomes the chat of the example ($note)', ({ request, chat, ignored_tools = [] }) => {
  const { chat: made, ignoredTools, onlyNative } = read(request)
  expect(made).toEqual(chat)
  expect(ignoredTools).toEqual(ignored_tools)
  expect(onlyNative).toBeUndefined()
})

it.each(served)('the endpoint of chats accepts the chat of $name', ({ request }) => {
  expect(checked(read(request).chat)).not.toHaveProperty('denial')
})

it.each(served.filter(({ chat_answer }) => chat_answer))(
  'the whole answer of $name is that of the example',
  ({ request, chat_answer = {}, answer }) => {
    expect(read(request).writer(writerTerms()).whole(chat_answer, chargedFor(chat_answer))).toEqual(answer)
  },
)

it.each(served.filter(({ name, chat_stream }) => chat_stream && name !== 'M6c'))(
  'the stream of $name has the events of the example',
  ({ request, chat_stream = [], events }) => {
    expect(streamed(read(request).writer(writerTerms()), chat_stream)).toEqual(events)
  },
)

it('M6c: a stream that breaks ends with an error, and with nothing after it', () => {
  const { request, chat_stream = [], events } = named('M6c')
  const writer = read(request).writer(writerTerms())
  const error = {
    message: 'The backend failed before the answer was complete.',
    type: 'upstream_error',
    code: 'UPSTREAM_INTERRUPTED',
  }
  const text = chat_stream.map(chunk => writer.chunk(chunk)).join('') + writer.fail(error)
  expect(eventsOf(text)).toEqual(events)
  expect(writer.chunk(chat_stream[0] ?? {}) + writer.end(NO_USAGE) + writer.fail(error)).toBe('')
})

it('M6a: a request without max_tokens is refused', () => {
  expect(messages.read(named('M6a').request, readTerms)).toMatchObject({
    denial: { code: 'VALIDATION_ERROR', field: 'max_tokens', problem: 'Field required' },
  })
})

it('M6b: tools of which none can run here need a backend of the same dialect', () => {
  const { chat, onlyNative } = read(named('M6b').request)
  expect(chat).not.toHaveProperty('tools')
  expect(onlyNative).toMatchObject({ field: 'tools', problem: 'none of these can run here: web_search_20250305' })
})

it('M6f: a body whose tokens are counted needs no max_tokens', () => {
  const counted = messages.countable(named('M6f').request, readTerms)
  if ('denial' in counted) throw new Error('it was refused')
  expect(counted.chat).toMatchObject({ messages: [{ role: 'system' }, { role: 'user' }], tools: [{}] })
  expect(checked(counted.chat)).not.toHaveProperty('denial')
  const { input_tokens } = named('M6f').answer ?? {}
  expect(Math.abs(tokensOf(counted.chat, 0) / Number(input_tokens) - 1)).toBeLessThan(0.1)
})
