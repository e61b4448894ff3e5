import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { beforeEach, expect, it } from 'vitest'
import type { ShownMonthInvoices } from '../../src/wire/invoice/shown-invoices.ts'
import { answer } from '../support/backend.ts'
import { goTo, openAsOperator } from './operator.ts'
import { describeConsole } from './rig.ts'
import type { Site } from './site.ts'
import { askAs, chatAs, keyOf } from './traffic.ts'

describeConsole('the invoices that operators see', { door: 'admin', alsoRedis: true }, rig => {
  let site: Site
  let page: Page
  beforeEach(async () => {
    ;({ site, page } = rig())
    site.backend.always(
      answer({ content: 'Hi', usage: { prompt_tokens: 12_345, completion_tokens: 5678, total_tokens: 18_023 } }),
    )
    await openAsOperator(site, page)
    await goTo(page, 'i')
    await page.getByRole('heading', { name: 'Invoices' }).waitFor()
  })

  const month = new Date().toISOString().slice(0, 7)
  const rows = () => page.getByRole('region', { name: 'Invoices' }).locator('tbody tr')
  const textOf = async (button: string) => {
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: button, exact: true }).click()
    return readFileSync(await (await saved).path(), 'utf8')
  }

  it('are listed by account, open as customers see them, and are saved as CSV', async () => {
    await page.getByText('No account has usage in this month.').waitFor()
    for (const [label, times] of [
      ['ada', 2],
      ['<img src=x onerror=alert(1)>', 1],
    ] as const)
      for (let time = 0; time < times; time++) await chatAs(site, await keyOf(site, label, 'pro'), 'svc-pro')
    await keyOf(site, 'idle', 'pro')
    const { data } = (await askAs(site, `/admin/invoices?month=${month}`)) as unknown as ShownMonthInvoices

    await page.reload()
    await rows().first().waitFor()
    expect(await rows().locator('td:first-child').allTextContents()).toEqual(data.map(({ label }) => label))
    expect(await rows().locator('td:nth-child(3)').allTextContents()).toEqual(data.map(({ number }) => number))
    expect(await page.locator('main img').count()).toBe(0)

    const csv = await textOf('Save as CSV')
    expect(csv.trimEnd().split('\r\n')).toHaveLength(3)
    for (const { number, amount_usd } of data)
      expect(csv).toMatch(new RegExp(`,${number},running,.*,${amount_usd}\r\n`))
    const lines = await textOf('Save lines as CSV')
    for (const { number } of data) expect(lines).toContain(`,${number},`)
    expect(lines).toContain(`${month},line,svc-pro`)

    await rows().filter({ hasText: 'ada' }).getByRole('link').click()
    await page.getByRole('region', { name: 'Lines' }).waitFor()
    const ada = data.find(({ label }) => label === 'ada')
    const facts = (await page.locator('dl.terms').allTextContents()).join(' ')
    expect(facts).toContain(ada?.number)
    expect(facts).toContain(`$${ada?.amount_usd}`)
    expect(await textOf('Save as CSV')).toContain(`${ada?.account},ada,${month},line,svc-pro`)
    await page.keyboard.press('Escape')
    await rows().first().waitFor()
  })
})
