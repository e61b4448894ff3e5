import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  answer,
  type Behaviour,
  close,
  closeDelimited,
  cutBody,
  errorFrame,
  headerOverflow,
  json,
  malformed,
  quotaSpent,
  raw,
  refusal,
  reset,
  shortBody,
  sse,
  status,
  streamThenBadChunk,
  streamThenClose,
  streamThenCutChunk,
  streamThenEnd,
  streamThenError,
  streamThenReset,
} from '../../support/backend.ts'
import { Failover, fine } from './fixture.ts'

let site: Failover

beforeEach(async () => {
  site = await Failover.start()
})
afterEach(() => site.close())

/** A row of the table in docs/failover.md about an outcome before commit. */
interface Row {
  readonly name: string
  readonly behaviour: Behaviour
  /** Its effect on the gateway's own requests, which are not streams, if it differs. */
  readonly asked?: Behaviour
  readonly modes?: readonly ('whole' | 'stream')[]
  /** Where the request goes next. */
  readonly next: 'replica' | 'pool'
  readonly breaker: 'counts' | 'opens for the pool' | 'no'
  /** The cause in the row of the waste, where a backend may have worked. */
  readonly waste?: string
  /** Whether the replica is given a pause, once a health check is told so too. */
  readonly pause?: true
  readonly alarm?: true
}

const good = { choices: [{ index: 0, message: { role: 'assistant', content: 'x' }, finish_reason: 'stop' }] }
const replica = { next: 'replica', breaker: 'counts' } as const
const pool = { next: 'pool', breaker: 'opens for the pool', alarm: true } as const

const rows: readonly Row[] = [
  { name: 'a reset before the headers', behaviour: reset, ...replica, waste: 'ECONNRESET|UND_ERR_SOCKET' },
  { name: 'an end before the headers', behaviour: close, ...replica, waste: 'UND_ERR_SOCKET' },
  { name: 'a 408', behaviour: status(408), ...replica, waste: 'status 408' },
  { name: 'a 500', behaviour: status(500), ...replica, waste: 'status 500' },
  { name: 'a 502 of HTML', behaviour: status(502, '<html>bad gateway</html>'), ...replica },
  { name: 'a 503', behaviour: status(503), ...replica },
  { name: 'a 503 with Retry-After', behaviour: status(503, '', { 'retry-after': '7' }), ...replica, pause: true },
  { name: 'a 504', behaviour: status(504), ...replica, waste: 'status 504' },
  { name: 'a 529', behaviour: status(529), ...replica },
  { name: 'a 201', behaviour: status(201, good), ...replica, waste: 'status 201' },
  { name: 'an empty 200', behaviour: status(200, ''), ...replica, waste: '' },
  { name: 'HTML for a 200', behaviour: status(200, '<html>hello</html>'), ...replica, waste: '' },
  { name: 'bytes that are no HTTP', behaviour: raw('SSH-2.0-OpenSSH\r\n\r\n'), ...replica, waste: 'HTTPParserError' },
  { name: 'headers without end', behaviour: headerOverflow, ...replica, waste: 'UND_ERR_HEADERS_OVERFLOW' },
  { name: 'a 400 without a word', behaviour: status(400), ...replica },
  { name: 'a 422 of HTML', behaviour: status(422, '<html>no</html>'), ...replica },
  { name: 'a 409', behaviour: status(409), next: 'replica', breaker: 'no' },
  { name: 'a 425', behaviour: status(425), next: 'replica', breaker: 'no' },
  {
    name: 'a 429',
    behaviour: status(429, { error: { message: 'slow' } }),
    next: 'replica',
    breaker: 'no',
    pause: true,
  },
  {
    name: 'a 429 with Retry-After',
    behaviour: status(429, '', { 'retry-after': '9' }),
    next: 'replica',
    breaker: 'no',
    pause: true,
  },
  { name: 'a 429 of an empty account at the provider', behaviour: quotaSpent, ...pool },
  ...[301, 307, 401, 402, 403, 404, 405, 410].map(code => ({
    name: `a ${code}`,
    behaviour: status(code, { error: { message: 'no' } }, { location: 'http://127.0.0.1:1/' }),
    ...pool,
  })),

  // Whole answers alone.
  ...(
    [
      ['malformed JSON', malformed],
      ['JSON that is no answer', json({ object: 'list', data: [] })],
      ['an answer without choices', json({ choices: [] })],
      ['a body cut by a reset', cutBody(good)],
      ['a body shorter than its length', shortBody(good)],
      ['an error in a 200', json({ error: { message: 'out of memory' } })],
    ] as const
  ).map(([name, behaviour]) => ({ name, behaviour, modes: ['whole'] as const, ...replica, waste: '' })),
  {
    name: 'an error of 429 in a 200',
    behaviour: json({ error: { message: 'busy', code: 429 } }),
    modes: ['whole'],
    next: 'replica',
    breaker: 'no',
    pause: true,
  },

  // Streams alone.
  {
    name: 'JSON that is no answer in place of events',
    behaviour: json({ object: 'list', data: [] }),
    asked: malformed,
    modes: ['stream'],
    ...replica,
    waste: '',
  },
  ...(
    [
      ['malformed JSON in the first event', sse('data: {"cho\n\n')],
      ['an error frame first', errorFrame({ message: 'queue full', code: 500 })],
      ['an error frame first, and no marker', errorFrame({ message: 'queue full' }, { done: false })],
      ['a marker and nothing else', sse('data: [DONE]\n\n')],
      ['comments and nothing else', sse(': hello\n\n: there\n\n')],
      ['a role and then the end', streamThenEnd({ chunks: [] })],
      ['a role and then a reset', streamThenReset({ chunks: [] })],
      ['a role and then the end of the connection', streamThenClose({ chunks: [] })],
      [
        'a role and then the end, where the body ends with the connection',
        closeDelimited(streamThenEnd({ chunks: [] })),
      ],
      ['a role and then half a chunk', streamThenCutChunk({ chunks: [] })],
      ['a role and then no chunk', streamThenBadChunk({ chunks: [] })],
      ['a role and then an error frame', streamThenError({ chunks: [], problem: { message: 'boom' } })],
      ['an event over 16 MiB', sse(`data: ${'x'.repeat(17_000_000)}\n\n`)],
    ] as const
  ).map(([name, behaviour]) => ({ name, behaviour, modes: ['stream'] as const, ...replica, waste: '' })),
  {
    name: 'an error frame of 429 first',
    behaviour: errorFrame({ message: 'rate limited', code: 429 }),
    asked: status(429),
    modes: ['stream'],
    next: 'replica',
    breaker: 'no',
    pause: true,
  },
  {
    name: 'an error frame of an empty account first',
    behaviour: errorFrame({ message: 'no money', code: 'insufficient_quota' }),
    asked: quotaSpent,
    modes: ['stream'],
    ...pool,
  },
]

