import { afterEach, beforeEach, expect, it } from 'vitest'
import { accountOf } from '../../../src/gateway/accounts/sign-in/sign-in.ts'
import { startScripted } from '../../adapters/identity/scripted-provider.ts'
import { type Backend, startBackend } from '../../support/backend.ts'
import { AUDIENCE, startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { newKeys, type PrivateKey } from '../../support/identity/oidc-keys.ts'

let provider: Awaited<ReturnType<typeof startScripted>>
let keys: readonly PrivateKey[]
let backend: Backend
let test: TestGateway

beforeEach(async () => {
  keys = await newKeys()
  provider = await startScripted(() => ({ jwks: { keys: keys.slice(0, 1).map(publicOf) } }))
  backend = await startBackend()
  const admins = `admins: [${accountOf(provider.issuer, 'ops')}]`
  const yaml = `identity: { issuer: "${provider.issuer}", default_plan: free, ${admins} }`
  test = await startTestGateway({ onprem: [backend], yaml })
})

afterEach(async () => {
  await test.close()
  await backend.close()
  await provider.close()
})

const publicOf = ({ kty, kid, use, n, e }: PrivateKey) => ({ kty, kid, use, n, e })
const tokenOf = (sub: string, claims = {}) => {
  const [key] = keys
  if (!key) throw new Error('no key')
  return provider.forge(key, { claims: { aud: AUDIENCE, sub, ...claims } })
}
const list = (token: string) => fetch(`${test.admin}/admin/keys`, { headers: { authorization: `Bearer ${token}` } })

it('an account that identity.admins lists does what operators may, and the audit names it, whatever it calls itself', async () => {
  const response = await fetch(`${test.admin}/admin/keys`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${tokenOf('ops')}`,
      'content-type': 'application/json',
      'x-svcctl-user': 'somebody@else',
    },
    body: JSON.stringify({ account: 'ada', plan: 'free' }),
  })

  expect(response.status).toBe(200)
  const rows: unknown[] = []
  for await (const { by, action } of test.gateway.store.accounts.readAudit()) rows.push([by, action])
  expect(rows).toEqual([[accountOf(provider.issuer, 'ops'), 'mint']])
})

it('the audit has the label of such an account beside its id', async () => {
  const account = accountOf(provider.issuer, 'ops')
  await test.gateway.store.accounts.signIn({ account, label: 'ops@example.com' })
  const headers = { authorization: `Bearer ${tokenOf('ops')}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ account: 'ada', plan: 'free' })
  await fetch(`${test.admin}/admin/keys`, { method: 'POST', headers, body })

  const rows = await (await fetch(`${test.admin}/admin/audit`, { headers })).text()

  expect(JSON.parse(rows)).toMatchObject({ by: account, by_label: 'ops@example.com', action: 'mint', label: 'ada' })
})

it('such an account may not pass as another one', async () => {
  const response = await fetch(`${test.admin}/admin/keys`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${tokenOf('ops')}`,
      'content-type': 'application/json',
      'x-svcctl-as': 'ada',
    },
    body: JSON.stringify({ account: 'ada', plan: 'free' }),
  })

  expect([response.status, await response.json()]).toEqual([
    400,
    expect.objectContaining({ error: expect.stringContaining(`this sign-in is ${accountOf(provider.issuer, 'ops')}`) }),
  ])
  expect(await test.gateway.store.keys.list()).toEqual([])
})

it('a revision that such an account applies is kept with it, and one that it has reloaded', async () => {
  const by = accountOf(provider.issuer, 'ops')
  const headers = { authorization: `Bearer ${tokenOf('ops')}`, 'content-type': 'application/json' }
  const { revision, files: texts } = test.gateway.app.revisions.serving
  const files = texts.map(({ file, text }) => ({ file, text: text.replace('rpm: 20,', 'rpm: 21,') }))
  const body = JSON.stringify({ previous: revision, files })
  expect((await fetch(`${test.admin}/admin/apply`, { method: 'POST', headers, body })).status).toBe(200)
  test.write({}, yaml => yaml.replace('rpm: 20,', 'rpm: 22,'))
  expect((await fetch(`${test.admin}/admin/reload`, { method: 'POST', headers })).status).toBe(200)

  expect(test.gateway.app.revisions.list()).toMatchObject([
    { number: 3, by, how: 'reload' },
    { number: 2, by, how: 'apply' },
    { number: 1, by: 'start', how: 'start' },
  ])
})

it('an account that it does not list is told its id, and may nothing', async () => {
  const response = await list(tokenOf('ada'))

  expect(response.status).toBe(401)
  expect(await response.json()).toMatchObject({ error: expect.stringContaining(accountOf(provider.issuer, 'ada')) })
})

it.each([
  ['of another audience', { aud: 'https://elsewhere.example.com' }],
  ['that has ended', { exp: 1 }],
])('a token of an admin %s is none', async (_, claims) => {
  expect((await list(tokenOf('ops', claims))).status).toBe(401)
})
