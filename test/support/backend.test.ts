import { afterEach, beforeEach, expect, test } from 'vitest'
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
  slow,
  sse,
  startBackend,
  status,
  stream,
  streamThenEnd,
  streamThenHang,
  streamThenReset,
  USAGE,
} from './backend.ts'

let backend: Backend
beforeEach(async () => {
  backend = await startBackend()
})
afterEach(() => backend.close())

const post = (body: object = {}, init: RequestInit = {}) =>
  fetch(`${backend.url}/chat/completions`, { method: 'POST', body: JSON.stringify(body), ...init })

test('requests are recorded whole and answered in the order of the queue', async () => {
  backend.next(
    answer({ content: 'one', extra: { system_fingerprint: 'f' } }),
    status(429, 'later', { 'retry-after': '7' }),
  )

  const first = await post({ model: 'm' }, { headers: { authorization: 'Bearer s' } })
  const second = await post()
  const third = await post()

  expect(await first.json()).toMatchObject({
    choices: [{ message: { role: 'assistant', content: 'one' }, finish_reason: 'stop' }],
    usage: USAGE,
    system_fingerprint: 'f',
  })
  expect([second.status, second.headers.get('retry-after'), await second.text()]).toEqual([429, '7', 'later'])
  expect(await third.json()).toMatchObject({ choices: [{ message: { content: 'Hello.' } }] })
  await backend.received(3)
  expect(backend.requests[0]).toMatchObject({
    method: 'POST',
    path: '/v1/chat/completions',
    headers: { authorization: 'Bearer s' },
    body: { model: 'm' },
    rawBody: '{"model":"m"}',
  })
  expect(backend.aborted).toBe(0)
})

test('a stream sends usage only where it was asked for', async () => {
  backend.always(stream({ chunks: ['a', { tool_calls: [] }], finish: 'length' }))

  const plain = await (await post({ stream: true })).text()
  const counted = await (await post({ stream: true, stream_options: { include_usage: true } })).text()

  expect(plain.match(/"delta":\{[^}]*\}/g)).toEqual([
    '"delta":{"role":"assistant","content":""}',
    '"delta":{"content":"a"}',
    '"delta":{"tool_calls":[]}',
    '"delta":{}',
  ])
  expect(plain).toMatch(/"finish_reason":"length"\}\]\}\n\ndata: \[DONE\]\n\n$/)
  expect(plain).not.toContain('usage')
  expect(counted).toContain('"choices":[],"usage":{"prompt_tokens":9')
})

test('an event stream arrives byte by byte as it was written', async () => {
  const text = `: hi\r\n\r\n${chunk('m', { content: 'é' }, null)}`
  backend.next(sse(text, { splits: [3, 40, Buffer.from(text).indexOf('é') + 1] }))

  expect(await (await post()).text()).toBe(text)
})

test('a slow answer is complete', async () => {
  backend.next(slow({ a: 'bcd' }, { pieces: 3, gapMs: 1 }))

  expect(await (await post()).json()).toEqual({ a: 'bcd' })
})

const failing: [string, Behaviour][] = [
  ['reset', reset],
  ['malformed HTTP', raw('HTTP/1.1 banana\r\n\r\n')],
  ['a stream that is reset', streamThenReset({ chunks: ['a'] })],
  ['half a body', cutBody({ a: 'b' })],
]
test.each(failing)('%s fails at the client and is not counted as its doing', async (_, behaviour) => {
  backend.next(behaviour)

  await expect(post().then(response => response.text())).rejects.toThrow()

  await post()
  expect(backend.aborted).toBe(0)
})

const open: [string, Behaviour][] = [
  ['hang', hang],
  ['headersThenHang', headersThenHang],
  ['streamThenHang', streamThenHang({ chunks: ['a'] })],
]
test.each(open)('%s stays open until the client goes', async (_, behaviour) => {
  backend.next(behaviour)
  const leave = new AbortController()
  const left = post({}, { signal: leave.signal }).then(response => response.text())
  left.catch(() => {})

  await backend.received(1)
  leave.abort()

  await expect(left).rejects.toThrow('aborted')
  await backend.clientGone(1)
  expect(backend.aborted).toBe(1)
})

test('a stream is cut only when the test says so', async () => {
  const { promise, resolve } = withResolvers()
  backend.next(streamThenEnd({ chunks: ['a'], roleChunk: false, until: promise }))

  const reader = (await post()).body?.getReader()
  const first = await reader?.read()
  resolve()

  expect(Buffer.from(first?.value ?? []).toString()).toBe(chunk('test-model', { content: 'a' }, null))
  expect((await reader?.read())?.done).toBe(true)
})

test('a killed backend refuses connections until it listens again on the same port', async () => {
  await post()

  await backend.refuse()
  const refused = await post().catch((error: Error) => error.cause)
  await backend.listenAgain()
  backend.next(json({ back: true }))

  expect(refused).toMatchObject({ code: 'ECONNREFUSED' })
  expect(await (await post()).json()).toEqual({ back: true })
})

test('probes take nothing from the queue', async () => {
  backend.next(json('first'))

  expect((await fetch(`${backend.url}/health`)).status).toBe(200)
  backend.probed(status(503))
  expect((await fetch(`${backend.url}/health`)).status).toBe(503)

  expect(backend.probes.map(probe => probe.path)).toEqual(['/v1/health', '/v1/health'])
  expect(await (await post()).json()).toBe('first')
})

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {}
  const promise = new Promise<void>(done => {
    resolve = done
  })
  return { promise, resolve }
}
