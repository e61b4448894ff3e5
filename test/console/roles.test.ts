import type { Page } from 'playwright-core'
import { beforeEach, expect, it } from 'vitest'
import { describeConsole } from './rig.ts'
import type { Site } from './site.ts'
import { askAs, keyOf } from './traffic.ts'

type Role = 'viewer' | 'support' | 'admin'

const LISTS = { viewer: 'viewers', support: 'support', admin: 'admins' } as const

/** Controls that change something, on the page of an account with one key and on the page of pools. */
const OFFERED: Readonly<Record<Role, readonly (readonly string[])[]>> = {
  viewer: [[], []],
  support: [['Grant…', 'Mint key…', 'Revoke…', 'Rotate…'], []],
  admin: [
    ['Freeze…', 'Grant…', 'Invite…', 'Mint key…', 'Org…', 'Overage…', 'Revoke…', 'Rotate…', 'Set limit…', 'Set plan…'],
    ['Drain… onprem', 'Probe onprem'],
  ],
}

describeConsole('an operator', { door: 'admin', expects: 'a status of 40' }, rig => {
  let site: Site
  let page: Page
  let operator: string
  let account: string

  beforeEach(async () => {
    ;({ site, page } = rig())
    await keyOf(site, 'bob@example.com', 'pro')
    const { data } = await askAs(site, '/admin/accounts/find', { search: 'bob@example.com' })
    account = String((data as readonly { readonly account: string }[])[0]?.account)
    // The files name nobody yet: the gateway says whom it would have to be.
    await serveWith('viewer', `acct_${'0'.repeat(40)}`)
    await page.goto(`${site.admin}/console`)
    await page.getByRole('button', { name: 'Sign in with' }).click()
    await page.getByRole('button', { name: /^ada / }).click()
    const refusal = page.getByRole('alert').getByText('is not among')
    await refusal.waitFor()
    operator = /acct_\w+/.exec((await refusal.textContent()) ?? '')?.[0] ?? ''
  })

  const serveWith = (role: Role, who = operator) =>
    site.reload(yaml => yaml.replace('  default_plan: free', `  default_plan: free\n  ${LISTS[role]}: [${who}]`))

  const enterAs = async (role: Role) => {
    await serveWith(role)
    await page.goto(`${site.admin}/console`)
    await page.getByRole('button', { name: 'Sign in with' }).click()
    await page.getByText(`${role} at`).waitFor()
  }

  const open = async (path: string) => {
    await page.evaluate(`history.pushState(null, '', '/console/${path}'); dispatchEvent(new PopStateEvent('popstate'))`)
    await page.locator('.skeleton').first().waitFor({ state: 'detached' })
    await page.getByRole('region').first().waitFor()
  }

  /** The names of buttons that do more than copy. */
  const offered = async () =>
    (await page.locator('main button').allTextContents())
      .filter(name => !name.startsWith('Copy'))
      .map(name => name.replace(/ svc_\w+…$/, ''))
      .sort()

  it.each(Object.keys(OFFERED) as Role[])(
    'of the role %s is offered what it may do, and is told what not',
    async role => {
      await enterAs(role)
      const notes = { viewer: 'Your role is viewer', support: 'Your role is support', admin: undefined }
      for (const [at, path] of [`accounts?id=${account}`, 'pools'].entries()) {
        await open(path)
        expect(await offered()).toEqual(OFFERED[role][at])
        expect(await page.getByText(notes[role] ?? 'Your role is').count()).toBe(notes[role] ? 1 : 0)
      }
    },
  )

  it('whose role was changed meanwhile is refused in words, and is offered no more than the new role may', async () => {
    await enterAs('admin')
    await open(`accounts?id=${account}`)
    await page.getByRole('button', { name: 'Freeze…' }).click()
    await serveWith('viewer')

    await page.getByRole('dialog').getByRole('button', { name: 'Freeze', exact: true }).click()

    await page.getByRole('alert').getByText(`This needs the role admin, and ${operator} is viewer.`).waitFor()
    await page.getByText('Your role is viewer').waitFor()
    expect(await offered()).toEqual([])
    expect(await askAs(site, '/admin/accounts/show', { account })).toMatchObject({ frozen: false })
  })
})
