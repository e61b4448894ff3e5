import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EventUsage } from '../../src/wire/event-usage.ts'
import { MAX_EVENT_BYTES } from '../../src/wire/sse.ts'
import { times } from '../support/times.ts'

const line = (data: object | string, name?: string) =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`

const CHAT = [
  line({ choices: [{ index: 0, delta: { role: 'assistant', content: '' } }] }),
  line({ choices: [{ index: 0, delta: { content: 'Hello' } }] }),
  line({ choices: [{ index: 0, delta: { content: ' there' } }] }),
  line({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
  line({ choices: [], usage: { prompt_tokens: 12, completion_tokens: 7 } }),
  line('[DONE]'),
]
const RESPONSES = [
  line({ type: 'response.created', response: { status: 'in_progress', usage: null } }, 'response.created'),
  line({ type: 'response.output_text.delta', delta: 'Hello' }, 'response.output_text.delta'),
  line({ type: 'response.output_text.delta', delta: ' there' }, 'response.output_text.delta'),
  line({ type: 'response.output_text.done', text: 'Hello there' }, 'response.output_text.done'),
  line(
    { type: 'response.completed', response: { usage: { input_tokens: 12, output_tokens: 7, total_tokens: 19 } } },
    'response.completed',
  ),
]
const MESSAGES = [
  line(
    {
      type: 'message_start',
      message: {
        usage: { input_tokens: 2, cache_read_input_tokens: 7, cache_creation_input_tokens: 3, output_tokens: 1 },
      },
    },
    'message_start',
  ),
  line({ type: 'content_block_delta', delta: { type: 'text_delta', text: 'Hello' } }, 'content_block_delta'),
  line({ type: 'content_block_delta', delta: { type: 'text_delta', text: ' there' } }, 'content_block_delta'),
  line({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 7 } }, 'message_delta'),
  line({ type: 'message_stop' }, 'message_stop'),
]

const FORMS: [string, string[], object][] = [
  ['chat completions', CHAT, {}],
  ['Responses', RESPONSES, {}],
  ['Messages', MESSAGES, { cachedTokens: 7, cacheWriteTokens: 3 }],
]

/** The usage read from a text that is cut at these positions. */
function readingOf(text: string, places: readonly number[] = []) {
  const bytes = Buffer.from(text)
  const reader = new EventUsage()
  const cuts = [0, ...places.map(place => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  for (const [index, cut] of cuts.slice(1).entries()) reader.push(bytes.subarray(cuts[index], cut))
  const { usage, least, outputBytes, hasReported } = reader.said
  return { usage, least, outputBytes, hasReported, isOver: reader.isOver }
}

describe.each(FORMS)('a stream of %s', (_name, events, cached) => {
  it('has the usage that its backend reports', () => {
    expect(readingOf(events.join(''))).toEqual({
      usage: { inputTokens: 12, outputTokens: 7, ...cached },
      least: { inputTokens: 12, outputTokens: 7, ...cached },
      outputBytes: 11,
      hasReported: true,
      isOver: true,
    })
  })

  it('reads the same wherever its bytes are cut', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 30 }), places => {
        expect(readingOf(events.join(''), places)).toEqual(readingOf(events.join('')))
      }),
      { numRuns: times(300) },
    )
  })

  it('has used a token for each delta that came, where it breaks off', () => {
    const cut = readingOf(events.slice(0, 3).join(''))

    expect(cut.usage).toBeUndefined()
    expect(cut.isOver).toBe(false)
    expect(cut.least.outputTokens).toBeGreaterThanOrEqual(2)
    expect(cut.least.outputTokens).toBeLessThanOrEqual(7)
  })

  it('is read on behind an event that is too long to be kept', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 5 }), fc.constantFrom('\n', '\r\n', '\r'), (places, end) => {
        const [first, ...rest] = events
        const picture = line({ type: 'response.image', b64: 'x'.repeat(MAX_EVENT_BYTES) })
        const text = [first, picture, ...rest].join('').replaceAll('\n', end)

        expect(readingOf(text, places)).toEqual(readingOf(events.join('')))
      }),
      // Each reads 16 MiB.
      { numRuns: times(20, 4) },
    )
  })
})

it('a part never costs more than all, whatever the deltas are', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 16, minLength: 1 }), { minLength: 1 }), fc.nat(), (texts, at) => {
      const deltas = texts.map(delta => line({ type: 'response.output_text.delta', delta }))
      const usage = { input_tokens: 5, output_tokens: texts.length }
      const whole = [...deltas, line({ type: 'response.completed', response: { usage } })]

      const { least } = readingOf(whole.slice(0, at % whole.length).join(''))

      expect(least.outputTokens).toBeLessThanOrEqual(texts.length)
    }),
    { numRuns: times(300) },
  )
})

it('sound counts a token for each piece of it, and is no text', () => {
  const sound = line({ type: 'response.output_audio.delta', delta: 'UklGRiQAAABXQVZFZm10IBAAAAABAAEA' })

  expect(readingOf(sound.repeat(3))).toMatchObject({ least: { outputTokens: 3 }, outputBytes: 0 })
})

it('bytes of any kind are no error', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 300 })), pieces => {
      const reader = new EventUsage()
      for (const piece of pieces) reader.push(Buffer.from(piece))
      expect(reader.said.hasReported).toBe(false)
    }),
    { numRuns: times(300) },
  )
})
