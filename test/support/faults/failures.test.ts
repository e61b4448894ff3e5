import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, errors, request } from 'undici'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  answer,
  type Backend,
  type Behaviour,
  close,
  closeDelimited,
  contextTooLong,
  cutBody,
  errorFrame,
  garbledStream,
  halfThenHang,
  hang,
  headerOverflow,
  headersThenHang,
  json,
  malformed,
  oversized,
  quotaSpent,
  raw,
  refusal,
  reset,
  shortBody,
  staleIfReused,
  startBackend,
  status,
  statusThenHang,
  stream,
  streamThenBadChunk,
  streamThenClose,
  streamThenCutChunk,
  streamThenEnd,
  streamThenError,
  streamThenHang,
  streamThenReset,
} from '../backend.ts'
import { selfSigned } from '../certificate.ts'
import { startDeaf, UNKNOWN_HOST } from './deaf.ts'

let backend: Backend
let agent: Agent
beforeEach(async () => {
  backend = await startBackend()
  // One connection, so that the second request finds the first one's.
  agent = new Agent({ connections: 1 })
})
afterEach(async () => {
  await agent.destroy()
  await backend.close()
})

/** How far one request came at undici, which the gateway speaks to backends through. */
interface Got {
  /** 0 when no header came. */
  readonly status: number
  readonly text: string
  /** The code of the error that ended it, or empty. */
  readonly code: string
}

interface Asking {
  readonly url?: string
  readonly signal?: AbortSignal
  /** Is called with what came, whenever more of it does. */
  readonly came?: (got: Omit<Got, 'code'>) => void
}

async function post({ url = backend.url, signal, came = () => {} }: Asking = {}): Promise<Got> {
  let code = ''
  let got = { status: 0, text: '' }
  try {
    const { statusCode, body } = await request(`${url}/chat/completions`, {
      method: 'POST',
      body: '{"stream":true}',
      dispatcher: agent,
      ...(signal && { signal }),
    })
    got = { status: statusCode, text: '' }
    came(got)
    for await (const piece of body) {
      got.text += piece
      came(got)
    }
  } catch (error) {
    code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    if (error instanceof errors.HTTPParserError) code = 'not HTTP'
  }
  return { ...got, code }
}

const ROLE = '"role":"assistant"'
const FINISH = '"finish_reason":"stop"'
const problem = { message: 'queue full', code: 503 }

/** Data and a reset that are read together look like an end to Node. */
const CUT = /^(ECONNRESET|UND_ERR_SOCKET)$/

const failing: [string, Behaviour, number, RegExp][] = [
  ['reset', reset, 0, /^ECONNRESET$/],
  ['close', close, 0, /^UND_ERR_SOCKET$/],
  ['headerOverflow', headerOverflow, 0, /^UND_ERR_HEADERS_OVERFLOW$/],
  ['raw', raw('SSH-2.0-OpenSSH\r\n\r\n'), 0, /^not HTTP$/],
  ['cutBody', cutBody({ a: 'b' }), 200, CUT],
  ['shortBody', shortBody({ a: 'b' }), 200, /^UND_ERR_SOCKET$/],
  ['streamThenReset', streamThenReset({ chunks: ['a'] }), 200, CUT],
  ['streamThenReset after a finish', streamThenReset({ chunks: ['a'], finish: 'stop' }), 200, CUT],
  ['streamThenClose', streamThenClose({ chunks: ['a'] }), 200, /^UND_ERR_SOCKET$/],
  ['streamThenCutChunk', streamThenCutChunk({ chunks: ['a'] }), 200, /^UND_ERR_SOCKET$/],
  ['streamThenBadChunk', streamThenBadChunk({ chunks: ['a'] }), 200, /^not HTTP$/],
]
test.each(failing)('%s is an error at the client, and not its doing', async (_, behaviour, status, code) => {
  backend.next(behaviour)

  const got = await post()

  expect(got).toMatchObject({ status, code: expect.stringMatching(code) })
  await post()
  expect(backend.aborted).toBe(0)
})

test('a reset is one on the wire once the client has read what came before it', async () => {
  const client = connect(backend.port, '127.0.0.1')
  const until = new Promise<void>(read => client.on('data', bytes => String(bytes).includes('"a"') && read()))
  backend.next(streamThenReset({ chunks: ['a'], until }))
  client.write('POST /v1 HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\n\r\n')

  const [error] = await once(client, 'error')

  expect(error).toMatchObject({ code: 'ECONNRESET' })
})

