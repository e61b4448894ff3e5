import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { json, sse } from '../../support/backend.ts'
import { USAGE_SHAPES, type UsageBill, type UsageShape } from '../../support/usage-shapes.ts'
import { Dialects, eventsIn } from './fixture.ts'

const PRICES = 'input: 1, output: 10, cached_input: 0.1, cache_write: 1.25'
let dialects: Dialects

beforeAll(async () => {
  dialects = await Dialects.start()
  await dialects.test.reload({}, yaml => yaml.replaceAll('input: 1, output: 10', PRICES))
})
afterAll(() => dialects.close())

const HEAD = { id: 'chatcmpl-1', created: 1_700_000_000, model: 'backend-model' }

/** A whole answer of a backend with such a usage. */
const wholeOf = ({ answer, choice }: UsageShape['told']) =>
  json({
    ...HEAD,
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop', ...choice }],
    ...answer,
  })

/** The usage as a stream, whose last chunk has what is outside the choices. */
const streamOf = ({ answer, choice }: UsageShape['told']) => {
  const chunk = (members: object) =>
    `data: ${JSON.stringify({ ...HEAD, object: 'chat.completion.chunk', ...members })}\n\n`
  const said = { index: 0, delta: { role: 'assistant', content: 'Hi' }, finish_reason: null }
  const over = { index: 0, delta: {}, finish_reason: 'stop', ...choice }
  return sse(
    chunk({ choices: [said], usage: null }) +
      chunk({ choices: [over] }) +
      (answer ? chunk({ choices: [], ...answer }) : '') +
      'data: [DONE]\n\n',
  )
}

/** At least as many tokens as any of them report. */
const PROMPT = 'x '.repeat(3000)

/** A client's view in each dialect. */
interface Client {
  readonly ask: (stream: boolean) => Promise<Response>
  readonly whole: (answer: Record<string, unknown>) => unknown
  readonly streamed: (response: Response) => Promise<unknown>
  readonly expected: (bill: UsageBill, reasoning: number) => object
}

const CLIENTS: Readonly<Record<'chat' | 'responses' | 'messages', Client>> = {
  chat: {
    ask: stream =>
      dialects.test.chat(dialects.key, {
        messages: [{ role: 'user', content: PROMPT }],
        ...(stream && { stream, stream_options: { include_usage: true } }),
      }),
    whole: ({ usage }) => usage,
    streamed: async response => {
      const chunks = (await response.text()).split('\n\n').filter(each => each.startsWith('data: {'))
      return chunks
        .map(each => JSON.parse(each.slice(6)).usage)
        .findLast(usage => usage !== undefined && usage !== null)
    },
    expected: ({ input, output, cached = 0, written = 0 }, reasoning) => ({
      ...{ prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
      ...(cached > 0 && { prompt_tokens_details: expect.objectContaining({ cached_tokens: cached }) }),
      ...(written > 0 && { prompt_tokens_details: expect.objectContaining({ cache_write_tokens: written }) }),
      ...(reasoning > 0 && { completion_tokens_details: expect.objectContaining({ reasoning_tokens: reasoning }) }),
    }),
  },
  responses: {
    ask: stream => dialects.ask('responses', { model: 'svc-core', input: PROMPT, stream }),
    whole: ({ usage }) => usage,
    streamed: async response => {
      const last = (await eventsIn(response)).find(([name]) => name === 'response.completed')
      return (last?.[1].response as { readonly usage?: unknown } | undefined)?.usage
    },
    expected: ({ input, output, cached = 0, written = 0 }, reasoning) => ({
      ...{ input_tokens: input, output_tokens: output, total_tokens: input + output },
      input_tokens_details: { cached_tokens: cached, cache_write_tokens: written },
      output_tokens_details: { reasoning_tokens: reasoning },
    }),
  },
  messages: {
    ask: stream =>
      dialects.ask('messages', {
        ...{ model: 'svc-core', max_tokens: 4000, stream },
        messages: [{ role: 'user', content: PROMPT }],
      }),
    whole: ({ usage }) => usage,
    streamed: async response => {
      const last = (await eventsIn(response)).find(([name]) => name === 'message_delta')
      return last?.[1].usage
    },
    expected: ({ input, output, cached = 0, written = 0 }) => ({
      ...{ input_tokens: input - cached - written, output_tokens: output },
      ...{ cache_read_input_tokens: cached, cache_creation_input_tokens: written },
    }),
  },
}

/** In nano-USD. */
const costOf = ({ input, output, cached = 0, written = 0 }: UsageBill): number =>
  (input - cached - written) * 1000 + cached * 100 + written * 1250 + output * 10_000

describe.each(USAGE_SHAPES)('the count of $provider ($kind) is charged, and reported to the client', shape => {
  const { told, bill, reasoning = 0 } = shape

  it.each(
    (['chat', 'responses', 'messages'] as const).flatMap(client => [
      [client, 'whole', false] as const,
      [client, 'streamed', true] as const,
    ]),
  )('%s, %s', async (name, _how, stream) => {
    const client = CLIENTS[name]
    dialects.chats.next(stream ? streamOf(told) : wholeOf(told))

    const response = await client.ask(stream)
    const usage = stream
      ? await client.streamed(response)
      : client.whole((await response.json()) as Record<string, unknown>)

    expect(usage).toMatchObject(client.expected(bill, reasoning))
    const id = response.headers.get('x-request-id')
    const row = (await dialects.test.ledger()).find(({ requestId }) => requestId === id)
    expect(row).toMatchObject({
      inputTokens: bill.input,
      outputTokens: bill.output,
      cost: costOf(bill),
      estimated: false,
    })
    expect([row?.cachedTokens ?? 0, row?.cacheWriteTokens ?? 0]).toEqual([bill.cached ?? 0, bill.written ?? 0])
  })
})

it('the table has 30 shapes of 15 services and more, each from a source', () => {
  expect(USAGE_SHAPES.length).toBeGreaterThanOrEqual(30)
  expect(new Set(USAGE_SHAPES.map(({ provider }) => provider)).size).toBeGreaterThanOrEqual(15)
  for (const { source } of USAGE_SHAPES) expect(source).not.toBe('')
})
