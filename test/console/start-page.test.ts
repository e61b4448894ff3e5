import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { MODEL_LENGTH, POOL_LENGTH } from '../../src/gateway/series/counts.ts'
import type { ShownSeries } from '../../src/wire/admin/series.ts'
import { picture, widthFaults } from './look.ts'
import { goTo, openAsOperator } from './operator.ts'
import { describeConsole } from './rig.ts'
import type { Site } from './site.ts'
import { chatAs, keyOf } from './traffic.ts'

describeConsole('the start page of operators', { door: 'admin', shared: true }, rig => {
  let site: Site
  let page: Page
  beforeAll(async () => {
    ;({ site, page } = rig())
    const ada = await keyOf(site, 'ada', 'pro')
    for (let index = 0; index < 5; index++) await chatAs(site, ada)
    await openAsOperator(site, page)
  })

  const health = () => page.getByRole('status', { name: 'Health' })
  const chart = (title: string) => page.locator('figure', { hasText: title })

  it('says first that all is well, and then shows requests, latencies, tokens and spend before accounts', async () => {
    await health()
      .getByText(/^All is well: \d+ pools? healthy, 1 gateway/)
      .waitFor()
    const titles = await page.locator('figure b').allTextContents()
    expect(titles.slice(0, 5)).toEqual([
      ...['Requests per minute', 'Latency', 'Time to first token', 'Tokens per minute', 'Spend per hour'],
    ])
    const tops = await Promise.all(
      [health(), chart('Latency'), page.locator('.live-head')].map(async place => (await place.boundingBox())?.y ?? 0),
    )
    expect(tops).toEqual([...tops].sort((a, b) => a - b))
  })

  it('says in the first minute when the first point comes, where charts would be blank', async () => {
    await page.route('**/admin/series?*', async route => {
      const response = await route.fetch()
      const series = (await response.json()) as ShownSeries
      const nothing = { requests: 0, served: 0 }
      const data = series.data.map((point, at) =>
        at < series.data.length - 1 ? { ...point, ...nothing } : { ...point, requests: 5 },
      )
      const as_of = new Date(Date.parse(series.until) - 25_000).toISOString()
      await route.fulfill({ response, json: { ...series, data, as_of } })
    })
    await page.reload()
    await chart('Requests per minute').getByText('First point in 25 s').waitFor()
    await page.unrouteAll({ behavior: 'wait' })
    await page.reload()
    await chart('Requests per minute').getByText('5 total').waitFor()
  })

  it('shows the numbers that the gateway counts, of all and of one model', async () => {
    const response = await fetch(`${site.admin}/admin/series`, {
      headers: { authorization: `Bearer ${site.adminToken}` },
    })
    const { total, models } = (await response.json()) as ShownSeries
    expect(total.served).toBe(5)
    await chart('Requests per minute').getByText('5 total').waitFor()
    const [model] = models
    await page.getByLabel('Model or pool').selectOption(`model ${model?.name}`)
    await chart('Requests per minute').getByText(`${model?.requests} total`).waitFor()
    expect(page.url()).toContain(`model=${model?.name}`)
    await page.getByLabel('Time', { exact: true }).selectOption('day')
    await chart('Requests per minute').getByText(`${model?.requests} total`).waitFor()
    await page.getByLabel('Model or pool').selectOption('')
    await page.getByLabel('Time', { exact: true }).selectOption('hour')
  })

  it('names a pool that is not healthy, and leads to it', async () => {
    const pool = [...site.gateway.app.config.pools.keys()][0] ?? ''
    await site.gateway.app.store.fleet.setDrained({ pool }, true)
    await health().getByText(`${pool}: Drained`).click()
    await page.getByRole('heading', { name: 'Pools' }).waitFor()
    await site.gateway.app.store.fleet.setDrained({ pool }, false)
    await goTo(page, 'l')
    await health().getByText('All is well').waitFor()
  })

  it('says within seconds that the store does not answer, and that it answers again', async () => {
    const answer = { store_state: 'unavailable' }
    await page.route('**/admin/whoami', async route => {
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...(await response.json()), ...answer } })
    })
    await page.getByText('The store does not answer. Requests').waitFor()
    await page.unroute('**/admin/whoami')
    await page.getByText('The store does not answer. Requests').waitFor({ state: 'detached' })
  })

  it('draws an hour of traffic in the window that it has, and says what the pointer is on', async () => {
    const now = Math.floor(Date.now() / 60_000)
    await Promise.all(
      Array.from({ length: 60 }, (_, ago) =>
        site.gateway.app.store.series.write({ minute: now - ago - 1, gateway: 'seeded', counts: trafficAt(ago) }),
      ),
    )
    await page.getByRole('button', { name: 'Pause' }).waitFor()
    await page.reload()
    await chart('Requests per minute').locator('path').first().waitFor()
    await picture(page, 'start')
    for (const width of [390, 1280, 1920]) {
      await page.setViewportSize({ width, height: 800 })
      expect(await widthFaults(page)).toEqual([])
    }
    await chart('Latency').locator('svg').hover()
    await chart('Requests per minute')
      .getByText(/^\d\d:\d\d:00$/)
      .waitFor()
    expect(await chart('Requests per minute').locator('.legend b').allTextContents()).toHaveLength(4)
  })
})

/** Waves of requests, with a burst of failures. */
function trafficAt(ago: number): string {
  const load = Math.round(60 + 40 * Math.sin(ago / 7))
  const failed = ago > 20 && ago < 26 ? 18 : 0
  const buckets = (length: number, first: number) =>
    Array.from({ length }, (_, at) => (at === first ? load : at === first + 2 ? Math.round(load / 8) + failed : 0))
  const [durations, firstTokens] = [buckets(17, 5 + (failed > 0 ? 2 : 0)), buckets(14, 3)]
  const model = [load, Math.round(load / 9), failed, ago % 3, load * 900, load * 300, load * 4_000_000]
  return JSON.stringify({
    models: { 'svc-core': [...model, ...durations, ...firstTokens].slice(0, MODEL_LENGTH) },
    pools: { onprem: [load, failed, ...durations, ...firstTokens].slice(0, POOL_LENGTH) },
  })
}
