import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { awaitTokens, type Device, startDevice, type Waiting } from '../../../src/cli/login/run.ts'

const WISH = { clientId: 'svcctl', gateway: 'https://api.example.com' }
const TOKENS = { access_token: 'a', token_type: 'Bearer', refresh_token: 'r' }
const DEVICE: Device = { code: 'd', userCode: 'U', uri: 'https://id.example.com', intervalMs: 5000, expiresMs: 600_000 }

/** Answers of the provider, one for each question; null closes the connection. */
let answers: (readonly [status: number, body: object] | null)[] = []
/** The forms it was sent. */
let forms: URLSearchParams[] = []
let server: Server
let issuer: Parameters<typeof startDevice>[0]

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const chunks = await request.toArray()
    forms.push(new URLSearchParams(Buffer.concat(chunks).toString()))
    const answer = answers.shift()
    if (answer) response.writeHead(answer[0], { 'content-type': 'application/json' }).end(JSON.stringify(answer[1]))
    else request.socket.destroy()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const url = new URL(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`)
  issuer = { issuer: url.origin, token: url, device: url, scopes: ['openid', 'offline_access'] }
})
beforeEach(() => {
  forms = []
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

/** Time that passes only while somebody waits for it. */
function virtualTime(): Waiting & { readonly waits: number[] } {
  const waits: number[] = []
  return {
    waits,
    now: () => waits.reduce((sum, wait) => sum + wait, 0),
    sleep: async ms => {
      waits.push(ms)
    },
  }
}

const no = (error: string) => [400, { error }] as const

test.each([
  ['pending is asked again at the same pace', [no('authorization_pending'), no('authorization_pending')], [5, 5, 5]],
  ['slow_down adds five seconds, and they stay', [no('slow_down'), no('authorization_pending')], [5, 10, 10]],
  ['each slow_down adds five more', [no('slow_down'), no('slow_down')], [5, 10, 15]],
  ['no answer doubles the wait', [null, null], [5, 10, 20]],
  ['a provider that fails doubles the wait', [[503, {}] as const, no('authorization_pending')], [5, 10, 10]],
])('%s', async (_, first, waits) => {
  const time = virtualTime()
  answers = [...first, [200, TOKENS]]

  const tokens = await awaitTokens(issuer, WISH, DEVICE, time)

  expect(tokens).toEqual({ accessToken: 'a', refreshToken: 'r' })
  expect(time.waits).toEqual(waits.map(seconds => seconds * 1000))
})

test.each([
  ['access_denied', 'refused in the browser'],
  ['expired_token', 'the code has expired'],
  ['invalid_grant', 'refuses: invalid_grant'],
])('%s ends the waiting at once with exit code 1', async (error, says) => {
  answers = [no(error)]

  const waited = awaitTokens(issuer, WISH, DEVICE, virtualTime())

  await expect(waited).rejects.toMatchObject({ exitCode: 1, message: expect.stringContaining(says) })
  expect(forms).toHaveLength(1)
})

test('nothing is asked after the code has expired, whatever the provider says', async () => {
  const time = virtualTime()
  answers = Array.from({ length: 100 }, () => no('authorization_pending'))

  const waited = awaitTokens(issuer, WISH, { ...DEVICE, expiresMs: 21_000 }, time)

  await expect(waited).rejects.toMatchObject({ exitCode: 1, message: expect.stringContaining('has expired') })
  expect(time.waits).toEqual([5000, 5000, 5000, 5000])
})

test('a device is asked for with the gateway as resource, and what it answers is what is shown and how long it waits', async () => {
  answers = [
    [
      200,
      {
        device_code: 'd',
        user_code: 'ABCD\u001b[2J',
        verification_uri: 'https://id.example.com/device',
        verification_uri_complete: 'https://id.example.com/device?user_code=ABCD',
        interval: 2,
        expires_in: 60,
      },
    ],
  ]

  const device = await startDevice(issuer, WISH)

  expect(Object.fromEntries(forms[0] ?? [])).toEqual({
    client_id: 'svcctl',
    scope: 'openid offline_access',
    resource: 'https://api.example.com',
  })
  expect(device).toEqual({
    code: 'd',
    userCode: 'ABCD [2J',
    uri: 'https://id.example.com/device',
    uriComplete: 'https://id.example.com/device?user_code=ABCD',
    intervalMs: 2000,
    expiresMs: 60_000,
  })
})

test('a provider that says no interval is asked every five seconds', async () => {
  answers = [[200, { device_code: 'd', user_code: 'U', verification_uri: 'https://id.example.com' }]]

  expect(await startDevice(issuer, WISH)).toMatchObject({ intervalMs: 5000, expiresMs: 600_000 })
})

test('a provider without refresh tokens is not asked for one', async () => {
  answers = [[200, { device_code: 'd', user_code: 'U', verification_uri: 'https://id.example.com' }]]

  await startDevice({ ...issuer, scopes: [] }, WISH)

  expect(forms[0]?.get('scope')).toBe('openid')
})

test('a provider without a device endpoint is told apart, with exit code 1', async () => {
  const { device: _, ...without } = issuer

  await expect(startDevice(without, WISH)).rejects.toMatchObject({
    exitCode: 1,
    message: expect.stringContaining('offers no sign-in by device code'),
  })
})
