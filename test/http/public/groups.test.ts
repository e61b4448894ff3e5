import { expect, it } from 'vitest'
import { inNpmTest } from '../../lanes/lane.ts'
import { ADMIN_TOKEN, startTestGateway, type TestGateway } from '../../support/gateway.ts'
import type { OidcServer } from '../../support/identity/oidc.ts'
import { openSignIns } from '../../support/identity/sign-ins.ts'
import { did } from '../../support/operator.ts'
import { describeRedis, type RedisServer, useRedis } from '../../support/redis/redis.ts'
import { outcomeOf, send } from '../calls.ts'

const ENTRIES = [
  '{ claim: groups, is: ml-leads, role: support }',
  '{ claim: groups, is: "ml-*", plan: pro, org: ml, role: viewer }',
  '{ claim: groups, is: evals, plan: tight, limits: [{ requests: 7, per: minute }] }',
]
const GROUPS = `groups: [${ENTRIES.join(', ')}]`

inNpmTest.describe('with the embedded store', () => guarantees())
describeRedis('with Redis', () => guarantees(useRedis()))

function guarantees(redis?: () => RedisServer): void {
  const users: Record<string, Record<string, unknown>> = {}
  let oidc: OidcServer
  let test: TestGateway
  let count = 0

  openSignIns(users, async parts => {
    oidc = parts.oidc
    test = await startTestGateway({
      onprem: [parts.backend],
      oidc,
      identity: GROUPS,
      ...(redis && { redis: redis() }),
    })
    return test
  })

  /** A person with these claims in the next token. */
  const person = async (claims: object, user = `person-${++count}`) => {
    users[user] = { ...claims }
    const token = (await oidc.signIn(user)).accessToken
    // Tokens of one second are equally old.
    test.clock.advance(1000)
    return { user, token }
  }
  const chat = (token: string) =>
    send(test, 'POST /v1/chat/completions', { token, body: { messages: [{ role: 'user', content: 'Hi' }] } })
  const planOf = async (token: string) => (await chat(token)).headers['x-svc-quota-plan']
  const shown = async (token: string) => {
    const { body } = await send(test, 'GET /v1/account', { token })
    return did(test, 'accounts/show', { account: (body as { account: string }).account })
  }

  it('a person has plan, org and role by the groups in the token, before the plan that it claims', async () => {
    const { token } = await person({ groups: ['everyone', 'ml-research'], plan: 'free' })

    expect(await planOf(token)).toBe('pro')
    expect(await shown(token)).toMatchObject({ plan: 'pro', plan_source: 'token', org: 'org:ml' })
    expect((await send({ url: test.admin }, 'GET /admin/orgs', { token })).status).toBe(200)
    expect(await planOf((await person({ groups: 'ml-research' })).token)).toBe('pro')
    expect(await planOf((await person({ groups: [], plan: 'pro' })).token)).toBe('pro')
  })

  // Gateways on Redis issue agent tokens only with a secret of their own: test/http/public/agent-tokens.test.ts.
  if (redis === undefined)
    it('an agent token keeps plan and org of the sign-in that asked for it', async () => {
      const { token } = await person({ groups: ['ml-research'] })
      const { body } = await send(test, 'POST /v1/agent-tokens', { token, body: {} })
      const agent = (body as { token: string }).token

      expect(await planOf(agent)).toBe('pro')
      expect(await shown(token)).toMatchObject({ plan: 'pro', org: 'org:ml' })
    })

  it('a person who leaves a group has another plan and no org with the next token, and what an operator decided stays', async () => {
    const { user, token } = await person({ groups: ['ml-research'] })
    expect(await planOf(token)).toBe('pro')
    const next = (await person({ groups: ['sales'] }, user)).token

    expect(await planOf(next)).toBe('free')
    expect(await shown(next)).toMatchObject({ plan: 'free', org: null })

    const { account } = await shown(next)
    await did(test, 'accounts/plan', { account, plan: 'free' })
    await did(test, 'accounts/org', { account, org: 'org:sales' })
    const back = (await person({ groups: ['ml-research'] }, user)).token
    expect(await planOf(back)).toBe('free')
    expect(await shown(back)).toMatchObject({ plan: 'free', plan_source: 'operator', org: 'org:sales' })
  })

  it('limits of an entry replace those of its plan', async () => {
    const { token } = await person({ groups: ['evals'] })

    expect((await chat(token)).headers).toMatchObject({
      'x-svc-quota-plan': 'tight',
      'x-ratelimit-limit-requests': '7',
    })
  })

  it.each([
    ['does not list them', { _claim_names: { groups: 'src1' } }, 'leaves it out for people in very many groups'],
    ['lists numbers', { groups: [7] }, 'neither a text nor a list of texts'],
    ['has an object', { groups: { ml: true } }, 'neither a text nor a list of texts'],
  ])('a token whose provider %s is refused everywhere, in words and with an alarm', async (_, claims, words) => {
    const { token } = await person({ ...claims, plan: 'pro' })
    const refused = await chat(token)

    expect(outcomeOf(refused)).toBe('403 GROUPS_UNREADABLE')
    expect(refused.text).toContain(words)
    expect(outcomeOf(await send(test, 'POST /v1/keys/developer', { token, body: {} }))).toBe('403 GROUPS_UNREADABLE')
    expect(outcomeOf(await send({ url: test.admin }, 'GET /admin/keys', { token }))).toBe('403 GROUPS_UNREADABLE')
    expect(test.alarms.join('\n')).toContain('its groups cannot be read')
  })

  it('a role by groups ends with its group, its token and its entry, also in a session of the console', async () => {
    const { token } = await person({ groups: ['ml-leads'] })
    const ask = (endpoint: string, bearer: string, body?: object) =>
      send({ url: test.admin }, endpoint, { token: bearer, ...(body && { body }) })
    const role = async (bearer: string) =>
      ((await ask('GET /admin/whoami', bearer)).body as { role?: string }).role ?? 'none'

    expect(await role(token)).toBe('support')
    expect(outcomeOf(await ask('POST /admin/accounts/plan', token, { account: 'a', plan: 'pro' }))).toBe(
      '403 FORBIDDEN',
    )
    const { code } = (await ask('POST /admin/console/code', token, {})).body as { code: string }
    const opened = (await ask('POST /admin/console/session', ADMIN_TOKEN, { code })).body as {
      token: string
      expires_at: string
    }
    expect(await role(opened.token)).toBe('support')
    const { exp } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { exp: number }
    expect(Date.parse(opened.expires_at)).toBe(exp * 1000)

    await test.reload({}, yaml => yaml.replace('is: ml-leads, role: support', 'is: ml-chiefs, role: support'))
    expect([await role(token), await role(opened.token)]).toEqual(['viewer', 'none'])
    await test.reload({}, yaml => yaml.replace('is: ml-chiefs, role: support', 'is: ml-leads, role: support'))
  })
}
