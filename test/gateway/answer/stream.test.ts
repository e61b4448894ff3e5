import { describe, expect, it } from 'vitest'
import { attemptStream } from '../../../src/gateway/answer/stream.ts'
import type { EndedAnswer } from '../../../src/gateway/attempt/outcome.ts'
import { TokenSurplus } from '../../../src/gateway/attempt/token-surplus.ts'
import type { BackendListener } from '../../../src/gateway/ports.ts'
import { UNKNOWN } from '../../../src/policy/providers/profile.ts'
import { chunk, MODEL } from '../../support/backend.ts'
import { VirtualClock } from '../../support/clock.ts'

const settings = {
  connectTimeout: 1000,
  headersTimeout: 15_000,
  firstContentTimeout: 60_000,
  idleTimeout: 60_000,
}
const FIRST = chunk(MODEL, { role: 'assistant', content: 'first' }, null)
const tick = () => new Promise(setImmediate)

/** A stream that is attached after its first event, and what its backend and its client see. */
async function live(full = (_writes: number) => false) {
  const seen = { writes: [] as string[], endings: [] as EndedAnswer[], paused: false, aborted: false }
  let listener: BackendListener | undefined
  const send = (_request: unknown, to: BackendListener) => {
    listener = to
    return {
      pause: () => {
        seen.paused = true
      },
      resume: () => {
        seen.paused = false
      },
      abort: () => {
        seen.aborted = true
      },
    }
  }
  const target = {
    pool: { name: 'onprem', model: MODEL, speaks: ['chat'], provider: { facts: UNKNOWN } },
    replica: 'http://127.0.0.1:1',
    fresh: false,
    path: '/chat/completions',
    body: Buffer.from('{}'),
    requestId: 'req_1',
    settings,
    commit: 'first_content',
    streamTime: 600_000,
    surplus: new TokenSurplus(),
    dispatched: () => {},
  }
  const client = { gone: false, wasCut: false, onGone: () => () => {} }
  const ports = { send, clock: new VirtualClock(0) }
  const attempt = attemptStream(ports, target as never, { usageWanted: false, choices: 1 }, client)
  listener?.connected()
  listener?.head({ status: 200, contentType: 'text/event-stream' })
  listener?.data(Buffer.from(FIRST))
  const outcome = await attempt
  if (outcome.kind !== 'answered') throw new Error(outcome.kind)
  const stream = outcome.answer
  stream.attach({
    write: events => {
      seen.writes.push(events)
      if (full(seen.writes.length)) stream.pause()
    },
    end: ending => seen.endings.push(ending),
  })
  const comes = (events: string) => listener?.data(Buffer.from(events))
  const breaks = () => listener?.failed(Object.assign(new Error('reset'), { code: 'ECONNRESET' }), false)
  return { seen, stream, comes, ends: () => listener?.end(), breaks }
}

const events = (count: number, content: string) => Array.from({ length: count }, () => chunk(MODEL, { content }, null))

it('events that come together are passed on together, before the backend is heard of again', async () => {
  const { seen, comes } = await live()

  for (const event of events(5, 'word')) comes(event)
  expect(seen.writes).toEqual([FIRST])
  await Promise.resolve()
  await tick()

  expect(seen.writes).toEqual([FIRST, events(5, 'word').join('')])
})

it('content before the end is passed on before the ending', async () => {
  const { seen, comes, ends } = await live()

  comes(chunk(MODEL, { content: 'last' }, 'stop'))
  comes('data: [DONE]\n\n')
  ends()

  expect(seen.writes).toEqual([FIRST, chunk(MODEL, { content: 'last' }, 'stop')])
  expect(seen.endings).toMatchObject([{ how: 'well', outputBytes: 9 }])
})

it('a client that takes no more holds its backend back after at most 8 KB, at once', async () => {
  const { seen, stream, comes } = await live(() => true)
  const [word = ''] = events(1, 'x'.repeat(1000))
  const sent: string[] = []
  stream.resume()

  while (!seen.paused) {
    sent.push(word)
    comes(word)
  }
  comes(word)
  await tick()

  expect(sent.join('').length).toBeLessThan(8192 + word.length)
  expect(seen.writes.join('').length).toBeLessThanOrEqual(FIRST.length + 8192)
  while (seen.paused) stream.resume()
  expect(seen.writes.join('')).toBe([FIRST, ...sent, word].join(''))
})

it('a fault while events are passed on ends this stream as cut, and nothing else', async () => {
  const { seen, comes } = await live(writes => {
    if (writes > 1) throw new Error('a fault')
    return false
  })

  comes(events(1, 'word').join(''))
  await tick()

  expect(seen.aborted).toBe(true)
  expect(seen.endings).toMatchObject([{ how: 'failed', cause: 'Error' }])
})

describe('what a stream that is passed on comes to', () => {
  /** The part read so far when the last event arrives. */
  const readings = {
    events: '',
    usage: chunk(MODEL, {}, 'stop'),
  }
  const lasts = {
    '[DONE]': ({ comes }: Live) => comes('data: [DONE]\n\n'),
    'an error event': ({ comes }: Live) => comes('data: {"error":{"message":"out of memory"}}\n\n'),
    'a malformed event': ({ comes }: Live) => comes('data: {"choices":\n\n'),
    'the end of its bytes': ({ ends }: Live) => ends(),
    'a connection that breaks': ({ breaks }: Live) => breaks(),
    'a client that leaves': ({ stream }: Live) => stream.abort(),
  }
  type Live = Awaited<ReturnType<typeof live>>
  type Last = keyof typeof lasts

  const table: [reading: keyof typeof readings, how: Record<Last, string>][] = [
    [
      'events',
      {
        '[DONE]': 'failed: ended without a finish',
        'an error event': 'failed: error event',
        'a malformed event': 'failed: malformed event',
        'the end of its bytes': 'failed: ended without a finish',
        'a connection that breaks': 'failed: ECONNRESET',
        'a client that leaves': 'left: client gone',
      },
    ],
    [
      'usage',
      {
        '[DONE]': 'well: ',
        'an error event': 'failed: error event',
        'a malformed event': 'well: ',
        'the end of its bytes': 'well: ',
        'a connection that breaks': 'well: ',
        'a client that leaves': 'left: client gone',
      },
    ],
  ]

  it.each(
    table.flatMap(([reading, hows]) =>
      (Object.keys(lasts) as Last[]).map((last): [string, Last, string] => [reading, last, hows[last]]),
    ),
  )('in `%s`, after %s, is `%s`', async (reading, last, expected) => {
    const one = await live()
    const before = readings[reading as keyof typeof readings]
    if (before !== '') one.comes(before)
    await tick()

    lasts[last](one)
    await tick()

    // The sink of a client that left is not called.
    const { how, cause } = one.seen.endings[0] ?? one.stream.abort()
    expect(`${how}: ${cause}`).toBe(expected)
    expect(one.seen.endings.length).toBe(last === 'a client that leaves' ? 0 : 1)
  })

  it('has one ending, whatever comes after it', async () => {
    const one = await live()
    one.comes(chunk(MODEL, {}, 'stop'))
    one.comes('data: [DONE]\n\n')
    await tick()

    for (const comesLate of Object.values(lasts)) comesLate(one)
    await tick()

    expect(one.seen.endings).toMatchObject([{ how: 'well' }])
  })
})
