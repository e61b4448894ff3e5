import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/wire/json-safety.ts'
import { StreamReader } from '../../../src/wire/openai/stream.ts'
import { larger, readUsage, toldUsage, usageIn } from '../../../src/wire/usage/reported-usage.ts'
import type { Usage } from '../../../src/wire/usage/usage.ts'
import { times } from '../../support/times.ts'
import { USAGE_SHAPES } from '../../support/usage-shapes.ts'

const numRuns = times(2000)

describe('a usage that is told to a client', () => {
  it.each(USAGE_SHAPES)('is read as what it was made of: $provider, $kind', ({ told }) => {
    const answer = { ...told.answer, choices: [{ index: 0, ...told.choice }] } as JsonObject
    const usage = usageIn(answer)
    if (!usage) throw new Error('no usage was read')
    const again = toldUsage(answer.usage, usage)

    expect(readUsage(again)).toEqual(usage)
    expect(toldUsage(again, usage)).toBe(again)
  })

  it('stays as the backend wrote it where it says the same', () => {
    const usage = {
      ...{ prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, cost: 0.1 },
      prompt_tokens_details: { cached_tokens: 3, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 2 },
    }
    expect(toldUsage(usage, readUsage(usage) as Usage)).toBe(usage)
  })
})

const count = fc.oneof(
  fc.nat(5000),
  fc.constantFrom<unknown>(null, '12', '-3', 'many', -1, 0.5, 1e9, 1e10, 1e308, Number.NaN, true, [], {}),
)
const names = [
  ...['prompt_tokens', 'completion_tokens', 'total_tokens', 'input_tokens', 'output_tokens', 'reasoning_tokens'],
  ...['cached_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens', 'prompt_cache_hit_tokens'],
  ...['prompt_cache_miss_tokens', 'num_cached_tokens', 'cache_write_tokens', 'prompt_eval_count', 'eval_count'],
]
const details = fc.record(
  { cached_tokens: count, reasoning_tokens: count, cache_write_tokens: count, cache_creation_input_tokens: count },
  { requiredKeys: [] },
)
const inside = fc.oneof(count, details)
const usage = fc.record(
  {
    ...Object.fromEntries(names.map(name => [name, count])),
    ...{ prompt_tokens_details: inside, completion_tokens_details: inside, input_tokens_details: inside },
    ...{ cache_creation: inside, billed_units: inside },
  },
  { requiredKeys: [] },
)
const anyUsage = fc.oneof(count, usage)
const answer = fc.record(
  {
    usage: anyUsage,
    x_groq: fc.oneof(count, fc.record({ usage: anyUsage })),
    timings: fc.oneof(count, fc.record({ prompt_n: count, cache_n: count, predicted_n: count })),
    choices: fc.oneof(count, fc.array(fc.oneof(count, fc.record({ usage: anyUsage })), { maxLength: 2 })),
  },
  { requiredKeys: [] },
)

describe('whatever a backend reports', () => {
  it('is read as counts, of which parts are no larger than the whole', () => {
    fc.assert(
      fc.property(answer, reported => {
        const read = usageIn(reported)
        if (!read) return
        const { inputTokens, outputTokens, cachedTokens = 0, cacheWriteTokens = 0, cacheWrite1hTokens = 0 } = read
        for (const each of [inputTokens, outputTokens, cachedTokens, cacheWriteTokens, cacheWrite1hTokens])
          expect(Number.isSafeInteger(each) && each >= 0).toBe(true)
        expect(cachedTokens + cacheWriteTokens).toBeLessThanOrEqual(inputTokens)
        expect(cacheWrite1hTokens).toBeLessThanOrEqual(cacheWriteTokens)
        const told = toldUsage(reported.usage, read)
        expect(told).toMatchObject({ prompt_tokens: inputTokens, completion_tokens: outputTokens })
      }),
      { numRuns },
    )
  })

  it('takes nothing back of what it reported before', () => {
    fc.assert(
      fc.property(fc.array(answer, { maxLength: 4 }), reports => {
        let seen: Usage | undefined
        for (const report of reports) {
          const next = larger(seen, usageIn(report))
          expect(next?.inputTokens ?? 0).toBeGreaterThanOrEqual(seen?.inputTokens ?? 0)
          expect(next?.outputTokens ?? 0).toBeGreaterThanOrEqual(seen?.outputTokens ?? 0)
          seen = next
        }
      }),
      { numRuns },
    )
  })

  it.each([
    ['zeros', { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }],
    ['less', { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 }],
    ['null', null],
    ['texts', { prompt_tokens: 'x', completion_tokens: {}, total_tokens: -4 }],
  ])('a last chunk with %s lowers nothing, on the bill or for the client', (_name, last) => {
    const reader = new StreamReader({ model: 'm', usageWanted: true, id: 'i', created: 1 }, 1)
    const event = (members: object) =>
      `data: ${JSON.stringify({ id: 'i', object: 'chat.completion.chunk', created: 1, model: 'm', ...members })}\n\n`
    const counted = { prompt_tokens: 100, completion_tokens: 7, total_tokens: 107 }
    const { events } = reader.read(
      Buffer.from(
        event({ choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: null }] }) +
          event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage: counted }) +
          event({ choices: [], usage: last }),
      ),
    )

    expect(reader.usage).toEqual({ inputTokens: 100, outputTokens: 7 })
    const told = events
      .split('\n\n')
      .filter(Boolean)
      .map(each => JSON.parse(each.slice(6)).usage)
    for (const each of told.filter(value => typeof value?.prompt_tokens === 'number'))
      expect(each).toMatchObject(counted)
  })

  it('is not looked for at any depth', () => {
    let nested: JsonObject = { input_tokens: 1, output_tokens: 1 }
    for (let i = 0; i < 50_000; i++) nested = { billed_units: nested }
    expect(readUsage(nested)).toBeUndefined()
  })
})
