import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/wire/json-safety.ts'
import { chargedFor } from '../../support/charged.ts'
import { replay } from './replay.ts'
import { eventsIn, NO_USAGE, read, writerTerms } from './support.ts'

const answerTo = (body: JsonObject, message: JsonObject, rest: JsonObject = {}, finish_reason: unknown = 'stop') =>
  read({ input: 'x', ...body })
    .writer(writerTerms())
    .whole(
      { choices: [{ message, finish_reason, logprobs: rest.logprobs }], ...rest },
      rest.usage ? chargedFor(rest) : { inputTokens: 7, outputTokens: 3 },
    )

const streamed = (body: JsonObject, ...deltas: JsonObject[]) => {
  const writer = read({ input: 'x', stream: true, ...body }).writer(writerTerms())
  const chunks = deltas.map(delta => writer.chunk({ choices: [{ delta }] }))
  return replay(eventsIn(chunks.join('') + writer.end(NO_USAGE)).events)
}
const LIKELY = Array.from({ length: 20 }, (_, n) => ({ token: 'b', logprob: -n, bytes: [98] }))

/** How often each event of a streamed answer with so many tokens has logprobs of one. */
function logprobsOf(tokens: number): Readonly<Record<string, number>> {
  const writer = read({ input: 'x', stream: true, top_logprobs: 20 }).writer(writerTerms())
  const logprobs = { content: [{ token: 'a', logprob: -1, bytes: [97], top_logprobs: LIKELY }] }
  let text = ''
  for (let n = 0; n < tokens; n++) text += writer.chunk({ choices: [{ delta: { content: 'a' }, logprobs }] })
  const counts: Record<string, number> = {}
  for (const event of eventsIn(text + writer.end(NO_USAGE)).events)
    counts[event.type] = (counts[event.type] ?? 0) + JSON.stringify(event).split('"top_logprobs":[').length - 1
  return counts
}

const piece = (id: string | undefined, name: string | undefined, args: string, index?: number) => ({
  tool_calls: [{ id, function: { name, arguments: args }, ...(index !== undefined && { index }) }],
})

describe('a whole answer', () => {
  it('reports what the backend counted, with every field', () => {
    const usage = {
      prompt_tokens: 12,
      completion_tokens: 5,
      prompt_tokens_details: { cached_tokens: 8 },
      completion_tokens_details: { reasoning_tokens: 2 },
    }

    expect(answerTo({}, { content: 'a' }, { usage }).usage).toEqual({
      input_tokens: 12,
      input_tokens_details: { cached_tokens: 8, cache_write_tokens: 0 },
      output_tokens: 5,
      output_tokens_details: { reasoning_tokens: 2 },
      total_tokens: 17,
    })
  })

  it('reports what stands in where the backend counted nothing', () => {
    expect(answerTo({}, { content: 'a' }).usage).toEqual({
      input_tokens: 7,
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      output_tokens: 3,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 10,
    })
  })

  it('is incomplete where the cap or a filter cut it', () => {
    const end = (finish: string) => {
      const { status, incomplete_details, completed_at } = answerTo({}, { content: 'a' }, {}, finish)
      return { status, incomplete_details, completed_at }
    }

    expect(end('length')).toEqual({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      completed_at: null,
    })
    expect(end('content_filter')).toMatchObject({ incomplete_details: { reason: 'content_filter' } })
    expect(end('tool_calls')).toMatchObject({ status: 'completed', incomplete_details: null })
  })

  it('has an empty text where nothing was said or called', () => {
    expect(answerTo({}, { content: null }).output).toMatchObject([{ type: 'message', content: [{ text: '' }] }])
    expect(answerTo({}, { reasoning_content: 'Hm.' }).output).toMatchObject([
      { type: 'reasoning' },
      { type: 'message' },
    ])
  })

  it('tells a refusal as one', () => {
    expect(answerTo({}, { refusal: 'No.' }).output).toMatchObject([{ content: [{ type: 'refusal', refusal: 'No.' }] }])
  })

  it('tells the same reasoning once where it comes under two names', () => {
    expect(answerTo({}, { reasoning_content: 'Hm.', reasoning: 'Hm.' }).output).toMatchObject([
      { type: 'reasoning', content: [{ type: 'reasoning_text', text: 'Hm.' }] },
      { type: 'message' },
    ])
  })

  it('seals reasoning where the client keeps what is not stored', () => {
    const reasoning = (body: JsonObject) => answerTo(body, { reasoning_content: 'A cat.' }).output?.[0 as never]

    expect(reasoning({ store: false })).toHaveProperty('encrypted_content', 'svc1.QSBjYXQu')
    expect(reasoning({ include: ['reasoning.encrypted_content'] })).toHaveProperty('encrypted_content')
    expect(reasoning({ store: true })).not.toHaveProperty('encrypted_content')
  })

  it('has logprobs where they were asked for', () => {
    const logprobs = {
      content: [{ token: 'a', logprob: -0.1, bytes: [97], top_logprobs: [{ token: 'b', logprob: -2 }] }],
    }
    const told = (body: JsonObject) => answerTo(body, { content: 'a' }, { logprobs }).output

    expect(told({ top_logprobs: 1 })).toMatchObject([
      { content: [{ logprobs: [{ token: 'a', logprob: -0.1, top_logprobs: [{ token: 'b', logprob: -2 }] }] }] },
    ])
    expect(told({})).toMatchObject([{ content: [{ logprobs: [] }] }])
  })

  it('has all logprobs, however many they are', () => {
    const content = Array.from({ length: 1000 }, () => ({ token: 'a', logprob: -1, bytes: [97], top_logprobs: LIKELY }))
    const { output } = answerTo({ top_logprobs: 20 }, { content: 'a' }, { logprobs: { content } })

    expect(JSON.stringify(output).split('"top_logprobs"')).toHaveLength(1001)
  })

  it('repeats the request in the types that SDKs read, and stores nothing', () => {
    const tools = [{ type: 'function', name: 'f' }]
    const body = { instructions: 'Be kind.', tools, reasoning: { generate_summary: 'auto' }, user: 'u', store: true }

    expect(answerTo(body, { content: 'a' })).toMatchObject({
      instructions: 'Be kind.',
      tools: [{ type: 'function', name: 'f', description: null, parameters: null, strict: null }],
      reasoning: { effort: null, summary: 'auto' },
      user: 'u',
      store: false,
    })
  })
})

