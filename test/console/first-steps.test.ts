import { expect, it } from 'vitest'
import { signIn } from './chromium.ts'
import { describeConsole } from './rig.ts'

describeConsole('who is new to the console', { door: 'public' }, rig => {
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

  it.each([
    ['ada', 'Requests are still served'],
    ['bob', 'Requests are refused with status 402'],
  ] as const)('reads what becomes of requests once the quota is spent, by the plan of %s', async (who, then) => {
    const page = await enter(who)
    await page.getByRole('link', { name: 'Billing' }).click()
    await page.getByText(then).waitFor()
  })
})
