import { expect, it, onTestFinished } from 'vitest'
import { adminEndpoints } from '../../../src/http/admin/admin.ts'
import { claudeEndpoints } from '../../../src/http/public/claude-login.ts'
import { publicEndpoints } from '../../../src/http/public/public.ts'
import { inNpmTest } from '../../lanes/lane.ts'
import type { Backend } from '../../support/backend.ts'
import { AUDIENCE, ENV, startTestGateway, type TestGateway } from '../../support/gateway.ts'
import type { OidcServer } from '../../support/identity/oidc.ts'
import { openSignIns } from '../../support/identity/sign-ins.ts'
import { did } from '../../support/operator.ts'
import { describeRedis, type RedisServer, useRedis } from '../../support/redis/redis.ts'
import { codeOf, fieldOf, outcomeOf, send, type Told } from '../calls.ts'

const DEVICE = 'urn:ietf:params:oauth:grant-type:device_code'
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const SECRET = 'the-secret-of-agent-tokens-of-the-tests'
const SCIM_SECRET = 'scim-secret-of-the-tests-0000000001'
const LOGIN = `claude_login: { notice: "Ask #llm-help.", settings: { pro: { permissions: { deny: [WebFetch] }, b: 1, a: "ü" }, free: {} } }`
const question = { model: 'svc-core', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 10 }

inNpmTest.describe('with the embedded store', () => guarantees())
describeRedis('with Redis', () => guarantees(useRedis()))

