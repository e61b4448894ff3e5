import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasChromium, openWindow, signIn, startChromium } from './chromium.ts'
import { type Site, startSite } from './site.ts'

describe.skipIf(!hasChromium)('who is new to the console', () => {
  let site: Site
  let browser: Browser
  beforeAll(async () => {
    ;[site, browser] = await Promise.all([startSite(), startChromium()])
  })
  afterAll(async () => {
    await browser?.close()
    await site?.close()
  })

  const openAs = async (who: 'ada' | 'bob') => {
    const opened = await openWindow(browser, [site.url, site.issuer])
    await opened.page.goto(`${site.url}/console`)
    await signIn(opened.page, who)
    return opened
  }

  it('is led from the empty overview to the keys', async () => {
    const { page, close } = await openAs('bob')
    await page.getByRole('link', { name: 'Create a key' }).click()
    await page.getByRole('heading', { name: 'Keys' }).waitFor()

    expect(page.url()).toBe(`${site.url}/console/keys`)
    await close()
  })

  it.each([
    ['ada', 'Requests are still served'],
    ['bob', 'Requests are refused with status 402'],
  ] as const)('reads what becomes of requests once the quota is spent, by the plan of %s', async (who, then) => {
    const { page, close } = await openAs(who)
    await page.getByRole('link', { name: 'Billing' }).click()
    await page.getByText(then).waitFor()
    await close()
  })
})
