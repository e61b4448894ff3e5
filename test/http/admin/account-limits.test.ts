import { expect } from 'vitest'
import type { TestGateway } from '../../support/gateway.ts'
import { gatewayTest } from '../../support/gateway-test.ts'
import { did, post } from '../../support/operator.ts'

const it = gatewayTest.extend('config', { guests: 'usd_per_day_total: 50, mint_per_ip_hour: 1' })

const mint = async (gateway: TestGateway, account: string) =>
  String((await did(gateway, 'keys', { account, plan: 'pro' })).value)
const statusesOf = async (gateway: TestGateway, ...keys: string[]) => {
  const statuses: number[] = []
  for (const key of keys) statuses.push((await gateway.chat(key, { max_tokens: 10 })).status)
  return statuses
}
const twoADay = { measure: 'requests', most: 2, per: 'day' }

it('a limit of an account holds for it alone, outlasts a reload, and is taken back', async ({ gateway }) => {
  const [ada, bob] = [await mint(gateway, 'ada'), await mint(gateway, 'bob')]

  expect(await did(gateway, 'accounts/limit', { account: 'ada', limit: twoADay })).toMatchObject({ limits: [twoADay] })
  expect(await statusesOf(gateway, ada, ada, ada, bob, bob, bob)).toEqual([200, 200, 429, 200, 200, 200])
  await did(gateway, 'reload', {})
  expect(await statusesOf(gateway, ada)).toEqual([429])
  const { most: _, ...counted } = twoADay
  expect(await did(gateway, 'accounts/unlimit', { account: 'ada', limit: counted })).toMatchObject({ limits: [] })
  expect(await statusesOf(gateway, ada)).toEqual([200])
})

it('limits that an operator sets count what was used before, of an hour and of an org too', async ({ gateway }) => {
  const [ada, bob, cy] = [await mint(gateway, 'ada'), await mint(gateway, 'bob'), await mint(gateway, 'cy')]
  for (const account of ['ada', 'bob']) await did(gateway, 'accounts/org', { account, org: 'org:acme' })
  expect(await statusesOf(gateway, ada, bob, cy)).toEqual([200, 200, 200])

  await did(gateway, 'accounts/limit', { account: 'cy', limit: { ...twoADay, per: 'hour' } })
  await did(gateway, 'accounts/limit', { account: 'org:acme', limit: { ...twoADay, most: 3 } })

  expect(await statusesOf(gateway, cy, cy, ada, bob)).toEqual([200, 429, 200, 429])
})

it('the later of two limits that count the same applies', async ({ gateway }) => {
  const ada = await mint(gateway, 'ada')
  await did(gateway, 'accounts/limit', { account: 'ada', limit: { ...twoADay, most: 1 } })
  await did(gateway, 'accounts/limit', {
    account: 'ada',
    limit: { per: 'day', of: 'account', most: 2, measure: 'requests' },
  })

  expect(await did(gateway, 'accounts/show', { account: 'ada' })).toMatchObject({ limits: [twoADay] })
  expect(await statusesOf(gateway, ada, ada, ada)).toEqual([200, 200, 429])
})

it('all accounts of an org share its limit, and others do not', async ({ gateway }) => {
  const [ada, bob, cy] = [await mint(gateway, 'ada'), await mint(gateway, 'bob'), await mint(gateway, 'cy')]
  for (const account of ['ada', 'bob']) await did(gateway, 'accounts/org', { account, org: 'org:acme' })

  const org = await did(gateway, 'accounts/limit', { account: 'org:acme', limit: twoADay })

  expect(org).toMatchObject({ kind: 'org', limits: [{ ...twoADay, of: 'org' }] })
  expect(await statusesOf(gateway, ada, bob, ada, bob, cy, cy, cy)).toEqual([200, 200, 429, 429, 200, 200, 200])
  const { most: _, ...counted } = twoADay
  expect(await did(gateway, 'accounts/unlimit', { account: 'org:acme', limit: counted })).toMatchObject({ limits: [] })
  expect(await statusesOf(gateway, ada, bob)).toEqual([200, 200])
})

it.for<[object, string]>([
  [{ measure: 'requests', per: 'day' }, 'limit.most'],
  [{ ...twoADay, most: 0 }, 'limit.most'],
  [{ ...twoADay, most: 1.5 }, 'limit.most'],
  [{ ...twoADay, measure: 'dollars' }, 'limit.measure'],
  [{ measure: 'requests', most: 2 }, 'needs a window'],
  [{ measure: 'concurrent', most: 2, per: 'day' }, 'have no window'],
  [{ ...twoADay, per: 'year' }, '`year` is not a window'],
  [{ ...twoADay, of: 'everybody' }, 'limit.of: must be account, key, user, session, label:NAME here'],
  [{ ...twoADay, of: 'org' }, 'limit.of: must be account, key, user, session, label:NAME here'],
  [{ ...twoADay, model: 'gpt-9' }, 'there is no model, or tier, `gpt-9`'],
  [{ ...twoADay, until: 'then' }, 'until'],
])('POST /admin/accounts/limit refuses %j', async ([limit, why], { gateway }) => {
  await mint(gateway, 'ada')

  expect(await post(gateway, 'accounts/limit', { account: 'ada', limit })).toEqual([
    400,
    expect.objectContaining({ error: expect.stringContaining(why) }),
  ])
})

it('an unset limit cannot be removed, a device has none, and their number is bounded', async ({ gateway }) => {
  await mint(gateway, 'ada')
  const { account } = await did(gateway, 'keys/guest', { device_id: 'phone-0001' })
  const refused = async (path: string, body: object) => String((await post(gateway, path, body))[1].error)

  expect(await refused('accounts/unlimit', { account: 'ada', limit: { measure: 'usd', per: 'month' } })).toContain(
    'no operator has set a limit of `usd per month`',
  )
  expect(await refused('accounts/limit', { account, limit: twoADay })).toContain('is a device')
  for (let days = 2; days <= 17; days++)
    await did(gateway, 'accounts/limit', { account: 'ada', limit: { ...twoADay, per: `${days}d` } })
  expect(await refused('accounts/limit', { account: 'ada', limit: twoADay })).toContain(
    'there may be at most 16 of them',
  )
})
