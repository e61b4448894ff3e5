import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  type Behaviour,
  chunk,
  closeDelimited,
  sse,
  stream,
  streamThenBadChunk,
  streamThenClose,
  streamThenCutChunk,
  streamThenEnd,
  streamThenError,
  streamThenHang,
  streamThenReset,
} from '../../support/backend.ts'
import { eventsOf } from '../../support/gateway.ts'
import { Failover } from './fixture.ts'

let site: Failover

beforeEach(async () => {
  site = await Failover.start()
})
afterEach(() => site.close())

const INTERRUPTED = {
  error: {
    message: 'The backend failed before the answer was complete.',
    type: 'upstream_error',
    code: 'UPSTREAM_INTERRUPTED',
  },
}

/** Two pieces of content, and then the failure. */
const partial = { chunks: ['par', 'tial'] }
const cut: readonly [string, Behaviour][] = [
  ['a reset', streamThenReset(partial)],
  ['an end without a finish', streamThenEnd(partial)],
  ['an end without a finish of a body that ends with the connection', closeDelimited(streamThenEnd(partial))],
  ['the end of the connection', streamThenClose(partial)],
  ['half a chunk', streamThenCutChunk(partial)],
  ['bytes that are no chunk', streamThenBadChunk(partial)],
  ['an error event, even with a marker after it', streamThenError({ ...partial, problem: { message: 'boom' } })],
  ['a marker without a finish', stream({ ...partial, finish: null })],
  ['a garbled event, and then a good end without usage', garbled(chunk('test-model', {}, 'stop'), 'data: [DONE]\n\n')],
  ['an event over 16 MiB', sse(`${pieces()}data: ${'x'.repeat(17_000_000)}\n\n`)],
]

function garbled(...rest: readonly string[]): Behaviour {
  return sse([pieces(), 'data: {"choices":[{"delta":{"cont\n\n', ...rest].join(''))
}

function pieces(): string {
  return ['par', 'tial'].map(content => chunk('test-model', { content }, null)).join('')
}

describe.each(cut)('after the first content, %s', (name, behaviour) => {
  it('is an error event after exactly the prefix, never a clean end, never retried', async () => {
    site.everyOnprem(behaviour)

    const response = await site.chat(true)
    const text = await response.text()

    const prefix = text.slice(0, text.lastIndexOf('data: '))
    expect(contentOf(prefix)).toBe('partial')
    expect(text.slice(prefix.length)).toBe(`data: ${JSON.stringify(INTERRUPTED)}\n\n`)
    expect(site.calls).toEqual([1, 0])
  })

  it('counts for the breaker, and the client pays what it got', async () => {
    site.everyOnprem(behaviour)

    await (await site.chat(true)).text()
    await site.test.logged(1)

    expect(site.failures).toEqual([1, 0])
    // Each of two deltas is a token; the one with a marker reported three.
    const outputTokens = name === 'a marker without a finish' ? 3 : 2
    expect(await site.test.ledger()).toMatchObject([{ kind: 'settle', estimated: true, outputTokens }])
    expect(site.test.log[0]?.interrupted).toBeTruthy()
  })
})

const contentOf = (text: string): string =>
  text
    .split('\n\n')
    .filter(event => event.startsWith('data: {'))
    .map(event => JSON.parse(event.slice(6)).choices?.[0]?.delta.content ?? '')
    .join('')

it('silence of 60 s is an error event, and counts', async () => {
  site.everyOnprem(streamThenHang(partial))
  const reading = reader(await site.chat(true))
  await reading.until(text => text.includes('tial'))

  site.test.clock.advance(59_999)
  await new Promise(setImmediate)
  expect(site.failures).toEqual([0, 0])
  site.test.clock.advance(1)

  expect(await reading.rest()).toMatch(endsWith(INTERRUPTED))
  await site.test.logged(1)
  expect(site.failures).toEqual([1, 0])
})

it('the time for the whole stream being over is an error event, and nobody’s fault', async () => {
  site.everyOnprem(stream({ chunks: Array.from({ length: 2000 }, () => 'x'), gapMs: 5 }))
  const reading = reader(await site.chat(true))

  // In steps far below the longest silence, each of which waits for another piece.
  for (let passed = 0; passed < 600_000; passed += 10_000) {
    const { length } = reading.text()
    await reading.until(text => text.length > length)
    site.test.clock.advance(10_000)
  }

  expect(await reading.rest()).toMatch(endsWith(INTERRUPTED))
  expect(await site.test.logged(1)).toMatchObject([{ interrupted: 'stream timeout' }])
  expect(site.failures).toEqual([0, 0])
})

const endsWith = (event: object): RegExp => new RegExp(`data: ${JSON.stringify(event).replace(/[{}.]/g, '\\$&')}\n\n$`)

/** Reads the text of an answer piece by piece. */
function reader(response: Response) {
  const pieces = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const more = async () => {
    const next = await pieces?.read()
    text += next?.value ?? ''
    return next?.done === false
  }
  return {
    text: () => text,
    until: async (met: (text: string) => boolean) => {
      while (!met(text)) if (!(await more())) throw new Error(`ended too soon: ${text.slice(-500)}`)
    },
    rest: async () => {
      while (await more());
      return text
    },
  }
}

it.each<[string, Behaviour]>([
  ['a finish and the end, without a marker', stream({ chunks: ['fine'], done: false })],
  ['a finish and a reset', streamThenReset({ chunks: ['fine'], finish: 'stop' })],
  ['a finish and the end of the connection', streamThenClose({ chunks: ['fine'], finish: 'stop' })],
  ['a finish without content', stream({ chunks: [], finish: 'content_filter' })],
])('%s is a clean end, and the marker is ours', async (_name, behaviour) => {
  site.everyOnprem(behaviour)

  const events = await eventsOf(await site.chat(true))

  expect(events.at(-1)).toBe('[DONE]')
  expect(site.calls).toEqual([1, 0])
  await site.test.logged(1)
  expect(site.failures).toEqual([0, 0])
})

it.each([
  ['content', { content: 'x' }],
  ['reasoning', { reasoning_content: 'hm' }],
  ['a tool call', { tool_calls: [{ index: 0, id: '1', type: 'function', function: { name: 'f', arguments: '' } }] }],
])('%s is the point of no return', async (_name, delta) => {
  site.everyOnprem(streamThenEnd({ chunks: [delta] }))

  const events = await eventsOf(await site.chat(true))

  expect(events.join('')).toContain('UPSTREAM_INTERRUPTED')
  expect(site.calls).toEqual([1, 0])
})

it('a client that leaves stops a backend that tells no usage within 5 s, pays what was said, and counts for nobody', async () => {
  site.everyOnprem(streamThenHang(partial))
  const leave = new AbortController()
  const response = await site.test.chat(site.key, { stream: true }, { signal: leave.signal })
  const reader = response.body?.getReader()
  await reader?.read()

  leave.abort()

  await site.test.clock.during(Promise.race(site.onprem.map(backend => backend.clientGone(1))), 100)
  await site.test.logged(1)
  expect(site.failures).toEqual([0, 0])
  expect(site.calls).toEqual([1, 0])
  expect(await site.test.ledger()).toMatchObject([{ kind: 'settle', estimated: true }])
})
