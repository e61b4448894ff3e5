import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { beforeEach, expect, it } from 'vitest'
import { answer } from '../support/backend.ts'
import { makeKey, signIn } from './chromium.ts'
import { describeConsole } from './rig.ts'
import type { Site } from './site.ts'

const BILLING = 'billing: { round: cent, seller: { name: Example Inference, contact: billing@example.com } }\n'

describeConsole('the billing page of the console', { door: 'public', alsoRedis: true }, rig => {
  let site: Site
  let page: Page
  beforeEach(async () => {
    ;({ site, page } = rig())
    await site.reload(yaml => BILLING + yaml)
    site.backend.always(
      answer({ content: 'Hi', usage: { prompt_tokens: 12_345, completion_tokens: 5678, total_tokens: 18_023 } }),
    )
  })

  it('lists the months, and shows lines that add up to the total of the invoice, to print and to save', async () => {
    await page.goto(`${site.url}/console`)
    await signIn(page, 'ada')
    const headers = { authorization: `Bearer ${await makeKey(page)}`, 'content-type': 'application/json' }
    for (const model of ['svc-core', 'svc-core', 'svc-pro']) {
      const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Hi' }] })
      const response = await fetch(`${site.url}/v1/chat/completions`, { method: 'POST', headers, body })
      expect(response.status).toBe(200)
      await response.text()
    }
    const month = new Date().toISOString().slice(0, 7)
    const asked = await fetch(`${site.url}/billing/invoices?month=${month}`, { headers })
    const invoice = (await asked.json()) as {
      readonly number: string
      readonly amount: { readonly amount_usd: string }
    }
    const total = `$${Number(invoice.amount.amount_usd).toFixed(2)}`

    await page.getByRole('link', { name: 'Billing' }).click()
    const row = page.getByRole('region', { name: 'Invoices' }).locator('tbody tr')
    await row.first().waitFor()
    expect(await row.locator('td').allTextContents()).toEqual([
      expect.stringMatching(/^[A-Z][a-z]+ 20\d\d$/),
      'running',
      invoice.number,
      '3',
      total,
    ])

    await row.getByRole('link').click()
    const lines = page.getByRole('region', { name: 'Lines' })
    await lines.waitFor()
    const amounts = await lines.locator('tbody tr td:last-child').allTextContents()
    expect(amounts.length).toBeGreaterThanOrEqual(4)
    const cents = amounts.reduce((sum, text) => sum + Math.round(Number(text.replace('$', '')) * 100), 0)
    expect(`$${(cents / 100).toFixed(2)}`).toBe(total)
    const facts = await page.locator('dl.terms').allTextContents()
    expect(facts.join(' ')).toContain('Example Inference')
    expect(facts.join(' ')).toContain(`Total${total}`)

    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save as CSV' }).click()
    expect(readFileSync(await (await saved).path(), 'utf8')).toContain(`${month},line,svc-core`)
    const printed = page.evaluate(
      () => new Promise(resolve => Object.assign(globalThis, { print: () => resolve('printed') })),
    )
    await page.getByRole('button', { name: 'Print' }).click()
    expect(await printed).toBe('printed')
    await page.emulateMedia({ media: 'print' })
    expect(await page.getByRole('navigation').isVisible()).toBe(false)
    expect(await page.getByRole('button', { name: 'Print' }).isVisible()).toBe(false)
    await page.emulateMedia({ media: 'screen' })
    await page.getByRole('main').getByRole('link', { name: 'Billing' }).click()
    await row.first().waitFor()
  })

  it('an account without usage has no invoices', async () => {
    await page.goto(`${site.url}/console`)
    await signIn(page, 'bob')
    await page.getByRole('link', { name: 'Billing' }).click()
    await page.getByText('No usage yet.').waitFor()
  })
})
