import { describe, expect } from 'vitest'
import { json, MODEL, sse } from '../../support/backend.ts'
import { eventsOf } from '../../support/gateway.ts'
import { gatewayTest } from '../../support/gateway-test.ts'

const event = (value: object): string => `data: ${JSON.stringify({ id: 'c', model: MODEL, ...value })}\n\n`
const said = (index: number, content: string) =>
  event({ choices: [{ index, delta: { content }, finish_reason: null }] })
const finished = (index: number) => event({ choices: [{ index, delta: {}, finish_reason: 'stop' }] })
const usage = (completion: number) =>
  event({ choices: [], usage: { prompt_tokens: 9, completion_tokens: completion, total_tokens: 9 + completion } })
const DONE = 'data: [DONE]\n\n'

const whole = (texts: readonly string[], completion: number, more: object = {}) =>
  json({
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: MODEL,
    choices: texts.map((content, index) => ({
      ...{ index, message: { role: 'assistant', content }, finish_reason: 'stop' },
      ...more,
    })),
    usage: { prompt_tokens: 9, completion_tokens: completion, total_tokens: 9 + completion },
  })

interface Told {
  readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number; readonly total_tokens: number }
}
const toldIn = (text: string) => (JSON.parse(text) as Told).usage
const BOTH = { prompt_tokens: 9, completion_tokens: 40, total_tokens: 49 }

const WORDS = Array.from({ length: 20 }, (_, at) => `word${at} `)

describe('a backend that reports the usage of one of two choices', () => {
  gatewayTest('is paid for both in a stream', async ({ backend, gateway, key }) => {
    const both = WORDS.flatMap(word => [said(0, word), said(1, word)])
    backend.next(sse([...both, finished(0), finished(1), usage(20), DONE].join('')))

    await (await gateway.chat(key, { n: 2, stream: true, max_tokens: 100 })).text()

    await gateway.logged(1)
    expect(await gateway.ledger()).toMatchObject([{ inputTokens: 9, outputTokens: 40 }])
  })

  gatewayTest('is paid for both in a whole answer', async ({ backend, gateway, key }) => {
    backend.next(whole([WORDS.join(''), WORDS.join('')], 20))

    await (await gateway.chat(key, { n: 2, max_tokens: 100 })).text()

    expect(await gateway.ledger()).toMatchObject([{ inputTokens: 9, outputTokens: 40 }])
  })

  gatewayTest('has told the client of a stream what that pays', async ({ backend, gateway, key }) => {
    const both = WORDS.flatMap(word => [said(0, word), said(1, word)])
    backend.next(sse([...both, finished(0), finished(1), usage(20), DONE].join('')))

    const asked = { n: 2, stream: true, stream_options: { include_usage: true }, max_tokens: 100 }
    const events = await eventsOf(await gateway.chat(key, asked))

    expect(events.slice(0, -1).flatMap(text => toldIn(text) ?? [])).toEqual([BOTH])
  })

  gatewayTest('has told the client what it pays so far, where each event counts', async ({ backend, gateway, key }) => {
    const counting = (index: number, content: string, completion: number) =>
      event({
        choices: [{ index, delta: { content }, finish_reason: null }],
        usage: { prompt_tokens: 9, completion_tokens: completion, total_tokens: 9 + completion },
      })
    const both = WORDS.flatMap((word, at) => [counting(0, word, at + 1), counting(1, word, at + 1)])
    backend.next(sse([...both, finished(0), finished(1), usage(20), DONE].join('')))

    const asked = { n: 2, stream: true, stream_options: { include_usage: true }, max_tokens: 100 }
    const events = await eventsOf(await gateway.chat(key, asked))

    const told = events.slice(0, -1).flatMap(text => toldIn(text)?.completion_tokens ?? [])
    expect(told).toEqual([...Array.from({ length: 40 }, (_, at) => at + 1), 40])
    expect(await gateway.ledger()).toMatchObject([{ outputTokens: 40 }])
  })

  gatewayTest.for([
    ['small', {}],
    ['large', { logprobs: { content: Array.from({ length: 20_000 }, () => ({ token: 'word', logprob: -0.25 })) } }],
  ] as const)(
    'has told the client of a %s whole answer what that pays',
    async ([, more], { backend, gateway, key }) => {
      backend.next(whole([WORDS.join(''), WORDS.join('')], 20, more))

      const text = await (await gateway.chat(key, { n: 2, max_tokens: 100 })).text()

      expect(toldIn(text)).toEqual(BOTH)
      expect(JSON.parse(text)).toMatchObject({
        choices: [
          { ...more, index: 0 },
          { ...more, index: 1 },
        ],
      })
    },
  )

  gatewayTest('is believed where it reports more', async ({ backend, gateway, key }) => {
    backend.next(whole(['a', 'b'], 55))

    await (await gateway.chat(key, { n: 2, max_tokens: 100 })).text()

    expect(await gateway.ledger()).toMatchObject([{ outputTokens: 55 }])
  })
})

