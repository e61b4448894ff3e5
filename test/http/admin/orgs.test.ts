import { afterEach, beforeEach, expect, it } from 'vitest'
import { answer, type Backend, startBackend } from '../../support/backend.ts'
import { ADMIN_TOKEN, startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { did, post } from '../../support/operator.ts'

let backend: Backend
let test: TestGateway

beforeEach(async () => {
  backend = await startBackend()
  backend.always(answer({ content: 'Hi', usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 } }))
  test = await startTestGateway({ onprem: [backend], guests: 'usd_per_day_total: 50, mint_per_ip_hour: 1' })
})

afterEach(async () => {
  await test.close()
  await backend.close()
})

const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' }

const mint = async (account: string) => String((await did(test, 'keys', { account, plan: 'pro' })).value)
const statusOf = async (key: string) => (await test.chat(key, { max_tokens: 10 })).status

it('a frozen org freezes its accounts, and those that leave it are served again', async () => {
  const [ada, bob, cy] = [await mint('ada'), await mint('bob'), await mint('cy')]
  expect(await did(test, 'accounts/org', { account: 'ada', org: 'org:acme' })).toMatchObject({ org: 'org:acme' })
  await did(test, 'accounts/org', { account: 'bob', org: 'org:acme' })

  const frozen = {
    account: 'org:acme',
    label: 'org:acme',
    kind: 'org',
    created: expect.any(Number),
    frozen: true,
    limits: [],
  }
  expect(await did(test, 'accounts/freeze', { account: 'org:acme' })).toEqual(frozen)
  expect(await did(test, 'accounts/show', { account: 'org:acme' })).toEqual(frozen)
  expect(await did(test, 'accounts/show', { account: 'ada' })).toMatchObject({ frozen: false, org_frozen: true })
  expect([await statusOf(ada), await statusOf(bob), await statusOf(cy)]).toEqual([403, 403, 200])
  const refused = await test.chat(ada, { max_tokens: 10 })
  expect(await refused.json()).toEqual({
    code: 'ACCOUNT_FROZEN',
    error: 'An operator froze all accounts of acme. Ask the operator to thaw them.',
  })

  expect(await did(test, 'accounts/org', { account: 'bob', org: null })).toMatchObject({ org: null })
  expect([await statusOf(ada), await statusOf(bob)]).toEqual([403, 200])
  await did(test, 'accounts/thaw', { account: 'org:acme' })
  expect(await statusOf(ada)).toBe(200)
})

it('lists orgs by name', async () => {
  await mint('ada')
  for (const org of ['org:beta', 'org:acme']) await did(test, 'accounts/org', { account: 'ada', org })

  const response = await fetch(`${test.admin}/admin/orgs`, { headers })

  const acme = { account: 'org:acme', label: 'org:acme', kind: 'org', frozen: false, limits: [] }
  expect(await response.json()).toMatchObject({ data: [acme, { account: 'org:beta' }], has_more: false })
})

it('the audit is of an org too', async () => {
  await mint('ada')
  await did(test, 'accounts/org', { account: 'ada', org: 'org:acme' })
  for (const path of ['freeze', 'freeze', 'thaw', 'thaw']) await did(test, `accounts/${path}`, { account: 'org:acme' })

  const response = await fetch(`${test.admin}/admin/audit?account=org:acme`, { headers })
  const rows = (await response.text()).trimEnd().split('\n')

  expect(rows.map(row => JSON.parse(row).action)).toEqual(['freeze', 'thaw'])
})

it.each([
  ['accounts/freeze', { account: 'org:nobody' }, 'there is no org:nobody'],
  ['accounts/show', { account: 'org:' }, 'there is no org:'],
  ['accounts/plan', { account: 'org:acme', plan: 'pro' }, 'is an org: name one account'],
  ['accounts/org', { account: 'org:acme', org: 'org:beta' }, 'is an org: name one account'],
  ['accounts/org', { account: 'ada', org: 'acme' }, 'must be an org, such as org:acme'],
  ['accounts/org', { account: 'ada', org: 'org:a b' }, 'must be an org, such as org:acme'],
  ['keys', { account: 'org:acme', plan: 'pro' }, 'is an org: the key is of one account'],
])('POST /admin/%s refuses %j', async (path, body, why) => {
  await mint('ada')
  await did(test, 'accounts/org', { account: 'ada', org: 'org:acme' })

  expect(await post(test, path, body)).toEqual([400, expect.objectContaining({ error: expect.stringContaining(why) })])
})

it('a device belongs to no org', async () => {
  const { account } = await did(test, 'keys/guest', { device_id: 'phone-0001' })

  expect(await post(test, 'accounts/org', { account, org: 'org:acme' })).toMatchObject([400, {}])
  expect(await post(test, 'accounts/freeze', { account: 'org:acme' })).toMatchObject([400, {}])
})

it('an account that calls itself by the name of an org is no org', async () => {
  await test.gateway.store.accounts.signIn({ account: `acct_${'5a'.repeat(20)}`, label: 'org:acme' })

  expect(await post(test, 'accounts/freeze', { account: 'org:acme' })).toMatchObject([400, {}])
})
