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

const whole = (texts: readonly string[], completion: number) =>
  json({
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: MODEL,
    choices: texts.map((content, index) => ({ index, message: { role: 'assistant', content }, finish_reason: 'stop' })),
    usage: { prompt_tokens: 9, completion_tokens: completion, total_tokens: 9 + completion },
  })

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

  gatewayTest('is believed where it reports more', async ({ backend, gateway, key }) => {
    backend.next(whole(['a', 'b'], 55))

    await (await gateway.chat(key, { n: 2, max_tokens: 100 })).text()

    expect(await gateway.ledger()).toMatchObject([{ outputTokens: 55 }])
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
