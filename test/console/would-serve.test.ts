import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { LOOKS, lookAt } from './look.ts'
import { openAsOperator } from './operator.ts'
import { describeConsole } from './rig.ts'
import type { Site } from './site.ts'
import { keyOf } from './traffic.ts'

describeConsole('whether a request would be served', { door: 'admin', shared: true, alsoRedis: true }, rig => {
  let site: Site
  let page: Page
  let account: string

  beforeAll(async () => {
    ;({ site, page } = rig())
    await keyOf(site, 'ada', 'free')
    const [record] = await site.gateway.store.accounts.findByLabel('ada')
    account = record?.account ?? ''
    await openAsOperator(site, page)
  })

  const ask = async (model: string) => {
    await page.getByRole('combobox', { name: 'Model' }).selectOption(model)
    await page.getByRole('button', { name: 'Ask' }).click()
  }
  const verdict = (words: string) => page.getByRole('status').filter({ hasText: words })

  it('is asked from the page of its account, and answered with pools, price and what is left', async () => {
    await page.goto(`${site.admin}/console/accounts?id=${account}`)
    await page.getByRole('link', { name: 'Would a request be served?' }).click()
    await page.getByRole('heading', { name: 'Would this be served?' }).waitFor()
    await page.getByLabel('Prompt, in tokens').fill('200')
    await page.getByLabel('max_tokens').fill('100')

    await ask('svc-core')

    await verdict('Yes, it would be served').waitFor()
    const facts = page.locator('dl.facts')
    expect(await facts.getByText('svc-core').count()).toBeGreaterThan(0)
    await facts.getByText('100 tokens').waitFor()
    const limits = page.getByRole('region', { name: 'Limits and what is left of them' })
    await limits.getByText('requests per minute').waitFor()
    await page
      .getByText(`svcctl explain --account ${account} --model svc-core --chat-tokens 200 --max-tokens 100`)
      .waitFor()
  })

  it('a model outside the plan is refused by its name', async () => {
    await ask('svc-pro')

    await verdict('No, it would be refused').waitFor()
    await page.getByText('does not include svc-pro').first().waitFor()
  })

  it('a key that was revoked is refused, and its account is not', async () => {
    const { store } = site.gateway
    const [key] = await store.keys.listOf(account)
    await store.keys.revoke({ hash: key?.hash ?? '', by: 'operator' })
    await page.goto(`${site.admin}/console/accounts?id=${account}&ask=request&key=${key?.id}`)

    await ask('svc-core')
    await page.getByText(`key ${key?.id} does not work: it was revoked`).waitFor()
    await page.getByLabel('Sent with').selectOption('a sign-in')
    await page.getByRole('button', { name: 'Ask' }).click()
    await verdict('Yes, it would be served').waitFor()
    await page.getByText('None of its keys works').waitFor()
  })

  it('a pool of two replicas shows what the request costs at each, and which one is chosen', async () => {
    await site.reload(yaml =>
      yaml.replace(`replicas: [${site.backend.url}]`, `replicas: [${site.backend.url}, http://127.0.0.1:9/v1]`),
    )
    await page.goto(`${site.admin}/console/accounts?id=${account}&ask=request`)
    await ask('svc-core')

    const table = page.getByRole('region', { name: 'Replicas of onprem' })
    await table.getByText('http://127.0.0.1:9/v1').waitFor()
    expect(await table.getByText('chosen').count()).toBe(1)
    expect(await table.getByText('about equal', { exact: true }).count()).toBe(1)
    await page.getByText('a hash picks one of 2 that cost about the same').waitFor()
  })

  it('nothing was counted or reserved by any question', async () => {
    expect(await site.gateway.store.accounts.readUsage(account)).toMatchObject({ requests: 0, concurrent: 0, held: 0 })
    expect(site.backend.requests).toEqual([])
  })

  it('is accessible, and no wider than its window, in every look', async () => {
    const found: string[] = []
    for (const [colorScheme, width] of LOOKS) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 800 })
      await page.goto(`${site.admin}/console/accounts?id=${account}&ask=request`)
      await ask('svc-core')
      await verdict('Yes, it would be served').waitFor()
      await lookAt(page, found, `${colorScheme}-${width}`)('operator-would-serve')
      await ask('svc-pro')
      await verdict('No, it would be refused').waitFor()
      await lookAt(page, found, `${colorScheme}-${width}`)('operator-would-refuse')
    }
    expect(found).toEqual([])
  })
})
