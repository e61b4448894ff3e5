import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { CALM, type Load, loadAfter, refuses, type Sample } from '../../../src/http/listener/overload.ts'
import { answer, type Backend, startBackend } from '../../support/backend.ts'
import { AUDIENCE, startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { type OidcServer, startOidc } from '../../support/identity/oidc.ts'
import { talk } from '../../support/raw.ts'
import { outcomeOf, type Sent, send } from '../calls.ts'

const calm: Sample = { lagMs: 1, heapRatio: 0.1, cpuRatio: 1 }
const lag = (lagMs: number): Sample => ({ ...calm, lagMs })
const heap = (heapRatio: number): Sample => ({ ...calm, heapRatio })

describe('the level', () => {
  /** After samples at 250 ms each, the first of them at 250. */
  const afterwards = (samples: readonly Sample[], from: Load = CALM): Load =>
    samples.reduce((load, sample, n) => loadAfter(load, sample, 250 * (n + 1)), from)
  const times = (n: number, sample: Sample) => Array.from({ length: n }, () => sample)

  it.each<[number, string, Sample]>([
    [0, 'a lag of 100 ms', lag(100)],
    [1, 'a lag of 101 ms', lag(101)],
    [1, 'a lag of 250 ms', lag(250)],
    [2, 'a lag of 251 ms', lag(251)],
    [2, 'a lag of a minute', lag(60_000)],
    [0, '80 % of the heap', heap(0.8)],
    [1, '81 % of the heap', heap(0.81)],
    [2, '91 % of the heap', heap(0.91)],
    [3, '96 % of the heap', heap(0.96)],
    [3, '96 % of the heap and no lag at all', { ...calm, lagMs: 0, heapRatio: 0.96 }],
    [2, 'the worse of the two', { ...calm, lagMs: 300, heapRatio: 0.85 }],
    [0, 'a lag of 800 ms while other processes have nine tenths of the CPU', { ...lag(800), cpuRatio: 0.1 }],
    [2, 'a lag of a second on half a core, of which the process uses all', { ...lag(1000), cpuRatio: 0.5 }],
    [2, 'a lag of 251 ms while its threads use two cores', { ...lag(251), cpuRatio: 2 }],
    [2, '91 % of the heap on a starved machine', { ...heap(0.91), cpuRatio: 0 }],
  ])('is %i at %s', (level, _name, sample) => {
    expect(afterwards(times(2, sample)).level).toBe(level)
  })

  it('does not rise for one pause alone', () => {
    expect(afterwards([calm, lag(2000), calm, lag(2000), calm]).level).toBe(0)
  })

  it('rises to what both of two samples ask for', () => {
    expect(afterwards([heap(0.96), lag(150)]).level).toBe(1)
    expect(afterwards([lag(150), heap(0.96), heap(0.96)]).level).toBe(3)
  })

  it('stays for 5 s after the last sample that asks for it', () => {
    const high = times(2, lag(150))

    expect(afterwards([...high, ...times(19, calm)]).level).toBe(1)
    expect(afterwards([...high, ...times(20, calm)]).level).toBe(0)
    expect(afterwards([...high, ...times(15, calm), lag(150), ...times(19, calm)]).level).toBe(1)
  })

  it('falls to the most that was asked for in the meantime', () => {
    const high = times(2, heap(0.96))

    expect(afterwards([...high, ...times(10, lag(150)), ...times(10, calm)]).level).toBe(1)
    expect(afterwards([...high, ...times(10, lag(150)), ...times(30, calm)]).level).toBe(0)
  })

  it('refuses guests first, then everybody, then without asking who it is', () => {
    const refused = [0, 1, 2, 3].map(level =>
      (['guest', 'developer', 'unknown'] as const).filter(caller => refuses(level, caller)),
    )

    expect(refused).toEqual([[], ['guest'], ['guest', 'developer'], ['guest', 'developer', 'unknown']])
  })
})

describe('a gateway with too much to do', () => {
  const CHAT = { messages: [{ role: 'user', content: 'Hi' }] }
  let backend: Backend
  let oidc: OidcServer
  let test: TestGateway
  let signedIn: string
  let sample: Sample

  beforeAll(async () => {
    oidc = await startOidc({ audience: AUDIENCE, users: { eve: { plan: 'free' } } })
    signedIn = (await oidc.signIn('eve')).accessToken
  })

  afterAll(() => oidc.stop())

  beforeEach(async () => {
    backend = await startBackend()
    sample = calm
    const guests = 'usd_per_day_total: 50'
    test = await startTestGateway({ onprem: [backend], oidc, guests, sample: () => sample })
  })

  afterEach(async () => {
    await test.close()
    await backend.close()
  })

  /** Lets it feel a load for as long as it takes to be believed. */
  const feel = (next: Sample, ms = 500) => {
    sample = next
    for (let passed = 0; passed < ms; passed += 250) test.clock.advance(250)
  }
  const ask = async (endpoint: string, sent: Sent = {}) => outcomeOf(await send(test, endpoint, sent))
  const guestKey = async () => {
    const { body } = await send(test, 'POST /v1/keys/guest', { body: { device_id: 'phone' } })
    return (body as { key: string }).key
  }
  const CHATS = 'POST /v1/chat/completions'

  it('refuses guests at level 1, and serves everybody else', async () => {
    const [guest, token] = [await guestKey(), await test.key()]
    feel(lag(150))

    expect(await ask(CHATS, { token: guest, body: CHAT })).toBe('503 OVERLOADED')
    expect(await ask('POST /v1/keys/guest', { body: { device_id: 'other' } })).toBe('503 OVERLOADED')
    expect(await ask(CHATS, { token, body: CHAT })).toBe('200')
    expect(await ask('POST /v1/keys/developer', { token: signedIn, body: {} })).toBe('200')
  })

  it('refuses every caller at level 2, once it knows who it is', async () => {
    const token = await test.key()
    feel(lag(300))

    for (const [path, body] of [
      ['/v1/chat/completions', CHAT],
      ['/v1/embeddings', { model: 'svc-embed', input: 'Hi' }],
      ['/v1/images/generations', { model: 'svc-image', prompt: 'Hi' }],
    ] as const)
      expect(await ask(`POST ${path}`, { token, body }), path).toBe('503 OVERLOADED')
    expect(await ask('POST /v1/keys/developer', { token: signedIn, body: {} })).toBe('503 OVERLOADED')
    expect(await ask(CHATS, { token: 'svc_dead', body: CHAT })).toBe('401 INVALID_KEY')
  })

  it('refuses at level 3 before it asks who calls', async () => {
    feel(heap(0.97))

    expect(await ask(CHATS, { token: 'svc_dead', body: CHAT })).toBe('503 OVERLOADED')
    expect(await ask(CHATS, { body: CHAT })).toBe('503 OVERLOADED')
  })

  it('still says what there is, whether it is well and how to end a key, and serves its operators', async () => {
    const minted = await send(test, 'POST /v1/keys/developer', { token: signedIn, body: {} })
    const { key } = minted.body as { key: string }
    feel(heap(0.97))

    expect(await ask('GET /v1/models')).toBe('200')
    expect(await ask('GET /readyz')).toBe('200')
    expect(await ask('GET /docs/errors')).toBe('200')
    expect(await ask('GET /billing/quota', { token: key })).toBe('200')
    expect(await ask('POST /v1/keys/developer/revoke', { token: signedIn, body: { key } })).toBe('200')
    const admin = { url: test.admin }
    expect(outcomeOf(await send(admin, 'GET /healthz'))).toBe('200')
    expect(outcomeOf(await send(admin, 'GET /admin/usage', { token: 'test-admin-token' }))).toBe('200')
  })

  it('says when to come again, ends the connection, and notes the code', async () => {
    const token = await test.key()
    feel(lag(300))

    const told = await send(test, CHATS, { token, body: CHAT })

    expect(told.line).toBe('503 OVERLOADED: too much at once')
    expect(told.headers).toMatchObject({ 'retry-after': '1', connection: 'close' })
    expect(told.body).toEqual({ error: expect.stringContaining('Retry'), code: 'OVERLOADED' })
    expect((await test.logged(1)).at(-1)).toMatchObject({ status: 503, code: 'OVERLOADED' })
  })

  it('ends one connection in sixteen of those it serves from level 1 on, and none when it is over', async () => {
    const ended = async (answers: number) => {
      let count = 0
      for (let answer = 0; answer < answers; answer++)
        if ((await send(test, 'GET /v1/models')).headers.connection === 'close') count++
      return count
    }
    expect(await ended(32)).toBe(0)

    feel(lag(150))
    expect(await ended(32)).toBe(2)

    feel(calm, 5500)
    expect(await ended(32)).toBe(0)
  })

  it('ends the connection of each guest it refuses', async () => {
    const guest = await guestKey()
    feel(lag(150))

    for (let ask = 0; ask < 3; ask++) {
      const { line, headers } = await send(test, CHATS, { token: guest, body: CHAT })
      expect([line, headers.connection]).toEqual(['503 OVERLOADED: too much at once', 'close'])
    }
  })

  it('still tells a request that it takes, and that breaks in its body, what is wrong', async () => {
    const token = await test.key()
    feel(lag(150))
    const bytes = `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nTransfer-Encoding: chunked\r\n\r\nx`

    const { answers } = await talk(test.gateway.listen.port, { bytes })

    expect(answers).toMatchObject([{ status: 400, body: expect.stringContaining('VALIDATION_ERROR') }])
  })

  it('takes nothing for what it refuses', async () => {
    const token = await test.key('tight')
    feel(lag(300))
    for (let n = 0; n < 5; n++) expect(await ask(CHATS, { token, body: CHAT })).toBe('503 OVERLOADED')
    feel(calm, 5500)

    // Two in a minute: none of them is gone.
    expect(await ask(CHATS, { token, body: { ...CHAT, max_tokens: 16 } })).toBe('200')
    expect(await ask(CHATS, { token, body: { ...CHAT, max_tokens: 16 } })).toBe('200')
    expect(await test.ledger()).toHaveLength(2)
    expect(backend.requests).toHaveLength(2)
  })

  it('refuses before it reads the body', async () => {
    const token = await test.key()
    feel(lag(300))
    const head = `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Length: 9000000\r\n\r\n`

    const { answers } = await talk(test.gateway.listen.port, { bytes: head, onData: () => test.clock.advance(1000) })

    expect(answers.map(({ status }) => status)).toEqual([503])
  })

  it('lets what is under way go on', async () => {
    const token = await test.key('pro')
    let release = () => {}
    backend.next(async exchange => {
      await new Promise<void>(resolve => {
        release = resolve
      })
      await answer({ content: 'Hello.' })(exchange)
    })
    const asked = test.chat(token)
    await backend.received(1)
    feel(heap(0.97))
    release()

    expect((await asked).status).toBe(200)
  })

  it('tells its operator when refusing begins, gets worse and ends, and nothing more often', async () => {
    feel(lag(150), 3000)
    feel(lag(300), 3000)
    feel(calm, 6000)

    expect(test.alarms).toEqual([
      'overloaded: guests are refused {"lagMs":150,"cpuPercent":100,"heapPercent":10}',
      'overloaded: everybody is refused {"lagMs":300,"cpuPercent":100,"heapPercent":10}',
      'no longer overloaded: everybody is served {"lagMs":1,"cpuPercent":100,"heapPercent":10}',
    ])
  })
})

it('a gateway that shall not refuse anybody for its load does not', async () => {
  const backend = await startBackend()
  const yaml = 'limits: { shed_load: false }'
  const test = await startTestGateway({ onprem: [backend], yaml, sample: () => heap(0.97) })
  test.clock.advance(10_000)

  expect((await test.chat(await test.key())).status).toBe(200)

  await test.close()
  await backend.close()
})
