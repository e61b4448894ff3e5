import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { newRequestId } from '../../src/gateway/accounts/keys.ts'
import type { Bill } from '../../src/records/ledger-row.ts'
import { world } from '../../src/server/world.ts'
import { admit, claimsOf, openShop, type Shop, settlement, waste } from '../adapters/store/fixtures.ts'
import { openAsOperator } from './operator.ts'
import { describeConsole } from './rig.ts'
import type { Site } from './site.ts'
import { chatAs, keyOf } from './traffic.ts'

const COUNT = 130

describeConsole('requests of the past', { door: 'admin', shared: true, alsoRedis: true }, rig => {
  let site: Site
  let page: Page
  let labelled: string

  /** Settles a request straight in the store, as a gateway did that runs no more. */
  const settle = async (
    shop: Shop,
    minutesAgo: number,
    names: Pick<Bill, 'labels' | 'session'> = {},
  ): Promise<string> => {
    const { store } = site.gateway
    const at = Date.now() - minutesAgo * 60_000
    const id = newRequestId(at, world.random)
    const hold = await admit(store, shop, id, claimsOf({ at: Date.now() }))
    const settled = settlement({ ...hold, at })
    await store.holds.settle({ ...settled, bill: { ...settled.bill, ...names } })
    return id
  }

  beforeAll(async () => {
    ;({ site, page } = rig())
    const { store } = site.gateway
    const shop = await openShop(store, 'shop')
    for (let minute = COUNT; minute > 0; minute--) await settle(shop, minute)
    const other = await openShop(store, 'market')
    labelled = await settle(other, 90, { labels: { project: 'web' }, session: 'conversation-7' })
    const failed = await admit(
      store,
      other,
      newRequestId(Date.now() - 60_000, world.random),
      claimsOf({ at: Date.now() }),
    )
    await store.ledger.recordWaste([waste(failed)])
    await chatAs(site, await keyOf(site, 'ada', 'free'), 'svc-pro')
    await openAsOperator(site, page)
  })

  const rows = () => page.locator('tr:has([data-row])')

  it('of a process that is gone are found in the ledger, a page at a time, beside what this one refused', async () => {
    await page.goto(`${site.admin}/console/requests`)
    await rows().first().waitFor()
    expect(await rows().count()).toBe(1)

    await page.getByLabel('By time').selectOption('Last 24 hours')
    await expect.poll(() => rows().count()).toBe(100)
    expect(new URL(page.url()).search).toBe('?since=24h')
    await rows().filter({ hasText: '429 plan_limit' }).waitFor()
    await page.getByRole('button', { name: 'Older' }).click()
    await expect.poll(() => rows().count()).toBeGreaterThanOrEqual(COUNT + 1)
    expect(await page.getByRole('button', { name: 'Older' }).count()).toBe(0)
    await page.getByText('Refused requests are known since').waitFor()
  })

  it('show the labels and the session of their row', async () => {
    await page.goto(`${site.admin}/console/requests?id=${labelled}`)
    const fact = (name: string) => page.locator('.facts > div', { hasText: name }).locator('dd').textContent()
    await page.getByText('conversation-7').waitFor()
    expect([await fact('Labels'), await fact('Session')]).toEqual(['project=web', 'conversation-7'])
  })

  it('are narrowed by account, time and outcome, by an address that can be sent on', async () => {
    await page.goto(`${site.admin}/console/requests?since=1h&account=shop`)
    await rows().first().waitFor()
    const ofShop = await rows().count()
    expect(ofShop).toBeLessThanOrEqual(61)
    await page.getByText('svcctl requests list --account shop --since 1h').waitFor()

    await page.getByLabel('By outcome').selectOption('Refused or failed')
    await page.getByText('No matching requests').waitFor()
    await page.getByRole('button', { name: 'Show all' }).click()
    await expect.poll(() => rows().count()).toBeGreaterThan(ofShop)

    await page.getByLabel('By time').selectOption('As they end')
    await expect.poll(() => rows().count()).toBe(1)
    expect(new URL(page.url()).search).toBe('')
  })

  it('are among the last ones on the page of an account', async () => {
    await page.goto(`${site.admin}/console/accounts?id=acct_shop`)
    await page.getByRole('heading', { name: 'Last requests' }).waitFor()
    await expect.poll(() => rows().count()).toBe(8)

    await page.getByRole('link', { name: 'All 30 days' }).click()
    await expect.poll(() => rows().count()).toBe(100)
  })
})
