import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { answer, type Backend, hang, json, sse, startBackend, stream, streamThenHang } from '../../support/backend.ts'
import { eventsOf, startTestGateway, type TestGateway } from '../../support/gateway.ts'

let onprem: Backend
let test: TestGateway

beforeEach(async () => {
  onprem = await startBackend()
  test = await startTestGateway({ onprem: [onprem] })
})

afterEach(async () => {
  await test.close()
  await onprem.close()
})

describe('a whole answer', () => {
  it("is the backend's, with who served it and what is left", async () => {
    onprem.next(answer({ content: 'Hi there', usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 } }))

    const response = await test.chat(await test.key())

    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({
      object: 'chat.completion',
      model: 'test-model',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hi there' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 },
    })
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/json',
      'x-request-id': expect.stringMatching(/^req_[0-9A-Z]{26}$/),
      'x-svc-upstream': 'onprem',
      'x-svc-quota-plan': 'free',
      // 9 × 1 µUSD + 3 × 10 µUSD
      'x-svc-quota-used': '0.000039',
      'x-svc-quota-limit': '1',
      'x-svc-quota-reset': '2026-12-01T00:00:00.000Z',
    })
  })

  it('reaches the backend with our own headers only', async () => {
    const key = await test.key()

    await fetch(`${test.url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        cookie: 'a=b',
        'x-secret': 'c',
        'openai-organization': 'o',
      },
      body: JSON.stringify({ messages: [{ role: 'user', content: 'Hi' }] }),
    })

    const [seen] = onprem.requests
    expect(seen?.path).toBe('/v1/chat/completions')
    expect(Object.keys(seen?.headers ?? {}).sort()).toEqual([
      'accept',
      'accept-encoding',
      'connection',
      'content-length',
      'content-type',
      'host',
      'x-request-id',
    ])
    expect(JSON.stringify(seen)).not.toContain(key)
  })

  it("is asked for with the pool's model and the granted cap, as a stream where it may be long", async () => {
    await test.chat(await test.key(), { model: 'svc-core', temperature: 0.2 })

    expect(onprem.requests[0]?.body).toEqual({
      messages: [{ role: 'user', content: 'Hello' }],
      model: 'test-model',
      temperature: 0.2,
      max_tokens: 4000,
      max_completion_tokens: 4000,
      stream: true,
      stream_options: { include_usage: true },
    })
  })

  it('is in the ledger before the client has it', async () => {
    onprem.next(answer({ content: 'Hi', usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 } }))

    const response = await test.chat(await test.key())
    await response.text()

    expect(await test.ledger()).toEqual([
      {
        requestId: response.headers.get('x-request-id'),
        account: expect.stringMatching(/^acct_/),
        plan: 'free',
        asked: '',
        model: 'svc-core',
        pool: 'onprem',
        inputTokens: 9,
        outputTokens: 3,
        cost: 39_000,
        kind: 'settle',
        estimated: false,
        admittedAt: test.clock.now(),
        settledAt: test.clock.now(),
        revision: test.gateway.app.config.revision,
        charges: { 'input@1000000': 9, 'output@10000000': 3, 'allowance@1000000000': 1 },
        key: expect.stringMatching(/^key_\w{16}$/),
      },
    ])
  })

  it('without usage is charged at the input held and a token per three bytes', async () => {
    onprem.next(answer({ content: 'x'.repeat(30), usage: null }))

    await (await test.chat(await test.key())).text()

    // user + Hello + 16 for the message
    expect(await test.ledger()).toMatchObject([{ inputTokens: 25, outputTokens: 10, cost: 125_000, estimated: true }])
  })

  it('of zero tokens costs nothing: zero is a count like any other', async () => {
    onprem.next(answer({ content: '', usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } }))

    await (await test.chat(await test.key())).text()

    expect(await test.ledger()).toMatchObject([{ cost: 0, estimated: false }])
  })

  it('names the model of the pool, whatever the backend calls itself, and has every field of a chat completion', async () => {
    onprem.next(
      json({
        choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
        model: 'v2-internal',
      }),
    )

    expect(await (await test.chat(await test.key())).json()).toMatchObject({
      id: expect.stringMatching(/^chatcmpl-req_/),
      model: 'test-model',
      object: 'chat.completion',
      created: Math.floor(test.clock.now() / 1000),
    })
  })

  it('that the backend refuses is a 400 with its words, and costs nothing', async () => {
    onprem.next(exchange => {
      exchange.response.writeHead(400, { 'content-type': 'application/json' })
      exchange.response.end(
        '{"error":{"message":"top_k must be positive; key sk-abcdef123456 at http://10.0.0.1:8000/v1, password=hunter2 of /etc/vllm/db.ini"}}',
      )
    })

    const response = await test.chat(await test.key())

    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({
      error:
        'the backend refused the request: top_k must be positive; key [redacted] at [address] password=[redacted] of [path]',
      code: 'VALIDATION_ERROR',
    })
    expect(await test.ledger()).toEqual([])
  })

  it('whose client left is still paid for, at the usage that the backend reports', async () => {
    let finish = () => {}
    const held = new Promise<void>(resolve => {
      finish = resolve
    })
    onprem.next(async exchange => {
      await held
      await answer({ content: 'Hi', usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 } })(exchange)
    })
    const leaving = new AbortController()
    const asked = test.chat(await test.key(), {}, { signal: leaving.signal })
    await onprem.received(1)
    leaving.abort()
    await expect(asked).rejects.toThrow()
    await test.closed(1)

    finish()

    const [entry] = await test.logged(1)
    expect(entry).toMatchObject({ status: 499, inputTokens: 9, outputTokens: 3 })
    expect(await test.ledger()).toMatchObject([{ inputTokens: 9, outputTokens: 3, estimated: false }])
    expect(onprem.aborted).toBe(0)
  })

  it('whose client left and that does not come within 5 s is charged the prompt, and the time of its backend', async () => {
    onprem.next(hang)
    const leaving = new AbortController()
    const asked = test.chat(await test.key(), { max_tokens: 100 }, { signal: leaving.signal })
    await onprem.received(1)
    leaving.abort()
    await expect(asked).rejects.toThrow()

    await test.closed(1)
    test.clock.advance(5000)

    await test.logged(1)
    // 250 tokens at 50 a second, of which 100 were granted.
    expect(await test.ledger()).toMatchObject([{ inputTokens: 7, outputTokens: 100, estimated: true }])
    await onprem.clientGone(1)
  })
})

describe('a stream', () => {
  const chunks = ['Hel', 'lo', '!']

  it('comes as chunks, ends with the marker and shows no usage that was not asked for', async () => {
    onprem.next(stream({ chunks, usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 } }))

    const response = await test.chat(await test.key(), { stream: true })
    const events = await eventsOf(response)

    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(response.headers.get('x-svc-upstream')).toBe('onprem')
    expect(response.headers.get('x-svc-quota-used')).toBe('0')
    expect(events.at(-1)).toBe('[DONE]')
    const parsed = events.slice(0, -1).map(event => JSON.parse(event))
    expect(parsed.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe('Hello!')
    expect(parsed.every(chunk => chunk.model === 'test-model' && chunk.object === 'chat.completion.chunk')).toBe(true)
    expect(parsed.every(chunk => chunk.choices.length === 1 && !chunk.usage)).toBe(true)
    expect(onprem.requests[0]?.body).toMatchObject({ stream_options: { include_usage: true } })
  })

  it('shows its usage to a client that asked', async () => {
    onprem.next(stream({ chunks, usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 } }))

    const events = await eventsOf(
      await test.chat(await test.key(), { stream: true, stream_options: { include_usage: true } }),
    )

    expect(JSON.parse(events.at(-2) ?? '')).toMatchObject({ choices: [], usage: { total_tokens: 12 } })
    expect(events.at(-1)).toBe('[DONE]')
  })

  it("is settled at the backend's usage before the marker", async () => {
    onprem.next(stream({ chunks, usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 } }))

    await (await test.chat(await test.key(), { stream: true })).text()

    expect(await test.ledger()).toMatchObject([{ inputTokens: 9, outputTokens: 3, cost: 39_000, estimated: false }])
  })

  it('has an id, a time and an object in every chunk, whatever its backend leaves out', async () => {
    const bare = (delta: object, finish_reason: string | null) =>
      `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`
    onprem.next(sse(`${bare({ content: 'a' }, null)}${bare({ content: 'b' }, 'stop')}data: [DONE]\n\n`))

    const events = await eventsOf(await test.chat(await test.key(), { stream: true }))

    const chunks = events.slice(0, -1).map(event => JSON.parse(event))
    expect(chunks.map(({ choices, ...rest }) => rest)).toEqual(
      Array(2).fill({
        id: expect.stringMatching(/^chatcmpl-req_/),
        object: 'chat.completion.chunk',
        created: Math.floor(test.clock.now() / 1000),
        model: 'test-model',
      }),
    )
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1)
  })

  it('without a marker of its backend gets ours: finish_reason was the end', async () => {
    onprem.next(stream({ chunks, done: false }))

    expect((await eventsOf(await test.chat(await test.key(), { stream: true }))).at(-1)).toBe('[DONE]')
  })

  it('whose client leaves is cut at the backend after 5 s, and charged for what was said', async () => {
    onprem.next(streamThenHang({ chunks: ['x'.repeat(300)] }))
    const leaving = new AbortController()

    const response = await test.chat(await test.key(), { stream: true, max_tokens: 500 }, { signal: leaving.signal })
    await response.body?.getReader().read()
    leaving.abort()

    await test.clock.during(onprem.clientGone(1), 100)
    await test.logged(1)
    expect(await test.ledger()).toMatchObject([{ inputTokens: 7, outputTokens: 12, estimated: true }])
  })
})

describe('tools', () => {
  it('calls pass through as the backend made them', async () => {
    const call = { id: 'call_1', name: 'weather', arguments: '{"city":"Oslo"}' }
    onprem.next(answer({ content: '', toolCalls: [call], finish: 'tool_calls' }))
    const tools = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object' } } }]

    const response = await test.chat(await test.key(), { tools, tool_choice: 'auto' })

    expect(await response.json()).toMatchObject({
      choices: [
        {
          finish_reason: 'tool_calls',
          message: { tool_calls: [{ id: 'call_1', function: { name: 'weather', arguments: '{"city":"Oslo"}' } }] },
        },
      ],
    })
    expect(onprem.requests[0]?.body).toMatchObject({ tools, tool_choice: 'auto' })
  })
})