describe('a stream', () => {
  it('takes another id with a name for another call, though the index is the same', () => {
    const { output } = streamed(
      {},
      piece('a', 'one', '{}', 0),
      piece('b', 'two', '{"x":', 0),
      piece(undefined, undefined, '1}', 0),
    )

    expect(output).toMatchObject([
      { call_id: 'a', name: 'one', arguments: '{}' },
      { call_id: 'b', name: 'two', arguments: '{"x":1}' },
    ])
  })

  it('keeps pieces until the name of their call is known', () => {
    expect(streamed({}, piece('a', undefined, '{"x"', 0), piece(undefined, 'f', ':1}', 0)).output).toMatchObject([
      { call_id: 'a', name: 'f', arguments: '{"x":1}' },
    ])
  })

  it('makes an id where one is missing, or was used in this answer or before', () => {
    const history = [
      { type: 'function_call', call_id: 'call_0', name: 'f', arguments: '{}' },
      { type: 'function_call_output', call_id: 'call_0', output: 'ok' },
    ]
    const { output } = streamed(
      { input: history },
      piece('call_0', 'f', '', 0),
      piece(undefined, 'f', '', 1),
      piece('x', 'f', '', 2),
    )
    const ids = (output as { call_id: string }[]).map(item => item.call_id)

    expect(ids).toEqual([expect.stringMatching(/^call_n/), expect.stringMatching(/^call_n/), 'x'])
    expect(ids[0]).not.toBe(ids[1])
  })

  it('gives text that follows a call an item of its own', () => {
    expect(streamed({}, { content: 'a' }, piece('c', 'f', '{}', 0), { content: 'b' }).output).toMatchObject([
      { type: 'message', content: [{ text: 'a' }] },
      { type: 'function_call' },
      { type: 'message', content: [{ text: 'b' }] },
    ])
  })

  it('begins with its first chunk, and with its end where there was none', () => {
    const writer = read({ input: 'x', stream: true }).writer(writerTerms())

    expect(eventsIn(writer.chunk({ choices: [] })).events.map(event => event.type)).toEqual([
      'response.created',
      'response.in_progress',
    ])
    expect(streamed({})).toMatchObject({ status: 'completed', output: [{ type: 'message' }] })
  })

  it.each([
    ['UPSTREAMS_EXHAUSTED', 'server_error'],
    ['context_length_exceeded', 'context_length_exceeded'],
  ])('that fails by %s ends with the code %s in its response', (code, shown) => {
    const writer = read({ input: 'x', stream: true }).writer(writerTerms())
    const text =
      writer.chunk({ choices: [{ delta: { content: 'a' } }] }) + writer.fail({ message: 'Gone.', type: 't', code })

    expect(replay(eventsIn(text).events)).toMatchObject({
      status: 'failed',
      error: { code: shown, message: 'Gone.' },
      output: [],
    })
    expect(writer.end(NO_USAGE)).toBe('')
  })
})

describe('logprobs of a streamed text', () => {
  const CLOSING = [
    'response.output_text.done',
    'response.content_part.done',
    'response.output_item.done',
    'response.completed',
  ]

  it('are in its deltas, and in each event that closes it', () => {
    const counts = logprobsOf(400)

    expect([counts['response.output_text.delta'], ...CLOSING.map(type => counts[type])]).toEqual(Array(5).fill(400))
  })

  it('are in its deltas alone, and kept no longer, where there are more than ten thousand', () => {
    const counts = logprobsOf(500)

    expect([counts['response.output_text.delta'], ...CLOSING.map(type => counts[type])]).toEqual([500, 0, 0, 0, 0])
  })
})