const cases = rows.flatMap(row => (row.modes ?? ['whole', 'stream']).map(mode => ({ ...row, mode })))

describe.each(cases)(
  '$name, to the gateway itself too ($mode)',
  ({ mode, behaviour, asked = behaviour, next, breaker, waste, pause, alarm }) => {
    const streamed = mode === 'stream'

    it('is survived, and the client gets what a backend without trouble says, byte for byte', async () => {
      site.cloud.always(fine)
      site.everyOnprem(fine)
      const plain = await (await site.chat(streamed)).text()
      site.firstOnprem(behaviour)
      for (const backend of site.onprem) backend.answersChecks(asked)

      const response = await site.chat(streamed)

      expect(response.status).toBe(200)
      const text = await response.text()
      expect(next === 'pool' ? text.replaceAll('cloud-model', 'test-model') : text).toBe(plain)
      expect(response.headers.get('x-svc-upstream')).toBe(next === 'pool' ? 'cloud' : 'onprem')
      // One of them was the plain one.
      expect(site.calls).toEqual(next === 'pool' ? [2, 1] : [3, 0])
    })

    it('is counted and written down as the table says', async () => {
      site.cloud.always(fine)
      site.firstOnprem(behaviour)
      for (const backend of site.onprem) backend.answersChecks(asked)

      await (await site.chat(streamed)).text()
      await site.test.logged(1)

      expect(site.failures).toEqual({ counts: [1, 0], 'opens for the pool': [0, 0], no: [0, 0] }[breaker])
      const state = breaker === 'opens for the pool' ? 'open' : 'closed'
      expect([0, 1].map(index => site.breaker('onprem', index).state(site.test.clock.now()))).toEqual([state, state])
      if (pause) await cooled()
      expect(site.cooling).toBe(pause ? 1 : 0)
      expect(site.test.alarms).toHaveLength(alarm ? 3 : 0)
      const [settled, wasted, ...more] = await site.rows()
      expect(settled).toBe(`settle ${next === 'pool' ? 'cloud' : 'onprem'}`)
      if (waste === undefined) expect(wasted).toBeUndefined()
      else expect(wasted).toMatch(new RegExp(`^waste onprem .*(${waste})`))
      expect(more).toEqual([])
    })
  },
)

