import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { describeRedis, startRedis } from '../support/redis/redis.ts'
import { hasChromium, openWindow, signIn, startChromium, type Window } from './chromium.ts'
import { picture } from './look.ts'
import { type Site, startSite } from './site.ts'

describe.skipIf(!hasChromium)('the console says', () => {
  let browser: Browser
  const open: (() => Promise<void>)[] = []

  beforeAll(async () => {
    browser = await startChromium('--host-resolver-rules=MAP console.test 127.0.0.1')
  })
  afterAll(() => browser?.close())
  afterEach(async () => {
    for (const close of open.splice(0).toReversed()) await close()
  })

  const start = async (change?: (yaml: string) => string, host?: string): Promise<Site> => {
    const site = await startSite({ ...(change && { change }), ...(host !== undefined && { host }) })
    open.push(() => site.close())
    return site
  }
  const windowOf = async (site: Site, options: BrowserContextOptions = {}): Promise<Window> => {
    const window = await openWindow(browser, [site.url, site.issuer], options)
    open.push(() => window.close())
    return window
  }
  const enter = async (site: Site, user: string, path = ''): Promise<Page> => {
    const { page } = await windowOf(site)
    await page.goto(`${site.url}/console${path}`)
    await signIn(page, user)
    return page
  }
  const textAt = async (site: Site, name: string): Promise<string> => {
    const { page, faults } = await windowOf(site)
    await page.goto(`${site.url}/console`)
    const text = await page.getByRole('main').textContent()
    await picture(page, name)
    // A page that came by http has no policy of openers, and Chromium says so.
    expect(faults.filter(fault => !fault.includes('Cross-Origin-Opener-Policy'))).toEqual([])
    return text ?? ''
  }

  const setPlan = async (site: Site, account: string, plan: string) => {
    const headers = { authorization: `Bearer ${site.adminToken}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ account, plan })
    const response = await fetch(`${site.admin}/admin/accounts/plan`, { method: 'POST', headers, body })
    expect(response.status).toBe(200)
  }

  it('that nobody can sign in where no provider is named, and lets keys look', async () => {
    const site = await start(yaml => yaml.replace(/identity:\n(?: {2}.*\n)+/, ''))
    const text = await textAt(site, 'no-provider')

    expect(text).toContain('Sign-in is not available: the gateway has no identity provider.')
    expect(text).toContain('View with a key')
    expect(text).not.toContain('Sign in with')
  })

  it('that the console has no client at the provider', async () => {
    const site = await start(yaml =>
      yaml.replace(/ {2}console_client_id: .*\n/, '').replace(/ {2}claude_login: .*\n/, ''),
    )

    expect(await textAt(site, 'no-client')).toContain('Console sign-in is not configured (identity.console_client_id).')
  })

  it('that it wants https where a browser gives no secure context', async () => {
    const site = await start(yaml => yaml, 'console.test')
    const text = await textAt(site, 'not-secure')

    expect(text).toContain('Open the console over https.')
    expect(text).not.toContain('View with a key')
  })

  it('that the provider does not answer, at the door, while who is in goes on', async () => {
    const site = await start()
    const page = await enter(site, 'ada')
    const { page: other } = await windowOf(site)
    await other.goto(`${site.url}/console`)
    site.stopProvider()

    await other.getByRole('button', { name: 'Sign in with' }).click()
    await other.getByRole('alert').getByText('does not answer. Try again in a moment.').waitFor()
    await picture(other, 'provider-down')
    await page.getByRole('link', { name: 'Billing' }).click()
    await page.getByText('Plan allowance').waitFor()
  })

  it('that the browser is offline, leaves what was there, and recovers by itself', async () => {
    const site = await start()
    const page = await enter(site, 'ada')
    await page.getByRole('meter').first().waitFor()
    await page.context().setOffline(true)
    await page.keyboard.press('r')
    await page.getByText('The gateway does not answer. Are you online?').first().waitFor()

    await page.getByText('Last updated').first().waitFor()
    expect(await page.getByRole('meter').count()).toBe(4)
    await page.context().setOffline(false)
    await page.getByText('Are you online?').first().waitFor({ state: 'detached' })
  })

  it('that the plan is gone, on the pages where it matters', async () => {
    const site = await start()
    const page = await enter(site, 'ada')
    await page.getByRole('meter').first().waitFor()
    // An undeclared plan in a token counts as none; the operator's plan stays.
    await setPlan(site, 'ada@example.com', 'pro')
    await site.reload(yaml => yaml.replace('\n  pro:\n', '\n  max:\n'))
    await page.keyboard.press('r')

    for (const name of ['Overview', 'Keys', 'Try']) {
      await page.getByRole('navigation').getByRole('link', { name }).click()
      await page.getByRole('alert').getByText('Your plan pro is gone.').waitFor()
      await picture(page, `plan-gone-${name.toLowerCase()}`)
      expect(await page.getByRole('alert').getByRole('link', { name: 'Ask the operator' }).getAttribute('href')).toBe(
        'mailto:operator@example.com',
      )
    }
  })

  it('that keys were changed too often, at the button, and when again', async () => {
    const site = await start()
    const { page } = await windowOf(site)
    let authorization = ''
    page.on('request', request => {
      authorization ||= request.headers().authorization ?? ''
    })
    await page.goto(`${site.url}/console/keys`)
    await signIn(page, 'bob')
    await page.getByText('No active key').waitFor()
    /** The value of the key; undefined where it was refused. */
    const change = async (path: string, body: object): Promise<string | undefined> => {
      const headers = { authorization, 'content-type': 'application/json' }
      const init = { method: 'POST', headers, body: JSON.stringify(body) }
      const response = await fetch(`${site.url}/v1/keys/developer${path}`, init)
      return ((await response.json()) as { readonly key?: string }).key
    }
    let key = await change('', {})
    while (key !== undefined) key = await change('/rotate', { key })
    await page.keyboard.press('r')
    await page.getByRole('button', { name: 'Rotate…' }).click()
    await page.getByRole('button', { name: 'Rotate', exact: true }).click()

    const problem = page.getByRole('alert')
    await problem.waitFor()
    await picture(page, 'too-many-changes')
    expect(await problem.textContent()).toContain('60 times per hour. Retry in')
  })

  it('that a new version is here where a part of this one is gone', async () => {
    const site = await start()
    const page = await enter(site, 'ada')
    await page.route('**/pages-*.js', route => route.fulfill({ status: 404, body: '' }))
    await page.getByRole('link', { name: 'Try' }).click()

    await page.getByText('A new version is available.').waitFor()
    await picture(page, 'new-version')
    await page.getByRole('button', { name: 'Reload' }).waitFor()
  })

  it('that the sign-in has ended; where popups are blocked, Continue leads through the provider to the same page', async () => {
    const site = await start()
    const { page } = await windowOf(site)
    await page.clock.install()
    await page.goto(`${site.url}/console/billing`)
    await signIn(page, 'bob')
    await page.getByText('Plan allowance').waitFor()
    await page.clock.fastForward('01:00:01')
    await page.getByText('Your sign-in has ended. This page stays as it is.').waitFor()
    expect(await page.getByText('Plan allowance').isVisible()).toBe(true)
    await picture(page, 'ended')
    await page.evaluate('window.open = () => null')

    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('Your sign-in has ended.').waitFor({ state: 'detached' })
    await page.getByText('Plan allowance').waitFor()
    expect(page.url()).toBe(`${site.url}/console/billing`)
  })

  it('that there is such a key already, where two tabs make one at once', async () => {
    const site = await start()
    const page = await enter(site, 'ada', '/keys')
    const other = await page.context().newPage()
    await other.goto(`${site.url}/console/keys`)
    await other.getByRole('button', { name: 'Sign in with' }).click()
    await Promise.all([page, other].map(each => each.getByText('No active key').waitFor()))

    await Promise.all([page, other].map(each => each.getByRole('button', { name: 'Create key' }).click()))
    await expect
      .poll(async () => {
        const said = [page, other].map(async each => [
          await each.locator('[data-key]').count(),
          await each.getByText('You already have a key with this name').count(),
        ])
        return (await Promise.all(said)).map(String).sort()
      })
      .toEqual(['0,1', '1,0'])
  })

  it('that a key was rotated in another tab, and stays signed in', async () => {
    const site = await start()
    const page = await enter(site, 'ada', '/keys')
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByRole('button', { name: 'Copy key' }).click()
    const other = await page.context().newPage()
    await other.goto(`${site.url}/console/keys`)
    await other.getByRole('button', { name: 'Sign in with' }).click()
    await other.getByRole('button', { name: 'Revoke…' }).click()
    await page.getByRole('button', { name: 'Rotate…' }).click()
    await other.getByRole('button', { name: 'Revoke', exact: true }).click()
    await other.getByText('Revocation').waitFor()

    await page.getByRole('button', { name: 'Rotate', exact: true }).click()
    await page.getByRole('alert').waitFor()
    await page.getByText('Revocation').waitFor()
    expect(await page.getByText('ada@example.com').isVisible()).toBe(true)
    expect(await page.getByText('Your sign-in has ended').count()).toBe(0)
  })

  describeRedis('with Redis', () => {
    it('that the store does not answer, and recovers by itself', async () => {
      const redis = await startRedis({ durable: true })
      open.push(() => redis.stop())
      const site = await start(yaml =>
        yaml.replace(/store: embedded:.*/, `store: ${redis.url}`).replace(/guests: .*/, ''),
      )
      const page = await enter(site, 'ada')
      await page.getByRole('meter').first().waitFor()
      await redis.kill()
      await page.keyboard.press('r')

      await page.getByText('The store does not answer. Nothing is lost or charged').first().waitFor()
      await picture(page, 'store-down')
      expect(await page.getByRole('meter').count()).toBe(4)
      await redis.restart()
      await page.getByText('The store does not answer').first().waitFor({ state: 'detached' })
    })
  })
})