const complete: [string, Behaviour, number, RegExp][] = [
  ['refusal', refusal(503, { message: 'no', code: 'busy' }, { 'retry-after': '2' }), 503, /^{"error":{"message":"no"/],
  ['quotaSpent', quotaSpent, 429, /"code":"insufficient_quota"/],
  ['contextTooLong', contextTooLong, 400, /"code":"context_length_exceeded"/],
  ['malformed', malformed, 200, /^{"choices":\[$/],
  ['an empty body', status(200), 200, /^$/],
  ['another shape', json({ a: 'b' }), 200, /^{"a":"b"}$/],
  ['a redirect', status(302, '', { location: 'http://127.0.0.1:1/' }), 302, /^$/],
  [
    'errorFrame',
    errorFrame(problem),
    200,
    /^data: {"error":{"message":"queue full","code":503}}\n\ndata: \[DONE\]\n\n$/,
  ],
  ['errorFrame without an end', errorFrame(problem, { done: false }), 200, /503}}\n\n$/],
  [
    'streamThenError',
    streamThenError({ chunks: ['a'], problem }),
    200,
    /"content":"a"[\s\S]*"error":[\s\S]*\[DONE\]\n\n$/,
  ],
  ['streamThenEnd', streamThenEnd({ chunks: ['a'] }), 200, /"content":"a"[^\n]*\n\n$/],
  [
    'streamThenEnd after a finish',
    streamThenEnd({ chunks: [], finish: 'stop' }),
    200,
    /"finish_reason":"stop"}]}\n\n$/,
  ],
  ['[DONE] without a finish', stream({ chunks: ['a'], finish: null }), 200, /"content":"a"[^\n]*\n\n.*\[DONE\]\n\n$/],
  ['a finish without [DONE]', stream({ chunks: ['a'], done: false, usage: null }), 200, /"stop"}]}\n\n$/],
  ['garbledStream', garbledStream(['a'], ['b']), 200, /"a"[\s\S]*"cont\n\n[\s\S]*"b"[\s\S]*"stop"[\s\S]*\[DONE\]\n\n$/],
]
test.each(complete)('%s is a complete response', async (_, behaviour, status, text) => {
  backend.next(behaviour)

  const got = await post()

  expect(got).toMatchObject({ status, code: '', text: expect.stringMatching(text) })
})

test('closeDelimited makes a cut look like an end', async () => {
  backend.next(closeDelimited(streamThenClose({ chunks: ['a'] })), closeDelimited(stream({ chunks: ['a'] })))

  const cut = await post()
  const whole = await post()

  expect([cut.code, whole.code]).toEqual(['', ''])
  expect(cut.text).not.toContain(FINISH)
  expect(whole.text).toContain(FINISH)
  expect(backend.accepted).toBe(2)
})

test('oversized sends as many bytes as it says', async () => {
  backend.next(oversized(1_000_000))

  expect((await post()).text).toMatch(/^"a{999998}"$/)
})

const silent: [string, Behaviour, number, RegExp][] = [
  ['hang', hang, 0, /^$/],
  ['headersThenHang', headersThenHang, 200, /^$/],
  ['streamThenHang before content', streamThenHang({ chunks: [] }), 200, new RegExp(`${ROLE}[^\\n]*\\n\\n$`)],
  ['streamThenHang after it', streamThenHang({ chunks: ['a'] }), 200, /"content":"a"[^\n]*\n\n$/],
  ['halfThenHang', halfThenHang({ a: 'bcd' }), 200, /^{"a":$/],
  ['statusThenHang', statusThenHang(500), 500, /^$/],
]
test.each(silent)('%s says nothing more', async (_, behaviour, status, text) => {
  backend.next(behaviour)
  const leaving = new AbortController()
  let all = () => {}
  const came = new Promise<void>(resolve => {
    all = resolve
  })
  const asked = post({ signal: leaving.signal, came: got => got.status === status && text.test(got.text) && all() })
  await (status === 0 ? backend.received(1) : came)

  // More would come within this time.
  await sleep(50)
  leaving.abort()

  expect(await asked).toMatchObject({ status, text: expect.stringMatching(text) })
  await backend.clientGone(1)
})

describe('staleIfReused', () => {
  test.each([
    ['close', close, 'UND_ERR_SOCKET'],
    ['reset', reset, 'ECONNRESET'],
  ])('answers on a fresh connection and gives a used one up with %s', async (_, how, code) => {
    backend.always(staleIfReused(answer({ content: 'a' }), how))

    const statuses = [await post(), await post(), await post()].map(got => [got.status, got.code])

    expect(statuses).toEqual([
      [200, ''],
      [0, code],
      [200, ''],
    ])
    expect(backend.requests).toHaveLength(3)
    expect(backend.accepted).toBe(2)
  })
})

describe('what is wrong before there is a connection', () => {
  test('a deaf listener neither accepts nor refuses', async () => {
    const deaf = await startDeaf()
    agent = new Agent({ connect: { timeout: 300 } })

    expect((await post({ url: deaf.url })).code).toBe('UND_ERR_CONNECT_TIMEOUT')
    await deaf.close()
    expect((await post({ url: deaf.url })).code).toBe('ECONNREFUSED')
  })

  test('an unknown host resolves nowhere', async () => {
    expect((await post({ url: UNKNOWN_HOST })).code).toMatch(/^(ENOTFOUND|EAI_AGAIN)$/)
  })

  test('a certificate nobody vouches for is refused, and taken by who trusts it', async () => {
    const certificate = selfSigned()
    const secure = await startBackend(certificate)
    expect((await post({ url: secure.url })).code).toBe('DEPTH_ZERO_SELF_SIGNED_CERT')
    agent = new Agent({ connect: { ca: certificate.cert } })

    expect((await post({ url: secure.url })).status).toBe(200)
    await secure.close()
  })

  test('a certificate for another host is refused', async () => {
    const certificate = selfSigned('elsewhere.test')
    const secure = await startBackend(certificate)
    agent = new Agent({ connect: { ca: certificate.cert } })

    expect((await post({ url: secure.url })).code).toBe('ERR_TLS_CERT_ALTNAME_INVALID')
    await secure.close()
  })

  test('plain HTTP where TLS is expected is a TLS error', async () => {
    expect((await post({ url: backend.url.replace('http:', 'https:') })).code).toMatch(/^ERR_SSL_/)
  })
})
