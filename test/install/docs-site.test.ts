import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Running, running } from '../cli/program.ts'
import { hasChromium, openWindow, startChromium } from '../console/chromium.ts'
import { widthFaults } from '../console/look.ts'
import { ROOT } from '../deploy/files.ts'
import { HANGS_MS } from '../lanes/hangs.ts'
import { freePort } from '../support/free-port.ts'

describe.skipIf(!hasChromium)('the site that `npm run docs` serves', () => {
  let origin: string
  let site: Running

  beforeAll(async () => {
    const port = await freePort()
    origin = `http://localhost:${port}`
    // A group of its own: npm and VitePress are processes below it.
    const child = spawn('npm', ['run', 'docs', '--', '--port', String(port)], { cwd: ROOT, detached: true })
    site = running(child, signal => child.pid && process.kill(-child.pid, signal))
    await site.until(`localhost:${port}`)
  }, 10 * HANGS_MS)
  afterAll(() => site?.end())

  it('has a page for each page of docs/', () => {
    const pages = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' }).filter(name =>
      name.endsWith('.md'),
    )
    const built = readdirSync(join(ROOT, 'site/.vitepress/dist'), { recursive: true, encoding: 'utf8' })
    const missing = pages
      .map(name => name.replace(/README\.md$/, 'overview.md').replace(/\.md$/, '.html'))
      .filter(name => !built.includes(name))
    expect(missing).toEqual([])
  })

  it('opens with what this is and where to begin, and fits a phone', async () => {
    const browser = await startChromium()
    try {
      const { page, faults } = await openWindow(browser, [origin], { viewport: { width: 390, height: 800 } })
      await page.goto(origin)
      await page
        .getByRole('heading', { level: 1 })
        .getByText('A gateway for models that enforces your policy')
        .waitFor()
      expect(await widthFaults(page)).toEqual([])
      for (const title of ['Any SDK or agent', 'Limits that hold', 'A ledger and invoices'])
        expect(await page.locator('a.VPFeature', { hasText: title }).getAttribute('href')).toMatch(/^\/\w/)
      await page.getByRole('link', { name: 'All pages' }).click()
      await page.getByRole('heading', { level: 1, name: 'Documentation' }).waitFor()
      await page.goto(origin)
      await page.getByRole('link', { name: 'Try it in a minute' }).click()
      await page.getByRole('heading', { level: 1, name: 'Getting started' }).waitFor()
      expect(faults).toEqual([])
    } finally {
      await browser.close()
    }
  })

  it('finds the page of a task before reference and decisions', async () => {
    const browser = await startChromium()
    try {
      const { page } = await openWindow(browser, [origin])
      await page.goto(`${origin}/tutorial`)
      for (const word of ['backup', 'upgrade', 'invoice', 'limit'])
        await expect.poll(() => firstFound(page, word), POLL).toMatch(/^\/(how-to|tutorial|getting-started)/)
    } finally {
      await browser.close()
    }
  })

  it('leads from any page to any other, is searched, and draws its diagrams, and asks no other origin', async () => {
    const browser = await startChromium()
    try {
      const { page, faults } = await openWindow(browser, [origin])
      await page.goto(`${origin}/tutorial`)
      await page.locator('.VPSidebar').getByRole('link', { name: 'Back up and restore' }).click()
      await page.getByRole('heading', { level: 1, name: 'Back up and restore' }).waitFor()

      await expect.poll(() => firstFound(page, 'grace'), POLL).not.toBe('')
      await page.locator('.VPLocalSearchBox .result', { hasText: 'Rotate' }).first().waitFor()
      await page.keyboard.press('Escape')

      await page.goto(`${origin}/architecture`)
      await page.locator('svg[id^="diagram"]').first().waitFor()
      expect(faults).toEqual([])
    } finally {
      await browser.close()
    }
  })
})

/** Each poll may type, and the page searches a moment later. */
const POLL = { interval: 1000 }

/**
 * The address of the first page that the site finds for a word; empty until there is one. A page opens its search once its
 * scripts run, and searches for no word that was typed before its index was loaded, so that a poll opens and types again.
 */
async function firstFound(page: Page, word: string): Promise<string> {
  const field = page.getByRole('searchbox')
  if (!(await field.isVisible())) {
    await page.keyboard.press('Control+k')
    return ''
  }
  const results = page.locator('.VPLocalSearchBox .result')
  const found = (await results.count()) > 0 ? await results.first().getAttribute('href') : undefined
  if (found && (await field.inputValue()) === word) return found
  await field.fill('')
  await field.fill(word)
  return ''
}
