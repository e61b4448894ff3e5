import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasChromium, makeKey, openWindow, signIn, startChromium, type Window } from './chromium.ts'
import { LOOKS, lookAt, widthFaults } from './look.ts'
import { type Site, startSite } from './site.ts'

describe.skipIf(!hasChromium)('every page of the console, in every state,', () => {
  let site: Site
  let browser: Browser
  beforeAll(async () => {
    ;[site, browser] = await Promise.all([startSite(), startChromium()])
  })
  afterAll(async () => {
    await browser?.close()
    await site?.close()
  })

  it.each(LOOKS)(
    'is accessible, no wider than its window, and not empty: %s, %i pixels wide',
    async (colorScheme, width) => {
      const window = await openWindow(browser, [site.url, site.issuer], {
        colorScheme,
        viewport: { width, height: 800 },
      })
      const { page } = window
      const found: string[] = []
      const look = lookAt(page, found, `${colorScheme}-${width}`)
      const go = (name: string) => page.locator(`nav a[href="/console${name}"]`).click()

      await page.goto(`${site.url}/console`)
      await page.getByText('View with a key').click()
      await look('door')
      await signIn(page, 'ada')
      await page.goto(`${site.url}/console#invitation=acct_made.up`)
      await page.getByRole('heading', { name: 'You are invited to an account' }).waitFor()
      await look('invitation')
      await page.getByRole('button', { name: 'Not now' }).click()
      await page.goto(`${site.url}/console#device=ABCD-EFGH`)
      await page.getByRole('heading', { name: 'Sign in a device' }).waitFor()
      await look('device')
      await page.goto(`${site.url}/console`)
      await page.locator('nav').waitFor()
      await lookAtKeys(window, look, go)
      await lookAtRequests(window, look, go)
      await go('')
      await page.getByRole('heading', { name: 'Spend, 30 days' }).waitFor()
      await look('overview')
      await page.getByRole('button', { name: 'Table' }).click()
      await look('overview-table')
      for (const name of ['models', 'billing', 'errors']) {
        await go(`/${name}`)
        await look(name)
      }
      await go('/billing')
      await page.getByRole('region', { name: 'Invoices' }).getByRole('link').first().click()
      await page.getByRole('region', { name: 'Lines' }).waitFor()
      await look('invoice')
      await page.keyboard.press('?')
      await page.getByRole('dialog').waitFor()
      await look('shortcuts')
      await page.keyboard.press('Escape')
      await go('/try')
      await page.getByLabel('Message').fill('Hi')
      await page.keyboard.press('Enter')
      await page.locator('.facts-line').getByText('$').waitFor()
      await look('try')
      await page.getByRole('tab', { name: 'Images' }).click()
      await look('try-images')
      await page.context().setOffline(true)
      await go('/billing')
      await page.keyboard.press('r')
      await page.getByText('Are you online?').waitFor()
      await look('offline')

      expect(found).toEqual([])
      expect(window.faults.filter(fault => !fault.includes('ERR_INTERNET_DISCONNECTED'))).toEqual([])
      await window.close()
    },
  )

  it('is as wide as its window with labels, plans and models of hostile names', async () => {
    const { page, faults, close } = await openWindow(browser, [site.url, site.issuer], {
      viewport: { width: 390, height: 800 },
    })
    const hostile = ['<img src=x onerror=alert(1)>', 'x'.repeat(200), '\u202Egnihton\u202C', 'a\u0000b\u0007'].join(' ')
    await page.route('**/v1/account', async route => {
      const response = await route.fetch()
      await route.fulfill({
        json: { ...(await response.json()), label: hostile, plan: hostile, models: [hostile], tools: [hostile] },
      })
    })
    await page.route('**/v1/models', async route => {
      const data = [
        { id: hostile, kind: 'chat', alias_of: hostile, capabilities: { thinking: true, tools: true, vision: true } },
      ]
      await route.fulfill({ json: { object: 'list', data } })
    })
    await page.goto(`${site.url}/console`)
    await page.getByRole('button', { name: 'Sign in with' }).click()
    await page.getByRole('button', { name: /^ada / }).click()
    await page.locator('.who b').filter({ hasText: 'onerror' }).waitFor()
    const found: string[] = []
    for (const name of ['', '/keys', '/requests', '/models', '/try', '/billing']) {
      await page.locator(`nav a[href="/console${name}"]`).click()
      await page.locator('.skeleton').waitFor({ state: 'detached' })
      found.push(...(await widthFaults(page)).map(each => `${name}: ${each}`))
    }

    expect(found).toEqual([])
    expect(await page.locator('img').count()).toBe(0)
    expect(faults).toEqual([])
    await close()
  })

  it('can be used by keys alone: a key is made, copied, rotated and revoked', async () => {
    const { page, faults, close } = await openWindow(browser, [site.url, site.issuer], {
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    await page.goto(`${site.url}/console`)
    await signIn(page, 'bob')
    const press = async (...keys: readonly string[]) => {
      for (const each of keys) await page.keyboard.press(each)
    }
    /** Goes on by Tab until what has the focus is called so. */
    const tabTo = async (name: string) => {
      for (let tabs = 0; tabs < 40; tabs++) {
        if (String(await page.evaluate('document.activeElement?.textContent')).startsWith(name)) return
        await press('Tab')
      }
      throw new Error(`no Tab leads to ${name}`)
    }
    await press('g', 'k')
    await page.getByText('No active key').waitFor()
    await tabTo('Create key')
    await press('Enter')
    await page.locator('[data-key]').waitFor()
    // The focus is on the button that copies.
    await press('Enter')
    await page.getByRole('status').getByText('Key copied').waitFor()
    const key = await page.evaluate('navigator.clipboard.readText()')
    expect(key).toBe(await page.locator('[data-key]').textContent())
    await tabTo('Rotate…')
    await press('Enter')
    await page.getByRole('dialog').waitFor()
    expect(await page.evaluate('document.activeElement?.textContent')).toBe('Cancel')
    await press('Tab', 'Enter')
    await page.getByText('Rotation').waitFor()
    await press('Enter')
    await tabTo('Revoke…')
    await press('Enter')
    await page.getByRole('dialog').waitFor()
    await press('Tab', 'Enter')

    await page.getByText('Revocation').waitFor()
    expect(faults).toEqual([])
    await close()
  })

  type Look = (name: string) => Promise<void>
  type Go = (name: string) => Promise<void>

  async function lookAtKeys({ page }: Window, look: Look, go: Go): Promise<void> {
    await go('/keys')
    await page.locator('.skeleton').waitFor({ state: 'detached' })
    if (await page.getByText('No active key').isVisible()) {
      await look('no-key')
      await use(await makeKey(page))
    }
    page.on('dialog', dialog => void dialog.accept())
    await page.getByRole('button', { name: 'Create key' }).click()
    await look('key-form')
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Revoke…' }).first().click()
    await look('revoke')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Rotate…' }).first().click()
    await look('rotate')
    await page.getByRole('button', { name: 'Rotate', exact: true }).click()
    await page.locator('[data-key]').waitFor()
    await look('fresh-key')
    await page.getByRole('button', { name: 'I have saved it' }).click()
    await look('keys')
  }

  async function lookAtRequests({ page }: Window, look: Look, go: Go): Promise<void> {
    await go('/requests')
    await look('requests')
    await page.locator('tr.opens').filter({ hasText: 'VALIDATION_ERROR' }).first().click()
    await page.getByText('What to do').waitFor()
    await look('request')
    const id = (await page.locator('.detail code').last().textContent()) ?? ''
    await page.goto(`${site.url}/console/requests?id=${id}`)
    await page.getByRole('heading', { name: 'Request', exact: true }).waitFor()
    await page.getByText('What to do').waitFor()
    await look('request-alone')
    await go('/requests')
    await page.locator('tr.opens').first().waitFor()
    await page.getByLabel('Which requests').selectOption('Failed')
    await look('no-request')
  }

  /** Sends chats, so that there is something to show. */
  async function use(key: string): Promise<void> {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    for (const [model, status] of [
      ['svc-core', 200],
      ['svc-pro', 200],
      ['none', 400],
    ] as const) {
      const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Hi' }] })
      const response = await fetch(`${site.url}/v1/chat/completions`, { method: 'POST', headers, body })
      expect(response.status).toBe(status)
      await response.text()
    }
  }
})
