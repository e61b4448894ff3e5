import { afterEach, describe, expect, it } from 'vitest'
import { chunk, json, SSE_HEADERS, sse, stream } from '../../support/backend.ts'
import { say } from '../passthrough/fixture.ts'
import { Failover, fine } from './fixture.ts'

let site: Failover
afterEach(() => site.close())

const STREAM = `${chunk('test-model', { content: 'Fine.' }, null)}${chunk('test-model', {}, 'stop')}data: [DONE]\n\n`

it.each(['data: null\n\n', 'data:\n\n', ': keep-alive\n\n', 'event: ping\n\n'])(
  'an event that says nothing is passed over: %j',
  async nothing => {
    site = await Failover.start()
    site.everyOnprem(sse(STREAM.replaceAll('\n\n', `\n\n${nothing}`)))

    const text = await (await site.chat(true)).text()

    expect(text).toContain('"content":"Fine."')
    expect(text).not.toContain('null\n')
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
    expect(site.calls).toEqual([1, 0])
  },
)

it('a picture of 8 MB arrives in one event of a stream, and is no longer counted once it was read', async () => {
  site = await Failover.start()
  const url = `data:image/png;base64,${'A'.repeat(8_000_000)}`
  site.everyOnprem(stream({ chunks: ['Here.', { images: [{ type: 'image_url', image_url: { url } }] }] }))

  const text = await (await site.chat(true)).text()

  expect(text.includes(url)).toBe(true)
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
  await site.test.closed(1)
  expect(site.test.gateway.app.answers.total).toBe(0)
})

it('an event that is still coming is counted as memory of answers', async () => {
  site = await Failover.start()
  let goOn = () => {}
  site.everyOnprem(({ response }) => {
    response.writeHead(200, SSE_HEADERS).write(chunk('test-model', { content: 'Here.' }, null))
    response.write(`data: {"choices":[{"index":0,"delta":{"content":"${'a'.repeat(4_000_000)}`)
    goOn = () => void response.end('"}}]}\n\ndata: [DONE]\n\n')
  })
  const response = await site.chat(true)
  while (site.test.gateway.app.answers.total < 4_000_000) await new Promise(setImmediate)

  goOn()
  await response.text()
})

describe('vectors of another size than is declared', () => {
  const vectors = (size: number) =>
    json({
      data: [{ object: 'embedding', index: 0, embedding: Array.from({ length: size }, () => 0.5) }],
      usage: { prompt_tokens: 3, total_tokens: 3 },
    })

  it.each([
    ['numbers', vectors(384)],
    [
      'base64',
      json({ data: [{ object: 'embedding', index: 0, embedding: Buffer.alloc(384 * 4).toString('base64') }] }),
    ],
  ])('are an alarm with both sizes, no ejection and no retry, where they come as %s', async (_form, behaviour) => {
    site = await Failover.start()
    site.everyOnprem(behaviour)

    const answers = await Promise.all(
      [1, 2, 3].map(() => say(site.test, '/v1/embeddings', site.key, { model: 'svc-embed', input: 'Hello' })),
    )

    for (const response of answers) {
      expect([response.status, response.headers.get('x-should-retry'), response.headers.get('retry-after')]).toEqual([
        503,
        'false',
        null,
      ])
      expect(await response.json()).toMatchObject({
        error: expect.stringContaining('vectors of 384 dimensions in place of 768'),
        code: 'UPSTREAMS_EXHAUSTED',
      })
    }
    expect(site.calls[0]).toBe(3)
    expect(site.failures).toEqual([0, 0])
    expect(site.test.alarms).toEqual([expect.stringContaining('vectors of 384 dimensions in place of 768')])
  })
})

describe('a cap above the max_output that a model declares', () => {
  it.each([
    ['chats', '/v1/chat/completions', { max_tokens: 32_000, messages: [{ role: 'user', content: 'Hi' }] }],
    ['Responses', '/v1/responses', { model: 'svc-core', max_output_tokens: 32_000, input: 'Hi' }],
    [
      'Messages',
      '/v1/messages',
      { model: 'svc-core', max_tokens: 32_000, messages: [{ role: 'user', content: 'Hi' }] },
    ],
  ])('is lowered to it for clients of %s, which a header says', async (_dialect, path, body) => {
    site = await Failover.start({ fields: { core: 'max_output: 2k' } })
    site.everyOnprem(fine)

    const response = await say(site.test, path, site.key, body)

    expect([response.status, response.headers.get('x-svc-max-tokens')]).toEqual([200, '2000'])
    const [seen] = [...site.onprem[0].requests, ...site.onprem[1].requests]
    expect(seen?.body.max_tokens ?? seen?.body.max_completion_tokens).toBe(2000)
  })

  it('is sent as it came where the files declare none', async () => {
    site = await Failover.start()
    site.everyOnprem(fine)

    const response = await say(site.test, '/v1/chat/completions', site.key, {
      max_tokens: 6000,
      messages: [{ role: 'user', content: 'Hi' }],
    })

    expect(response.headers.get('x-svc-max-tokens')).toBeNull()
    const [seen] = [...site.onprem[0].requests, ...site.onprem[1].requests]
    expect(seen?.body.max_tokens ?? seen?.body.max_completion_tokens).toBe(6000)
  })
})

it('a stream that opened before any pool answered says in a comment who did', async () => {
  site = await Failover.start({ yaml: 'failover: { headers_timeout: 120s, first_content_timeout: 120s }' })
  const held: (() => void)[] = []
  site.everyOnprem(exchange => void held.push(() => void fine(exchange)))
  const asked = site.chat(true)
  await Promise.race(site.onprem.map(backend => backend.received(1)))
  site.test.clock.advance(25_000)
  const response = await asked
  expect(response.headers.get('x-svc-upstream')).toBeNull()

  for (const answers of held) answers()
  const text = await response.text()

  expect(text).toContain(': x-svc-upstream: onprem\n')
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
})
