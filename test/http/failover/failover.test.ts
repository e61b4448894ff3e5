import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  answer,
  type Backend,
  type Behaviour,
  chunk,
  cutBody,
  hang,
  headersThenHang,
  json,
  raw,
  reset,
  sse,
  startBackend,
  status,
  stream,
  streamThenEnd,
  streamThenHang,
  streamThenReset,
} from '../../support/backend.ts'
import { eventsOf, startTestGateway, type TestGateway } from '../../support/gateway.ts'

let onprem: readonly [Backend, Backend]
let cloud: Backend
let test: TestGateway
let key: string

beforeEach(async () => {
  onprem = [await startBackend(), await startBackend()]
  cloud = await startBackend()
  // Equal prompts would all go to one replica.
  test = await startTestGateway({ onprem, cloud: [cloud], fields: { onprem: 'balance: busy' } })
  key = await test.key('pro')
})

afterEach(async () => {
  await test.close()
  await Promise.all([...onprem, cloud].map(backend => backend.close()))
})

const asked = () => onprem[0].requests.length + onprem[1].requests.length
const both = (behaviour: Behaviour) => {
  for (const backend of onprem) backend.always(behaviour)
}
const firstOf = (behaviour: Behaviour) => {
  for (const backend of onprem) backend.next(behaviour)
}

/** Failures that every request survives, whole or streamed, while nothing was sent. */
const survived: [string, Behaviour][] = [
  ['a reset before the headers', reset],
  ['a 500', status(500)],
  ['a 502 with HTML', status(502, '<html>bad gateway</html>')],
  ['a 503', status(503)],
  ['a 529', status(529)],
  ['a 408', status(408)],
  ['a 429', status(429, { error: { message: 'slow down' } }, { 'retry-after': '9' })],
  ['an empty 200', status(200, '')],
  ['HTML for a 200', status(200, '<html>hello</html>')],
  ['bytes that are no HTTP', raw('SSH-2.0-OpenSSH\r\n\r\n')],
]

