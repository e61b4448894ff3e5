import type { Browser, Page } from 'playwright-core'
import { beforeEach, expect, it } from 'vitest'
import { answer, status } from '../support/backend.ts'
import { makeKey, openWindow, signIn } from './chromium.ts'
import { describeConsole, type Rig, WITH_CLIPBOARD } from './rig.ts'
import type { Site } from './site.ts'

describeConsole('requests in the console', { door: 'public', window: WITH_CLIPBOARD, enter }, rig => {
  let site: Site
  let browser: Browser
  let page: Page
  beforeEach(() => {
    ;({ site, browser, page } = rig())
  })

  /** Answers with what the client is told. */
  const chat = async (
    key: string,
    body: object = {},
    headers: Readonly<Record<string, string>> = {},
  ): Promise<string> => {
    const response = await fetch(`${site.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ messages: [{ role: 'user', content: 'Hi' }], max_tokens: 10, ...body }),
    })
    const { error } = (await response.json()) as { readonly error?: { readonly message: string } | string }
    return typeof error === 'string' ? error : (error?.message ?? '')
  }
  const openRequests = () => page.locator('nav a[href$="/requests"]').click()
  const row = (text: string) => page.locator('tr.opens').filter({ hasText: text }).first()

  it('say of each refusal what the client was told, what to do, and where', async () => {
    const key = await makeKey(page)
    const plan = (limits: string) => (yaml: string) =>
      yaml.replace(/free: \{.*\}/, `free: { models: [tier:guest], ${limits} }`)
    const told: Record<string, string> = {}
    told['400 VALIDATION_ERROR'] = await chat(key, { model: 'none' })

    told['429 plan_limit'] = await chat(key, { model: 'svc-pro' })
    site.backend.always(status(500))
    told['503 UPSTREAMS_EXHAUSTED'] = await chat(key)
    site.backend.always(answer({ content: 'Hi' }))
    await site.reload(plan('rpm: 20, tpm: 40k, monthly_usd: 0.000001'))
    told['402 quota_exceeded'] = await chat(key)
    await site.reload(plan('rpm: 20, tpm: 1k, monthly_usd: 1'))
    site.backend.next(answer({ content: 'Hi', usage: { prompt_tokens: 900, completion_tokens: 9, total_tokens: 909 } }))
    await chat(key)
    told['429 tokens'] = await chat(key, { max_tokens: 500 })
    await site.reload(plan('rpm: 1, tpm: 40k, monthly_usd: 1'))
    await chat(key)
    told['429 requests'] = await chat(key)
    await openRequests()

    for (const [name, message] of Object.entries(told)) {
      await row(name).click()
      const text = await page.locator('td.detail').textContent()
      expect(message, name).not.toBe('')
      expect(text, name).toContain(message.slice(0, 160))
      expect(text, name).toContain('What to do')
      await row(name).click()
    }
    await row('429 plan_limit').click()
    await page.getByRole('link', { name: 'Models in your plan' }).click()
    await page.getByRole('heading', { name: 'Models' }).waitFor()
    expect(page.url()).toBe(`${site.url}/console/models`)
  })
  it('are those of the account alone, by what became of them and by words', async () => {
    const key = await makeKey(page)
    await chat(key)
    await chat(key, { model: 'svc-pro' })
    const other = await openWindow(browser, [site.url, site.issuer])
    await other.page.goto(`${site.url}/console`)
    await signIn(other.page, 'ada')
    await chat(await makeKey(other.page), { model: 'none-of-bob' })
    await openRequests()
    await row('plan_limit').waitFor()
    const count = () => page.locator('tr.opens').count()

    expect(await count()).toBe(3)
    await page.getByLabel('Which requests').selectOption('Refused')
    await row('plan_limit').waitFor()
    expect(await count()).toBe(1)
    await page.getByLabel('Which requests').selectOption('Failed')
    await page.getByText('None failed').waitFor()
    await page.getByLabel('Which requests').selectOption('All')
    await row('plan_limit').waitFor()
    await page.keyboard.press('Escape')
    await page.getByLabel('Find a request').fill('svc-core')
    await row('plan_limit').waitFor({ state: 'detached' })
    expect(await count()).toBe(1)
    await other.close()
  })

  it('that are older come page by page from the ledger, and none is missing', async () => {
    await site.reload(yaml => yaml.replace('rpm: 20', 'rpm: 1000'))
    const key = await makeKey(page)
    // A request that a busy Redis did not admit in time is no row of the ledger.
    for (let served = 0; served < 60; ) if ((await chat(key)) === '') served++
    await openRequests()
    await page.getByLabel('Which requests').selectOption('Served')
    await page.locator('tr.opens').nth(49).waitFor()
    expect(await page.locator('tr.opens').count()).toBe(50)

    await page.getByRole('button', { name: 'Older' }).click()
    await page.locator('tr.opens').nth(59).click()

    expect(await page.locator('td.detail').textContent()).toContain('From the ledger')
    expect(await page.locator('tr.opens').count()).toBe(60)
    expect(await page.getByRole('button', { name: 'Older' }).count()).toBe(0)
  })

  it('say which key they came with, by its name, and are found by it', async () => {
    const key = await makeKey(page)
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByLabel('Name', { exact: true }).fill('ci')
    await page.getByRole('form').getByRole('button', { name: 'Create key' }).click()
    const ci = (await page.locator('[data-key]').textContent()) ?? ''
    page.once('dialog', dialog => void dialog.accept())
    await page.getByRole('button', { name: 'I have saved it' }).click()
    await chat(key)
    await chat(ci, { model: 'svc-pro' })
    await openRequests()
    await row('plan_limit').getByText('ci', { exact: true }).waitFor()

    await row('svc-core')
      .getByText(`${key.slice(0, 8)}…`)
      .waitFor()
    await row('keys/developer').getByText('sign-in').waitFor()
    await page.getByLabel('Find a request').fill(key.slice(0, 8))
    await row('plan_limit').waitFor({ state: 'detached' })
    await page.locator('tr.opens').click()
    await page
      .locator('.term', { hasText: 'Key' })
      .getByText(`${key.slice(0, 8)}…`)
      .waitFor()
  })

  it('show their labels and their session, in the list and at an address of their own', async () => {
    await site.reload(yaml => `${yaml}\nlabels: { project: { from: [header x-svc-label-project] } }\n`)
    const key = await makeKey(page)
    await chat(key, { prompt_cache_key: 'conversation-7' }, { 'x-svc-label-project': 'web' })
    await openRequests()
    await row('svc-core').click()
    const fact = (name: string) => page.locator('.term', { hasText: name }).locator('dd').textContent()

    expect([await fact('Labels'), await fact('Session')]).toEqual(['project=web', 'conversation-7'])
    const id = await page.locator('.term', { hasText: 'Request id' }).locator('code').textContent()
    await page.goto(`${site.url}/console/requests?id=${id}`)
    await page.getByText('project=web').waitFor()
    await page.getByText('conversation-7').waitFor()
  })

  it('are opened and closed by keys', async () => {
    const key = await makeKey(page)
    await chat(key)
    await chat(key, { model: 'svc-pro' })
    await openRequests()
    await row('plan_limit').waitFor()

    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.getByText('Request id').waitFor()
    expect(await page.locator('td.detail').textContent()).toContain('onprem')
    await page.keyboard.press('Escape')
    await page.locator('td.detail').waitFor({ state: 'detached' })
    await page.keyboard.press('k')
    await page.keyboard.press('Enter')
    expect(await page.locator('td.detail').textContent()).toContain('does not include svc-pro')
  })
})

async function enter({ site, page }: Rig): Promise<void> {
  await page.goto(`${site.url}/console`)
  await signIn(page, 'bob')
}
