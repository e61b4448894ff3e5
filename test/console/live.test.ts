import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { count, usd } from '../../console/src/shared/fmt.ts'
import type { ShownEvent, ShownStanding } from '../../src/wire/admin/event.ts'
import { compileProgram, type Program } from '../cli/program.ts'
import { eventually } from '../support/eventually.ts'
import { openWindow, type Window } from './chromium.ts'
import { goTo, openAsOperator } from './operator.ts'
import { describeConsole } from './rig.ts'
import type { Site } from './site.ts'
import { chatAs, keyOf } from './traffic.ts'

const HOSTILE = '<img src=x onerror=alert(1)>'

describeConsole('the live accounts', { door: 'admin', shared: true }, rig => {
  let site: Site
  let browser: Browser
  let window: Window
  let page: Page
  let program: Program
  beforeAll(() => {
    ;({ site, browser, window, page } = rig())
    program = compileProgram()
  })
  afterAll(() => program.end())

  const rows = () => page.locator('.live-rows .live-row:visible')
  const rowOf = (label: string) => rows().filter({ hasText: label })
  const rpm = async () => Number(/(\d+) rpm/.exec((await page.locator('.pace').textContent()) ?? '')?.[1])
  const standings = async (): Promise<readonly ShownStanding[]> => {
    const response = await fetch(`${site.admin}/admin/accounts`, {
      headers: { authorization: `Bearer ${site.adminToken}` },
    })
    return (await response.text())
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
  }

  it('stand as the gateway says, before and after requests', async () => {
    const [ada, bob] = [await keyOf(site, 'ada', 'pro'), await keyOf(site, HOSTILE, 'free')]
    await chatAs(site, ada)
    await openAsOperator(site, page)
    await rowOf('ada').getByText('1/120').waitFor()
    await rowOf(HOSTILE).getByText('0/20').waitFor()

    for (let index = 0; index < 20; index++) await chatAs(site, ada)
    for (let index = 0; index < 5; index++) await chatAs(site, bob)
    expect(await chatAs(site, bob, 'svc-pro')).toBe(429)
    await rowOf('ada').getByText('21/120').waitFor()
    await rowOf(HOSTILE).getByText('429 plan_limit').waitFor()

    const shown = await standings()
    expect(await rows().count()).toBe(shown.length)
    for (const { label, plan } of shown) expect(await rowOf(label).textContent()).toContain(`${label}${plan}`)
    expect(shown.map(({ requests }) => requests).sort()).toEqual([21, 5])
    await expect
      .poll(() => page.locator('.pace').textContent())
      .toMatch(/^2 accounts · \d+ rpm · <?\$0\.\d\d\/h · 0 running$/)
    expect(await page.locator('img').count()).toBe(0)
  })

  it('are found by a part of their names, and put in order', async () => {
    await page.keyboard.press('/')
    await page.keyboard.type('ADA')
    await expect.poll(() => rows().count()).toBe(1)
    await page.getByLabel('Find an account').fill('')
    await page.getByLabel('Sort').selectOption('By account')
    await expect
      .poll(async () => (await rows().allTextContents()).map(text => text.slice(0, 3)))
      .toEqual(['<im', 'ada'])
    await chatAs(site, await keyOf(site, 'ada', 'pro'), 'nope')
    await rowOf('ada').getByText('400 VALIDATION_ERROR').waitFor()
    await page.getByLabel('Sort').selectOption('By last refusal')
    await expect
      .poll(async () => (await rows().allTextContents()).map(text => text.slice(0, 3)))
      .toEqual(['ada', '<im'])
  })

  it('stand still while they are paused, and go on with what came meanwhile', async () => {
    const ada = await keyOf(site, 'ada', 'pro')
    await page.getByRole('heading', { name: 'Live' }).click()
    await page.keyboard.press('p')
    await page.getByRole('button', { name: 'Resume' }).waitFor()
    const before = await rowOf('ada').textContent()
    const rpmBefore = await rpm()
    await chatAs(site, ada)
    await expect.poll(rpm).toBeGreaterThan(rpmBefore)
    expect(await rowOf('ada').textContent()).toBe(before)

    await page.getByRole('button', { name: 'Resume' }).click()
    await rowOf('ada').getByText('22/120').waitFor()
  })

  it('open by the keyboard', async () => {
    await page.getByRole('heading', { name: 'Live' }).click()
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Last requests' }).waitFor()

    expect(page.url()).toContain('accounts?id=acct_')
    await goTo(page, 'l')
    await rowOf('ada').waitFor()
  })

  it('come anew after the stream broke off', async () => {
    await page.route('**/admin/events?*', route => route.abort(), { times: 1 })
    await page.reload()
    await page.getByRole('alert').getByText('The gateway does not answer').waitFor()
    await rowOf('ada').waitFor()

    expect(await page.getByRole('alert').count()).toBe(0)
    // Chromium reports the request that was cut off.
    expect(window.faults.splice(0).filter(fault => !fault.includes('ERR_FAILED'))).toEqual([])
  })

  it('are not followed while nobody has looked for a minute, and stand anew after that', async () => {
    const tab = await openWindow(browser, [site.admin])
    await tab.page.clock.install()
    await openAsOperator(site, tab.page)
    const { feed } = site.gateway.app
    await expect.poll(() => feed.readers).toBe(2)
    const look = (state: string) =>
      tab.page.evaluate(
        `Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true }); document.dispatchEvent(new Event('visibilitychange'))`,
      )

    await look('hidden')
    await tab.page.clock.fastForward(59_000)
    expect(feed.readers).toBe(2)
    await tab.page.clock.fastForward(1001)
    await expect.poll(() => feed.readers).toBe(1)
    await look('visible')
    await expect.poll(() => feed.readers).toBe(2)

    expect(tab.faults).toEqual([])
    await tab.close()
  })

  it('are no more rows in the page than are in sight, however many there are', async () => {
    for (let index = 0; index < 300; index += 10)
      await Promise.all(Array.from({ length: 10 }, (_, each) => keyOf(site, `user${index + each}`, 'free')))
    await page.reload()
    await page.getByText('302 accounts').waitFor()

    expect(await page.locator('.live-row').count()).toBeLessThan(60)
    await page.evaluate('document.querySelector(".live").scrollTop = 1e6')
    await page.locator('.live-row[aria-rowindex="303"]').waitFor()
  })

  it('show what svcctl quota tail says of 200 requests, served and refused', async () => {
    const labels = ['mixed-a', 'mixed-b', 'mixed-c', 'mixed-d', 'mixed-e']
    const keys = await Promise.all(labels.map((label, at) => keyOf(site, label, at % 2 === 0 ? 'pro' : 'free')))
    await page.reload()
    await page.getByLabel('Find an account').fill('mixed-')
    await expect.poll(() => rows().count()).toBe(labels.length)
    const tail = program.start(['quota', 'tail', '--json', '-c', site.file], {
      env: { SVCCTL_TOKEN: site.adminToken },
    })
    await tail.until('mixed-e')

    const models = ['svc-core', 'svc-pro', 'svc-auto', 'nope']
    for (let sent = 0; sent < 200; sent += 10)
      await Promise.all(
        Array.from({ length: 10 }, (_, at) => chatAs(site, keys[at % keys.length] ?? '', models[(sent + at) % 4])),
      )
    const told = await eventually(() => {
      const said = lastOf(tail.said())
      expect(said.requests).toBe(200)
      return said
    })
    await tail.end()

    const expected = labels.map(label => {
      const { standing, last } = told.accounts.get(label) ?? {}
      if (!standing || !last) throw new Error(`${label} has no line`)
      return [
        label,
        standing.plan,
        `${usd(Number(standing.used_usd))} / ${usd(Number(standing.limit_usd))}`,
        `${count(standing.requests)}/${count(standing.requests_limit ?? 0)}`,
        `${count(standing.tokens)}/${count(standing.tokens_limit ?? 0)}`,
        `${last.status}`,
      ]
    })
    await eventually(async () => {
      const shown = await Promise.all(
        labels.map(async label => {
          const [name, plan, quota, rpm, tpm, , , words] = await rowOf(label)
            .locator('[role=gridcell]')
            .allTextContents()
          return [name, plan, quota, rpm, tpm, words?.slice(0, 3)]
        }),
      )
      expect(shown).toEqual(expected)
    })
    expect(told.statuses).toEqual(new Set([200, 400, 429]))
  })
})

/** The last lines of `quota tail --json` by account label, with their requests. */
function lastOf(lines: string) {
  const accounts = new Map<string, { standing: ShownStanding; last?: { readonly status: number } }>()
  const statuses = new Set<number>()
  let requests = 0
  for (const line of lines.split('\n').filter(each => each.endsWith('}'))) {
    const event = JSON.parse(line) as ShownEvent
    if (event.event === 'request') {
      requests++
      statuses.add(event.status)
    }
    const standing = event.event === 'standing' ? event : event.event === 'request' && event.standing
    if (!standing) continue
    const known = accounts.get(standing.label)
    const last = event.event === 'request' ? event : known?.last
    const newest = known && known.standing.at > standing.at ? known.standing : standing
    accounts.set(standing.label, { standing: newest, ...(last && { last }) })
  }
  return { accounts, requests, statuses }
}