/** The health check runs a second after the pause. */
async function cooled(): Promise<void> {
  const isAsked = async () => {
    while (site.cooling === 0) await new Promise(setImmediate)
  }
  await site.test.clock.during(isAsked(), 20)
}

describe('a refusal of the request itself', () => {
  it.each([400, 413, 422])('with %i is relayed as a 400, and no other backend is asked', async code => {
    site.everyOnprem(refusal(code, { message: 'temperature is too high' }))

    const response = await site.chat()

    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({
      error: 'the backend refused the request: temperature is too high',
      code: 'VALIDATION_ERROR',
    })
    expect(site.calls).toEqual([1, 0])
    expect(site.failures).toEqual([0, 0])
    expect(await site.rows()).toEqual([])
  })

  it('in the first event of a stream is relayed as well', async () => {
    site.everyOnprem(errorFrame({ message: 'temperature is too high', code: 400 }))

    const response = await site.chat(true)

    expect(response.status).toBe(400)
    expect(site.calls).toEqual([1, 0])
  })
})

describe('when every backend fails', () => {
  beforeEach(() => {
    site.everyOnprem(status(503))
    site.cloud.always(status(529))
  })

  it.each([false, true])(
    'the client is told which pools were tried, and when to come back (stream: %s)',
    async streamed => {
      const response = await site.chat(streamed)

      expect(response.status).toBe(503)
      expect(response.headers.get('x-svc-error-code')).toBe('UPSTREAMS_EXHAUSTED')
      expect(response.headers.get('retry-after')).toBe('1')
      expect(await response.json()).toEqual({
        error: expect.any(String),
        code: 'UPSTREAMS_EXHAUSTED',
        tier: 'cloud',
        attempted: ['onprem', 'cloud'],
      })
      expect(site.calls).toEqual([2, 1])
    },
  )

  it('nobody pays', async () => {
    await site.chat()

    expect(await site.rows()).toEqual([])
    const quota = await fetch(`${site.test.url}/billing/quota`, { headers: { authorization: `Bearer ${site.key}` } })
    expect(await quota.json()).toMatchObject({ used: 0, held: 0 })
  })

  it('the log names each attempt', async () => {
    await (await site.chat()).text()

    expect(await site.test.logged(1)).toMatchObject([
      {
        status: 503,
        failures: [
          { pool: 'onprem', cause: 'status 503' },
          { pool: 'onprem', cause: 'status 503' },
          { pool: 'cloud', cause: 'status 529' },
        ],
      },
    ])
  })
})

it('an answer that came after failures pays for itself alone', async () => {
  site.firstOnprem(status(500))

  await (await site.chat()).text()

  const rows = await site.test.ledger()
  const waste = rows.find(({ kind }) => kind === 'waste')
  const settled = rows.find(({ kind }) => kind === 'settle')
  // 1 and 2 USD a million tokens, of what was held: the backend did not say.
  expect(waste?.cost).toBe((waste?.inputTokens ?? 0) * 1000 + (waste?.outputTokens ?? 0) * 2000)
  expect(waste).toMatchObject({ estimated: true, account: settled?.account, requestId: settled?.requestId })
  const quota = await fetch(`${site.test.url}/billing/quota`, { headers: { authorization: `Bearer ${site.key}` } })
  expect(await quota.json()).toMatchObject({ used: (settled?.cost ?? 0) / 1e9, held: 0 })
})

describe('an answer that a backend sends whole where a stream was asked for', () => {
  const toolCalls = [{ id: 'call_1', name: 'f', arguments: '{}' }]

  it.each([
    ['text', answer({ content: 'whole' }), { content: 'whole' }, 'stop'],
    [
      'a call',
      answer({ content: null, toolCalls }),
      { tool_calls: [expect.objectContaining({ index: 0, id: 'call_1' })] },
      'tool_calls',
    ],
  ])('reaches the client in one chunk, with its usage charged: %s', async (_name, behaviour, delta, finish_reason) => {
    site.everyOnprem(behaviour)
    const text = await (await site.chat(true)).text()

    const [chunk, end] = text.split('\n\n')
    expect(JSON.parse(chunk?.slice(6) ?? '')).toMatchObject({
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta: { role: 'assistant', ...delta }, finish_reason }],
    })
    expect(end).toBe('data: [DONE]')
    expect(await site.test.ledger()).toMatchObject([{ kind: 'settle', estimated: false, outputTokens: 3 }])
  })
})
