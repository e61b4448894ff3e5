import type { Browser, Page } from 'playwright-core'
import { beforeEach, expect, it } from 'vitest'
import { keptBy, makeKey, openWindow, signIn } from './chromium.ts'
import { picture } from './look.ts'
import { describeConsole } from './rig.ts'
import type { Site } from './site.ts'

describeConsole('looking at the console with a key', { door: 'public', expects: 'status of 401' }, rig => {
  let site: Site
  let browser: Browser
  let page: Page
  beforeEach(() => {
    ;({ site, browser, page } = rig())
  })

  const keyOf = async (user: string): Promise<string> => {
    const other = await openWindow(browser, [site.url, site.issuer])
    await other.page.goto(`${site.url}/console`)
    await signIn(other.page, user)
    const key = await makeKey(other.page)
    await other.close()
    return key
  }
  const guestKey = async (): Promise<string> => {
    const response = await fetch(`${site.url}/v1/keys/guest`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ device_id: 'a-stable-secret-of-this-device' }),
    })
    return ((await response.json()) as { readonly key: string }).key
  }
  const look = async (key: string) => {
    await page.goto(`${site.url}/console`)
    await page.getByText('View with a key').click()
    await page.getByLabel('Key', { exact: true }).fill(key)
    await page.getByRole('button', { name: 'Look', exact: true }).click()
  }

  it('shows what a guest may do, and no page for keys', async () => {
    await look(await guestKey())
    await page.getByText('You are using the key of a guest').waitFor()
    await page.getByRole('meter').first().waitFor()
    await picture(page, 'guest')

    expect(await page.getByRole('navigation').getByRole('link').allTextContents()).toEqual([
      'Overview',
      'Requests',
      'Models',
      'Try',
      'Billing',
      'Errors',
    ])
    await page.getByRole('meter', { name: 'Requests, last minute' }).waitFor()
    await page.getByRole('link', { name: 'Models' }).click()
    await page
      .getByRole('row', { name: /svc-pro/ })
      .getByText('No')
      .waitFor()
    await page
      .getByRole('row', { name: /^svc-core/ })
      .getByText('Yes')
      .waitFor()
    await page.getByRole('link', { name: 'Try', exact: true }).click()
    await page.getByLabel('Message').fill('Hi')
    await page.keyboard.press('Enter')
    await page.locator('.facts-line').waitFor()
    await page.getByRole('link', { name: 'Requests' }).click()
    await page.locator('tr.opens').first().waitFor()
  })

  it('keeps the key in memory alone', async () => {
    const key = await keyOf('ada')
    await look(key)
    await page.getByText('You are using the key').waitFor()

    expect(JSON.stringify(await keptBy(page))).not.toContain(key)
    expect(await page.content()).not.toContain(key)
    await page.reload()
    await page.getByRole('button', { name: 'Sign in with' }).waitFor()
  })

  it('says at the door that a key is none, or is one no more', async () => {
    await look('svc_made_up')
    await page.getByRole('alert').getByText('key').waitFor()

    const key = await keyOf('bob')
    await look(key)
    await page.getByText('You are using the key').waitFor()
    const owner = await openWindow(browser, [site.url, site.issuer])
    await owner.page.goto(`${site.url}/console/keys`)
    await signIn(owner.page, 'bob')
    await owner.page.getByRole('button', { name: 'Revoke…' }).click()
    await owner.page.getByRole('button', { name: 'Revoke', exact: true }).click()
    await owner.page.getByText('Revocation').waitFor()
    await owner.close()
    await page.keyboard.press('r')

    await page.getByRole('alert').getByText('key').waitFor()
    await page.getByRole('button', { name: 'Sign in with' }).waitFor()
  })
})
