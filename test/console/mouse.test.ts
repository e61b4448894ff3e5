import type { Locator, Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { makeKey, signIn } from './chromium.ts'
import { openAsOperator } from './operator.ts'
import { describeConsole } from './rig.ts'
import type { Site } from './site.ts'
import { chatAs, keyOf } from './traffic.ts'

/** Points of a row, from its start to its end. */
const PLACES = [
  ['start', 0.02],
  ['middle', 0.5],
  ['end', 0.98],
] as const

/** Presses and releases the button over a row, as a hand does: no key, and no click that a script makes. */
async function press(page: Page, row: Locator, share: number): Promise<void> {
  await row.scrollIntoViewIfNeeded()
  const box = await row.boundingBox()
  if (!box) throw new Error('the row is out of sight')
  await page.mouse.move(box.x + box.width * share, box.y + box.height / 2, { steps: 3 })
  await page.mouse.down()
  await page.mouse.up()
}

describeConsole('an operator with a mouse alone', { door: 'admin', shared: true }, rig => {
  let site: Site
  let page: Page
  beforeAll(async () => {
    ;({ site, page } = rig())
    const ada = await keyOf(site, 'ada', 'free')
    await chatAs(site, ada)
    expect(await chatAs(site, ada, 'svc-pro')).toBe(429)
    await openAsOperator(site, page)
  })

  const menu = (name: string) => page.locator('nav').getByRole('link', { name }).click()
  const heading = (name: string) => page.getByRole('heading', { name, exact: true })
  const rowOf = (region: string, text: string) =>
    page.getByRole('region', { name: region }).locator('tbody tr').filter({ hasText: text }).first()

  it.each(PLACES)(
    'gets from the refused account on Live to its 429 and the reason, at the %s of rows',
    async (_, at) => {
      await menu('Live')
      await page.getByLabel('Sort').selectOption('By last refusal')
      const refused = page.locator('.live-rows .live-row', { hasText: '429' })
      await refused.waitFor()
      await press(page, refused, at)
      await heading('ada').waitFor()
      await rowOf('Requests', '429').waitFor()
      await press(page, rowOf('Requests', '429'), at)

      await heading('Request').waitFor()
      await page.getByText('does not include svc-pro').first().waitFor()
      await page.getByRole('link', { name: 'All requests' }).click()
      await heading('Requests').waitFor()
    },
  )

  it.each(PLACES)('opens an invoice at the %s of its row', async (_, at) => {
    await menu('Invoices')
    await rowOf('Invoices', 'ada').waitFor()
    await press(page, rowOf('Invoices', 'ada'), at)

    await page.getByRole('region', { name: 'Lines' }).waitFor()
  })

  it.each(PLACES)('opens a request, an account and a revision at the %s of their rows', async (_, at) => {
    await menu('Requests')
    await rowOf('Requests', '200').waitFor()
    await press(page, rowOf('Requests', '200'), at)
    await heading('Request').waitFor()
    await menu('Accounts')
    await rowOf('Accounts', 'ada').waitFor()
    await press(page, rowOf('Accounts', 'ada'), at)
    await heading('ada').waitFor()
    await site.reload(yaml => yaml.replace('rpm: 120', `rpm: ${130 + Math.round(at * 100)}`))
    await menu('Revisions')
    const newest = page.locator('tbody tr', { hasText: 'serves' }).filter({ hasText: 'from ' })
    await newest.waitFor()
    await press(page, newest, at)
    await page.getByRole('heading', { name: /^Revision \d+ to \d+$/ }).waitFor()
  })
})

describeConsole('a customer with a mouse alone', { door: 'public', shared: true }, rig => {
  let page: Page
  beforeAll(async () => {
    const { site } = rig()
    ;({ page } = rig())
    await page.goto(`${site.url}/console`)
    await signIn(page, 'ada')
    const key = await makeKey(page)
    await chatAs(site, key)
    await chatAs(site, key, 'none')
  })

  const menu = (name: string) => page.locator('nav').getByRole('link', { name }).click()

  it.each(PLACES)('opens the invoice of a month at the %s of its row', async (_, at) => {
    await menu('Billing')
    const month = page.getByRole('region', { name: 'Invoices' }).locator('tbody tr').first()
    await month.waitFor()
    await press(page, month, at)

    await page.getByRole('region', { name: 'Lines' }).waitFor()
  })

  it.each(PLACES)('opens a refused request at the %s of its row, and closes it there', async (_, at) => {
    await menu('Requests')
    const refused = page.locator('tr.opens', { hasText: 'VALIDATION_ERROR' })
    await refused.waitFor()
    await press(page, refused, at)
    await page.getByText('What to do').waitFor()
    await press(page, refused, at)

    await page.getByText('What to do').waitFor({ state: 'detached' })
  })
})