describe('before anything was sent', () => {
  describe.each(survived)('%s', (_name, behaviour) => {
    it.each([false, true])('goes to the next pool after two replicas (stream: %s)', async streamed => {
      both(behaviour)
      cloud.always(streamed ? stream({ chunks: ['from the cloud'] }) : answer({ content: 'from the cloud' }))

      const response = await test.chat(key, { stream: streamed })

      expect(response.status).toBe(200)
      expect(response.headers.get('x-svc-upstream')).toBe('cloud')
      expect(await response.text()).toContain('from the cloud')
      expect([asked(), cloud.requests.length]).toEqual([2, 1])
    })
  })

  it('a refused connection goes to the next pool', async () => {
    await Promise.all(onprem.map(backend => backend.refuse()))

    expect((await test.chat(key)).headers.get('x-svc-upstream')).toBe('cloud')
  })

  it('one bad replica is survived inside its pool', async () => {
    onprem[0].always(status(503))

    for (let i = 0; i < 10; i++) expect((await test.chat(key)).headers.get('x-svc-upstream')).toBe('onprem')
    expect(cloud.requests).toHaveLength(0)
  })

  it.each([
    ['malformed JSON', sse('data: {"cho\n\n')],
    ['an error event', sse('data: {"error":{"message":"queue full","code":503}}\n\ndata: [DONE]\n\n')],
    ['a marker and nothing else', sse('data: [DONE]\n\n')],
    ['a role and then the end', streamThenEnd({ chunks: [] })],
    ['a role and then a reset', streamThenReset({ chunks: [] })],
    ['JSON in place of events', json({ object: 'chat.completion' })],
  ])('a stream of %s goes to the next replica', async (_name, behaviour) => {
    firstOf(behaviour)
    cloud.always(stream({ chunks: ['fine'] }))

    const events = await eventsOf(await test.chat(key, { stream: true }))

    expect(events.join('')).toContain('fine')
    expect(events.at(-1)).toBe('[DONE]')
    expect(events.join('')).not.toContain('error')
  })

  it.each([
    ['JSON that is no answer', json({ object: 'list', data: [] })],
    ['an answer without choices', json({ choices: [] })],
    ['a body cut in the middle', cutBody({ choices: [{ index: 0, message: { content: 'x' } }] })],
    ['an error in a 200', json({ error: { message: 'out of memory' } })],
  ])('a whole answer of %s goes to the next replica', async (_name, behaviour) => {
    both(behaviour)

    expect((await test.chat(key)).headers.get('x-svc-upstream')).toBe('cloud')
  })

  it.each<[string, Behaviour, boolean, number]>([
    ['no headers of a stream for 15 s', hang, true, 15_000],
    ['headers and no content for 60 s', headersThenHang, true, 60_000],
    ['a role and no content for 60 s', streamThenHang({ chunks: [] }), true, 60_000],
    ['no whole answer for 600 s', hang, false, 600_000],
  ])('%s is a timeout by our own clock, and goes on', async (_name, behaviour, streamed, ms) => {
    firstOf(behaviour)
    cloud.always(streamed ? stream({ chunks: ['from the cloud'] }) : answer({ content: 'from the cloud' }))
    const waiting = test.chat(key, { stream: streamed })
    await Promise.race([onprem[0].received(1), onprem[1].received(1)])
    test.clock.advance(ms - 1)
    expect(asked()).toBe(1)

    test.clock.advance(1)
    await Promise.all([onprem[0].received(1), onprem[1].received(1)])
    await Promise.race([onprem[0].clientGone(1), onprem[1].clientGone(1)])
    test.clock.advance(ms)

    expect(await (await waiting).text()).toContain('from the cloud')
  })

  it.each([401, 403, 404, 301])(
    'a %i that the gateway meets too is our own fault: the pool is left at once and the operator told',
    async code => {
      const refusal = status(code, { error: { message: 'no' } }, code === 301 ? { location: cloud.url } : {})
      both(refusal)
      for (const backend of onprem) backend.answersChecks(refusal)

      expect((await test.chat(key)).headers.get('x-svc-upstream')).toBe('cloud')
      expect(asked()).toBe(1)
      expect(test.alarms.filter(alarm => alarm.startsWith('a pool'))).toEqual([
        expect.stringContaining(`status ${code}`),
      ])
    },
  )

  it.each([400, 413, 422])('a %i is relayed: no other backend would take it', async code => {
    both(status(code, { error: { message: 'context is 4096' } }))

    const response = await test.chat(key)

    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({
      error: 'the backend refused the request: context is 4096',
      code: 'VALIDATION_ERROR',
    })
    expect([asked(), cloud.requests.length]).toEqual([1, 0])
  })

  it('an answer of many shows which failed before it in the log', async () => {
    both(status(503))

    await (await test.chat(key)).text()

    const [entry] = await test.logged(1)
    expect(entry).toMatchObject({
      status: 200,
      pool: 'cloud',
      failures: [
        { pool: 'onprem', cause: 'status 503' },
        { pool: 'onprem', cause: 'status 503' },
      ],
    })
  })
})

describe('when every backend fails', () => {
  beforeEach(() => {
    both(status(503))
    cloud.always(status(529))
  })

  it.each([false, true])('the client is told which pools were tried (stream: %s)', async streamed => {
    const response = await test.chat(key, { stream: streamed })

    expect(response.status).toBe(503)
    expect(response.headers.get('x-svc-error-code')).toBe('UPSTREAMS_EXHAUSTED')
    expect(await response.json()).toEqual({
      error: expect.any(String),
      code: 'UPSTREAMS_EXHAUSTED',
      tier: 'cloud',
      attempted: ['onprem', 'cloud'],
    })
  })

  it('three attempts are the most', async () => {
    await test.chat(key)

    expect([asked(), cloud.requests.length]).toEqual([2, 1])
  })

  it('nobody pays', async () => {
    await test.chat(key)

    expect(await test.ledger()).toEqual([])
    const quota = await fetch(`${test.url}/billing/quota`, { headers: { authorization: `Bearer ${key}` } })
    expect(await quota.json()).toMatchObject({ used: 0, held: 0 })
  })
})