const fetching = gatewayTest.extend('config', { fields: { onprem: 'fetch: stream' } })

fetching(
  'a whole answer that is fetched as a stream tells of both choices what is paid',
  async ({ backend, gateway, key }) => {
    // Pieces of less than a token each, as some backends send Chinese.
    const pieces = ['一二三四五六七八', '九十一二三四五六']
    const both = pieces.flatMap(piece => [said(0, piece), said(1, piece)])
    backend.next(sse([...both, finished(0), finished(1), usage(2), DONE].join('')))

    const text = await (await gateway.chat(key, { n: 2, max_tokens: 100 })).text()

    const [row] = await gateway.ledger()
    expect(row?.outputTokens).toBeGreaterThan(2)
    expect(toldIn(text)?.completion_tokens).toBe(row?.outputTokens)
  },
)

describe('a whole answer of several choices from an engine that counts one of them', () => {
  const tools = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object' } } }]
  // A token of each choice is less than a word, as where words are of several tokens.
  const halves = WORDS.flatMap(word => [said(0, word.slice(0, 2)), said(1, word.slice(0, 2))])
  const counted = [...halves, ...halves, finished(0), finished(1), usage(40), DONE].join('')

  const known = gatewayTest.extend('config', { fields: { onprem: 'provider: llamacpp' } })
  known.for([{}, { tools }])(
    'is fetched as a stream, and paid for both (%s)',
    async (more, { backend, gateway, key }) => {
      backend.next(sse(counted))

      const response = await gateway.chat(key, { n: 2, max_tokens: 100, ...more })

      const text = await response.text()
      expect(JSON.parse(text)).toMatchObject({ object: 'chat.completion', choices: [{ index: 0 }, { index: 1 }] })
      expect(toldIn(text)).toEqual({ prompt_tokens: 9, completion_tokens: 80, total_tokens: 89 })
      expect(await gateway.ledger()).toMatchObject([{ inputTokens: 9, outputTokens: 80 }])
      expect(backend.requests).toMatchObject([{ body: { n: 2, stream: true } }])
    },
  )

  known('of one choice is fetched whole', async ({ backend, gateway, key }) => {
    await (await gateway.chat(key, { max_tokens: 100 })).text()

    expect(backend.requests[0]?.body.stream).not.toBe(true)
  })

  const trusting = gatewayTest.extend('config', { fields: { onprem: 'provider: llamacpp, fetch: whole' } })
  trusting('is fetched whole where its pool says so', async ({ backend, gateway, key }) => {
    backend.next(whole(['a', 'b'], 1))

    await (await gateway.chat(key, { n: 2, max_tokens: 100 })).text()

    expect(backend.requests[0]?.body.stream).not.toBe(true)
  })
})

describe('a backend that ignores `n`', () => {
  gatewayTest('answers whole with the one choice that it made', async ({ backend, gateway, key }) => {
    backend.next(whole(['hello'], 3))

    const response = await gateway.chat(key, { n: 2 })

    expect(response.status).toBe(200)
    expect(((await response.json()) as { choices: unknown[] }).choices).toHaveLength(1)
  })

  gatewayTest.for([
    ['its marker', [usage(3), DONE]],
    ['the end of its bytes, without a marker', [usage(3)]],
    ['its marker, without a usage', [DONE]],
  ] as const)('streams that one choice to a good end by %s', async ([, end], { backend, gateway, key }) => {
    backend.next(sse([said(0, 'hel'), said(0, 'lo'), finished(0), ...end].join('')))

    const events = await eventsOf(await gateway.chat(key, { n: 2, stream: true }))

    expect(events.at(-1)).toBe('[DONE]')
    expect(events.join('')).not.toContain('UPSTREAM_INTERRUPTED')
    await gateway.logged(1)
    expect(await gateway.ledger()).toMatchObject([{ kind: 'settle' }])
  })

  gatewayTest('is cut where a choice that began has no finish', async ({ backend, gateway, key }) => {
    backend.next(sse([said(0, 'hel'), said(1, 'lo'), finished(0), DONE].join('')))

    const events = await eventsOf(await gateway.chat(key, { n: 2, stream: true }))

    expect(events.join('')).toContain('UPSTREAM_INTERRUPTED')
  })
})
