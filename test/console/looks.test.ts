import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasChromium, openWindow, signIn, startChromium } from './chromium.ts'
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
    const look = async (name: string) => {
      found.push(...(await violationsOf(page)).map(each => `${name}: ${each}`))
      const scrolled = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
      if (Number(scrolled) > 0) found.push(`${name}: ${scrolled} pixels too wide`)
      const folder = process.env.CI_ARTIFACTS
      if (folder) await page.screenshot({ path: `${folder}/console-${name}-${colorScheme}-${width}.png` })
    }
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

/** Those that axe calls serious or worse. The script comes by the protocol of debuggers, which no policy of a page concerns. */
async function violationsOf(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source)
  const { violations } = (await page.evaluate('axe.run()')) as {
    violations: readonly {
      readonly id: string
      readonly impact: string
      readonly nodes: readonly { readonly html: string }[]
    }[]
  }
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id} ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`)
}
