import type { Page } from 'playwright-core'
import { beforeEach, expect, it } from 'vitest'
import { makeKey, signIn } from './chromium.ts'
import { lookAt, picture } from './look.ts'
import { openAsOperator } from './operator.ts'
import { describeConsole } from './rig.ts'
import type { Site } from './site.ts'
import { askAs, chatAs, keyOf } from './traffic.ts'

/** In the page until it has heard that the browser closed it. */
const dialog = (page: Page) => page.getByRole('dialog', { name: 'Search', includeHidden: true })
const field = (page: Page) => page.getByRole('combobox', { name: 'Search' })
const option = (page: Page, name: string | RegExp) => page.getByRole('option', { name })
const chosen = (page: Page) => page.locator('[role="option"][aria-selected="true"]')
const focused = (page: Page) => page.evaluate('document.activeElement?.textContent ?? ""')

describeConsole('the search of operators', { door: 'admin', alsoRedis: true }, rig => {
  let site: Site
  let page: Page
  beforeEach(async () => {
    ;({ site, page } = rig())
    await chatAs(site, await keyOf(site, 'ada@example.com', 'pro'))
    await keyOf(site, 'bob@example.com', 'pro')
    await openAsOperator(site, page)
  })

  it('opens an account by keys alone, and says what is chosen', async () => {
    await page.keyboard.press('Control+k')
    await field(page).waitFor()
    await page.keyboard.type('example.com')
    await option(page, /ada@example\.com/).waitFor()
    expect(await page.getByRole('group', { name: 'Accounts' }).getByRole('option').count()).toBe(2)
    await dialog(page).getByRole('status').getByText('2 results.').waitFor()
    const first = await chosen(page).textContent()
    await page.keyboard.press('ArrowDown')
    expect(await chosen(page).textContent()).not.toBe(first)
    expect(await field(page).getAttribute('aria-activedescendant')).toBe(await chosen(page).getAttribute('id'))
    await page.keyboard.press('ArrowDown')
    expect(await chosen(page).textContent()).toBe(first)
    const label = /\w+@example\.com/.exec(first ?? '')?.[0] ?? ''
    await page.keyboard.press('Enter')

    await page.getByRole('heading', { name: label }).waitFor()
    expect(await dialog(page).count()).toBe(0)
    await expect.poll(() => focused(page)).toBe(label)
  })

  it('finds keys, requests, models and pools, and leads to each', async () => {
    const { data: keys } = await askAs(site, '/admin/keys')
    const { data: requests } = await askAs(site, '/admin/requests')
    const [{ id: key }] = keys as [{ readonly id: string }]
    const [{ request_id: request }] = requests as [{ readonly request_id: string }]
    const cases = [
      [key, 'Keys', 'Last requests'],
      [request, 'Requests', 'Why'],
      ['svc-pro', 'Models', 'Requests per minute'],
      ['onprem', 'Pools', 'Pools'],
    ] as const
    for (const [text, group, heading] of cases) {
      await page.getByRole('button', { name: 'Search' }).click()
      await field(page).fill(text)
      await page.getByRole('group', { name: group }).getByRole('option').first().click()
      await dialog(page).waitFor({ state: 'detached' })
      await page.getByText(heading, { exact: true }).first().waitFor()
      // The key that was searched for stands out among those of its account.
      if (group === 'Keys') await page.locator('tr.found').getByRole('button', { name: 'Revoke…' }).waitFor()
    }
    expect(new URL(page.url()).search).toBe('?find=onprem')
    expect(await page.getByRole('searchbox', { name: 'Find a pool' }).inputValue()).toBe('onprem')
  })

  it('opens any page by its title, at once', async () => {
    await page.keyboard.press('Meta+k')
    await field(page).waitFor()
    await page.keyboard.type('revis')
    await option(page, 'Revisions').waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Revisions' }).waitFor()
  })

  it('closes by Esc and by its keys, and the focus returns to where it was', async () => {
    const isFocused = page.locator(':focus')
    // A page that was just opened has taken the focus by then.
    await page.getByRole('heading', { name: 'Live' }).and(isFocused).waitFor()
    const button = page.getByRole('button', { name: 'Search' })
    for (const key of ['Escape', 'Control+k']) {
      await button.press('Enter')
      await field(page).waitFor()
      await page.keyboard.press(key)
      await dialog(page).waitFor({ state: 'detached' })
      await button.and(isFocused).waitFor()
    }
  })

  it('asks for what its reader pauses at, and never for each letter', async () => {
    const asked: string[] = []
    page.on('request', request => {
      if (request.url().endsWith('/admin/search')) asked.push(request.postDataJSON().text)
    })
    await page.keyboard.press('Control+k')
    await field(page).pressSequentially('ada@example.com', { delay: 5 })
    await option(page, /ada@example\.com/).waitFor()
    expect(asked.length).toBeLessThan(4)
    expect(asked.at(-1)).toBe('ada@example.com')
  })

  it('says where more may fit, and leads to what looks at all accounts, or names it', async () => {
    await page.route('**/admin/search', async route => {
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...(await response.json()), partial: true } })
    })
    await page.keyboard.press('Control+k')
    await field(page).fill('key_0123')
    await dialog(page).getByText('svcctl keys show key_0123').waitFor()
    expect(await dialog(page).getByRole('link').count()).toBe(0)
    await field(page).fill('bob')
    await dialog(page).getByRole('link', { name: 'Look through all accounts' }).click()
    await page.getByRole('heading', { name: 'Accounts' }).waitFor()
    await page.getByRole('link', { name: 'bob@example.com' }).waitFor()
    expect(await page.getByRole('searchbox', { name: 'Find an account' }).inputValue()).toBe('bob')
    expect(await dialog(page).count()).toBe(0)
  })

  it('stays closed beside a dialog that asks something', async () => {
    await page.goto(`${site.admin}/console/pools`)
    await page.getByRole('button', { name: 'Drain… onprem', exact: true }).click()
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Control+k')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await field(page).count()).toBe(0)
  })

  it('is accessible, open and with results, as wide as its window', async () => {
    const found: string[] = []
    await page.keyboard.press('Control+k')
    await field(page).fill('a')
    await option(page, /ada@example\.com/).waitFor()
    await picture(page, 'operator-search')
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 800 })
      await lookAt(page, found, `${width}`)('operator-search')
    }
    expect(found).toEqual([])
  })
})

