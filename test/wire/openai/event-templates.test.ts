import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ChunkReader } from '../../../src/wire/openai/chunk.ts'
import { EventTemplates } from '../../../src/wire/openai/event-templates.ts'
import { times } from '../../support/times.ts'

const terms = { model: 'backend-model', usageWanted: false, id: 'chatcmpl-req', created: 1 }
const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('svc-text', '"content":"', '\\', '"', '\n', '\u2028', 'a', 'Hello', '"},"finish_reason":null}]}'),
)
const field = fc.constantFrom('content', 'reasoning_content', 'role', 'refusal', 'tool_calls')
const delta = fc.oneof(
  { weight: 6, arbitrary: fc.record({ content: text }) },
  { weight: 1, arbitrary: fc.dictionary(field, fc.oneof(text, fc.constant(null), fc.record({ content: text }))) },
)
const choice = fc.record(
  {
    index: fc.constantFrom(0, 0, 0, 1),
    delta,
    finish_reason: fc.constantFrom(null, null, null, 'stop', ''),
    logprobs: fc.constantFrom(null, null, { content: [] }),
  },
  { requiredKeys: ['delta'] },
)
const event = fc.record(
  {
    id: fc.constantFrom('a', 'a', 'a', 'b', 7),
    object: fc.constantFrom('chat.completion.chunk', 'chat.completion.chunk', 'other'),
    created: fc.constantFrom(5, 5, 5, 6, '5'),
    model: fc.constantFrom('backend-model', 'backend-model', 'another'),
    choices: fc.oneof(
      { weight: 9, arbitrary: fc.array(choice, { minLength: 1, maxLength: 1 }) },
      { weight: 1, arbitrary: fc.array(fc.oneof(choice, fc.constant(null)), { maxLength: 2 }) },
    ),
    usage: fc.constantFrom(null, null, undefined, { prompt_tokens: 1, completion_tokens: 2 }),
    error: fc.constantFrom(undefined, undefined, undefined, null, 'broken'),
  },
  { requiredKeys: ['choices'] },
)
/** As JSON.stringify writes it, as Python does, or with a key that stands twice. */
const written = fc.tuple(event, fc.constantFrom(0, 0, 0, 1, 2)).map(([value, how]) => {
  const json = JSON.stringify(value)
  if (how === 1) return json.replaceAll('":', '": ').replaceAll(',"', ', "')
  return how === 2 ? json.replace('"delta":{', '"delta":{"content":"first",') : json
})

describe('an event that is compared with the form of others', () => {
  it('is read as if it had been parsed, whatever comes before it', () => {
    const wanted = fc.boolean()
    fc.assert(
      fc.property(fc.array(written, { minLength: 1, maxLength: 12 }), wanted, (events, usageWanted) => {
        const forms = new EventTemplates(new ChunkReader({ ...terms, usageWanted }))
        const chunks = new ChunkReader({ ...terms, usageWanted })
        for (const data of events) expect(forms.read(data)).toEqual(chunks.read(data))
      }),
      { numRuns: times(3000) },
    )
  })

  it('of a known form is read to the same result, and what JSON.parse would refuse is refused', () => {
    const forms = new EventTemplates(new ChunkReader(terms))
    const of = (content: string, role?: string) =>
      JSON.stringify({
        id: 'a',
        object: 'chat.completion.chunk',
        created: 5,
        model: 'backend-model',
        choices: [{ index: 0, delta: { role, content }, finish_reason: null }],
      })
    forms.read(of('', 'assistant'))
    forms.read(of('Hello'))

    // A text that JSON.parse would refuse behind the form that is known is parsed, and refused.
    expect(forms.read(of('x').replace('"x"', '"\u0001"'))).toEqual({ kind: 'malformed' })
    expect(forms.read(of('there, ünïcode'))).toMatchObject({ outputBytes: 16, data: of('there, ünïcode') })
  })
})
