import type { Page } from 'playwright-core'
import { beforeEach, expect, it } from 'vitest'
import { keptBy, signIn } from './chromium.ts'
import { describeConsole, type Rig, WITH_CLIPBOARD } from './rig.ts'
import type { Site } from './site.ts'
import { chatAs } from './traffic.ts'

describeConsole('keys in the console', { door: 'public', window: WITH_CLIPBOARD, enter }, rig => {
  let site: Site
  let page: Page
  beforeEach(() => {
    ;({ site, page } = rig())
  })

  const create = async (): Promise<string> => {
    await page.getByRole('button', { name: 'Create key' }).click()
    return (await page.locator('[data-key]').textContent()) ?? ''
  }
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
  const copied = () => page.evaluate('navigator.clipboard.readText()') as Promise<string>
  const statusOf = async (key: string) =>
    (await fetch(`${site.url}/billing/quota`, { headers: { authorization: `Bearer ${key}` } })).status

  it('are shown once: after a reload the value is in no page, storage or address', async () => {
    const key = await create()
    expect(key).toMatch(/^svc_\w{41,42}$/)
    expect(await statusOf(key)).toBe(200)
    expect(JSON.stringify(await keptBy(page))).not.toContain(key)
    await press('Copy key')

    await page.getByRole('link', { name: 'Models' }).click()
    await page.goBack()
    await page
      .getByText(`${key.slice(0, 8)}…`)
      .first()
      .waitFor()
    expect(await page.content()).not.toContain(key)
    await page.reload()
    await page.getByText('ada@example.com').waitFor()
    await page
      .getByText(`${key.slice(0, 8)}…`)
      .first()
      .waitFor()

    expect(await page.content()).not.toContain(key)
  })

  it('are gone from the page that a browser keeps for its back button', async () => {
    const key = await create()
    await press('Copy key')

    await page.goto(`${site.url}/docs/errors`)
    await page.goBack()
    await page
      .getByText(`${key.slice(0, 8)}…`)
      .first()
      .waitFor()

    expect(await page.content()).not.toContain(key)
    expect(JSON.stringify(await keptBy(page))).not.toContain(key)
  })

  it('are listed with the limits, models, addresses and end that they have of their own', async () => {
    const wish = {
      ...{ name: 'ci', expires_in: '30d', models: ['svc-core'], addresses: ['10.0.0.0/8'], usd_per_day: 5 },
      limits: [{ measure: 'tokens', most: 2_000_000, per: '30d' }],
    }
    // The form does not ask for all of these.
    await page.route('**/v1/keys/developer', async route => {
      if (route.request().method() === 'POST') await route.continue({ postData: wish })
      else await route.continue()
    })
    await create()

    const listed = page.getByRole('listitem').filter({ hasText: 'ci' })
    for (const fact of [
      'ends ',
      'not used yet',
      'only svc-core',
      'from 10.0.0.0/8',
      'Spend, today: $0.00 of $5.00',
      'Tokens, last 30 days: 0 of 2M',
    ])
      await listed.getByText(fact).waitFor()
    expect(await listed.getByRole('meter').count()).toBe(2)
  })

  it('go to the clipboard whole, while the snippet on the screen has a mask', async () => {
    const key = await create()
    await press('Copy snippet')

    expect(await copied()).toContain(`Authorization: Bearer ${key}`)
    expect(await page.locator('.snippet pre').textContent()).not.toContain(key)
    await press('Copy key')
    expect(await copied()).toBe(key)
    for (const tab of ['Claude Code', 'Codex']) {
      await page.getByRole('tab', { name: tab }).click()
      expect(await page.locator('.snippet pre').textContent()).toContain(site.url)
    }
  })

  it('that were not copied are asked about before the page is left', async () => {
    await create()
    const asked: string[] = []
    page.once('dialog', dialog => {
      asked.push(dialog.message())
      void dialog.dismiss()
    })

    await page.getByRole('link', { name: 'Models' }).click()

    expect(asked).toEqual(['You have not copied the key. Leave anyway?'])
    expect(page.url()).toBe(`${site.url}/console/keys`)
    await press('Copy key')
  })

  it('say before a rotation what becomes of the old value', async () => {
    await create()
    await press('Copy key')
    await press('I have saved it')
    await page.getByRole('button', { name: 'Rotate…' }).click()
    await page.getByText('refused from now on').waitFor()

    await page.getByLabel('The old key stops').selectOption('in a day')

    await page.getByText('Both keys work until then').waitFor()
    expect(await page.getByText('refused from now on').count()).toBe(0)
  })

  it('are rotated to a new value, and the old one is refused at once', async () => {
    const key = await create()
    await press('Copy key')
    await page.getByRole('button', { name: 'Rotate…' }).click()
    await press('Rotate')
    await page.getByText('Rotation').waitFor()
    const next = (await page.locator('[data-key]').textContent()) ?? ''

    expect([await statusOf(key), await statusOf(next)]).toEqual([401, 200])
    await press('Copy key')
  })

  it.each(['Escape', 'Cancel', 'backdrop'])('stay where a question is closed by %s', async way => {
    const key = await create()
    await press('Copy key')
    await page.getByRole('button', { name: 'Revoke…' }).click()
    await page.getByRole('dialog').waitFor()

    if (way === 'Escape') await page.keyboard.press('Escape')
    else if (way === 'Cancel') await press('Cancel')
    else await page.mouse.click(5, 5)
    await page.getByRole('dialog').waitFor({ state: 'detached' })

    expect(await statusOf(key)).toBe(200)
  })

  it('have limits of their own, which are set when they are made and changed afterwards', async () => {
    await press('With a name…')
    const form = page.getByRole('form')
    await form.getByText('limits also apply, to all its keys together').getByText('$20.00 a month').waitFor()
    await page.getByLabel('Name', { exact: true }).fill('ci')
    await page.getByLabel('US dollars per day').fill('2.5')
    await page.getByLabel('Requests per minute').fill('1')
    await form.getByRole('button', { name: 'Create key' }).click()
    const key = (await page.locator('[data-key]').textContent()) ?? ''
    await press('Copy key')
    const listed = page.getByRole('listitem').filter({ hasText: 'not used yet' })
    await listed.getByRole('meter', { name: 'Spend, today' }).waitFor()
    expect([await chatAs(site, key), await chatAs(site, key)]).toEqual([200, 429])
    await page.keyboard.press('r')
    await page.getByText('Requests, last minute: 1 of 1').waitFor()

    await page.getByRole('button', { name: 'Limits…' }).click()
    const dialog = page.getByRole('dialog')
    expect(await dialog.getByLabel('US dollars per day').inputValue()).toBe('2.5')
    await dialog.getByLabel('Requests per minute').fill('')
    await dialog.getByLabel('US dollars per month').fill('15')
    await press('Rotate and set limits')
    await page.getByText('Spend, this month: <$0.01 of $15.00').waitFor()
    const next = (await page.locator('[data-key]').textContent()) ?? ''
    await press('Copy key')

    expect([await chatAs(site, key), await chatAs(site, next)]).toEqual([429, 200])
  })

  it('have names, ends and models of their own, and end when they are revoked', async () => {
    await create()
    await press('Copy key')
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByLabel('Name', { exact: true }).fill('<img src=x onerror=alert(1)>')
    await page.getByLabel('Ends').selectOption('in 30 days')
    await page.getByLabel('svc-core').check()
    await page.getByRole('form').getByRole('button', { name: 'Create key' }).click()
    const row = page.getByRole('listitem').filter({ hasText: '<img src=x onerror=alert(1)>' })
    await row.getByText('only svc-core').waitFor()
    const key = (await page.locator('[data-key]').textContent()) ?? ''
    await press('Copy key')

    expect(await page.locator('img').count()).toBe(0)
    await row.getByRole('button', { name: 'Revoke…' }).click()
    await press('Revoke')
    await page.getByText('Revocation').waitFor()
    expect(await statusOf(key)).toBe(401)
  })
})

async function enter({ site, page }: Rig): Promise<void> {
  await page.goto(`${site.url}/console/keys`)
  await signIn(page, 'ada')
}
