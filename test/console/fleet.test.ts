import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { describeRedis, useRedis } from '../support/redis/redis.ts'
import { hasChromium, openWindow, startChromium, type Window } from './chromium.ts'
import { lookAt } from './look.ts'
import { goTo, openAsOperator } from './operator.ts'
import { describeConsole } from './rig.ts'
import { type Site, startSite } from './site.ts'
import { chatAs, keyOf } from './traffic.ts'

const EVENTUALLY = { timeout: 60_000 }

const rowOf = (page: Page, text: string) =>
  page.getByRole('region', { name: 'Gateways' }).locator('tr', { hasText: text })

const REVISION = 'Gateways serve different revisions.'
const VERSION = 'Gateways have different versions.'

describeConsole('the fleet of one gateway', { door: 'admin', alsoRedis: true }, rig => {
  it('is the gateway that was asked, and says why no other is there', async () => {
    const { site, page } = rig()
    const { self } = site.gateway.app.fleet
    await openAsOperator(site, page)
    await goTo(page, 'f')

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
    expect(await page.getByText(PROCESSES).count()).toBe(0)
  })

  it('has its processes below it where it has several, with how each does', async () => {
    const { site, page } = rig()
    await page.route('**/admin/workers', route => route.fulfill({ json: { object: 'list', data: SEVERAL } }))
    await openAsOperator(site, page)
    await page.goto(`${site.admin}/console/fleet`)
    const rows = page.getByRole('region', { name: PROCESSES }).locator('tbody tr')
    await rows.first().waitFor()

    const cells = (at: number) => rows.nth(at).locator('td').allTextContents()
    expect((await cells(0)).slice(0, 9)).toEqual(['Main', 'Serving', '70', '–', '–', '3%', '90 MB', '1 ms', '–'])
    expect((await cells(1)).slice(0, 9)).toEqual(['Worker 0', 'Serving', '71', '12', '4', '52%', '121 MB', '2 ms', '0'])
    expect((await cells(2)).slice(0, 9)).toEqual(['Worker 1', 'Starting', '73', '0', '0', '–', '–', '–', '3'])
  })

  it('offers no choice of a gateway on pages that can show several', async () => {
    const { site, page } = rig()
    await openAsOperator(site, page)
    for (const [key, heading] of [
      ['p', 'Pools'],
      ['l', 'Live'],
    ] as const) {
      await goTo(page, key)
      await page.getByRole('heading', { name: heading }).waitFor()
      await page.waitForResponse('**/admin/fleet')
      expect(await page.getByLabel('Gateway', { exact: true }).count()).toBe(0)
    }
  })
})

const PROCESSES = 'Processes of this gateway'
const process = {
  state: 'serving',
  since: '2026-11-22T10:00:00.000Z',
  restarts: 0,
  connections: 0,
  in_flight: 0,
  lag_ms: 1.2,
}
const SEVERAL = [
  { ...process, process: 'main', worker: null, pid: 70, cores: 0.03, resident_bytes: 90_100_000 },
  {
    ...process,
    process: 'worker',
    worker: 0,
    pid: 71,
    connections: 12,
    in_flight: 4,
    cores: 0.52,
    resident_bytes: 121e6,
    lag_ms: 2,
  },
  {
    ...process,
    process: 'worker',
    worker: 1,
    pid: 73,
    state: 'starting',
    restarts: 3,
    cores: null,
    resident_bytes: null,
    lag_ms: null,
  },
]

describe.skipIf(!hasChromium)('the fleet of two gateways', () => {
  describeRedis('on one Redis', () => {
    const redis = useRedis()
    let sites: readonly [Site, Site]
    let browser: Browser
    let window: Window
    let page: Page

    beforeAll(async () => {
      const one = await startSite({ redis: redis(), name: 'gw-1:7' })
      sites = [one, await startSite({ redis: redis(), name: 'gw-2:7', adminToken: one.adminToken })]
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
      await page.getByText('No gateway matches.').waitFor()
      await page.getByRole('searchbox').fill('')
      await rowOf(page, 'gw-1:7').waitFor()
    })

    it('has the requests of both added up on page Live, and those of one by choice', async () => {
      const [one, two] = sites
      const pace = async () => (await page.locator('.pace').textContent()) ?? ''
      const last = (label: string) => page.locator('.live-rows .live-row:visible').filter({ hasText: label })
      const key = await keyOf(one, 'ada', 'pro')
      await page.goto(`${one.admin}/console`)
      await page.getByText('as they end on all gateways of the fleet').waitFor()
      await last('ada').waitFor()
      await expect
        .poll(async () => {
          await chatAs(two, key)
          return Number(/(\d+) rpm/.exec(await pace())?.[1])
        }, EVENTUALLY)
        .toBeGreaterThan(1)
      await chatAs(two, key, 'none')
      await last('ada').getByText('400 VALIDATION_ERROR').waitFor()

      await page.getByLabel('Gateway', { exact: true }).selectOption('gw-1:7')
      await expect.poll(() => new URL(page.url()).searchParams.get('gateway')).toBe('gw-1:7')
      await page.getByText('svcctl quota tail --gateway gw-1:7').waitFor()
      await last('ada').waitFor()
      await chatAs(two, key)
      await expect
        .poll(async () => {
          await chatAs(one, key)
          return last('ada').getByText('200 svc-core').count()
        }, EVENTUALLY)
        .toBe(1)
    })

    it('has the pools of both added up, says which gateway sees what, and shows the view of one', async () => {
      const [one, two] = sites
      const pool = page.locator('tr.group').filter({ hasText: 'onprem' })
      const replica = (site: Site) => page.locator('tr.member').filter({ hasText: site.backend.url })
      await page.goto(`${one.admin}/console/pools`)
      await replica(one).waitFor()
      await replica(two).waitFor()
      await page.getByText("All gateways' view of their backends, added up.").waitFor()

      await page.getByLabel('Gateway', { exact: true }).selectOption('gw-2:7')
      await replica(one).waitFor({ state: 'detached' })
      await pool.waitFor()
      expect(await replica(two).count()).toBe(1)
      await page.getByText('svcctl pools --gateway gw-2:7').waitFor()
    })

    it('says at which gateway a replica is ejected, and which gateway did not answer', async () => {
      await page.goto(`${sites[0].admin}/console/pools`)
      await page.route('**/admin/pools?*', async route => {
        const response = await route.fetch()
        const found = await response.json()
        Object.assign(found.data[0].replicas[0], { state: 'open', seen_by: ['gw-2:7'] })
        found.unreached = [{ gateway: 'gw-3:7', problem: 'it refuses connections' }]
        await route.fulfill({ response, json: found })
      })
      await page.locator('tr.member').filter({ hasText: 'Ejected' }).getByText('at gw-2:7').waitFor()
      await page.getByRole('status').getByText('gw-3:7 did not answer').waitFor()
      await page.unrouteAll({ behavior: 'wait' })
      await page.goto(`${sites[0].admin}/console/fleet`)
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
      await page.getByRole('alert').getByText('The store does not answer').first().waitFor()
      expect(await rowOf(page, 'gw-1:7').count()).toBe(1)
      redis().resume()
      await page.getByRole('alert').waitFor({ state: 'detached' })
    })
  })
})
