import { request } from 'node:http'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { isOwnHost } from '../../../src/http/admin/sessions.ts'
import { type Backend, startBackend } from '../../support/backend.ts'
import { ADMIN_TOKEN, startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { fieldOf, outcomeOf, send } from '../calls.ts'

const MINUTE = 60_000

let backend: Backend
let test: TestGateway

beforeEach(async () => {
  backend = await startBackend()
  test = await startTestGateway({ onprem: [backend] })
})

afterEach(async () => {
  await test.close()
  await backend.close()
})

const ask = (endpoint: string, token?: string, body?: object) =>
  send({ url: test.admin }, endpoint, { ...(token !== undefined && { token }), ...(body && { body }) })
const codeOf = async () => fieldOf(await ask('POST /admin/console/code', ADMIN_TOKEN, {}), 'code')
const redeem = (code: string) => ask('POST /admin/console/session', undefined, { code })
const sessionOf = async () => fieldOf(await redeem(await codeOf()), 'token')
const who = async (token: string) => outcomeOf(await ask('GET /admin/whoami', token))

describe('a code', () => {
  it('comes with a link, and becomes the session of who asked for it', async () => {
    const headers = { 'x-svcctl-user': 'ada@desk' }
    const issued = await send({ url: test.admin }, 'POST /admin/console/code', {
      token: ADMIN_TOKEN,
      body: {},
      headers,
    })
    const code = fieldOf(issued, 'code')
    const session = await redeem(code)

    expect(issued.body).toMatchObject({
      expires_at: '2026-11-21T10:01:00.000Z',
      url: `${test.admin}/console#code=${code}`,
    })
    expect(session.body).toEqual({
      token: expect.stringMatching(/^ops_[\w-]{43}$/),
      expires_at: '2026-11-21T22:00:00.000Z',
    })
    expect((await ask('GET /admin/whoami', fieldOf(session, 'token'))).body).toMatchObject({
      by: 'operator ada@desk',
      via: 'session',
    })
  })

  it('works once', async () => {
    const code = await codeOf()
    expect((await redeem(code)).status).toBe(200)

    expect(outcomeOf(await redeem(code))).toBe('401 INVALID_TOKEN')
  })

  it('works for a minute', async () => {
    const [early, late] = [await codeOf(), await codeOf()]
    test.clock.advance(MINUTE - 1)
    expect((await redeem(early)).status).toBe(200)
    test.clock.advance(1)

    expect(outcomeOf(await redeem(late))).toBe('401 INVALID_TOKEN')
  })

  it('is for operators to ask for, and one of five', async () => {
    expect(outcomeOf(await ask('POST /admin/console/code', await test.key(), {}))).toBe('401 INVALID_TOKEN')
    const codes = [await codeOf(), await codeOf(), await codeOf(), await codeOf(), await codeOf(), await codeOf()]

    expect(outcomeOf(await redeem(codes[0] ?? ''))).toBe('401 INVALID_TOKEN')
    expect((await redeem(codes[1] ?? '')).status).toBe(200)
  })

  it('cannot be guessed at more than ten times a minute from one address', async () => {
    const code = await codeOf()
    for (let index = 0; index < 10; index++) await redeem(`oc_${index}`)

    expect(outcomeOf(await redeem(code))).toBe('429 rate_limit_exceeded')
    test.clock.advance(MINUTE - 1)
    expect(outcomeOf(await redeem(await codeOf()))).toBe('429 rate_limit_exceeded')
    test.clock.advance(1)
    expect((await redeem(await codeOf())).status).toBe(200)
  })
})

describe('a session', () => {
  it('ends when it is ended, and with its process', async () => {
    const [first, second] = [await sessionOf(), await sessionOf()]
    expect((await ask('POST /admin/console/end', first, {})).body).toEqual({ ended: true })

    expect(await who(first)).toBe('401 INVALID_TOKEN')
    expect(await who(second)).toBe('200')
    test = await test.restart()
    expect(await who(second)).toBe('401 INVALID_TOKEN')
  })

  it('ends after an idle hour, and after twelve hours in any case', async () => {
    const [idle, busy] = [await sessionOf(), await sessionOf()]
    for (let minutes = 0; minutes < 12 * 60 - 30; minutes += 30) {
      test.clock.advance(30 * MINUTE)
      expect(await who(busy)).toBe('200')
    }
    expect(await who(idle)).toBe('401 INVALID_TOKEN')
    test.clock.advance(30 * MINUTE)
    expect(await who(busy)).toBe('401 INVALID_TOKEN')
  })

  it('is none on the public listener', async () => {
    const session = await sessionOf()

    expect(outcomeOf(await send(test, 'GET /v1/account', { token: session }))).toBe('401 INVALID_TOKEN')
    expect(outcomeOf(await send(test, 'POST /admin/console/session', { body: { code: 'x' } }))).toBe('404 NOT_FOUND')
  })
})

it('a name that leads here by chance of an attacker gets no session: the code stays good', async () => {
  const code = await codeOf()
  const { hostname, port } = new URL(test.admin)
  const status = await new Promise<number | undefined>(resolve => {
    const headers = { host: `evil.test:${port}`, 'content-type': 'application/json' }
    request({ hostname, port, method: 'POST', path: '/admin/console/session', headers }, response => {
      response.resume()
      resolve(response.statusCode)
    }).end(JSON.stringify({ code }))
  })

  expect(status).toBe(421)
  expect((await redeem(code)).status).toBe(200)
})

it('the host of server.admin_url is our own, and links lead there', async () => {
  const yaml = 'server:\n  admin_url: https://gateway.internal.example:8443/ops/'
  await test.reload({}, before => before.replace('server:', yaml))
  const issued = await ask('POST /admin/console/code', ADMIN_TOKEN, {})

  expect(fieldOf(issued, 'url')).toMatch(/^https:\/\/gateway\.internal\.example:8443\/ops\/console#code=oc_/)
  expect(isOwnHost('GATEWAY.internal.example:8443', 'https://gateway.internal.example:8443/ops')).toBe(true)
  expect(isOwnHost('gateway.internal.example', 'https://gateway.internal.example:8443/ops')).toBe(false)
})

it.each([
  ['127.0.0.1:9090', true],
  ['10.1.2.3', true],
  ['[::1]:9090', true],
  ['localhost:9090', true],
  ['LOCALHOST', true],
  ['evil.test', false],
  ['127.0.0.1.evil.test:9090', false],
  ['localhost.evil.test', false],
  ['evil.test@127.0.0.1', false],
  ['', false],
])('the host %s is our own: %s', (host, isOwn) => {
  expect(isOwnHost(host)).toBe(isOwn)
})
