import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { times } from '../../support/times.ts'
import { answers, requests, streamOf, words } from './answers.ts'
import { replay } from './replay.ts'
import { eventsIn, NO_USAGE, numbered, read, writerTerms } from './support.ts'

describe('any stream of a chat', () => {
  it('is the same answer as the whole one, wherever its texts are cut and however its calls come', () => {
    fc.assert(
      fc.property(requests, answers, (body, { chunks, completion }) => {
        const { events, isDone } = eventsIn(streamOf(body, chunks))
        const whole = read(body).writer(writerTerms()).whole(completion, NO_USAGE)

        expect(isDone).toBe(true)
        expect(numbered(replay(events))).toEqual(numbered(whole))
      }),
      { numRuns: times(3000) },
    )
  })

  it('becomes events of which each follows from those before, whatever its chunks are', () => {
    const index = fc.constantFrom(0, 0, 1, 2, undefined)
    const id = fc.constantFrom('call_a', 'call_b', '', undefined, null)
    const call = fc.record({
      index,
      id,
      function: fc.record({
        name: fc.constantFrom('read', 'apply_patch', '', undefined),
        arguments: fc.oneof(words, fc.constantFrom('', { a: 1 }, null)),
      }),
    })
    const odd = fc.oneof(words, fc.constantFrom<unknown>(null, undefined, 7, {}, []))
    const delta = fc.record(
      {
        content: odd,
        reasoning_content: odd,
        reasoning: odd,
        refusal: odd,
        tool_calls: fc.oneof(fc.array(fc.oneof(call, odd), { maxLength: 3 }), odd),
      },
      { requiredKeys: [] },
    )
    const logprobs = fc.constantFrom(
      null,
      { content: [{ token: 'a', logprob: -1, top_logprobs: [{ token: 'b' }] }] },
      { content: [1] },
    )
    const chunk = fc.oneof(
      fc.record({
        choices: fc.array(
          fc.record({
            index: fc.constantFrom(0, undefined),
            delta: fc.oneof(delta, odd),
            finish_reason: fc.oneof(fc.constantFrom('stop', 'length'), odd),
            logprobs,
          }),
          { maxLength: 2 },
        ),
        usage: fc.oneof(odd, fc.constant({ prompt_tokens: 1, completion_tokens: 2 })),
      }),
      fc.record({ choices: odd }),
    )
    fc.assert(
      fc.property(requests, fc.array(chunk, { maxLength: 12 }), fc.boolean(), (body, chunks, breaks) => {
        const writer = read(body).writer(writerTerms())
        const begun = chunks.map(each => writer.chunk(each)).join('')
        const text = begun + (breaks ? writer.fail({ message: 'x', type: 'y', code: 'z' }) : writer.end(NO_USAGE))
        const { events, isDone } = eventsIn(text)

        expect(replay(events).status).toBeOneOf(breaks ? ['failed'] : ['completed', 'incomplete'])
        expect(isDone).toBe(!breaks)
        expect(
          writer.chunk({ choices: [] }) + writer.end(NO_USAGE) + writer.fail({ message: '', type: '', code: '' }),
        ).toBe('')
      }),
      { numRuns: times(6000) },
    )
  })
})