describe('after the first content', () => {
  it.each<[string, Behaviour]>([
    ['a reset', streamThenReset({ chunks: ['par', 'tial'] })],
    ['an end without a finish', streamThenEnd({ chunks: ['par', 'tial'] })],
    [
      'an error event',
      sse(
        `${chunk('test-model', { content: 'par' }, null)}${chunk('test-model', { content: 'tial' }, null)}data: {"error":{"message":"boom"}}\n\n`,
      ),
    ],
  ])('%s is an error event after exactly the prefix, never a clean end, never retried', async (_name, behaviour) => {
    both(behaviour)

    const events = await eventsOf(await test.chat(key, { stream: true }))

    const parsed = events.map(event => JSON.parse(event))
    expect(parsed.map(({ choices }) => choices?.[0]?.delta.content ?? '').join('')).toBe('partial')
    expect(parsed.at(-1)).toEqual({
      error: { message: expect.any(String), type: 'upstream_error', code: 'UPSTREAM_INTERRUPTED' },
    })
    expect([asked(), cloud.requests.length]).toEqual([1, 0])
    expect(await test.ledger()).toMatchObject([{ estimated: true, outputTokens: 2 }])
  })

  it('silence of 60 s is an error event', async () => {
    both(streamThenHang({ chunks: ['partial'] }))
    const response = await test.chat(key, { stream: true })
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    while (!text.includes('partial')) text += (await reader?.read())?.value ?? ''

    test.clock.advance(60_000)

    for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) text += next.value
    expect(text).toContain('UPSTREAM_INTERRUPTED')
    expect(text).not.toContain('[DONE]')
  })

  it('a stream with a broken event ends with an error, though its backend ends it well, where it reports no usage', async () => {
    both(
      sse(
        `${chunk('test-model', { content: 'a' }, null)}data: {oops\n\n${chunk('test-model', { content: 'b' }, 'stop')}data: [DONE]\n\n`,
      ),
    )

    const events = await eventsOf(await test.chat(key, { stream: true }))

    expect(events).toHaveLength(2)
    expect(events.at(-1)).toContain('UPSTREAM_INTERRUPTED')
  })

  it.each([
    ['content', { content: 'x' }],
    ['reasoning', { reasoning_content: 'hm' }],
    ['a tool call', { tool_calls: [{ index: 0, id: '1', type: 'function', function: { name: 'f', arguments: '' } }] }],
  ])('%s is the point of no return', async (_name, delta) => {
    both(streamThenEnd({ chunks: [delta] }))

    const events = await eventsOf(await test.chat(key, { stream: true }))

    expect(events.join('')).toContain('UPSTREAM_INTERRUPTED')
    expect(asked()).toBe(1)
  })
})

describe('a replica that fails five times in a row', () => {
  it('is left out for five seconds, then tried again', async () => {
    onprem[0].always(status(503))
    while (onprem[0].requests.length < 5) await test.chat(key)

    for (let i = 0; i < 20; i++) await test.chat(key)
    expect(onprem[0].requests).toHaveLength(5)

    test.clock.advance(5_000)
    onprem[0].always(answer({ content: 'back' }))
    while (onprem[0].requests.length < 8) await test.chat(key)
    expect(cloud.requests).toHaveLength(0)
  })

  it('with every pool left out is still tried: a dead record must not refuse a healthy fleet', async () => {
    both(status(503))
    cloud.always(status(529))
    for (let i = 0; i < 10; i++) await test.chat(key)
    both(answer({ content: 'back' }))

    expect((await test.chat(key)).status).toBe(200)
  })
})
