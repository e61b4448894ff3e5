import type { Page } from 'playwright-core'
import { beforeEach, expect, it } from 'vitest'
import { signIn } from './chromium.ts'
import { describeConsole } from './rig.ts'
import type { Site } from './site.ts'

// Chromium reports each answer of the gateway that refuses.
const REFUSED = 'the server responded with a status of 40'

describeConsole('a device that asks to be signed in', { door: 'public', expects: REFUSED }, rig => {
  let site: Site
  let page: Page
  beforeEach(() => {
    ;({ site, page } = rig())
  })

  const post = async (path: string, fields: Readonly<Record<string, string>>) => {
    const response = await fetch(site.url + path, {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers: { 'user-agent': 'claude-code/2.1.330' },
    })
    return (await response.json()) as Record<string, string>
  }
  const begin = () => post('/oauth/device_authorization', {})
  const poll = ({ device_code = '' }: Record<string, string>) =>
    post('/oauth/token', { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code })
  const looks = () => {
    const asked: string[] = []
    page.on('request', request => request.url().includes('/v1/account/device') && asked.push(request.url()))
    return asked
  }

  it('is shown with its code and its address, and gets tokens once its reader approves', async () => {
    const device = await begin()
    const asked = looks()
    const cookies: string[] = []
    page.on('response', response => {
      if (response.url().startsWith(site.url) && response.headers()['set-cookie']) cookies.push(response.url())
    })
    await page.goto(device.verification_uri_complete ?? '')
    await signIn(page, 'ada')
    await page.getByRole('heading', { name: 'Sign in a device' }).waitFor()
    expect(asked).toEqual([])
    await page.getByRole('button', { name: 'Continue' }).click()

    await page.getByRole('heading', { name: 'Claude Code 2.1.330 asks to use your account' }).waitFor()
    await page.getByText(device.user_code ?? '', { exact: true }).waitFor()
    await page.getByText('Approve only if you started /login yourself').waitFor()
    await page.getByText('127.0.0.1').waitFor()
    expect((await poll(device)).error).toBe('authorization_pending')
    await page.getByRole('button', { name: 'Approve this code' }).click()
    await page.getByText('Approved.').waitFor()

    expect(await poll(device)).toMatchObject({ token_type: 'Bearer', email: 'ada@example.com' })
    expect(cookies).toEqual([])
  })

  it('gets nothing when its reader did not ask, and a code that is none is said to be so', async () => {
    const device = await begin()
    await page.goto(`${site.url}/device`)
    await signIn(page, 'ada')
    await page.getByLabel('Code').fill('BBBB-BBBB')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('is unknown, used or older than ten minutes').waitFor()
    await page.getByLabel('Code').fill((device.user_code ?? '').toLowerCase())
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', { name: 'I did not ask for this' }).click()
    await page.getByText('Refused. The device gets no access.').waitFor()

    expect((await poll(device)).error).toBe('access_denied')
  })
})
