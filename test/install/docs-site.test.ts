import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Running, running } from '../cli/program.ts'
import { hasChromium, openWindow, startChromium } from '../console/chromium.ts'
import { widthFaults } from '../console/look.ts'
import { ROOT } from '../deploy/files.ts'
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
  }, 300_000)
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
      await page.keyboard.press('Control+k')
      const field = page.getByRole('searchbox')
      const results = page.locator('.VPLocalSearchBox .result')
      const firstHref = async () =>
        ((await results.count()) > 0 ? await results.first().getAttribute('href') : null) ?? ''
      for (const word of ['backup', 'upgrade', 'invoice', 'limit']) {
        // What is typed before the index is loaded is not searched for.
        const find = async () => {
          const found = await firstHref()
          if (found === '' || (await field.inputValue()) !== word) {
            await field.fill('')
            await field.fill(word)
            return ''
          }
          return found
        }
        await expect.poll(find, { interval: 1000, timeout: 30_000 }).toMatch(/^\/(how-to|tutorial|getting-started)/)
      }
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

      await page.keyboard.press('Control+k')
      await page.getByRole('searchbox').fill('grace')
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
