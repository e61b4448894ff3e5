import { describe, expect, it, onTestFinished } from 'vitest'
import { answer, type Behaviour, json, stream, streamThenReset } from '../../support/backend.ts'
import { gatewayTest } from '../../support/gateway-test.ts'
import { WAYS } from './generator.ts'
import { LeftSite } from './site.ts'

/** A backend that answers as it is asked: whole, or the same as a stream. */
const either =
  (whole: Behaviour, streamed: Behaviour): Behaviour =>
  exchange =>
    (exchange.seen.body.stream === true ? streamed : whole)(exchange)

const usage = { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 }
const call = { id: 'call_1', name: 'weather', arguments: '{"city":"Oslo"}' }

const ANSWERS: readonly (readonly [string, Behaviour])[] = [
  ['a text', either(answer({ content: 'Hello there.', usage }), stream({ chunks: ['Hello', ' there', '.'], usage }))],
  [
    'a thought and a text',
    either(
      answer({ content: 'Hi.', reasoning: 'They greet.', usage }),
      stream({ chunks: [{ reasoning_content: 'They ' }, { reasoning_content: 'greet.' }, 'Hi', '.'], usage }),
    ),
  ],
  [
    'a call',
    either(
      answer({ content: null, toolCalls: [call], usage }),
      stream({
        roleChunk: false,
        chunks: [
          { role: 'assistant', content: null },
          { tool_calls: [{ index: 0, id: call.id, type: 'function', function: { name: call.name, arguments: '' } }] },
          { tool_calls: [{ index: 0, function: { arguments: '{"city":' } }] },
          { tool_calls: [{ index: 0, function: { arguments: '"Oslo"}' } }] },
        ],
        finish: 'tool_calls',
        usage,
      }),
    ),
  ],
  [
    'a cut text',
    either(answer({ content: 'Hel', finish: 'length', usage }), stream({ chunks: ['Hel'], finish: 'length', usage })),
  ],
]

interface Completion {
  readonly choices: readonly { readonly message: object }[]
}

/** With the members that the scripted backend leaves out, as many engines do. */
const asPublished = ({ choices, ...rest }: Completion) => ({
  ...rest,
  choices: choices.map(({ message, ...choice }) => ({
    logprobs: null,
    ...choice,
    message: { refusal: null, ...message },
  })),
})

const whole = gatewayTest.extend('config', { fields: { onprem: 'fetch: whole' } })
const streamed = gatewayTest.extend('config', { fields: { onprem: 'fetch: stream' } })

describe('a whole answer that is fetched as a stream', () => {
  const seen = new Map<string, unknown>()

  whole.for(ANSWERS)('is asked for whole first: %s', async ([name, behaviour], { backend, gateway, key }) => {
    backend.next(behaviour)
    seen.set(name, await (await gateway.chat(key)).json())
    expect(backend.requests[0]?.body.stream).toBeUndefined()
  })

  streamed.for(ANSWERS)('is the same to its client: %s', async ([name, behaviour], { backend, gateway, key }) => {
    backend.next(behaviour)

    const response = await gateway.chat(key)

    expect(response.headers.get('content-type')).toMatch('application/json')
    expect(await response.json()).toEqual(asPublished(seen.get(name) as Completion))
    expect(backend.requests[0]?.body).toMatchObject({ stream: true, stream_options: { include_usage: true } })
    expect(await gateway.ledger()).toMatchObject([{ inputTokens: 9, outputTokens: 4, estimated: false }])
  })

  streamed('may come whole from a backend that does not stream', async ({ backend, gateway, key }) => {
    backend.next(answer({ content: 'Hello', usage }))

    expect(await (await gateway.chat(key)).json()).toMatchObject({ choices: [{ message: { content: 'Hello' } }] })
    expect(await gateway.ledger()).toMatchObject([{ outputTokens: 4, estimated: false }])
  })

  streamed('is none where its backend breaks off, and costs nothing', async ({ backend, gateway, key }) => {
    backend.next(streamThenReset({ chunks: ['Hel'] }))

    expect((await gateway.chat(key)).status).toBe(503)
    expect(await gateway.ledger()).toEqual([])
  })

  streamed('is an error of the backend where that is what it streams', async ({ backend, gateway, key }) => {
    backend.next(json({ error: { message: 'too warm', type: 'invalid_request_error', code: 400 } }))

    expect((await gateway.chat(key)).status).toBe(400)
  })
})

gatewayTest(
  'a pool of one’s own has whole answers fetched as streams above 1,000 tokens, without tools and with one choice',
  async ({ backend, gateway, key }) => {
    const tools = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object' } } }]
    for (const body of [
      { max_tokens: 1001 },
      { max_tokens: 1000 },
      { max_tokens: 2000, tools },
      { max_tokens: 1500, n: 2 },
    ])
      await (await gateway.chat(key, body)).text()

    expect(backend.requests.map(({ body }) => body.stream === true)).toEqual([true, false, false, false])
  },
)

describe.each(WAYS)(
  'a whole answer for a client of %s, fetched as a stream from a backend of %s,',
  (client, speaks) => {
    it('goes on without an event that cannot be read, where nothing else is missing', async () => {
      const site = await LeftSite.start(undefined, fetching(speaks))
      onTestFinished(() => site.close())
      const { generation, reading, until } = await site.ask({
        ...{ client, model: 'svc-fetched', streams: false, script: { hidden: 0, words: 5, isBroken: true } },
      })
      generation.finish()
      await reading

      await until('word0 word1 word2 word3 word4 ')
      const { prompt: inputTokens } = generation
      expect(await site.charged()).toMatchObject({ inputTokens, outputTokens: 5, estimated: false })
      expect((await site.gateway.logged(1))[0]).toMatchObject({ status: 200, skippedEvents: 1 })
    })
  },
)

const fetching = (speaks: string) => `
models:
  svc-fetched: { kind: chat, tier: guest, serve: [fetched], context: 64k, usd_per_1m: { input: 1, output: 4 } }
pools:
  fetched: { site: x, model: test-model, speaks: [${speaks}], fetch: stream, replicas: [URL] }
`
