import type { Page } from 'playwright-core'
import { beforeEach, expect, it } from 'vitest'
import { signIn } from './chromium.ts'
import { describeConsole } from './rig.ts'
import type { Site } from './site.ts'
import { askAs } from './traffic.ts'

// Chromium reports each answer of the gateway that refuses.
const REFUSED = 'the server responded with a status of 40'

describeConsole('an invitation to an account', { door: 'public', alsoRedis: true, expects: REFUSED }, rig => {
  let site: Site
  let page: Page
  beforeEach(() => {
    ;({ site, page } = rig())
  })

  const linkTo = async (account: string): Promise<string> =>
    String((await askAs(site, '/admin/accounts/invite', { account })).link)
  const opened = (account: string) => askAs(site, '/admin/keys', { account, plan: 'pro' })

  it('leads a person whose e-mail address names the account to it, who was told so before', async () => {
    await opened('bob@example.com')
    await page.goto(`${site.url}/console`)
    await signIn(page, 'bob')
    await page.getByRole('heading', { name: 'Your account is waiting for you' }).waitFor()
    await page.getByText('Ask the operator for an invitation').waitFor()

    await page.goto(await linkTo('bob@example.com'))
    await page.getByRole('button', { name: 'Join the account' }).click()

    await page.getByText('You have joined bob@example.com').waitFor()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    expect(page.url()).toBe(`${site.url}/console`)
    await page.getByRole('region', { name: 'Limits' }).getByText('pro', { exact: true }).waitFor()
  })

  it('joins nobody who only opens it, and asks first who has an account', async () => {
    await opened('team')
    await page.goto(`${site.url}/console`)
    await signIn(page, 'ada')
    const link = await linkTo('team')
    const joins: string[] = []
    page.on('request', request => request.url().endsWith('/join') && joins.push(request.postData() ?? ''))

    await page.goto(link)
    await page.getByRole('heading', { name: 'You are invited to an account' }).waitFor()
    expect(joins).toEqual([])
    await page.getByRole('button', { name: 'Join the account' }).click()
    await page.getByText('You have an account here already').waitFor()
    await page.getByRole('button', { name: 'Leave my account and join' }).click()

    await page.getByText('You have joined team').waitFor()
    expect(joins).toHaveLength(2)
    await page.locator('.who').getByText('team').waitFor()
  })

  it('says that it was used before, and leads on to the account of the reader', async () => {
    await opened('team')
    const link = await linkTo('team')
    await linkTo('team')

    await page.goto(link)
    await page.getByText('You are invited to an account. Sign in to join it.').waitFor()
    await page.getByRole('button', { name: 'Sign in with' }).click()
    await page.getByRole('button', { name: /^ada / }).click()
    await page.getByRole('button', { name: 'Join the account' }).click()
    await page.getByRole('alert').getByText('unknown, used or older than 24 hours').waitFor()
    await page.getByRole('button', { name: 'Not now' }).click()

    await page.getByText('ada@example.com').waitFor()
  })
})