function guarantees(redis?: () => RedisServer): void {
  let backend: Backend
  let oidc: OidcServer
  let test: TestGateway
  let people = 0
  let networks = 0

  openSignIns({ frank: { plan: 'free', email: 'frank@example.com' } }, async parts => {
    ;({ backend, oidc } = parts)
    test = await start()
    return test
  })

  const start = (secret = SECRET) =>
    startTestGateway({
      onprem: [backend],
      oidc,
      trustedProxies: ['127.0.0.1/32'],
      identity: `console_client_id: svc-console, agent_secret: "\${AGENT_SECRET}", scim: { secret: "\${SCIM_SECRET}" }, ${LOGIN}`,
      env: { ...ENV, AGENT_SECRET: secret, SCIM_SECRET },
      ...(redis && { redis: redis() }),
    })
  /** A person of their own, so that no test is held back by what others tried. */
  const signIn = async (user = `person-${++people}`) => {
    // The provider has real time, and its tokens are not accepted half a minute before they begin.
    test.clock.advance(Math.max(0, Date.now() - test.clock.now()))
    return (await oidc.signIn(user)).accessToken
  }
  const network = () => `10.${++networks}.0.1`
  const form = (
    path: string,
    fields: Readonly<Record<string, string>> | string,
    from = '10.0.0.1',
    at: Pick<TestGateway, 'url'> = test,
  ) =>
    send(at, `POST ${path}`, {
      body: typeof fields === 'string' ? fields : new URLSearchParams(fields).toString(),
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'user-agent': 'claude-code/2.1.330',
        'x-forwarded-for': from,
      },
    })
  const begin = async (from?: string) => {
    const begun = await form('/oauth/device_authorization', { surface: 'claude_code' }, from ?? network())
    return { begun, device: fieldOf(begun, 'device_code'), user: fieldOf(begun, 'user_code') }
  }
  const poll = (device: string, at?: TestGateway) =>
    form('/oauth/token', { grant_type: DEVICE, device_code: device }, undefined, at)
  const refresh = (token: string, from?: string, at?: TestGateway) =>
    form('/oauth/token', { grant_type: 'refresh_token', refresh_token: token }, from, at)
  const decide = (token: string, verb: 'approve' | 'deny' | '', user_code: string) =>
    send(test, `POST /v1/account/device${verb && `/${verb}`}`, { token, body: { user_code } })
  const tokensOf = (told: Told) => ({ access: fieldOf(told, 'access_token'), refresh: fieldOf(told, 'refresh_token') })
  /** Deactivates or reactivates a person, as Okta does. */
  const setActive = (user: string, active: boolean) =>
    send(test, 'POST /scim/v2/Users', {
      token: SCIM_SECRET,
      body: { userName: user, externalId: user, active },
      headers: { 'x-forwarded-for': network() },
    })
  const login = async (person?: string) => {
    const token = person ?? (await signIn())
    const { device, user } = await begin()
    expect(outcomeOf(await decide(token, 'approve', user))).toBe('200')
    return { ...tokensOf(await poll(device)), token }
  }
  const ask = (token: string, at: Pick<TestGateway, 'url'> = test, from = network()) =>
    send(at, 'POST /v1/messages', {
      token,
      body: question,
      headers: { 'anthropic-version': '2023-06-01', 'x-forwarded-for': from },
    })
  const errorOf = (told: Told) => `${told.status} ${fieldOf(told, 'error')}`

  it('a device gets tokens once a person approved its code, and they are served as that person', async () => {
    const { body } = await send(test, 'GET /.well-known/oauth-authorization-server')
    expect(body).toMatchObject({
      issuer: AUDIENCE,
      device_authorization_endpoint: `${AUDIENCE}/oauth/device_authorization`,
      token_endpoint: `${AUDIENCE}/oauth/token`,
      grant_types_supported: [DEVICE, 'refresh_token'],
    })
    const token = await signIn('frank')
    const { begun, device, user } = await begin('10.200.3.4')
    expect(begun.body).toMatchObject({
      user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
      verification_uri: `${AUDIENCE}/device`,
      verification_uri_complete: `${AUDIENCE}/console#device=${user}`,
      expires_in: 600,
      interval: 5,
      login_notice: 'Ask #llm-help.',
    })
    expect(errorOf(await poll(device))).toBe('400 authorization_pending')

    const asked = await decide(token, '', user.toLowerCase().replace('-', ' '))
    expect(asked.body).toMatchObject({ object: 'device', client: 'Claude Code 2.1.330', address: '10.200.3.4' })
    await decide(token, 'approve', user)
    const given = await poll(device)
    expect(given.body).toMatchObject({ token_type: 'Bearer', expires_in: 3600, email: 'frank@example.com' })
    expect(given.headers['cache-control']).toBe('no-store')

    expect((await ask(tokensOf(given).access)).status).toBe(200)
    const account = fieldOf(await send(test, 'GET /v1/account', { token }), 'account')
    expect((await test.ledger()).at(-1)?.account).toBe(account)
  })

  it('a code works once, for ten minutes, and a refused one gets nothing', async () => {
    const token = await signIn()
    const used = await begin()
    await decide(token, 'approve', used.user)
    const polls = await Promise.all([poll(used.device), poll(used.device), poll(used.device)])
    expect(polls.map(({ status }) => status).sort()).toEqual([200, 400, 400])
    expect(errorOf(await poll(used.device))).toBe('400 expired_token')
    expect(outcomeOf(await decide(token, 'approve', used.user))).toBe('400 VALIDATION_ERROR')

    const denied = await begin()
    await decide(token, 'deny', denied.user)
    expect(errorOf(await poll(denied.device))).toBe('400 access_denied')
  })

  it('a device that asks too fast is told to slow down', async () => {
    const { device } = await begin()
    expect(errorOf(await poll(device))).toBe('400 authorization_pending')
    expect(errorOf(await poll(device))).toBe('400 slow_down')
  })

  it('every endpoint but those of agents refuses its access token, and none but the token endpoint takes its refresh token', async () => {
    const { access, refresh: refreshToken } = await login()
    const rows = [...publicEndpoints, ...claudeEndpoints].filter(({ who }) => who !== 'anyone')
    const closed = rows.filter(row => !('infers' in row) && !('agents' in row))
    for (const { method, path } of closed) {
      const told = await send(test, `${method} ${path}`, {
        token: access,
        headers: { 'x-forwarded-for': network() },
        ...(method === 'POST' && { body: {} }),
      })
      expect([path, outcomeOf(told)]).toEqual([path, '401 INVALID_TOKEN'])
    }
    for (const { method, path } of rows) {
      const told = await send(test, `${method} ${path}`, {
        token: refreshToken,
        headers: { 'x-forwarded-for': network() },
        ...(method === 'POST' && { body: {} }),
      })
      expect([path, outcomeOf(told)]).toEqual([path, '401 INVALID_TOKEN'])
    }
    for (const { method, path, who } of adminEndpoints.filter(({ who }) => who !== 'anyone')) {
      const told = await send({ url: test.admin }, `${method} ${path}`, {
        token: access,
        ...(method === 'POST' && { body: {} }),
      })
      expect([path, codeOf(told), who]).toEqual([path, expect.stringMatching(/INVALID_TOKEN|rate_limit_exceeded/), who])
    }
  })

  it('keys, agent tokens and strangers approve no device', async () => {
    const { access } = await login()
    const { user, device } = await begin()
    for (const token of [await test.key('pro', `somebody-${++people}`), access, undefined])
      for (const verb of ['approve', 'deny', ''] as const) {
        const told = await send(test, `POST /v1/account/device${verb && `/${verb}`}`, {
          ...(token !== undefined && { token }),
          body: { user_code: user },
        })
        expect(told.status).toBe(401)
      }
    expect(errorOf(await poll(device))).toBe('400 authorization_pending')
  })

  it('a refresh replaces the refresh token, and the access tokens of the login go on', async () => {
    const first = await login()
    const next = tokensOf(await refresh(first.refresh))
    const third = tokensOf(await refresh(next.refresh))

    expect(new Set([first.refresh, next.refresh, third.refresh]).size).toBe(3)
    for (const { access } of [first, next, third]) expect((await ask(access)).status).toBe(200)
  })

  it('a replaced refresh token from another network ends the login, unless that network uses its newest tokens within two minutes', async () => {
    const first = await login()
    const next = tokensOf(await refresh(first.refresh, '10.1.1.1'))
    expect(errorOf(await refresh(first.refresh, '10.99.0.1'))).toBe('401 invalid_grant')
    // Neither an older token from there nor a newest one from elsewhere proves anything.
    expect((await ask(first.access, test, '10.99.0.1')).status).toBe(200)
    const third = tokensOf(await refresh(next.refresh, '10.1.1.1'))
    expect((await ask(third.access, test, '10.1.1.1')).status).toBe(200)

    test.clock.advance(2 * MINUTE)
    const refused = await ask(third.access, test, '10.99.0.1')
    expect([refused.status, refused.headers['x-should-retry']]).toEqual([401, 'false'])
    expect(refused.text).toContain('run /login')
    expect(errorOf(await refresh(third.refresh, '10.1.1.1'))).toBe('401 invalid_grant')
    expect((await ask(first.access)).status).toBe(401)
    expect(test.alarms.join('\n')).toContain('a refresh token was used again')
  })

  it.each(['access', 'refresh'] as const)(
    'the second session of a laptop that changed its network takes the newest %s token over, and the login goes on',
    async which => {
      const first = await login()
      const next = tokensOf(await refresh(first.refresh, '10.2.1.1'))
      expect(errorOf(await refresh(first.refresh, '10.98.0.1'))).toBe('401 invalid_grant')

      let newest = next
      if (which === 'access') expect((await ask(next.access, test, '10.98.0.7')).status).toBe(200)
      else newest = tokensOf(await refresh(next.refresh, '10.98.0.7'))
      test.clock.advance(2 * MINUTE)
      expect((await ask(newest.access)).status).toBe(200)
      expect((await refresh(newest.refresh, '10.2.1.1')).status).toBe(200)
    },
  )

  it('replaced refresh tokens from two other networks end the login at once', async () => {
    const first = await login()
    const next = tokensOf(await refresh(first.refresh, '10.3.1.1'))
    for (const from of ['10.97.0.1', '10.96.0.1'])
      expect(errorOf(await refresh(first.refresh, from))).toBe('401 invalid_grant')

    expect((await ask(next.access, test, '10.97.0.1')).status).toBe(401)
  })

  it('another session of the same machine that holds the replaced token is refused, and the login goes on', async () => {
    const first = await login()
    const next = tokensOf(await refresh(first.refresh, '10.7.1.1'))

    expect(errorOf(await refresh(first.refresh, '10.7.1.9'))).toBe('401 invalid_grant')
    expect((await ask(next.access)).status).toBe(200)
    expect((await refresh(next.refresh, '10.7.1.1')).status).toBe(200)
  })

  it('a freeze ends the next request and the next refresh, and approves nothing', async () => {
    const { access, refresh: refreshToken, token } = await login()
    const account = fieldOf(await send(test, 'GET /v1/account', { token }), 'account')
    const { user } = await begin()
    await did(test, 'accounts/freeze', { account })

    expect(outcomeOf(await ask(access))).toBe('403 ACCOUNT_FROZEN')
    expect(errorOf(await refresh(refreshToken))).toBe('401 invalid_grant')
    expect(outcomeOf(await decide(token, 'approve', user))).toBe('403 ACCOUNT_FROZEN')
    await did(test, 'accounts/thaw', { account })
    expect((await ask(access)).status).toBe(200)
  })

  it('a deactivation by the provider ends the next request and the next refresh at every gateway, until it reactivates', async () => {
    const gateways = redis ? [test, await start()] : [test]
    onTestFinished(() => Promise.all(gateways.slice(1).map(each => each.close())).then(() => undefined))
    const user = `person-${++people}`
    const { access, refresh: token } = await login(await signIn(user))
    for (const at of gateways) expect((await ask(access, at)).status).toBe(200)

    expect((await setActive(user, false)).status).toBe(201)
    for (const at of gateways) {
      expect(outcomeOf(await ask(access, at))).toBe('403 ACCOUNT_FROZEN')
      expect(errorOf(await refresh(token, undefined, at))).toBe('401 invalid_grant')
    }
    expect((await setActive(user, true)).status).toBe(201)
    for (const at of gateways) expect((await ask(access, at)).status).toBe(200)
  })

  it('a laptop that changes its network goes on: its newest refresh token is good from anywhere', async () => {
    let tokens = await login()
    for (const from of ['10.11.0.1', '10.12.0.1', '10.11.0.1', '10.13.0.1']) {
      const told = await refresh(tokens.refresh, from)
      expect(told.status).toBe(200)
      tokens = { ...tokens, ...tokensOf(told) }
    }
    expect((await ask(tokens.access)).status).toBe(200)
  })

  it.each(['access', 'refresh'] as const)('signing out by its %s token ends a login, and no other one', async which => {
    const person = await signIn()
    const [one, other] = [await login(person), await login(person)]
    expect((await form('/oauth/revoke', { token: one[which], token_type_hint: 'other' })).status).toBe(200)
    expect((await form('/oauth/revoke', { token: 'svcr_nonsense' })).status).toBe(200)

    expect((await ask(one.access)).status).toBe(401)
    expect(errorOf(await refresh(one.refresh))).toBe('401 invalid_grant')
    expect((await ask(other.access)).status).toBe(200)
  })

  it('a change to any character of a refresh token is refused, and ends nothing', async () => {
    const { access, refresh: token } = await login()
    const [head = '', count = '', secret = ''] = token.split('.')
    const flipped = [head.length - 1, 6, token.length - 2].map(
      at => token.slice(0, at) + (token[at] === 'a' ? 'b' : 'a') + token.slice(at + 1),
    )
    const forged = [
      ...flipped,
      `${head}.1.${secret}`,
      `${head}.0${count}.${secret}`,
      `svcr_${'0'.repeat(64)}.0.${secret}`,
      `${head}.${count}`,
      `${token}=`,
      token.replace('svcr_', 'svct_'),
      access,
    ]
    const outcomes = await Promise.all(forged.map(async each => errorOf(await refresh(each))))
    expect(new Set(outcomes)).toEqual(new Set(['401 invalid_grant']))
    expect((await refresh(token)).status).toBe(200)
  })

  it('a person may try twenty codes in ten minutes, and then not even the right one', async () => {
    const token = await signIn()
    const { user } = await begin()
    const guesses = await Promise.all(Array.from({ length: 20 }, () => decide(token, '', 'BBBB-BBBB')))
    expect(new Set(guesses.map(outcomeOf))).toEqual(new Set(['400 VALIDATION_ERROR']))
    expect(outcomeOf(await decide(token, 'approve', user))).toBe('429 rate_limit_exceeded')
    expect(outcomeOf(await decide(await signIn(), 'approve', user))).toBe('200')
  })

  it('a network may start sixty sign-ins in ten minutes', async () => {
    const from = network()
    let last: Told | undefined
    for (let i = 0; i <= 60; i++) {
      // Beside this limit is that of reads of an address.
      test.clock.advance(500)
      last = await form('/oauth/device_authorization', {}, `${from.slice(0, -1)}${i + 1}`)
    }
    expect(last && errorOf(last)).toBe('429 slow_down')
    expect(Number(last?.headers['retry-after'])).toBeGreaterThan(0)
    expect((await begin()).begun.status).toBe(200)
  })

  it.each([
    ['a body of 10 MB', 'x='.padEnd(10_000_000, 'y'), {}, 413, 'invalid_request'],
    ['JSON', '{"grant_type":"refresh_token"}', { 'content-type': 'application/json' }, 415, 'invalid_request'],
    ['nothing', '', {}, 400, 'invalid_request'],
    ['a parameter twice', 'grant_type=refresh_token&grant_type=refresh_token', {}, 400, 'invalid_request'],
    ['another grant', 'grant_type=password&username=a&password=b', {}, 400, 'unsupported_grant_type'],
    ['a device code that is none', `grant_type=${DEVICE}&device_code=%00${'x'.repeat(999)}`, {}, 400, 'expired_token'],
    ['a refresh token that is none', 'grant_type=refresh_token&refresh_token=svcr_x', {}, 401, 'invalid_grant'],
  ])('the token endpoint answers %s in the words of OAuth', async (_, body, headers, status, error) => {
    const told = await send(test, 'POST /oauth/token', {
      body,
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-forwarded-for': network(), ...headers },
    })
    expect([told.status, fieldOf(told, 'error')]).toEqual([status, error])
    expect(fieldOf(told, 'error_description')).not.toBe('')
  })

  it('no parameter leads a browser elsewhere, and no header puts words on the page', async () => {
    for (const path of [
      '/device',
      '/device?user_code=BBBB-BBBB&redirect_uri=https://evil.example',
      '/device?x=%0d%0a',
    ]) {
      const response = await fetch(test.url + path, { redirect: 'manual' })
      expect([response.status, response.headers.get('location')]).toEqual([302, `${AUDIENCE}/console#device`])
    }
    const begun = await send(test, 'POST /oauth/device_authorization', {
      body: 'client_id=Payroll&client_name=<b>Payroll</b>',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'user-agent': 'claude-code/2.1.330<script>alert(1)</script> Payroll. Approve this!',
        'x-forwarded-for': network(),
      },
    })
    const asked = await decide(await signIn(), '', fieldOf(begun, 'user_code'))
    expect(asked.body).toMatchObject({ client: 'a client that does not give its name' })
    expect(asked.text).not.toMatch(/Payroll|script/)
  })

  it('settings are those of the plan, with the checksum that clients compute, and 304 for who has them', async () => {
    const { access } = await login()
    const told = await send(test, 'GET /managed/settings', { token: access })
    expect([told.status, outcomeOf(told)]).toEqual([200, '200'])
    // {} is an empty policy, and no plan of this person names another.
    expect(told.body).toMatchObject({ settings: {}, uuid: expect.stringMatching(/^[0-9a-f-]{36}$/) })

    const pro = await send(test, 'GET /managed/settings', { token: await test.key('pro', `pro-${++people}`) })
    // Claude Code 2.1.330 sorts the names: printf '{"a":"ü","b":1,"permissions":{"deny":["WebFetch"]}}' | sha256sum
    expect(pro.body).toMatchObject({
      checksum: 'sha256:328f4b18e5124ba19a30c76bc3eb25c3c15d2478acce5d04b3563e8d8b02615c',
      settings: { permissions: { deny: ['WebFetch'] }, b: 1, a: 'ü' },
    })
    const again = await send(test, 'GET /managed/settings', {
      token: access,
      headers: { 'if-none-match': told.headers.etag ?? '' },
    })
    expect([again.status, again.text]).toEqual([304, ''])
    expect(
      (await send(test, 'GET /managed/settings', { token: access, headers: { 'if-none-match': '*' } })).status,
    ).toBe(200)
    const tight = await send(test, 'GET /managed/settings', { token: await test.key('tight', `tight-${++people}`) })
    expect(outcomeOf(tight)).toBe('404 NOT_FOUND')
  })

  it('an agent is told of the models of its plan, and anybody else of all', async () => {
    const { access } = await login(await signIn('frank'))
    const named = (told: Told) => (told.body as { data: { id: string }[] }).data.map(({ id }) => id)
    const own = named(await send(test, 'GET /v1/models', { token: access }))
    const all = named(await send(test, 'GET /v1/models'))

    expect(own.length).toBeGreaterThan(0)
    expect(own.length).toBeLessThan(all.length)
    expect(named(await send(test, 'GET /v1/models', { token: await test.key('free', `free-${++people}`) }))).toEqual(
      all,
    )
  })

  it('a restart signs nobody out, and a device that waits goes on', async () => {
    const { access, refresh: token } = await login()
    const person = await signIn()
    const { device, user } = await begin()
    test = await test.restart()

    expect((await ask(access)).status).toBe(200)
    expect((await refresh(token)).status).toBe(200)
    await decide(person, 'approve', user)
    expect((await poll(device)).status).toBe(200)
  })

  it('without the section no path is served, and its tokens end', async () => {
    const { access } = await login()
    await test.reload({}, yaml => yaml.replace(`, ${LOGIN}`, ''))
    onTestFinished(async () => void (await test.reload()))

    for (const { method, path } of claudeEndpoints)
      expect([
        path,
        (
          await send(test, `${method} ${path}`, {
            headers: { 'x-forwarded-for': network() },
            ...(method === 'POST' && { body: {} }),
          })
        ).status,
      ]).toEqual([path, 404])
    expect((await ask(access)).status).toBe(401)
  })

  if (redis)
    it('another gateway on the store with the same secret goes on with a login, and ends it', async () => {
      const peer = await start()
      const other = await start('another-secret-of-another-deployment')
      onTestFinished(async () => {
        await peer.close()
        await other.close()
      })
      const { device, user } = await begin()
      await decide(await signIn(), 'approve', user)
      expect(errorOf(await poll(device, other))).toBe('400 expired_token')
      const tokens = tokensOf(await poll(device, peer))
      expect((await ask(tokens.access)).status).toBe(200)
      expect(errorOf(await refresh(tokens.refresh, undefined, other))).toBe('401 invalid_grant')
      await form('/oauth/revoke', { token: tokens.refresh }, undefined, peer)
      expect((await ask(tokens.access)).status).toBe(401)
    })
  // Redis has a clock of its own; test/adapters/store/aspects/logins.ts holds the ends on every store.
  else
    it('codes end after ten minutes, replaced refresh tokens end the login after 65, and every login ends after 24 hours', async () => {
      const late = await begin()
      const [idle, busy] = [await login(), await login()]
      test.clock.advance(10 * MINUTE)
      expect(outcomeOf(await decide(busy.token, 'approve', late.user))).toBe('400 VALIDATION_ERROR')
      expect(errorOf(await poll(late.device))).toBe('400 expired_token')

      const replaced = tokensOf(await refresh(idle.refresh))
      test.clock.advance(65 * MINUTE)
      expect(errorOf(await refresh(idle.refresh))).toBe('401 invalid_grant')
      expect(errorOf(await refresh(replaced.refresh))).toBe('401 invalid_grant')

      let last = await refresh(busy.refresh)
      for (let hour = 2; hour < 24; hour++) {
        test.clock.advance(HOUR)
        last = await refresh(tokensOf(last).refresh)
      }
      expect(Number(fieldOf(last, 'expires_in'))).toBe(45 * 60)
      test.clock.advance(45 * MINUTE)
      expect(errorOf(await refresh(tokensOf(last).refresh))).toBe('401 invalid_grant')
      expect((await ask(tokensOf(last).access)).status).toBe(401)
    })
}
