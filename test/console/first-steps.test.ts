import { expect, it } from 'vitest'
import { makeKey, signIn } from './chromium.ts'
import { picture } from './look.ts'
import { openAsOperator } from './operator.ts'
import { describeConsole, WITH_CLIPBOARD } from './rig.ts'
import { chatAs } from './traffic.ts'

describeConsole('who is new to the console', { door: 'public', alsoRedis: true }, rig => {
  const enter = async (who: 'ada' | 'bob') => {
    const { site, page } = rig()
    await page.goto(`${site.url}/console`)
    await signIn(page, who)
    return page
  }

  it('is led from the empty overview to the keys', async () => {
    const page = await enter('bob')
    await page.getByRole('link', { name: 'Create a key' }).click()
    await page.getByRole('heading', { name: 'Keys' }).waitFor()

    expect(page.url()).toBe(`${rig().site.url}/console/keys`)
  })

  it('is led from the key to the first request, and from that to its usage', async () => {
    const page = await enter('bob')
    const step = (name: string) => page.getByRole('listitem').filter({ hasText: name })
    await step('Create a key').and(page.locator('[aria-current="step"]')).waitFor()
    await page.getByRole('link', { name: 'Create a key' }).click()
    await page.getByRole('button', { name: 'Create key' }).click()
    const key = (await page.locator('[data-key]').textContent()) ?? ''
    await page.getByRole('status').getByText('Waiting for the first request…').waitFor()
    await chatAs(rig().site, key)
    await page.getByRole('status').getByText('The first request arrived.').waitFor()
    page.once('dialog', dialog => void dialog.accept())
    await page.getByRole('link', { name: 'See it' }).click()
    await page.getByRole('heading', { name: 'Request', exact: true }).waitFor()

    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByRole('heading', { name: 'Spend, 30 days' }).waitFor()
    expect(await page.getByText('First steps').count()).toBe(0)
  })

  it('sees each step done as soon as it is, without a reload', async () => {
    const page = await enter('bob')
    const { site } = rig()
    await page.route('**/billing/usage?*', async route => {
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...(await response.json()), data: [] } })
    })
    const key = await makeKey(page)
    await page.getByRole('link', { name: 'Overview' }).click()
    const step = (name: string) => page.getByRole('listitem').filter({ hasText: name })
    await step('Create a key').getByText('(done)').waitFor()
    await step('Send a request').and(page.locator('[aria-current="step"]')).waitFor()
    await picture(page, 'first-steps')
    await chatAs(site, key)
    await step('Send a request').getByText('(done)').waitFor()
    await page.getByRole('link', { name: 'See your first request' }).waitFor()
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })

  it.each([
    ['ada', 'Requests are still served'],
    ['bob', 'Requests are refused with status 402'],
  ] as const)('reads what becomes of requests once the quota is spent, by the plan of %s', async (who, then) => {
    const page = await enter(who)
    await page.getByRole('link', { name: 'Billing' }).click()
    await page.getByText(then).waitFor()
  })
})

describeConsole('an operator without accounts', { door: 'admin', window: WITH_CLIPBOARD, alsoRedis: true }, rig => {
  it('is led from Live to the first account, its key, and an invitation to it', async () => {
    const { site, page } = rig()
    await openAsOperator(site, page)
    await page.getByText('No account yet').waitFor()
    await picture(page, 'operator-no-account')
    await page.getByRole('link', { name: 'Open the first one' }).click()
    await page.locator('.empty').getByRole('button', { name: 'New account…' }).click()
    await page.getByLabel('Label').fill('ada@example.com')
    await page.getByRole('dialog').getByRole('combobox').selectOption('pro')
    await page.getByText('svcctl keys mint --account ada@example.com --plan pro').waitFor()
    await picture(page, 'operator-new-account')
    await page.getByRole('button', { name: 'Mint its first key' }).click()
    await page.getByRole('button', { name: 'Copy key' }).click()
    const key = await page.evaluate('navigator.clipboard.readText()')
    expect(await chatAs(site, String(key))).toBe(200)
    await page.getByRole('button', { name: 'I have saved it' }).click()

    await page.getByRole('heading', { name: 'ada@example.com' }).waitFor()
    await page.getByRole('button', { name: 'Invite…' }).click()
    await page.getByRole('button', { name: 'Make link' }).click()
    await page.getByRole('button', { name: 'Copy link' }).click()
    const link = String(await page.evaluate('navigator.clipboard.readText()'))
    expect(link.startsWith(`${site.url}/console#invitation=acct_`)).toBe(true)
    await page.getByText('An invitation is open and expires in 1 day').waitFor()
    await picture(page, 'operator-invitation')
  })

  it('reads that nothing is there yet, and with a filter that nothing matches', async () => {
    const { site, page } = rig()
    await openAsOperator(site, page)
    for (const [path, none, filter, noMatch] of [
      ['audit?', 'No changes yet', 'action=mint', 'No matching changes'],
      ['requests?since=24h', 'No requests in this period', '&errors=true', 'No matching requests'],
      ['accounts?', 'No account yet', 'plan=pro', 'No account matches'],
      ['usage?', 'No usage in this period', 'days=hours', 'No usage in this period'],
    ]) {
      await page.goto(`${site.admin}/console/${path}`)
      await page.getByText(`${none}`).waitFor()
      await page.goto(`${site.admin}/console/${path}${filter}`)
      await page.getByText(`${noMatch}`).waitFor()
    }
  })

  it('reads that there is no account only once the gateway has listed them', async () => {
    const { site, page } = rig()
    let list = () => {}
    const isAsked = new Promise<void>(resolve => {
      list = resolve
    })
    await page.route('**/admin/accounts', async route => {
      await isAsked
      await route.continue()
    })
    await openAsOperator(site, page)
    await page.locator('.pace').getByText('0 accounts').waitFor()
    expect(await page.getByText('No account yet').isVisible()).toBe(false)
    list()
    await page.getByText('No account yet').waitFor()
  })
})
