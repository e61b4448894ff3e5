import { expect, it } from 'vitest'
import { mailbox } from '../support/mailbox.ts'
import { signIn } from './chromium.ts'
import { describeConsole } from './rig.ts'

describeConsole('notices in the console', { door: 'public' }, rig => {
  it('a customer chooses percentages, an address and a webhook, and confirms the address on the page of the link', async () => {
    const { site, page } = rig()
    const { port, mails } = await mailbox()
    await site.reload(
      yaml => `notice_targets: { mail: { smtp: "smtp://127.0.0.1:${port}", from: gateway@example.com, to: [ops@example.com] } }
customer_notices: { at: [50%, 80%], mail: mail, webhooks: true }
${yaml}`,
    )
    await page.goto(`${site.url}/console`)
    await signIn(page, 'ada')
    await page.getByRole('link', { name: 'Billing' }).click()
    await page.getByRole('checkbox', { name: '50%' }).uncheck()
    await page.getByRole('textbox', { name: 'Mail address' }).fill('ada@example.com')
    await page.getByRole('textbox', { name: 'Webhook' }).fill('https://hooks.example.com/svc')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Open the link in the mail to ada@example.com to confirm it.').waitFor()
    await page.getByText(/^whsec_/).waitFor()

    const text = (mails[0]?.text ?? '').replace(/=\r?\n/g, '').replace(/=3D/g, '=')
    await page.goto(/http\S+\/confirm\?token=\S+/.exec(text)?.[0] ?? '')
    await page.getByRole('button', { name: 'Confirm this address' }).click()
    await page.getByRole('heading', { name: 'Address confirmed' }).waitFor()
    await page.getByRole('link', { name: 'Open the console' }).click()
    await page.getByRole('link', { name: 'Billing' }).click()
    const address = page.getByRole('textbox', { name: 'Mail address' })
    await address.waitFor()
    expect(await address.inputValue()).toBe('ada@example.com')
    expect(await page.getByRole('checkbox', { name: '50%' }).isChecked()).toBe(false)
    expect(await page.getByText(/^whsec_/).count()).toBe(0)

    await address.fill('mistyped@example.com')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Open the link in the mail to mistyped@example.com to confirm it.').waitFor()
    await page.getByRole('button', { name: 'Keep ada@example.com' }).click()
    await page.getByText('Open the link in the mail').waitFor({ state: 'detached' })
    expect(await address.inputValue()).toBe('ada@example.com')
  })
  it('saving sends only changes of what is offered, withdraws an address, and runs once at a time', async () => {
    const { site, page } = rig()
    const { port } = await mailbox()
    const offering = (ways: string) => (yaml: string) =>
      `notice_targets: { mail: { smtp: "smtp://127.0.0.1:${port}", from: gateway@example.com, to: [ops@example.com] } }
customer_notices: { at: [50%, 80%], ${ways} }
${yaml}`
    await site.reload(offering('mail: mail, webhooks: true'))
    await page.goto(`${site.url}/console`)
    await signIn(page, 'ada')
    await page.getByRole('link', { name: 'Billing' }).click()
    await page.getByRole('textbox', { name: 'Mail address' }).fill('ada@example.com')
    await page.getByRole('textbox', { name: 'Webhook' }).fill('https://hooks.example.com/svc')
    const save = page.getByRole('button', { name: 'Save' })
    const sent: unknown[] = []
    let answer = () => {}
    await page.route('**/v1/account/notices', async route => {
      if (route.request().method() !== 'POST') return route.continue()
      sent.push(route.request().postDataJSON())
      await new Promise<void>(resolve => {
        answer = resolve
      })
      await route.continue()
    })
    await save.click()
    await expect.poll(() => sent.length).toBe(1)
    expect(await save.isDisabled()).toBe(true)
    answer()
    await page.getByText(/^whsec_/).waitFor()
    await page.unroute('**/v1/account/notices')
    const posted = () =>
      page.waitForRequest(request => request.method() === 'POST' && request.url().endsWith('/notices'))
    const [withdrawn] = await Promise.all([posted(), page.getByRole('button', { name: 'Withdraw' }).click()])
    await page.getByText('Open the link in the mail').waitFor({ state: 'detached' })

    // The operator offers no webhooks for a while.
    await site.reload(offering('mail: mail'))
    await page.reload()
    await page.getByRole('checkbox', { name: '50%' }).uncheck()
    const [chosen] = await Promise.all([posted(), save.click()])
    await page.getByText('Saved.').waitFor()
    await page.getByRole('checkbox', { name: '80%' }).uncheck()
    await save.click()
    await page.getByText('Choose at least one percentage').waitFor()
    expect([sent, withdrawn.postDataJSON(), chosen.postDataJSON()]).toEqual([
      [{ mail: 'ada@example.com', webhook: 'https://hooks.example.com/svc' }],
      { mail: null },
      { at: [80] },
    ])
  })
})
