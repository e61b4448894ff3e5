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
  })
})
