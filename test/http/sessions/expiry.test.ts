import { afterEach, beforeEach, expect, it } from 'vitest'
import { AUDIENCE, type TestGateway } from '../../support/gateway.ts'
import { type OidcServer, startOidc } from '../../support/identity/oidc.ts'
import { openSocket, SocketBackend } from '../../support/socket-backend.ts'
import { joined, responseDone, startLive } from './fixture.ts'

let backend: SocketBackend
let oidc: OidcServer
let test: TestGateway
let token: string
/** When the token ends. */
let end: number

beforeEach(async () => {
  backend = await SocketBackend.start()
  oidc = await startOidc({ audience: AUDIENCE, users: { ada: { plan: 'pro' } } })
  test = await startLive({ onprem: [backend], oidc })
  token = (await oidc.signIn('ada')).accessToken
  const { exp } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
  end = exp * 1000
})

afterEach(async () => {
  await test.close()
  await oidc.stop()
  await backend.close()
})

it('a session of a sign-in ends with its token, to the millisecond, and is charged what it used', async () => {
  test.clock.advance(end - test.clock.now() - 30_000)
  const { client, server } = await joined(test, backend, '/v1/realtime', token)
  server.say(responseDone(100, 20))
  await client.next()

  test.clock.advance(29_999)
  client.say('still here')
  expect(await server.next()).toBe('still here')
  test.clock.advance(1)

  expect(await client.end()).toEqual({ code: 3000, reason: 'token expired' })
  expect(await server.end()).toMatchObject({ code: 1001 })
  expect((await test.logged(1))[0]).toMatchObject({ status: 101, interrupted: 'token expired' })
  expect(await test.ledger()).toMatchObject([{ inputTokens: 100, outputTokens: 20 }])
})

it('a session ends with its token in the middle of a response, which costs what was said of it', async () => {
  test.clock.advance(end - test.clock.now() - 1000)
  const { client, server } = await joined(test, backend, '/v1/realtime', token)
  for (const delta of ['Hello', ' there']) server.say({ type: 'response.output_text.delta', delta })
  await client.until(() => client.got.length === 2)

  test.clock.advance(1000)

  expect(await client.end()).toEqual({ code: 3000, reason: 'token expired' })
  expect(await test.ledger()).toMatchObject([{ outputTokens: 2, estimated: true }])
})

it('a token that has ended opens no session, although requests may come with it for a moment', async () => {
  test.clock.advance(end - test.clock.now() + 10_000)

  const models = await fetch(`${test.url}/v1/models`, { headers: { authorization: `Bearer ${token}` } })
  const asked = await openSocket(`${test.url}/v1/realtime`, { key: token }).catch(error => error)

  expect(models.status).toBe(200)
  expect(asked).toMatchObject({ status: 401, body: expect.stringContaining('INVALID_TOKEN') })
  expect(backend.asked).toEqual([])
})