describeConsole('the search of customers', { door: 'public' }, rig => {
  it('finds their own keys and requests and the models, and nothing of others', async () => {
    const { site, page } = rig()
    const other = await keyOf(site, 'other@example.com', 'pro')
    await chatAs(site, other, 'svc-think')
    await page.goto(`${site.url}/console`)
    await signIn(page, 'ada')
    const key = await makeKey(page)
    await chatAs(site, key, 'svc-core')
    const mine = await fetch(`${site.url}/v1/requests`, { headers: { authorization: `Bearer ${key}` } })
    const { data } = (await mine.json()) as {
      readonly data: readonly { readonly id: string; readonly model: string }[]
    }
    const id = data.find(({ model }) => model === 'svc-core')?.id ?? ''

    await page.keyboard.press('Control+k')
    await field(page).fill(key.slice(0, 8))
    await page.getByRole('group', { name: 'Keys' }).getByRole('option').waitFor()
    await field(page).fill(other.slice(0, 8))
    await dialog(page).getByText('Nothing found.').waitFor()
    await field(page).fill('svc-think')
    await page.getByRole('group', { name: 'Models' }).getByRole('option').waitFor()
    expect(await page.getByRole('group', { name: 'Requests' }).count()).toBe(0)
    await field(page).fill(id)
    await page.getByRole('group', { name: 'Requests' }).getByRole('option').waitFor()
    await page.keyboard.press('Enter')

    await page.getByRole('heading', { name: 'Request', exact: true }).waitFor()
    await page.getByText(id).waitFor()
    expect(new URL(page.url()).search).toBe(`?id=${id}`)
  })

  it('is there without a sign-in too, for pages and models', async () => {
    const { site, page } = rig()
    await page.goto(`${site.url}/console/models`)
    await page.getByRole('button', { name: 'Search' }).click()
    await field(page).fill('svc-image')
    await page.getByRole('group', { name: 'Models' }).getByRole('option').click()
    await expect.poll(() => page.locator('main tbody tr').count()).toBe(1)
  })
})
