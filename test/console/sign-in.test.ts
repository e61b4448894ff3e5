import type { Browser, Page } from 'playwright-core'
import { beforeEach, expect, it } from 'vitest'
import { keptBy, openWindow, signIn, type Window } from './chromium.ts'
import { describeConsole } from './rig.ts'
import type { Site } from './site.ts'

describeConsole('signing in to the console', { door: 'public' }, rig => {
  let site: Site
  let browser: Browser
  let window: Window
  let page: Page
  beforeEach(() => {
    ;({ site, browser, window, page } = rig())
  })

  it('leads by authorization code and PKCE to the page that was asked for, with no token in any place that lasts', async () => {
    const asked: string[] = []
    page.on('request', request => asked.push(request.url()))
    await page.goto(`${site.url}/console/keys`)
    await signIn(page, 'ada')

    expect(page.url()).toBe(`${site.url}/console/keys`)
    const authorization = new URL(asked.find(url => url.includes('code_challenge=')) ?? '')
    expect(authorization.searchParams.get('code_challenge_method')).toBe('S256')
    expect(authorization.searchParams.get('resource')).toBe(site.url)
    expect(await keptBy(page)).toEqual([{ 'svc.was': '1' }, {}, '', `${site.url}/console/keys`, null])
    expect(asked.filter(url => url.includes('eyJ'))).toEqual([])
  })

  it('outlives a reload without a question, and on the same page', async () => {
    await page.goto(`${site.url}/console/keys`)
    await signIn(page, 'ada')
    const asked: string[] = []
    page.on('request', request => asked.push(request.url()))

    await page.reload()
    await page.getByText('ada@example.com').waitFor()

    expect(page.url()).toBe(`${site.url}/console/keys`)
    expect(asked.some(url => url.includes('prompt=none'))).toBe(true)
  })

  it('shows the door, and no error, once the session of the provider is gone', async () => {
    await page.goto(`${site.url}/console`)
    await signIn(page, 'ada')
    await window.context.clearCookies()

    await page.reload()
    await page.getByRole('button', { name: 'Sign in with' }).waitFor()

    expect(await page.getByRole('alert').count()).toBe(0)
  })

  it.each([
    ['another state', (url: URL) => url.searchParams.set('state', 'forged')],
    ['another issuer', (url: URL) => url.searchParams.set('iss', 'https://evil.example')],
    ['a code that was made up', (url: URL) => url.searchParams.set('code', 'forged')],
  ])('refuses an answer with %s, and says so at the door', async (_name, forge) => {
    site.redirects.change = text => {
      if (!text.includes('/console/callback')) return text
      const url = new URL(text)
      forge(url)
      return url.href
    }
    await page.goto(`${site.url}/console`)
    await page.getByRole('button', { name: 'Sign in with' }).click()
    await page.getByRole('button', { name: /^ada / }).click()

    await page.getByRole('alert').getByText('The sign-in failed').waitFor()
    expect(await keptBy(page)).toEqual([{}, {}, '', `${site.url}/console`, null])
    // Chromium reports that the provider refused the code.
    expect(window.faults.splice(0).filter(fault => !fault.includes('400 (Bad Request)'))).toEqual([])
  })

  it('refuses an ID token that was made for another sign-in', async () => {
    await page.route(`${site.issuer}/auth?**`, route => {
      const url = new URL(route.request().url())
      url.searchParams.set('nonce', 'forged')
      return route.continue({ url: url.href })
    })
    await page.goto(`${site.url}/console`)
    await page.getByRole('button', { name: 'Sign in with' }).click()
    await page.getByRole('button', { name: /^ada / }).click()

    await page.getByRole('alert').getByText('The sign-in failed').waitFor()
    expect(await keptBy(page)).toEqual([{}, {}, '', `${site.url}/console`, null])
  })

  it('refuses a code that was used before', async () => {
    const codes: string[] = []
    site.redirects.change = text => {
      if (!text.includes('/console/callback')) return text
      const url = new URL(text)
      codes.push(url.searchParams.get('code') ?? '')
      url.searchParams.set('code', codes[0] ?? '')
      return url.href
    }
    await page.goto(`${site.url}/console`)
    await signIn(page, 'ada')
    const other = await openWindow(browser, [site.url, site.issuer])
    await other.page.goto(`${site.url}/console`)
    await other.page.getByRole('button', { name: 'Sign in with' }).click()
    await other.page.getByRole('button', { name: /^bob / }).click()

    await other.page.getByRole('alert').getByText('The sign-in failed').waitFor()
    expect(codes).toHaveLength(2)
    expect(await keptBy(other.page)).toEqual([{}, {}, '', `${site.url}/console`, null])
    await other.close()
  })

  it('that ended is renewed beside the page, and what waited for it runs once', async () => {
    await page.clock.install()
    await page.goto(`${site.url}/console/keys`)
    await signIn(page, 'bob')
    await page.clock.fastForward('01:00:01')
    await page.getByText('Your sign-in has ended. This page stays as it is.').waitFor()
    const minted: string[] = []
    page.on('request', request => request.method() === 'POST' && minted.push(request.url()))

    await page.getByRole('button', { name: 'Create key' }).click()
    const popup = window.context.waitForEvent('page')
    await page.getByRole('button', { name: 'Continue' }).click()
    await popup
    await page.getByText('Your new key').waitFor()

    expect(minted.filter(url => url.endsWith('/v1/keys/developer'))).toHaveLength(1)
    expect(window.context.pages()).toHaveLength(1)
  })

  it('ends at the provider too, so that the next one asks who it is', async () => {
    await page.goto(`${site.url}/console`)
    await signIn(page, 'ada')

    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Yes, sign out' }).click()
    await page.getByRole('button', { name: 'Sign in with' }).click()

    await page.getByText('Who are you?').waitFor()
    expect(page.url()).toContain(site.issuer)
  })
})
