import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AnswerReader, StreamReading } from '../../src/wire/answer-reader.ts'
import { DIALECTS } from '../../src/wire/dialects.ts'
import { messagesNative } from '../../src/wire/messages/native.ts'
import { NativeStreamReader } from '../../src/wire/native/stream.ts'
import { StreamReader } from '../../src/wire/openai/stream.ts'
import { responsesNative } from '../../src/wire/responses/native.ts'

const WORDS = ['a ', 'gateway ', 'earns ', 'trust ', 'when ', 'backends ', 'fail']
const TEXT = WORDS.join('')
const terms = { model: 'm', usageWanted: true, id: 'i', created: 1 }

const CHAT = [
  ...WORDS.map(content => ({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })),
  { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
  { choices: [], usage: { prompt_tokens: 9, completion_tokens: WORDS.length } },
  '[DONE]',
]
const MESSAGES = [
  { type: 'message_start', message: { id: 'msg_1', usage: { input_tokens: 9, output_tokens: 1 } } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  ...WORDS.map(text => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })),
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: WORDS.length } },
  { type: 'message_stop' },
]
const place = { output_index: 0, content_index: 0 }
const RESPONSES = [
  { type: 'response.created', response: { id: 'resp_1', usage: null } },
  { type: 'response.output_item.added', output_index: 0, item: { type: 'message', content: [] } },
  { type: 'response.content_part.added', ...place, part: { type: 'output_text', text: '' } },
  ...WORDS.map(delta => ({ type: 'response.output_text.delta', ...place, delta })),
  { type: 'response.content_part.done', ...place, part: { type: 'output_text', text: TEXT } },
  { type: 'response.output_item.done', output_index: 0, item: { type: 'message', content: [] } },
  {
    type: 'response.completed',
    response: { id: 'resp_1', status: 'completed', usage: { input_tokens: 9, output_tokens: WORDS.length } },
  },
]

const translated = (dialect: 'messages' | 'responses', maySkip: boolean) =>
  new StreamReader(terms, 1, DIALECTS[dialect].translator?.(), maySkip)

/** How streams of every dialect are read, and what stands around a piece of text as clients get it. */
const surfaces: readonly (readonly [string, readonly unknown[], (maySkip: boolean) => AnswerReader, RegExp])[] = [
  ['chat', CHAT, maySkip => new StreamReader(terms, 1, undefined, maySkip), /"content":"([^"]*)"/g],
  ['messages, translated', MESSAGES, maySkip => translated('messages', maySkip), /"content":"([^"]*)"/g],
  ['responses, translated', RESPONSES, maySkip => translated('responses', maySkip), /"content":"([^"]*)"/g],
  ['messages', MESSAGES, maySkip => new NativeStreamReader(messagesNative, maySkip), /text_delta","text":"([^"]*)"/g],
  [
    'responses',
    RESPONSES,
    maySkip => new NativeStreamReader(responsesNative, maySkip),
    /text\.delta".*"delta":"([^"]*)"/g,
  ],
]

const frame = (event: unknown): string => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`

/** The outcome of a stream: whether it counts as whole, and the client's text. */
function readingOf(reader: AnswerReader, frames: readonly string[], text: RegExp) {
  let events = ''
  let stop: StreamReading['stop']
  const take = (reading: StreamReading) => {
    events += reading.events
    stop ??= reading.stop
  }
  for (const each of frames) if (!stop) take(reader.read(Buffer.from(each)))
  if (!stop) take(reader.end())
  const isWhole = stop?.kind !== 'broken' && reader.finished && reader.isWhole()
  const got = isWhole ? events + reader.heldEvents : events
  return {
    isWhole,
    skipped: reader.skippedEvents,
    got,
    text: Array.from(got.matchAll(text), ([, each]) => each).join(''),
  }
}

/** Damages to the bytes of an event on their way. */
const damages: readonly (readonly [string, (bytes: string) => string])[] = [
  ['cut', bytes => `${bytes.slice(0, Math.floor(bytes.length / 2)).trimEnd()}\n\n`],
  ['no JSON', () => 'data: {"oops\n\n'],
  ['no object', () => 'data: 12\n\n'],
  ['another prefix', bytes => bytes.replace('data:', 'dat:')],
  ['joined with the next one', bytes => bytes.trimEnd().concat('\n')],
]

describe.each(surfaces)('a stream of %s', (_name, stream, readerOf, text) => {
  const whole = stream.map(frame)

  it('with an event that cannot be read, beside all that was said, is whole without it', () => {
    for (let at = 4; at < 8; at++) {
      const frames = [...whole.slice(0, at), 'data: {"oops\n\n', ...whole.slice(at)]

      expect(readingOf(readerOf(true), frames, text)).toMatchObject({ isWhole: true, skipped: 1, text: TEXT })
      expect(readingOf(readerOf(false), frames, text)).toMatchObject({ isWhole: false, skipped: 0 })
    }
  })

  it('is never taken for whole where it lacks a piece of the text, whichever events are damaged and how', () => {
    const index = fc.nat(whole.length - 1)
    const harm = fc.record({ at: index, damage: fc.constantFrom(...damages.map(([, damage]) => damage)) })
    fc.assert(
      fc.property(fc.uniqueArray(harm, { selector: ({ at }) => at, minLength: 1, maxLength: 3 }), harms => {
        const frames = whole.map((each, i) =>
          harms.reduce((bytes, { at, damage }) => (at === i ? damage(bytes) : bytes), each),
        )
        const reading = readingOf(readerOf(true), frames, text)
        if (reading.isWhole) expect(reading.text).toBe(TEXT)
      }),
    )
  })

  it('whose usage could not be read is not whole once an event was skipped', () => {
    const frames = [...whole.slice(0, 5), 'data: {"oops\n\n', ...whole.slice(5)].map(each =>
      each.replace(/"(completion|output)_tokens":7/, '"none":7'),
    )
    expect(readingOf(readerOf(true), frames, text).isWhole).toBe(false)
  })

  it('with many events that cannot be read is given up', () => {
    const frames = [...whole.slice(0, 5), ...new Array(9).fill('data: {"oops\n\n'), ...whole.slice(5)]
    expect(readingOf(readerOf(true), frames, text)).toMatchObject({ isWhole: false, skipped: 8 })
  })

  it('whose backend counts the end of the text is whole where it always counts one token more', () => {
    const frames = [...whole.slice(0, 5), 'data: {"oops\n\n', ...whole.slice(5)].map(each =>
      each.replace(/"(completion|output)_tokens":7/, '"$1_tokens":8'),
    )
    const reader = readerOf(true)
    readingOf(reader, frames, text)

    expect([reader.isWhole(0), reader.isWhole(1)]).toEqual([false, true])
  })
})

it('a call breaks a stream that lacks an event, and a stream with a call lacks none', () => {
  const call = frame({
    choices: [{ index: 0, delta: { tool_calls: [{ index: 0, id: 'c', function: { name: 'f', arguments: '{' } }] } }],
  })
  const [first = ''] = CHAT.map(frame)
  const oops = 'data: {"oops\n\n'
  for (const frames of [
    [first, oops, call],
    [first, call, oops],
  ]) {
    const reader = new StreamReader(terms, 1, undefined, true)
    const readings = frames.map(each => reader.read(Buffer.from(each)))
    expect(readings.at(-1)?.stop).toEqual({ kind: 'broken', cause: 'malformed event' })
  }
})
