import type { Browser, Page } from 'playwright-core'
import { beforeEach, expect, it } from 'vitest'
import { keptBy, openWindow, type Window } from './chromium.ts'
import { openAsOperator } from './operator.ts'
import { describeConsole } from './rig.ts'
import type { Site } from './site.ts'

const NOBODY = `acct_${'0'.repeat(40)}`

describeConsole('operators in the console', { door: 'admin' }, rig => {
  let site: Site
  let browser: Browser
  let window: Window
  let page: Page
  beforeEach(() => {
    ;({ site, browser, window, page } = rig())
  })

  /** Chromium reports every answer that is an error. */
  const refused = () => window.faults.splice(0).filter(fault => !fault.includes('a status of 401'))

  it('come in by a link that works once, and no place but this tab keeps anything of it', async () => {
    const link = await openAsOperator(site, page)

    expect(page.url()).toBe(`${site.admin}/console`)
    expect(JSON.stringify(await keptBy(page))).not.toContain(link.split('#code=')[1])
    expect(await page.evaluate('Object.keys(sessionStorage)')).toEqual(['svc.operator'])
    expect(await page.evaluate('[Object.keys(localStorage), document.cookie]')).toEqual([[], ''])
    const another = await openWindow(browser, [site.admin])
    await another.page.goto(link)
    await another.page.getByRole('alert').getByText('This code was already used').waitFor()
    await another.close()
  })

  it('stay signed in over a reload, on the page that they were on', async () => {
    await openAsOperator(site, page)
    await page.goto(`${site.admin}/console/pools`)
    await page.getByRole('heading', { name: 'Pools' }).waitFor()

    expect(page.url()).toBe(`${site.admin}/console/pools`)
  })

  it('come in by a link that is opened where the console is open', async () => {
    await page.goto(`${site.admin}/console`)
    await page.getByText('svcctl console').waitFor()
    await openAsOperator(site, page)
  })

  it('see the door once their session is unknown, and why', async () => {
    await openAsOperator(site, page)
    const kept = await page.evaluate('sessionStorage.getItem("svc.operator")')
    const { token } = JSON.parse(String(kept))
    // An open page asks again every few seconds, and would learn it before it is loaded again.
    await page.goto('about:blank')
    site.gateway.app.sessions.end(token)

    await page.goto(`${site.admin}/console`)
    await page.getByRole('alert').getByText('the gateway was restarted').waitFor()

    expect(await page.evaluate('sessionStorage.length')).toBe(0)
    expect(refused()).toEqual([])
  })

  it('end their session by signing out, after which their pages ask for nothing', async () => {
    await openAsOperator(site, page)
    const { token } = JSON.parse(String(await page.evaluate('sessionStorage.getItem("svc.operator")')))
    const asked: string[] = []
    await page.route('**/admin/console/end', async route => {
      page.on('request', request => asked.push(request.url()))
      const response = await route.fetch()
      await page.evaluate('dispatchEvent(new Event("refresh"))')
      await route.fulfill({ response })
    })

    const ended = page.waitForResponse('**/admin/console/end')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('svcctl console').waitFor()
    await ended

    expect(site.gateway.app.sessions.operatorOf(token)).toBeUndefined()
    expect(await page.evaluate('sessionStorage.length')).toBe(0)
    expect(asked).toEqual([])
  })

  it('may use the admin token, which is exchanged for a session under their name and not kept', async () => {
    await page.goto(`${site.admin}/console`)
    await page.getByText('Use the admin token').click()
    await page.getByLabel('Admin token').fill('wrong')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('alert').getByText('Send the admin token as bearer').waitFor()
    await page.getByLabel('Admin token').fill(site.adminToken)
    await page.getByLabel('Your name').fill('ada@desk')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()

    await page.getByText('operator ada@desk').waitFor()
    expect(JSON.stringify(await keptBy(page))).not.toContain(site.adminToken)
    expect(await page.content()).not.toContain(site.adminToken)
    expect(refused()).toEqual([])
  })

  it('come in by a sign-in of identity.admins, and nobody else does', async () => {
    const withAdmin = (account: string) => (yaml: string) =>
      yaml.replace('  default_plan: free', `  default_plan: free\n  admins: [${account}]`)
    await site.reload(withAdmin(NOBODY))
    const signIn = async () => {
      await page.goto(`${site.admin}/console`)
      await page.getByRole('button', { name: 'Sign in with' }).click()
    }
    await signIn()
    await page.getByRole('button', { name: /^ada / }).click()
    const why = page.getByRole('alert').getByText('is not among')
    await why.waitFor()
    const account = /acct_\w+/.exec((await why.textContent()) ?? '')?.[0] ?? ''
    await site.reload(withAdmin(account))

    await signIn()

    await page.getByText(account).waitFor()
    expect(await page.evaluate('Object.keys(sessionStorage)')).toEqual(['svc.was'])
    expect(refused()).toEqual([])
  })
})
