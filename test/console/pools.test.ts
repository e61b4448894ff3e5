import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { ShownPoolSeries } from '../../src/wire/admin/series.ts'
import { answer, type Backend, startBackend } from '../support/backend.ts'
import { goTo, openAsOperator } from './operator.ts'
import { describeConsole } from './rig.ts'
import type { Site } from './site.ts'
import { askAs, chatAs, keyOf } from './traffic.ts'

describeConsole('the pools', { door: 'admin', shared: true }, rig => {
  let site: Site
  let page: Page
  let second: Backend
  beforeAll(async () => {
    ;({ site, page } = rig())
    second = await startBackend()
    await site.reload(yaml =>
      yaml.replace(`replicas: [${site.backend.url}]`, `replicas: [${site.backend.url}, ${second.url}]`),
    )
    await openAsOperator(site, page)
    await goTo(page, 'p')
    await row('onprem').first().waitFor()
  })
  afterAll(() => second?.close())

  const row = (text: string) => page.locator('tr').filter({ hasText: text })
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()

  it('say what they serve, and are healthy while their replicas answer', async () => {
    expect(await row('onprem').first().textContent()).toContain('Healthy')
    expect(await row(second.url).textContent()).toContain('Healthy')
    expect(await row('onprem').first().textContent()).toContain('svc-core, svc-pro')
  })

  it.each(['Escape', 'Cancel', 'backdrop'])('stay as they are where the question is closed by %s', async way => {
    await press('Drain… onprem')
    await page.getByRole('dialog').getByText('No other healthy replica serves svc-core, svc-pro').waitFor()
    expect(await page.getByRole('dialog').textContent()).toContain('svcctl pools drain onprem')
    if (way === 'Escape') await page.keyboard.press('Escape')
    else if (way === 'Cancel') await press('Cancel')
    else await page.mouse.click(5, 5)
    await page.getByRole('dialog').waitFor({ state: 'detached' })

    expect(await askAs(site, '/admin/pools')).toMatchObject({ data: [{ drained: false }] })
  })

  it('send their requests elsewhere once a replica is drained, and back again, under the name of the operator', async () => {
    const key = await keyOf(site, 'ada', 'pro')
    await press('Drain… replica 1 of onprem')
    await press('Drain')
    await row(site.backend.url).getByText('Drained').waitFor()
    const before = site.backend.requests.length
    for (let index = 0; index < 4; index++) await chatAs(site, key)
    expect(site.backend.requests.length).toBe(before)

    await press('Undrain… replica 1 of onprem')
    await press('Undrain')
    await row(site.backend.url).getByText('Healthy').waitFor()
    const { data } = await askAs(site, '/admin/audit?order=desc&limit=2')
    expect(data).toMatchObject([
      { action: 'undrain', by: 'operator ada@desk' },
      { action: 'drain', by: 'operator ada@desk' },
    ])
  })

  it('have attempts of the last hour, the share that failed, and how long they took', async () => {
    const { data } = (await askAs(site, '/admin/series/pools')) as unknown as ShownPoolSeries
    const total = data[0]?.total
    expect(total?.requests).toBeGreaterThanOrEqual(4)
    await page.reload()
    const chart = row('onprem').first().getByRole('img')
    await chart.waitFor()
    expect(await chart.getAttribute('aria-label')).toBe(
      `Attempts of the last hour: ${total?.requests}, of which ${total?.failed} failed`,
    )
    await row('onprem').first().getByText('0% failed', { exact: true }).waitFor()
    expect(await row('onprem').first().textContent()).toMatch(/p50 [\d.]+ m?s, p95 [\d.]+ m?s/)
  })

  it('say that a replica fails before there is enough of it to be ejected', async () => {
    await page.route('**/admin/pools?*', async route => {
      const response = await route.fetch()
      const found = await response.json()
      found.data[0].replicas[1].failures = 1
      await route.fulfill({ response, json: found })
    })
    await row(second.url).getByText('Failing').waitFor()
    await row('onprem').first().getByText('Degraded').waitFor()

    await page.unrouteAll({ behavior: 'wait' })
    await row(second.url).getByText('Healthy').waitFor()
  })

  it('show the share of prompts that each replica found cached, and that accounts share its caches', async () => {
    await row('onprem').first().getByText('Caches not isolated').waitFor()
    await page.route('**/admin/pools?*', async route => {
      const response = await route.fetch()
      const found = await response.json()
      const [pool] = found.data
      Object.assign(pool.caching, { prompt_tokens: 1000, cached_tokens: 830, expected_tokens: 900 })
      pool.replicas[1].caching = { prompt_tokens: 600, cached_tokens: 599 }
      await route.fulfill({ response, json: found })
    })
    await page.getByRole('columnheader', { name: 'Cached' }).waitFor()
    await row('onprem').first().getByRole('cell', { name: '83%', exact: true }).waitFor()
    await row(second.url).getByRole('cell', { name: '99%', exact: true }).waitFor()
    await page.setViewportSize({ width: 400, height: 800 })
    await row(second.url).getByText('99% of prompts cached').waitFor()

    await page.setViewportSize({ width: 1280, height: 800 })
    await page.unrouteAll({ behavior: 'wait' })
  })

  it('say how many requests wait in the queue of a pool, of those that may, and how many slots all gateways use', async () => {
    const key = await keyOf(site, 'ada', 'pro')
    const fields = 'max_concurrent: 1, max_concurrent_over: store, queue: { max: 7, timeout: 5m }'
    await site.reload(yaml =>
      yaml.replace(`replicas: [${site.backend.url}]`, `replicas: [${site.backend.url}], ${fields}`),
    )
    let end = () => {}
    const ended = new Promise<void>(resolve => {
      end = resolve
    })
    site.backend.always(async exchange => {
      await ended
      await answer({ content: 'Hi' })(exchange)
    })
    const asked = ['a', 'b', 'c'].map(content => chatAs(site, key, undefined, content))
    await row('onprem').first().getByRole('cell', { name: '2 of 7', exact: true }).waitFor()
    await row('onprem').first().getByRole('cell', { name: '1 (all gateways: 1 / 1)', exact: true }).waitFor()

    end()
    expect(await Promise.all(asked)).toEqual([200, 200, 200])
    await row('onprem').first().getByRole('cell', { name: '0 of 7', exact: true }).waitFor()
    await site.reload(yaml =>
      yaml.replace(`replicas: [${site.backend.url}]`, `replicas: [${site.backend.url}, ${second.url}]`),
    )
    await row(second.url).getByText('Healthy').waitFor()
  })

  it('show which requests are copied to a pool, what the copies cost in a day, and how the newest one went', async () => {
    const key = await keyOf(site, 'ada', 'pro')
    const fresh = `fresh: { site: on-premises, model: new-model, replicas: ["${second.url}"], cost_usd_per_1m: { input: 5, output: 5 } }`
    await site.reload(
      yaml =>
        `${yaml.replace('tier: guest, serve: [onprem],', 'tier: guest, serve: [onprem], mirror: { to: fresh, sample: 100%, max_usd_per_day: 2 },')}  ${fresh}\n`,
    )
    const copies = row('Copies of 100% of svc-core from onprem')
    await copies.waitFor()
    expect(await chatAs(site, key, 'svc-core')).toBe(200)
    await copies.getByText('the newest, ').waitFor()
    expect(await copies.textContent()).toMatch(/from onprem · .*\$.* \/ \$2.* in 24 h · the newest, .*was answered$/)

    await site.reload(yaml =>
      yaml.replace(`replicas: [${site.backend.url}]`, `replicas: [${site.backend.url}, ${second.url}]`),
    )
    await row(second.url).getByText('Healthy').waitFor()
  })

  it('warn of a replica whose probe failed while requests still go there, and say when it is ejected', async () => {
    await second.close()
    await press('Probe replica 2 of onprem')
    await row(second.url).getByText('Probe failed').waitFor()
    await row('onprem').first().getByText('Degraded').waitFor()

    const key = await keyOf(site, 'ada', 'pro')
    // A replica keeps the prompts it has seen, so each request brings another one.
    let prompts = 0
    const isEjected = async () => {
      expect(await chatAs(site, key, undefined, `Prompt ${prompts++}`)).toBe(200)
      return row(second.url)
        .getByText(/^Ejected/)
        .isVisible()
    }
    await expect.poll(isEjected, { interval: 250 }).toBe(true)
  })

  it.each([390, 1280])('have their actions within the window at %i pixels', async width => {
    await page.setViewportSize({ width, height: 844 })
    const box = await page.getByRole('button', { name: 'Drain… onprem', exact: true }).boundingBox()

    expect((box?.x ?? 9999) + (box?.width ?? 0)).toBeLessThanOrEqual(width)
  })
})
