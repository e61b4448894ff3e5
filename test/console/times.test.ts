import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { makeKey, signIn } from './chromium.ts'
import { openAsOperator } from './operator.ts'
import { describeConsole } from './rig.ts'
import { askAs, chatAs, keyOf } from './traffic.ts'

const SOURCES = fileURLToPath(new URL('../../console/src/', import.meta.url))

/** Where a moment is no distance: marks of a chart, the choices of a field, what is printed, and what is no text. */
const EXACT: Readonly<Record<string, string>> = {
  'admin/api/usage.ts': 'today in the zone of the deployment, for arithmetic',
  'admin/live/chart.tsx': 'the point under the pointer',
  'admin/revisions/comparison.tsx': 'options, which hold text alone',
  'public/usage/usage-table.tsx': 'days that are counted',
  'shared/bars.tsx': 'marks of an axis',
  'shared/invoice/invoice.tsx': 'the date of a document',
  'shared/time/relative.ts': 'the component itself',
  'shared/time/time.tsx': 'the component itself',
}

describe('a time in a page of the console', () => {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter(name => /\.tsx?$/.test(name))
    .map(name => [name, readFileSync(SOURCES + name, 'utf8')] as const)

  it('goes through one component, but where it must be exact', () => {
    const formatters = /\b(?:day|shortDay|time|moment|exactMoment|stamp)\(|toLocale(?:Date|Time)?String|<time\b/
    const own = files
      .filter(([name, source]) => name !== 'shared/fmt.ts' && formatters.test(source))
      .map(([name]) => name)
    expect(own.sort()).toEqual(Object.keys(EXACT))
  })
})

/** Each time on the page: what is seen, what the pointer shows, and what is read aloud. */
const timesOf = async (page: Page) =>
  (await page.evaluate(`[...document.querySelectorAll('main time')].map(each => ({
    seen: each.querySelector('.no-print').textContent,
    title: each.title,
    all: each.textContent,
  }))`)) as readonly { readonly seen: string; readonly title: string; readonly all: string }[]

const EXACTLY = /^\w+ \d+, \d{4}, \d\d:\d\d:\d\d UTC$|^\d+ \w+ \d{4}, \d\d:\d\d:\d\d UTC$/
const DISTANCE = /^\(?(?:just now|in \d+ \w+|\d+ \w+ ago|\w+ \d+, \d{4})\)?$/

async function expectTimes(page: Page): Promise<void> {
  await page.locator('main time:visible').first().waitFor()
  for (const { seen, title, all } of await timesOf(page)) {
    expect(seen).toMatch(DISTANCE)
    expect(title).toMatch(EXACTLY)
    expect(all).toContain(title)
  }
}

describeConsole('the times of operators', { door: 'admin', alsoRedis: true, shared: true, enter }, rig => {
  it.each(['requests', 'requests?since=24h', 'fleet', 'revisions', 'audit', 'account', 'request'])(
    'are distances on the page %s, exact under the pointer and for readers of screens',
    async name => {
      const { site, page } = rig()
      const { data } = await askAs(site, '/admin/requests')
      const [{ account, request_id }] = data as [{ readonly account: string; readonly request_id: string }]
      const path = { account: `accounts?id=${account}`, request: `requests?id=${request_id}` }[name] ?? name
      await page.goto(`${site.admin}/console/${path}`)
      await expectTimes(page)
    },
  )

  it('change as time goes by, and nothing else of the table does', async () => {
    const { site, page } = rig()
    await page.clock.install()
    await page.goto(`${site.admin}/console/revisions`)
    const first = page.locator('main time').first()
    await first.getByText('ago').or(first.getByText('just now')).first().waitFor()
    await page.evaluate(`
      window.changes = []
      new MutationObserver(all => changes.push(...all.map(({ type, target }) => type + ' ' + target.parentElement?.closest('time')?.tagName)))
        .observe(document.querySelector('main table'), { subtree: true, childList: true, characterData: true, attributes: true })`)

    await page.clock.fastForward(3 * 3_600_000)
    await first.getByText('3 h ago').waitFor()
    expect(new Set((await page.evaluate('changes')) as string[])).toEqual(new Set(['characterData TIME']))
  })
})

async function enter({ site, page }: Parameters<NonNullable<Parameters<typeof describeConsole>[1]['enter']>>[0]) {
  await chatAs(site, await keyOf(site, 'ada', 'pro'))
  await openAsOperator(site, page)
}

describeConsole('the times of customers', { door: 'public' }, rig => {
  it('are distances too, of moments to come as well', async () => {
    const { site, page } = rig()
    await page.goto(`${site.url}/console`)
    await signIn(page, 'bob')
    await page
      .getByText(/resets in \d+ (?:h|days?)/)
      .first()
      .waitFor()
    await makeKey(page)
    await page.getByText('created just now').waitFor()
    await expectTimes(page)
    await page.getByRole('link', { name: 'Requests' }).click()
    await page.locator('tr.opens').first().waitFor()
    await expectTimes(page)
  })
})
