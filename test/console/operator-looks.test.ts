import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasChromium, openWindow, startChromium } from './chromium.ts'
import { LOOKS, lookAt, measureFaults } from './look.ts'
import { openAsOperator } from './operator.ts'
import { type Site, startSite } from './site.ts'
import { chatAs, keyOf } from './traffic.ts'

/** Labels that a user may choose. */
const HOSTILE = ['<img src=x onerror=alert(1)>', 'm'.repeat(200), 'שלום@example.com', 'ada']

/** Links of the navigation, as their looks are called. */
const PAGES = [
  ...['operator-live', 'operator-requests', 'operator-pools', 'operator-fleet', 'operator-usage', 'operator-invoices'],
  ...['operator-accounts', 'operator-plans', 'operator-revisions', 'operator-audit', 'operator-incidents'],
  'operator-notices',
]

describe.skipIf(!hasChromium)('every page of operators', () => {
  let site: Site
  let browser: Browser
  beforeAll(async () => {
    ;[site, browser] = await Promise.all([startSite(), startChromium()])
    for (const label of HOSTILE) await chatAs(site, await keyOf(site, label, 'free'))
    await chatAs(site, await keyOf(site, 'ada', 'free'), 'svc-pro')
  })
  afterAll(async () => {
    await browser?.close()
    await site?.close()
  })

  it.each(LOOKS)(
    'is accessible, shows labels as text, and is no wider than its window: %s, %i pixels',
    async (colorScheme, width) => {
      const { page, faults, close } = await openWindow(browser, [site.admin], {
        colorScheme,
        viewport: { width, height: 800 },
      })
      const found: string[] = []
      const look = lookAt(page, found, `${colorScheme}-${width}`)
      await page.goto(`${site.admin}/console`)
      await page.getByText('Use the admin token').click()
      await look('operator-door')
      await openAsOperator(site, page)

      const names: string[] = []
      for (const link of await page.locator('nav a').all()) {
        await link.click()
        await page.locator('.skeleton').waitFor({ state: 'detached' })
        const name = `operator-${/[A-Z][a-z]+/.exec((await link.textContent()) ?? '')?.[0].toLowerCase()}`
        names.push(name)
        await look(name)
        expect(await page.locator('main img').count()).toBe(0)
        expect(await page.locator('.state:not(:has(svg)), nav a:not(:has(svg))').count()).toBe(0)
        found.push(...(await measureFaults(page)))
      }
      expect(names).toEqual(PAGES)
      await page.goto(`${site.admin}/console/requests?since=24h`)
      await page.locator('tr:has([data-row])').first().waitFor()
      await look('operator-past')
      await page.goto(`${site.admin}/console/requests?status=429`)
      await page.locator('tr:has([data-row])').first().click()
      await page.getByText('does not include svc-pro').first().waitFor()
      await look('operator-explained')
      await page.goto(`${site.admin}/console/pools`)
      await page.getByRole('button', { name: 'Drain… onprem', exact: true }).click()
      await page.getByRole('dialog').waitFor()
      await look('operator-drain')

      expect(found).toEqual([])
      expect(faults).toEqual([])
      await close()
    },
  )
})
