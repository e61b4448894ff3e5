import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { createRemoteJWKSet, type JWTPayload, jwtVerify } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { identityProvider } from '../../demo/src/identity/provider.ts'
import { Browser, signInAs } from './browser.ts'

const AUDIENCE = 'http://localhost:8080'
let server: Server
let issuer: string
let answer: ReturnType<typeof identityProvider>

beforeAll(async () => {
  server = createServer((request, response) => answer(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  issuer = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  answer = identityProvider(issuer, AUDIENCE)
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

test.each([
  ['ada', { plan: 'pro', email: 'ada@example.com' }],
  ['bob', { email: 'bob@example.com' }],
])(
  '%s gets a signed access token of type at+jwt for the gateway, with the claims the demo gives',
  async (user, claims) => {
    const device = await ask('/device/auth', { scope: 'openid offline_access' })

    const done = await signInAs(user, device.verification_uri_complete)

    const tokens = await tokensOf(device)
    const keys = createRemoteJWKSet(new URL(`${issuer}/jwks`))
    const options = { issuer, audience: AUDIENCE, typ: 'at+jwt' }
    const { payload }: { payload: JWTPayload & Record<string, unknown> } = await jwtVerify(
      tokens.access_token,
      keys,
      options,
    )
    expect(done.html).toContain('<h1>Signed in</h1>')
    expect(payload).toMatchObject({ sub: user, client_id: 'svcctl', ...claims })
    expect(Object.hasOwn(payload, 'plan')).toBe('plan' in claims)
  },
)

test('a path that is no URL is a 400', async () => {
  const { host, hostname, port } = new URL(issuer)
  const socket = connect(Number(port), hostname)
  socket.end(`GET // HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)

  expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 /)
})

test('every page says that it is a demo, has a heading, and can be used by keyboard alone', async () => {
  const { verification_uri, verification_uri_complete, user_code } = await ask('/device/auth', { scope: 'openid' })
  const browser = new Browser()

  const typed = await browser.open(verification_uri)
  await browser.open(verification_uri_complete)
  const code = await browser.press('Continue')
  const users = await browser.press('Yes')

  for (const { html } of [typed, code, users]) {
    expect(html).toMatch(/<html lang="en">[\s\S]*<h1>[^<]+<\/h1>[\s\S]*This is a demo: .*no passwords/)
    expect(html).toMatch(/autofocus/)
    expect(html).not.toMatch(/<script/)
  }
  expect(typed.html).toContain('aria-label="Code"')
  expect(code.html).toContain(user_code)
  expect(users.buttons).toEqual(['ada (plan claim “pro”)', 'bob (no plan claim)'])
})

test('each sign-in asks who it is, though the browser was somebody before', async () => {
  const browser = new Browser()
  for (const user of ['ada', 'bob']) {
    const device = await ask('/device/auth', { scope: 'openid' })
    await browser.open(device.verification_uri_complete)
    await browser.press('Continue')
    await browser.press('Yes')
    await browser.press(user)

    const [, claims = ''] = (await tokensOf(device)).access_token.split('.')
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString()).sub).toBe(user)
  }
})

test('nobody signs in as a user the demo does not have', async () => {
  const { verification_uri_complete, ...device } = await ask('/device/auth', { scope: 'openid' })
  const browser = new Browser()
  await browser.open(verification_uri_complete)
  await browser.press('Continue')
  const { html } = await browser.press('Yes')
  const [, action = ''] = /action="([^"]*)"/.exec(html) ?? []

  const refused = await browser.open(issuer + action, new URLSearchParams({ user: 'constructor' }))

  expect(refused.status).toBe(400)
  expect(await tokensOf(device)).toMatchObject({ error: 'authorization_pending' })
})

test('a page of the web that reaches the provider under another name is turned away', async () => {
  const other = await fetch(issuer.replace('127.0.0.1', 'localhost'))

  expect(other.status).toBe(421)
})

const tokensOf = (device: Record<string, string>): Promise<Record<string, string> & { access_token: string }> =>
  ask('/token', {
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    device_code: device.device_code ?? '',
  })

type Answered = Record<string, string> &
  Record<'verification_uri' | 'verification_uri_complete' | 'user_code' | 'access_token', string>

async function ask(path: string, form: Record<string, string>): Promise<Answered> {
  const body = new URLSearchParams({ client_id: 'svcctl', resource: AUDIENCE, ...form })
  const response = await fetch(issuer + path, { method: 'POST', body })
  return JSON.parse(await response.text())
}
