import { afterAll, beforeAll, expect, it } from 'vitest'
import { accountOf } from '../../../src/gateway/accounts/sign-in.ts'
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
  }
  const issuers = `issuers: [{ issuer: "${ci.issuer}", accounts: [${entries.ci}] }, { issuer: "${cluster.issuer}", audience: https://gateway.internal, accounts: [${entries.cluster}] }]`
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

it('a service that no entry lets in is refused, with what to do', async () => {
  const told = await chat(await tokenOf(ci, 'fork'))

  expect(outcomeOf(told)).toBe('401 INVALID_TOKEN')
  expect(told.text).toContain('no entry of its issuer lets in what its claims say')
})

it('a service manages no keys, and is no operator, whatever the files list', async () => {
  const token = await tokenOf(ci, 'build')

  const minted = await send(test, 'POST /v1/keys/developer', { token, body: {} })
  expect(outcomeOf(minted)).toBe('401 INVALID_TOKEN')
  expect(minted.text).toContain('manages no keys')
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
