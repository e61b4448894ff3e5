import { createHmac } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { adminEndpoints } from '../../../src/http/admin/admin.ts'
import { publicEndpoints } from '../../../src/http/public/public.ts'
import { inNpmTest } from '../../lanes/lane.ts'
import type { Backend } from '../../support/backend.ts'
import { AUDIENCE, ENV, startTestGateway, type TestGateway } from '../../support/gateway.ts'
import type { OidcServer } from '../../support/identity/oidc.ts'
import { openSignIns } from '../../support/identity/sign-ins.ts'
import { did } from '../../support/operator.ts'
import { describeRedis, type RedisServer, useRedis } from '../../support/redis/redis.ts'
import { codeOf, fieldOf, outcomeOf, send } from '../calls.ts'

const ISSUE = 'POST /v1/agent-tokens'
const CHAT = 'POST /v1/chat/completions'
const SECRET = 'the-secret-of-agent-tokens-of-the-tests'
const HOUR = 3_600_000
const body = { messages: [{ role: 'user', content: 'Hello' }], max_tokens: 10 }

inNpmTest.describe('with the embedded store', () => guarantees())
describeRedis('with Redis', () => guarantees(useRedis()))

function guarantees(redis?: () => RedisServer): void {
  let backend: Backend
  let oidc: OidcServer
  let test: TestGateway

  const users = Object.fromEntries(
    ['ada', 'bob', 'eve'].map(name => [name, { plan: 'pro', email: `${name}@example.com` }]),
  )
  openSignIns(users, async parts => {
    ;({ backend, oidc } = parts)
    test = await start()
    return test
  })

  const start = (secret = SECRET) =>
    startTestGateway({
      onprem: [backend],
      oidc,
      ...(redis && {
        redis: redis(),
        identity: `agent_secret: "\${AGENT_SECRET}"`,
        env: { ...ENV, AGENT_SECRET: secret },
      }),
    })
  const signIn = async (user: string) => (await oidc.signIn(user)).accessToken
  const issue = (token: string, wish?: object, at: Pick<TestGateway, 'url'> = test) =>
    send(at, ISSUE, { token, ...(wish && { body: wish }) })
  const tokenOf = async (user: string, wish?: object) => fieldOf(await issue(await signIn(user), wish), 'token')
  const chat = async (token: string, at: Pick<TestGateway, 'url'> = test) => send(at, CHAT, { token, body })

  it('a person gets a token that is served as their account, on their plan, in either header', async () => {
    const issued = await issue(await signIn('ada'))
    const token = fieldOf(issued, 'token')
    const served = await chat(token)
    const byHeader = await send(test, CHAT, { body, headers: { 'x-api-key': token } })

    expect(issued.body).toMatchObject({ object: 'agent_token', plan: 'pro' })
    expect(Number(fieldOf(issued, 'expires'))).toBe(Math.floor((test.clock.now() + HOUR) / 1000))
    expect([served.status, byHeader.status]).toEqual([200, 200])
    expect((await test.ledger()).at(-1)?.account).toBe(fieldOf(issued, 'account'))
  })

  it('every endpoint that infers nothing refuses it, and so does every one of operators', async () => {
    const token = await tokenOf('ada')
    const closed = publicEndpoints.filter(({ who, ...row }) => who !== 'anyone' && !('infers' in row))
    const called = closed.map(({ method, path }) => `${method} ${path}`)
    for (const endpoint of called) {
      const refused = await send(test, endpoint, { token, ...(endpoint.startsWith('POST') && { body: {} }) })
      expect([endpoint, outcomeOf(refused)]).toEqual([endpoint, '401 INVALID_TOKEN'])
      expect(refused.text).toContain('An agent token is for inference only')
    }
    expect(called).toEqual([
      'GET /v1/account',
      'POST /v1/account/join',
      'GET /v1/account/notices',
      'POST /v1/account/notices',
      'GET /v1/requests',
      'GET /billing/quota',
      'GET /billing/usage',
      'GET /billing/invoices',
      'POST /v1/agent-tokens',
      'GET /v1/keys/developer',
      'POST /v1/keys/developer',
      'POST /v1/keys/developer/rotate',
      'POST /v1/keys/developer/revoke',
    ])
    for (const { method, path, who } of adminEndpoints) {
      if (who === 'anyone') continue
      const told = await send({ url: test.admin }, `${method} ${path}`, {
        token,
        ...(method === 'POST' && { body: {} }),
      })
      expect([path, codeOf(told) || told.status]).toEqual([
        path,
        expect.stringMatching(/INVALID_TOKEN|rate_limit_exceeded/),
      ])
    }
  })

  it('a key, a service and an agent token get none', async () => {
    expect(outcomeOf(await issue(await test.key('pro', 'somebody')))).toBe('401 INVALID_TOKEN')
    expect(outcomeOf(await issue(await tokenOf('ada')))).toBe('401 INVALID_TOKEN')
    expect(outcomeOf(await send(test, ISSUE))).toBe('401 NO_AUTH')
  })

  it('it ends when it says, and no wish makes it live longer than an hour', async () => {
    const short = await tokenOf('ada', { expires_in: '5m' })
    const long = await tokenOf('ada')
    test.clock.advance(300_000 - 1)
    expect((await chat(short)).status).toBe(200)
    test.clock.advance(1)

    const ended = await chat(short)
    expect([outcomeOf(ended), (await chat(long)).status]).toEqual(['401 INVALID_TOKEN', 200])
    expect(ended.text).toContain('has expired')
    const wished = await issue(await signIn('ada'), { expires_in: '61m' })
    expect(outcomeOf(wished)).toBe('400 VALIDATION_ERROR')
    expect(wished.text).toContain('expires_in: must be at most 1h')
  })

  it('a freeze ends all tokens of the account at the next request, and none is issued until it is thawed', async () => {
    const token = await tokenOf('bob')
    const account = fieldOf(await issue(await signIn('bob')), 'account')
    expect((await chat(token)).status).toBe(200)

    await did(test, 'accounts/freeze', { account })
    expect(outcomeOf(await chat(token))).toBe('403 ACCOUNT_FROZEN')
    expect(outcomeOf(await issue(await signIn('bob')))).toBe('403 ACCOUNT_FROZEN')
    await did(test, 'accounts/thaw', { account })
    expect((await chat(token)).status).toBe(200)
  })

  it('a change to any character, to the claims under the same code, or to the code of other claims is refused', async () => {
    const token = await tokenOf('eve')
    const [head = '', claims = ''] = token.split('.')
    const stronger = { ...JSON.parse(Buffer.from(claims, 'base64url').toString()), plan: 'pro', expiresAt: 8e15 }
    const encoded = Buffer.from(JSON.stringify(stronger)).toString('base64url')
    const guessed = createHmac('sha256', '').update(encoded).digest('hex')
    const places = [head.length - 1, head.length - 30, token.length - 1, head.length + 5]
    const flipped = places.map(at => token.slice(0, at) + (token[at] === 'a' ? 'b' : 'a') + token.slice(at + 1))
    const forged = [
      ...flipped,
      `${head}.${encoded}`,
      `svct_${guessed}.${encoded}`,
      `svct_${'0'.repeat(64)}.${claims}`,
      `svct_.${claims}`,
      `${head}.`,
      head,
      `${token}=`,
      `${token}.${claims}`,
      `${head.toUpperCase().replace('SVCT_', 'svct_')}.${claims}`,
    ]

    const outcomes = await Promise.all(forged.map(async each => outcomeOf(await chat(each))))
    expect(new Set(outcomes)).toEqual(new Set(['401 INVALID_TOKEN']))
  })

  it('a gateway with another secret, and one with another public URL, refuse it', async () => {
    const token = await tokenOf('ada')
    const other = await start('another-secret-of-another-deployment')
    onTestFinished(() => other.close())
    await issue(await signIn('ada'), undefined, other)
    expect(outcomeOf(await chat(token, other))).toBe('401 INVALID_TOKEN')

    await test.reload({}, yaml => yaml.replace(`public_url: ${AUDIENCE}`, 'public_url: https://elsewhere.example'))
    onTestFinished(async () => void (await test.reload()))
    expect(outcomeOf(await chat(token))).toBe('401 INVALID_TOKEN')
  })

  it('a gateway where people do not sign in any more refuses it', async () => {
    const token = await tokenOf('ada')
    await test.reload({}, yaml => yaml.replace(/^identity: .*$/m, ''))
    onTestFinished(async () => void (await test.reload()))

    expect(outcomeOf(await chat(token))).toBe('401 INVALID_TOKEN')
  })

  it('a restart ends none', async () => {
    const token = await tokenOf('ada')
    test = await test.restart()
    expect((await chat(token)).status).toBe(200)
  })

  if (redis)
    it('another gateway on the store with the same secret takes it, and one without issues none', async () => {
      const token = await tokenOf('ada')
      const peer = await start()
      const bare = await startTestGateway({ onprem: [backend], oidc, redis: redis() })
      onTestFinished(async () => {
        await peer.close()
        await bare.close()
      })

      expect((await chat(token, peer)).status).toBe(200)
      const refused = await issue(await signIn('ada'), undefined, bare)
      expect(outcomeOf(refused)).toBe('404 NOT_FOUND')
      expect(refused.text).toContain('identity.agent_secret')
      expect(outcomeOf(await chat(token, bare))).toBe('401 INVALID_TOKEN')
    })
  else
    it('a removed secret ends them, and the next token makes another one', async () => {
      const token = await tokenOf('ada')
      rmSync(join(test.dir, 'agent-secret'))
      test = await test.restart()

      expect(outcomeOf(await chat(token))).toBe('401 INVALID_TOKEN')
      expect((await chat(await tokenOf('ada'))).status).toBe(200)
    })
}
