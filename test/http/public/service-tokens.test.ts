import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { accountOf } from '../../../src/gateway/accounts/sign-in/sign-in.ts'
import { type Backend, startBackend } from '../../support/backend.ts'
import { ADMIN_TOKEN, AUDIENCE, startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { type OidcServer, startOidc } from '../../support/identity/oidc.ts'
import { outcomeOf, send } from '../calls.ts'

const CHAT = 'POST /v1/chat/completions'
const body = { messages: [{ role: 'user', content: 'Hello' }], max_tokens: 10 }

let backend: Backend
let people: OidcServer
let ci: OidcServer
let cluster: OidcServer
let test: TestGateway

beforeAll(async () => {
  backend = await startBackend()
  const build = { repository: 'acme/app' }
  const providers = [
    { audience: AUDIENCE, users: { pia: { plan: 'free' } } },
    { audience: AUDIENCE, users: { build, fork: { repository: 'evil/app' }, nightly: build } },
    { audience: 'https://gateway.internal' },
  ]
  const [first, second, third] = await Promise.all(providers.map(startOidc))
  if (!first || !second || !third) throw new Error('not started')
  ;[people, ci, cluster] = [first, second, third]
  const admins = `admins: [${accountOf(`${ci.issuer} ci`, 'acme/app')}]`
  const entries = {
    ci: `{ name: ci, claims: { repository: "acme/*" }, account_claim: repository, plan: pro }`,
    cluster: `{ name: batch, claims: { sub: train }, plan: tight }`,
    limited: `{ name: limited, claims: { sub: eval }, plan: pro, limits: [{ requests: 2, per: minute }, { images: 7, per: day }] }`,
  }
  const issuers = `issuers: [{ issuer: "${ci.issuer}", accounts: [${entries.ci}] }, { issuer: "${cluster.issuer}", audience: https://gateway.internal, accounts: [${entries.cluster}, ${entries.limited}] }]`
  test = await startTestGateway({ onprem: [backend], oidc: people, identity: `${admins}, ${issuers}` })
})

afterAll(async () => {
  await test.close()
  for (const provider of [people, ci, cluster]) await provider.stop()
  await backend.close()
})

const tokenOf = async (provider: OidcServer, user: string) => (await provider.signIn(user)).accessToken
const chat = (token: string) => send(test, CHAT, { token, body })

it('services of two issuers are served without any key, each on the plan of its entry, beside people', async () => {
  const [build, train, pia] = [
    await chat(await tokenOf(ci, 'build')),
    await chat(await tokenOf(cluster, 'train')),
    await chat(await tokenOf(people, 'pia')),
  ]

  expect([build, train, pia].map(({ status, headers }) => [status, headers['x-svc-quota-plan']])).toEqual([
    [200, 'pro'],
    [200, 'tight'],
    [200, 'free'],
  ])
  const accounts = (await test.ledger()).map(({ account }) => account)
  expect(accounts).toContain(accountOf(`${ci.issuer} ci`, 'acme/app'))
  expect(await test.gateway.store.accounts.findByLabel('acme/app')).toHaveLength(1)
})

it('the limits of the plan hold for all tokens of the account together', async () => {
  const [one, other] = [await tokenOf(cluster, 'train'), await tokenOf(cluster, 'train')]
  const outcomes = [await chat(one), await chat(other), await chat(one)].map(outcomeOf)

  expect(outcomes).toContain('429 rate_limit_exceeded')
})

it('an entry has limits of its own in place of those of its plan, and all who look at the account see them', async () => {
  const [one, other] = [await tokenOf(cluster, 'eval'), await tokenOf(cluster, 'eval')]
  const answers = [await chat(one), await chat(other), await chat(one)]

  expect(answers.map(outcomeOf).slice(2)).toEqual(['429 rate_limit_exceeded'])
  expect(answers[0]?.headers).toMatchObject({ 'x-svc-quota-plan': 'pro', 'x-ratelimit-limit-requests': '2' })
  const account = accountOf(`${cluster.issuer} limited`, 'eval')
  const quota = (await send(test, 'GET /billing/quota', { token: one })).body as { plan: string; limits: object[] }
  expect(quota.limits).toContainEqual(expect.objectContaining({ measure: 'images', per: 'day', limit: 7 }))
  const standings = await send({ url: test.admin }, `GET /admin/accounts?account=${account}`, { token: ADMIN_TOKEN })
  expect(JSON.parse(standings.text)).toMatchObject({ plan: 'pro', requests_limit: 2 })
  const asked = { token: ADMIN_TOKEN, body: { account } }
  const shown = await send({ url: test.admin }, 'POST /admin/accounts/show', asked)
  expect(shown.body).toMatchObject({ plan: 'pro', plan_source: 'token' })

  // Limits that an operator decides go before those of the entry, and another plan before both.
  const limit = { measure: 'requests', most: 500, per: 'minute' }
  const set = await send({ url: test.admin }, 'POST /admin/accounts/limit', { ...asked, body: { account, limit } })
  expect(set.status, set.text).toBe(200)
  expect((await chat(one)).headers).toMatchObject({ 'x-ratelimit-limit-requests': '500' })
})

it('a service that no entry lets in is refused, with what to do', async () => {
  const told = await chat(await tokenOf(ci, 'fork'))

  expect(outcomeOf(told)).toBe('401 INVALID_TOKEN')
  expect(told.text).toContain('its claims match no entry of its issuer')
})

it('a service manages no keys, and is no operator, whatever the files list', async () => {
  const token = await tokenOf(ci, 'build')

  const minted = await send(test, 'POST /v1/keys/developer', { token, body: {} })
  expect(outcomeOf(minted)).toBe('401 INVALID_TOKEN')
  expect(minted.text).toContain('cannot manage keys')
  expect(outcomeOf(await send({ url: test.admin }, 'GET /admin/keys', { token }))).toBe('401 INVALID_TOKEN')
})

it('a frozen account is refused by the next request, whichever token of it comes', async () => {
  const token = await tokenOf(ci, 'nightly')
  expect((await chat(token)).status).toBe(200)
  const account = accountOf(`${ci.issuer} ci`, 'acme/app')
  const decide = (what: string) =>
    send({ url: test.admin }, `POST /admin/accounts/${what}`, { token: ADMIN_TOKEN, body: { account } })
  expect((await decide('freeze')).status).toBe(200)

  expect(outcomeOf(await chat(token))).toBe('403 ACCOUNT_FROZEN')
  expect(outcomeOf(await chat(await tokenOf(ci, 'build')))).toBe('403 ACCOUNT_FROZEN')
  await decide('thaw')
  expect((await chat(token)).status).toBe(200)
})

it('services have accounts also where people do not sign in, and a token of another issuer is refused', async () => {
  const entry = `{ name: ci, claims: { repository: "acme/*" }, account_claim: repository, plan: pro }`
  const identity = `identity: { default_plan: free, issuers: [{ issuer: "${ci.issuer}", accounts: [${entry}] }] }`
  const alone = await startTestGateway({ onprem: [backend], oidc: people })
  onTestFinished(() => alone.close())
  await alone.reload({}, yaml => yaml.replace(/^identity: .*$/m, identity))

  expect((await send(alone, CHAT, { token: await tokenOf(ci, 'build'), body })).status).toBe(200)
  const told = await send(alone, CHAT, { token: await tokenOf(people, 'pia'), body })
  expect(outcomeOf(told)).toBe('401 INVALID_TOKEN')
  expect(told.text).toContain('has no accounts here')
})

it('an issuer that is away leaves the tokens of others as they are', async () => {
  await chat(await tokenOf(ci, 'build'))
  await cluster.stop()

  expect((await chat(await tokenOf(ci, 'build'))).status).toBe(200)
})

it('an issuer whose entries change by a reload lets in what they say now', async () => {
  const token = await tokenOf(ci, 'build')
  expect((await chat(token)).headers['x-svc-quota-plan']).toBe('pro')
  await test.reload({}, yaml =>
    yaml.replace('account_claim: repository, plan: pro', 'account_claim: repository, plan: free'),
  )

  expect((await chat(token)).headers['x-svc-quota-plan']).toBe('free')
  await test.reload({}, yaml => yaml.replace('repository: "acme/*"', 'repository: other/*'))
  expect(outcomeOf(await chat(token))).toBe('401 INVALID_TOKEN')
})
