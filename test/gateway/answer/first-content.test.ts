import { expect, it } from 'vitest'
import { attemptStream } from '../../../src/gateway/answer/stream.ts'
import { TokenSurplus } from '../../../src/gateway/attempt/token-surplus.ts'
import type { BackendListener } from '../../../src/gateway/ports.ts'
import { UNKNOWN } from '../../../src/policy/providers/profile.ts'
import { chunk, MODEL } from '../../support/backend.ts'
import { VirtualClock } from '../../support/clock.ts'

const tick = () => new Promise(setImmediate)

/** An attempt that has headers and no content. */
function headed(firstContentTimeout = 30_000) {
  const clock = new VirtualClock(0)
  let listener: BackendListener | undefined
  const send = (_request: unknown, to: BackendListener) => {
    listener = to
    return { pause: () => {}, resume: () => {}, abort: () => {} }
  }
  const settings = { connectTimeout: 1000, headersTimeout: 15_000, firstContentTimeout, idleTimeout: 60_000 }
  const target = {
    pool: { name: 'onprem', model: MODEL, speaks: ['chat'], provider: { facts: UNKNOWN } },
    replica: 'http://127.0.0.1:1',
    fresh: false,
    path: '/chat/completions',
    body: Buffer.from('{}'),
    requestId: 'req_1',
    settings,
    commit: 'first_content',
    streamTime: 3_600_000,
    surplus: new TokenSurplus(),
    dispatched: () => {},
  }
  const client = { gone: false, wasCut: false, onGone: () => () => {} }
  let ended = ''
  const attempt = attemptStream({ send, clock }, target as never, { usageWanted: false, choices: 1 }, client)
  void attempt.then(outcome => {
    ended = outcome.kind === 'failed' ? outcome.cause : outcome.kind
  })
  listener?.connected()
  listener?.head({ status: 200, contentType: 'text/event-stream' })
  /** So many times that much later it sends these bytes. */
  const sends = async (times: number, ms: number, bytes: string) => {
    for (let n = 0; n < times; n++) {
      clock.advance(ms)
      listener?.data(Buffer.from(bytes))
      await tick()
    }
  }
  const passes = async (ms: number) => {
    clock.advance(ms)
    await tick()
  }
  return { clock, sends, passes, ended: () => ended }
}

it.each([
  ['a comment', ': keep-alive\n\n'],
  ['a role', chunk(MODEL, { role: 'assistant', content: '' }, null)],
  ['a byte', ':'],
])('a backend that sends %s every 15 s is waited for, for up to 600 s', async (_name, bytes) => {
  const { sends, passes, ended } = headed()

  await sends(39, 15_000, bytes)
  expect(ended()).toBe('')
  await passes(14_999)
  expect(ended()).toBe('')
  await passes(1)

  expect(ended()).toBe('first content timeout')
})

it('one that says its first word after minutes of comments is answered', async () => {
  const { sends, ended } = headed()

  await sends(20, 14_000, ': keep-alive\n\n')
  await sends(1, 14_000, chunk(MODEL, { content: 'Hi' }, null))

  expect(ended()).toBe('answered')
})

it('one that is silent is given up after first_content_timeout, and its first word may come until then', async () => {
  const silent = headed()
  await silent.passes(29_999)
  expect(silent.ended()).toBe('')
  await silent.passes(1)
  expect(silent.ended()).toBe('first content timeout')

  const slow = headed()
  await slow.sends(1, 21_000, chunk(MODEL, { content: 'Hi' }, null))
  expect(slow.ended()).toBe('answered')
})

it('one that falls silent after some life is given up once that is 16 s ago', async () => {
  const { sends, passes, ended } = headed()

  await sends(3, 10_000, ': keep-alive\n\n')
  await passes(15_999)
  expect(ended()).toBe('')
  await passes(1)

  expect(ended()).toBe('first content timeout')
})

it('a shorter first_content_timeout is the longest silence as well', async () => {
  const { sends, passes, ended } = headed(5000)

  await sends(20, 4000, ': keep-alive\n\n')
  expect(ended()).toBe('')
  await passes(5000)

  expect(ended()).toBe('first content timeout')
})
