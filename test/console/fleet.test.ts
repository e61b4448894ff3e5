import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { describeRedis, useRedis } from '../support/redis/redis.ts'
import { hasChromium, openWindow, startChromium, type Window } from './chromium.ts'
import { lookAt } from './look.ts'
import { openAsOperator } from './operator.ts'
import { describeConsole } from './rig.ts'
import { type Site, startSite } from './site.ts'

const rowOf = (page: Page, text: string) =>
  page.getByRole('region', { name: 'Gateways' }).locator('tr', { hasText: text })

const REVISION = 'Gateways serve different revisions.'
const VERSION = 'Gateways have different versions.'

describeConsole('the fleet of one gateway', { door: 'admin' }, rig => {
  it('is the gateway that was asked, and says why no other is there', async () => {
    const { site, page } = rig()
    const { self } = site.gateway.app.fleet
    await openAsOperator(site, page)
    await page.keyboard.press('g')
    await page.keyboard.press('f')

    await page.getByRole('heading', { name: 'Fleet' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/console/fleet')
    const row = rowOf(page, self.name)
    await row.waitFor()
    expect(await row.textContent()).toContain('this one')
    expect(await row.textContent()).toContain(self.revision)
    expect(await row.textContent()).toContain(site.admin)
    await page
      .getByText(/^An embedded store belongs to one gateway\.|^No other gateway is on this Redis now\.$/)
      .waitFor()
    expect(await page.getByText(REVISION).count()).toBe(0)
  })
})

describe.skipIf(!hasChromium)('the fleet of two gateways', () => {
  describeRedis('on one Redis', () => {
    const redis = useRedis()
    let sites: readonly [Site, Site]
    let browser: Browser
    let window: Window
    let page: Page

    beforeAll(async () => {
      const one = await startSite({ redis: redis(), name: 'gw-1:7' })
      sites = [one, await startSite({ redis: redis(), name: 'gw-2:7' })]
      browser = await startChromium()
      window = await openWindow(browser, [one.admin])
      page = window.page
      await openAsOperator(one, page)
      await page.goto(`${one.admin}/console/fleet`)
      await rowOf(page, 'gw-2:7').waitFor()
    }, 60_000)
    afterAll(async () => {
      await browser?.close()
      for (const site of sites ?? []) await site.close()
    })

    it('has both, with what each serves and where each is reached', async () => {
      for (const { admin, gateway } of sites) {
        const text = await rowOf(page, gateway.app.fleet.self.name).textContent()
        expect(text).toContain(gateway.app.config.revision)
        expect(text).toContain(admin)
      }
      expect(await rowOf(page, 'this one').count()).toBe(1)
      await page.getByText('2 gateways, 0 requests in flight.').waitFor()
    })

    it('warns of revisions that differ, by the gateways that have each, and names the commands that mend it', async () => {
      const note = page.getByRole('status').filter({ hasText: REVISION })
      await note.waitFor()
      for (const { gateway } of sites)
        await note.getByText(`${gateway.app.config.revision} on ${gateway.app.fleet.self.name}`).waitFor()
      await note.getByText('svcctl apply --all').waitFor()
      expect(await page.getByText(VERSION).count()).toBe(0)
    })

    it('has no warning any more once all serve the same, and says so of versions', async () => {
      await page.route('**/admin/fleet', async route => {
        const response = await route.fetch()
        const fleet = await response.json()
        const [first, second] = fleet.data
        second.revision = first.revision
        second.version = '9.9.9'
        const values = [first, second].map(({ version, gateway }) => ({ value: version, gateways: [gateway] }))
        await route.fulfill({ response, json: { ...fleet, drift: [{ of: 'version', values }] } })
      })
      await page.getByText(REVISION).waitFor({ state: 'detached' })

      await page.getByRole('status').filter({ hasText: VERSION }).getByText('9.9.9 on gw-2:7').waitFor()
      await page.unrouteAll({ behavior: 'wait' })
    })

    it('finds a gateway by its name, and says where none has it', async () => {
      await page.keyboard.press('/')
      await page.keyboard.type('gw-2')
      await rowOf(page, 'gw-1:7').waitFor({ state: 'detached' })
      expect(await rowOf(page, 'gw-2:7').count()).toBe(1)
      await page.keyboard.type('x')
      await page.getByText('No gateway is called so.').waitFor()
      await page.getByRole('searchbox').fill('')
      await rowOf(page, 'gw-1:7').waitFor()
    })

    it.each([390, 1280, 3840])('is accessible and fits a window of %i pixels', async width => {
      const found: string[] = []
      await page.setViewportSize({ width, height: 800 })
      await lookAt(page, found, `light-${width}`)('operator-fleet-of-two')
      expect(found).toEqual([])
    })

    it('loses a gateway that stops, and the figures stay while the store does not answer', async () => {
      await sites[1].gateway.close(0)
      await rowOf(page, 'gw-2:7').waitFor({ state: 'detached' })
      expect(window.faults).toEqual([])

      redis().pause()
      await page.getByRole('alert').getByText('The store does not answer').first().waitFor({ timeout: 20_000 })
      expect(await rowOf(page, 'gw-1:7').count()).toBe(1)
      redis().resume()
      await page.getByRole('alert').waitFor({ state: 'detached', timeout: 40_000 })
    })
  })
})
