import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasChromium, openWindow, signIn, startChromium } from './chromium.ts'
import { type Site, startSite } from './site.ts'

describe.skipIf(!hasChromium)('the overview of the console', () => {
  let site: Site
  let browser: Browser
  beforeAll(async () => {
    ;[site, browser] = await Promise.all([startSite(), startChromium()])
  })
  afterAll(async () => {
    await browser?.close()
    await site?.close()
  })

  it('has a meter for every limit, with the quota of the plan and not the end of its overage', async () => {
    const { page, faults, close } = await openWindow(browser, [site.url, site.issuer])
    await page.goto(`${site.url}/console`)
    await signIn(page, 'ada')
    await page.getByRole('meter').first().waitFor()

    const meters = await page.getByRole('meter').all()
    const shown = await Promise.all(
      meters.map(async each => [await each.getAttribute('aria-label'), await each.getAttribute('aria-valuetext')]),
    )
    expect(shown).toEqual([
      ['This month', '$0.00 of $20.00'],
      ['Requests, last minute', '0 of 120'],
      ['Tokens, last minute', '0 of 400k'],
      ['Requests, today', '0 of 5,000'],
    ])
    expect(await meters[0]?.getAttribute('aria-valuemax')).toBe('120')
    expect(faults).toEqual([])
    await close()
  })

  it('shows the same days in Kiritimati and in Honolulu', async () => {
    const texts = await Promise.all(
      ['Pacific/Kiritimati', 'Pacific/Honolulu'].map(async timezoneId => {
        const { page, close } = await openWindow(browser, [site.url, site.issuer], { timezoneId })
        await page.goto(`${site.url}/console`)
        await signIn(page, 'bob')
        await page.getByRole('meter').first().waitFor()
        const text = await page.locator('.cells').textContent()
        await close()
        return text
      }),
    )

    expect(texts[0]).toContain('resets')
    expect(texts[1]).toBe(texts[0])
  })
})
