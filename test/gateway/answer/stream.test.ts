import { expect, it } from 'vitest'
import { attemptStream } from '../../../src/gateway/answer/stream.ts'
import type { BackendListener } from '../../../src/gateway/ports.ts'
import type { EndedAnswer } from '../../../src/gateway/upstream/outcome.ts'
import { chunk, MODEL } from '../../support/backend.ts'
import { VirtualClock } from '../../support/clock.ts'

const settings = {
  connectTimeout: 1000,
  headersTimeout: 15_000,
  firstContentTimeout: 60_000,
  idleTimeout: 60_000,
}
const FIRST = chunk(MODEL, { content: 'first' }, null)
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
    pool: { name: 'onprem', model: MODEL },
    replica: 'http://127.0.0.1:1',
    fresh: false,
    path: '/chat/completions',
    body: Buffer.from('{}'),
    requestId: 'req_1',
    settings,
    commit: 'first_content',
    streamTime: 600_000,
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
  return { seen, stream, comes, ends: () => listener?.end() }
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

it('what came before the end is passed on before the ending', async () => {
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
