import { expect } from 'vitest'
import { ADMIN_TOKEN, type TestGateway } from '../../support/gateway.ts'
import { gatewayTest } from '../../support/gateway-test.ts'
import { did, post } from '../../support/operator.ts'

const it = gatewayTest.extend('config', { guests: 'usd_per_day_total: 50, mint_per_ip_hour: 1' })

const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' }

const mint = async (gateway: TestGateway, account: string) =>
  String((await did(gateway, 'keys', { account, plan: 'pro' })).value)
const statusOf = async (gateway: TestGateway, key: string) => (await gateway.chat(key, { max_tokens: 10 })).status

it('a frozen org freezes its accounts, and those that leave it are served again', async ({ gateway }) => {
  const [ada, bob, cy] = [await mint(gateway, 'ada'), await mint(gateway, 'bob'), await mint(gateway, 'cy')]
  expect(await did(gateway, 'accounts/org', { account: 'ada', org: 'org:acme' })).toMatchObject({ org: 'org:acme' })
  await did(gateway, 'accounts/org', { account: 'bob', org: 'org:acme' })

  const frozen = {
    account: 'org:acme',
    label: 'org:acme',
    kind: 'org',
    created: expect.any(Number),
    frozen: true,
    limits: [],
  }
  expect(await did(gateway, 'accounts/freeze', { account: 'org:acme' })).toEqual(frozen)
  expect(await did(gateway, 'accounts/show', { account: 'org:acme' })).toEqual(frozen)
  expect(await did(gateway, 'accounts/show', { account: 'ada' })).toMatchObject({ frozen: false, org_frozen: true })
  expect([await statusOf(gateway, ada), await statusOf(gateway, bob), await statusOf(gateway, cy)]).toEqual([
    403, 403, 200,
  ])
  const refused = await gateway.chat(ada, { max_tokens: 10 })
  expect(await refused.json()).toEqual({
    code: 'ACCOUNT_FROZEN',
    error: 'An operator froze all accounts of acme. Ask the operator to thaw them.',
  })

  expect(await did(gateway, 'accounts/org', { account: 'bob', org: null })).toMatchObject({ org: null })
  expect([await statusOf(gateway, ada), await statusOf(gateway, bob)]).toEqual([403, 200])
  await did(gateway, 'accounts/thaw', { account: 'org:acme' })
  expect(await statusOf(gateway, ada)).toBe(200)
})

it('lists orgs by name', async ({ gateway }) => {
  await mint(gateway, 'ada')
  for (const org of ['org:beta', 'org:acme']) await did(gateway, 'accounts/org', { account: 'ada', org })

  const response = await fetch(`${gateway.admin}/admin/orgs`, { headers })

  const acme = { account: 'org:acme', label: 'org:acme', kind: 'org', frozen: false, limits: [] }
  expect(await response.json()).toMatchObject({ data: [acme, { account: 'org:beta' }], has_more: false })
})

it('the audit is of an org too', async ({ gateway }) => {
  await mint(gateway, 'ada')
  await did(gateway, 'accounts/org', { account: 'ada', org: 'org:acme' })
  for (const path of ['freeze', 'freeze', 'thaw', 'thaw'])
    await did(gateway, `accounts/${path}`, { account: 'org:acme' })

  const response = await fetch(`${gateway.admin}/admin/audit?account=org:acme`, { headers })
  const rows = (await response.text()).trimEnd().split('\n')

  expect(rows.map(row => JSON.parse(row).action)).toEqual(['freeze', 'thaw'])
})

it.for<[string, object, string]>([
  ['accounts/freeze', { account: 'org:nobody' }, 'there is no org:nobody'],
  ['accounts/show', { account: 'org:' }, 'there is no org:'],
  ['accounts/plan', { account: 'org:acme', plan: 'pro' }, 'is an org: name one account'],
  ['accounts/org', { account: 'org:acme', org: 'org:beta' }, 'is an org: name one account'],
  ['accounts/org', { account: 'ada', org: 'acme' }, 'must be an org, such as org:acme'],
  ['accounts/org', { account: 'ada', org: 'org:a b' }, 'must be an org, such as org:acme'],
  ['keys', { account: 'org:acme', plan: 'pro' }, 'is an org: a key belongs to one account'],
])('POST /admin/%s refuses %j', async ([path, body, why], { gateway }) => {
  await mint(gateway, 'ada')
  await did(gateway, 'accounts/org', { account: 'ada', org: 'org:acme' })

  expect(await post(gateway, path, body)).toEqual([
    400,
    expect.objectContaining({ error: expect.stringContaining(why) }),
  ])
})

it('a device belongs to no org', async ({ gateway }) => {
  const { account } = await did(gateway, 'keys/guest', { device_id: 'phone-0001' })

  expect(await post(gateway, 'accounts/org', { account, org: 'org:acme' })).toMatchObject([400, {}])
  expect(await post(gateway, 'accounts/freeze', { account: 'org:acme' })).toMatchObject([400, {}])
})

it('an account that calls itself by the name of an org is no org', async ({ gateway, running }) => {
  await running.store.accounts.signIn({ account: `acct_${'5a'.repeat(20)}`, label: 'org:acme' })

  expect(await post(gateway, 'accounts/freeze', { account: 'org:acme' })).toMatchObject([400, {}])
})
