import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/wire/json-safety.ts'
import { times } from '../../support/times.ts'
import { replay } from './replay.ts'
import { eventsIn, NO_USAGE, numbered, read, writerTerms } from './support.ts'

const tools = [
  { type: 'function', name: 'read', parameters: null },
  { type: 'namespace', name: 'agents', tools: [{ type: 'function', name: 'spawn a helper' }] },
  { type: 'custom', name: 'apply_patch' },
]

const request = fc.record({
  input: fc.constant('x'),
  tools: fc.constant(tools),
  stream: fc.constant(true),
  store: fc.boolean(),
  reasoning: fc.constantFrom(null, { summary: 'auto' }),
  include: fc.constantFrom([], ['message.output_text.logprobs']),
})

const name = fc.constantFrom('read', 'agents__spawn_a_helper', 'apply_patch', 'made_up')
const words = fc.string({ minLength: 1, maxLength: 12 })
const finish = fc.constantFrom('stop', 'tool_calls', 'length', 'content_filter')
const chunkOf = (delta: JsonObject, finish_reason: unknown = null) => ({
  choices: [{ index: 0, delta, finish_reason }],
})

function streamOf(body: JsonObject, chunks: readonly JsonObject[]) {
  const writer = read(body).writer(writerTerms())
  return eventsIn(chunks.map(chunk => writer.chunk(chunk)).join('') + writer.end(NO_USAGE))
}

/** A whole answer of a model. */
const message = fc.record({
  reasoning_content: fc.option(words),
  content: fc.option(words),
  tool_calls: fc.array(
    fc.record({ name, arguments: fc.oneof(fc.constant('{"input":"*** Begin"}'), words, fc.constant('')) }),
    {
      maxLength: 4,
    },
  ),
})

/** Cuts a text anywhere. */
const cutAt = (text: string, cuts: readonly number[]): string[] => {
  const places = [0, ...cuts.map(cut => cut % (text.length + 1)).sort((a, b) => a - b), text.length]
  return places.slice(1).map((place, i) => text.slice(places[i], place))
}

interface Said {
  readonly reasoning_content: string | null
  readonly content: string | null
  readonly tool_calls: readonly { readonly name: string; readonly arguments: string }[]
}

/** The same as a stream. Calls begin in order and go on in any, as `turns` has it. */
function chunksOf(said: Said, cuts: readonly number[], turns: Iterator<number>): JsonObject[] {
  const begun: JsonObject[] = []
  const rests: JsonObject[][] = []
  for (const [index, call] of said.tool_calls.entries()) {
    const [first, ...rest] = cutAt(call.arguments, cuts)
    begun.push({ index, id: `call_${index}`, type: 'function', function: { name: call.name, arguments: first } })
    rests.push(rest.map(piece => ({ index, function: { arguments: piece } })))
  }
  for (let left = rests; left.length > 0; left = left.filter(rest => rest.length > 0)) {
    const next = left[(turns.next().value ?? 0) % left.length]?.shift()
    if (next) begun.push(next)
  }
  return [
    chunkOf({ role: 'assistant', content: '' }),
    ...cutAt(said.reasoning_content ?? '', cuts).map(piece => chunkOf({ reasoning_content: piece })),
    ...cutAt(said.content ?? '', cuts).map(piece => chunkOf({ content: piece })),
    ...begun.map(call => chunkOf({ tool_calls: [call] })),
  ]
}

describe('any stream of a chat', () => {
  it('is the same answer as the whole one, wherever its texts are cut and however its calls come', () => {
    fc.assert(
      fc.property(
        request,
        message,
        finish,
        fc.array(fc.nat(), { maxLength: 4 }),
        fc.infiniteStream(fc.nat(3)),
        (body, said, finish_reason, cuts, turns) => {
          const end = chunkOf({}, finish_reason)
          const { events, isDone } = streamOf(body, [...chunksOf(said, cuts, turns), end])
          const calls = said.tool_calls.map((call, index) => ({ id: `call_${index}`, function: call }))
          const completion = { choices: [{ message: { ...said, tool_calls: calls }, finish_reason }] }
          const whole = read(body).writer(writerTerms()).whole(completion, NO_USAGE)

          expect(isDone).toBe(true)
          expect(numbered(replay(events))).toEqual(numbered(whole))
        },
      ),
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
        name: fc.oneof(name, fc.constantFrom('', undefined)),
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
            finish_reason: fc.oneof(finish, odd),
            logprobs,
          }),
          { maxLength: 2 },
        ),
        usage: fc.oneof(odd, fc.constant({ prompt_tokens: 1, completion_tokens: 2 })),
      }),
      fc.record({ choices: odd }),
    )
    fc.assert(
      fc.property(request, fc.array(chunk, { maxLength: 12 }), fc.boolean(), (body, chunks, breaks) => {
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
