import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasChromium, openWindow, signIn, startChromium } from './chromium.ts'
import { lookAt } from './look.ts'
import { type Site, startSite } from './site.ts'

const PAGES = ['', '/keys', '/requests', '/models', '/try', '/billing', '/errors']

let site: Site

describe.skipIf(!hasChromium)('every page of the console', () => {
  let browser: Browser
  beforeAll(async () => {
    ;[site, browser] = await Promise.all([startSite(), startChromium()])
  })
  afterAll(async () => {
    await browser?.close()
    await site?.close()
  })

  it.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 390],
    ['dark', 390],
  ] as const)('is accessible and no wider than its window: %s, %i pixels wide', async (colorScheme, width) => {
    const { page, faults, close } = await openWindow(browser, [site.url, site.issuer], {
      colorScheme,
      viewport: { width, height: 800 },
    })
    const found: string[] = []
    const look = lookAt(page, found, `${colorScheme}-${width}`)
    await page.goto(`${site.url}/console`)
    await page.getByRole('button', { name: 'Sign in with' }).waitFor()
    await look('door')
    await signIn(page, 'ada')
    page.on('dialog', dialog => void dialog.accept())
    await page.goto(`${site.url}/console/keys`)
    await page.getByRole('heading', { name: 'Keys' }).waitFor()
    await page.locator('.skeleton').waitFor({ state: 'detached' })
    if (await page.getByText('No active key').isVisible()) {
      await look('no-key')
      await page.getByRole('button', { name: 'Create key' }).click()
      await use((await page.locator('[data-key]').textContent()) ?? '')
      await look('fresh-key')
    }
    for (const path of PAGES) {
      await page.locator(`nav a[href="/console${path}"]`).click()
      await page.locator('.skeleton').waitFor({ state: 'detached' })
      await look(path.slice(1) || 'overview')
    }

    expect(found).toEqual([])
    expect(faults).toEqual([])
    await close()
  })
})

/** Sends a chat, so that there is something to show. */
async function use(key: string): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ messages: [{ role: 'user', content: 'Hi' }] })
  const response = await fetch(`${site.url}/v1/chat/completions`, { method: 'POST', headers, body })
  expect(response.status).toBe(200)
  await response.text()
}
