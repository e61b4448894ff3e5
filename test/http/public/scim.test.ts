import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { accountOf } from '../../../src/gateway/accounts/sign-in/sign-in.ts'
import { inNpmTest } from '../../lanes/lane.ts'
import { type Backend, startBackend } from '../../support/backend.ts'
import { ADMIN_TOKEN, AUDIENCE, startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { type OidcServer, startOidc } from '../../support/identity/oidc.ts'
import { openSignIns } from '../../support/identity/sign-ins.ts'
import { did } from '../../support/operator.ts'
import { describeRedis, type RedisServer, startRedis, useRedis } from '../../support/redis/redis.ts'
import { fieldOf, outcomeOf, send } from '../calls.ts'

const SECRET = 'scim-secret-of-the-tests-0000000001'
const SCIM = `scim: { secret: "\${SCIM_SECRET}" }`
const USERS = '/scim/v2/Users'

inNpmTest.describe('with the embedded store', () => guarantees())
describeRedis('with Redis', () => {
  guarantees(useRedis())

  it('a deactivation at one gateway holds for the next request at another, and its operators stay out while Redis is away', async () => {
    const redis = await startRedis()
    const backend = await startBackend()
    const oidc = await startOidc({ audience: AUDIENCE })
    const start = () =>
      startTestGateway({
        onprem: [backend],
        oidc,
        identity: `${SCIM}, admins: [${accountOf(oidc.issuer, 'ada')}]`,
        env: { SCIM_SECRET: SECRET },
        redis,
      })
    const [one, other] = [await start(), await start()]
    const token = (await oidc.signIn('ada')).accessToken
    const chat = async () =>
      outcomeOf(
        await send(other, 'POST /v1/chat/completions', {
          token,
          body: { messages: [{ role: 'user', content: 'Hi' }] },
        }),
      )
    const whoami = async (bearer: string) =>
      outcomeOf(await send({ url: other.admin }, 'GET /admin/whoami', { token: bearer }))
    const session = fieldOf(
      await send({ url: other.admin }, 'POST /admin/console/session', {
        body: {
          code: fieldOf(await send({ url: other.admin }, 'POST /admin/console/code', { token, body: {} }), 'code'),
        },
      }),
      'token',
    )
    expect([await chat(), await whoami(token), await whoami(session)]).toEqual(['200', '200', '200'])

    await send(one, `POST ${USERS}`, { token: SECRET, body: { userName: 'ada', externalId: 'ada', active: false } })
    expect([await chat(), await whoami(token), await whoami(session)]).toEqual([
      '403 ACCOUNT_FROZEN',
      '401 INVALID_TOKEN',
      '401 INVALID_TOKEN',
    ])

    await redis.kill()
    expect([await whoami(token), await whoami(session), await whoami(ADMIN_TOKEN)]).toEqual([
      '503 STORE_UNAVAILABLE',
      '503 STORE_UNAVAILABLE',
      '200',
    ])
    await redis.restart()
    for (const gateway of [one, other]) await gateway.close()
    await oidc.stop()
    await backend.close()
    await redis.stop()
  })
})

function guarantees(redis?: () => RedisServer): void {
  let backend: Backend
  let oidc: OidcServer
  let test: TestGateway
  let count = 0

  openSignIns(undefined, async parts => {
    ;({ backend, oidc } = parts)
    test = await startTestGateway({
      onprem: [backend],
      oidc,
      identity: SCIM,
      env: { SCIM_SECRET: SECRET },
      ...(redis && { redis: redis() }),
    })
    return test
  })

  const scim = async (endpoint: string, body?: unknown, secret: string | undefined = SECRET) => {
    const [method = '', path = ''] = endpoint.split(' ')
    const response = await fetch(`${test.url}${path}`, {
      method,
      headers: {
        ...(secret && { authorization: `Bearer ${secret}` }),
        ...(body !== undefined && { 'content-type': 'application/scim+json' }),
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
  }
  /** The answer to a POST whose body does not end, so that nothing but its size is refused. */
  const statusOf = (headers: Record<string, number>, sent?: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const started = request(`${test.url}${USERS}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${SECRET}`, 'content-type': 'application/scim+json', ...headers },
      })
      started.once('error', reject).once('response', ({ statusCode }) => {
        resolve(statusCode)
        started
          .off('error', reject)
          .on('error', () => undefined)
          .destroy()
      })
      if (sent === undefined) started.flushHeaders()
      else started.write(sent)
    })
  const chat = (token: string) =>
    send(test, 'POST /v1/chat/completions', { token, body: { messages: [{ role: 'user', content: 'Hi' }] } })
  /** A person whom the provider assigned, and a token of theirs. */
  const assigned = async () => {
    const user = `person-${++count}`
    const { body } = await scim(`POST ${USERS}`, { userName: `${user}@example.com`, externalId: user, active: true })
    const token = (await oidc.signIn(user)).accessToken
    return { user, id: String(body.id), token, account: accountOf(oidc.issuer, user) }
  }
  const OFF = {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
    Operations: [{ op: 'replace', value: { active: false } }],
  }
  const ON = { Operations: [{ op: 'replace', value: { active: true } }] }

  it('what Okta sends deactivates a person: sign-in, keys and agents are refused with the next request, until it reactivates', async () => {
    const name = `00u${++count}`
    expect((await scim(`GET ${USERS}?startIndex=1&count=2`)).body).toMatchObject({ totalResults: 0 })
    const filter = encodeURIComponent(`userName eq "${name}@example.com"`)
    expect((await scim(`GET ${USERS}?filter=${filter}&startIndex=1&count=100`)).body.Resources).toEqual([])
    const user = {
      userName: `${name}@example.com`,
      externalId: name,
      name: { givenName: 'Ada' },
      active: true,
      groups: [],
    }
    const added = await scim(`POST ${USERS}`, user)
    expect(added.status).toBe(201)
    const { id } = added.body
    const token = (await oidc.signIn(name)).accessToken
    const key = JSON.parse((await send(test, 'POST /v1/keys/developer', { token, body: {} })).text).key
    expect([(await chat(token)).status, (await chat(key)).status]).toEqual([200, 200])

    expect((await scim(`PATCH ${USERS}/${id}`, OFF)).body).toMatchObject({ id, active: false })
    for (const bearer of [token, key]) {
      const refused = await chat(bearer)
      expect(outcomeOf(refused)).toBe('403 ACCOUNT_FROZEN')
      expect(refused.text).toContain('The identity provider deactivated this account')
    }
    expect((await scim(`GET ${USERS}/${id}`)).body).toMatchObject({ active: false, userName: `${name}@example.com` })

    expect((await scim(`PUT ${USERS}/${id}`, { ...user, id })).body).toMatchObject({ active: true })
    expect([(await chat(token)).status, (await chat(key)).status]).toEqual([200, 200])
  })

  it('what Entra sends deactivates a person who never signed in, and a deletion does too', async () => {
    const name = `oid-${++count}`
    const { body } = await scim(`POST ${USERS}`, { userName: name, externalId: name, active: 'True' })
    const { id } = body
    const disable = { Operations: [{ op: 'Replace', path: 'active', value: 'False' }] }
    expect((await scim(`PATCH ${USERS}/${id}`, disable)).body).toMatchObject({ active: false })
    const token = (await oidc.signIn(name)).accessToken
    expect(outcomeOf(await chat(token))).toBe('403 ACCOUNT_FROZEN')
    const found = await scim(`GET ${USERS}?filter=${encodeURIComponent(`externalId eq "${name}"`)}`)
    expect(found.body).toMatchObject({ totalResults: 1, Resources: [{ active: false }] })

    expect(
      (await scim(`PATCH ${USERS}/${id}`, { Operations: [{ op: 'Add', path: 'active', value: 'True' }] })).status,
    ).toBe(200)
    expect((await chat(token)).status).toBe(200)
    expect((await scim(`DELETE ${USERS}/${id}`)).status).toBe(204)
    expect(outcomeOf(await chat(token))).toBe('403 ACCOUNT_FROZEN')
  })

  it('a reactivation leaves what an operator froze, and a thaw by an operator ends both; the audit names who', async () => {
    const { id, token, account } = await assigned()
    await chat(token)
    await did(test, 'accounts/freeze', { account })
    await scim(`PATCH ${USERS}/${id}`, OFF)
    await scim(`POST ${USERS}`, { userName: 'x', externalId: `person-${count}`, active: true })
    expect(outcomeOf(await chat(token))).toBe('403 ACCOUNT_FROZEN')
    await scim(`PATCH ${USERS}/${id}`, OFF)
    expect(await did(test, 'accounts/show', { account })).toMatchObject({ frozen: true, deactivated: true })
    await did(test, 'accounts/thaw', { account })
    expect((await chat(token)).status).toBe(200)

    const rows: [string, string, string][] = []
    for await (const { by, action, before, after } of test.gateway.store.accounts.readAudit({ account }))
      rows.push([by, action, `${before} → ${after}`])
    expect(rows).toEqual([
      ['operator', 'freeze', ' → frozen'],
      ['identity provider (SCIM)', 'freeze', ' → deactivated'],
      ['identity provider (SCIM)', 'thaw', 'deactivated → '],
      ['identity provider (SCIM)', 'freeze', ' → deactivated'],
      ['operator', 'thaw', 'frozen, deactivated → '],
    ])
  })

  it('an account that several people joined outlives the one who leaves, and that of one person does not', async () => {
    const [leaver, other] = [await assigned(), await assigned()]
    const { value } = await did(test, 'keys', { account: `team-${count}`, plan: 'pro' })
    const key = String(value)
    const join = async ({ token }: { readonly token: string }) => {
      const { invitation } = await did(test, 'accounts/invite', { account: `team-${count}` })
      const body = { invitation, leave: true }
      expect(outcomeOf(await send(test, 'POST /v1/account/join', { token, body }))).toBe('200')
    }
    const outcomes = async () => [
      outcomeOf(await chat(key)),
      outcomeOf(await chat(leaver.token)),
      outcomeOf(await chat(other.token)),
    ]
    await join(leaver)
    await scim(`PATCH ${USERS}/${leaver.id}`, OFF)
    expect(await outcomes()).toEqual(['403 ACCOUNT_FROZEN', '403 ACCOUNT_FROZEN', '200'])

    await join(other)
    await scim(`PATCH ${USERS}/${leaver.id}`, ON)
    expect(await outcomes()).toEqual(['200', '200', '200'])
    await scim(`PATCH ${USERS}/${leaver.id}`, OFF)
    expect(await outcomes()).toEqual(['200', '403 ACCOUNT_FROZEN', '200'])
  })

  it('a person who is deactivated takes the addresses of a joined account with them once, in one audit row, and a repeated request leaves those of others', async () => {
    const [leaver, other] = [await assigned(), await assigned()]
    const label = `team-${count}`
    await did(test, 'keys', { account: label, plan: 'pro' })
    for (const { token } of [leaver, other]) {
      const { invitation } = await did(test, 'accounts/invite', { account: label })
      expect(outcomeOf(await send(test, 'POST /v1/account/join', { token, body: { invitation } }))).toBe('200')
    }
    const { accounts } = test.gateway.store
    const [joined] = await accounts.findByLabel(label)
    const account = joined?.account ?? ''
    const choose = async (address: string) => {
      await accounts.changeContacts({
        account,
        change: { mail: { address, hash: address, forMs: 60_000 } },
        by: account,
      })
      await accounts.changeContacts({ account, change: { confirm: address }, by: account })
    }
    const contacts = async () => (await accounts.find(account))?.contacts ?? {}
    await choose('leaver@example.com')
    const webhook = { url: 'https://hooks.example.com/', secret: 'whsec_AAAA' }
    await accounts.changeContacts({ account, change: { webhook, at: [80] }, by: account })
    await scim(`PATCH ${USERS}/${leaver.id}`, OFF)
    expect(await contacts()).toEqual({ at: [80] })
    await choose('other@example.com')
    await scim(`DELETE ${USERS}/${leaver.id}`)
    expect(await contacts()).toEqual({ at: [80], mail: 'other@example.com' })
    const rows: string[] = []
    for await (const { by, action, after } of accounts.readAudit({ account }))
      if (by.startsWith('identity')) rows.push(`${action} ${after}`)
    expect(rows).toEqual(['set-notices 80%'])
  })

  it('people are known by account_claim: a token without it is refused, and the provider names people by its value', async () => {
    const people = await startOidc({ audience: AUDIENCE, users: { ada: { uid: 'u-7' } } })
    const gateway = await startTestGateway({
      onprem: [backend],
      oidc: people,
      identity: `account_claim: uid, ${SCIM}`,
      env: { SCIM_SECRET: SECRET },
      ...(redis && { redis: redis() }),
    })
    const [ada, bob] = [(await people.signIn('ada')).accessToken, (await people.signIn('bob')).accessToken]
    const account = (token: string) => send(gateway, 'GET /v1/account', { token })
    const known = accountOf(people.issuer, 'u-7')

    expect((await account(ada)).body).toMatchObject({ account: known, sign_in: known, frozen: false })
    expect(outcomeOf(await account(bob))).toBe('401 INVALID_TOKEN')
    for (const externalId of ['ada', 'u-7'])
      await send(gateway, `POST ${USERS}`, { token: SECRET, body: { userName: 'ada', externalId, active: false } })
    expect((await account(ada)).body).toMatchObject({ account: known, frozen: true })
    await gateway.close()
    await people.stop()
  })

  describe('an attacker', () => {
    it('without the secret, with another one, with a key or a sign-in changes nothing and is told nothing', async () => {
      const { id, token } = await assigned()
      const key = JSON.parse((await send(test, 'POST /v1/keys/developer', { token, body: {} })).text).key
      for (const secret of ['', 'wrong', `${SECRET}x`, SECRET.slice(1), key, token]) {
        const refused = await scim(`PATCH ${USERS}/${id}`, OFF, secret)
        expect(refused.status).toBe(401)
        expect(JSON.stringify(refused.body)).not.toContain(SECRET)
      }
      expect((await chat(token)).status).toBe(200)
    })

    it('cannot inject a filter, name an unknown user, announce 10 MB, or send more than 64 KB without saying so', async () => {
      const filter = encodeURIComponent('externalId eq "a" or active eq true')
      expect(await scim(`GET ${USERS}?filter=${filter}`)).toMatchObject({
        status: 400,
        body: { scimType: 'invalidFilter' },
      })
      for (const id of ['acct_1', '%2e%2e', 'W10', '__proto__'])
        expect((await scim(`PATCH ${USERS}/${id}`, OFF)).status).toBe(404)
      expect(await statusOf({ 'content-length': 10 * 2 ** 20 })).toBe(413)
      expect(await statusOf({}, 'x'.repeat(2 ** 16 + 1))).toBe(413)
      expect((await scim(`POST ${USERS}`, '{')).status).toBe(400)
      expect((await scim(`POST ${USERS}`, { userName: 'ada' })).body.detail).toContain('externalId')
    })

    it('who guesses is slowed down, and the provider is not', async () => {
      const answers = await Promise.all(
        Array.from({ length: 120 }, (_, index) => scim(`GET ${USERS}`, undefined, `guess-${index}`)),
      )

      expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThan(50)
      expect((await scim(`GET ${USERS}`)).status).toBe(200)
      test.clock.advance(60_000)
    })
  })
}
