import { readFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { beforeEach, expect, it } from 'vitest'
import { answer } from '../support/backend.ts'
import { makeKey, openWindow, signIn } from './chromium.ts'
import { describeConsole } from './rig.ts'
import type { Site } from './site.ts'

describeConsole('the overview of the console', { door: 'public', alsoRedis: true }, rig => {
  let site: Site
  let browser: Browser
  let page: Page
  beforeEach(() => {
    ;({ site, browser, page } = rig())
  })

  it('has a meter for every limit, with the quota of the plan and not the end of its overage', async () => {
    await page.goto(`${site.url}/console`)
    await signIn(page, 'ada')
    await page.getByRole('meter').first().waitFor()

    const meters = await page.getByRole('meter').all()
    const shown = await Promise.all(
      meters.map(async each => [await each.getAttribute('aria-label'), await each.getAttribute('aria-valuetext')]),
    )
    expect(shown).toEqual([
      ['This month', '$0.00 of $20.00'],
      ['Requests, last minute', '0 of 120'],
      ['Tokens, last minute', '0 of 400k'],
      ['Requests, today', '0 of 5,000'],
    ])
    expect(await meters[0]?.getAttribute('aria-valuemax')).toBe('120')
  })

  it('shows the same days in Kiritimati and in Honolulu', async () => {
    await page.goto(`${site.url}/console`)
    await signIn(page, 'bob')
    const headers = { authorization: `Bearer ${await makeKey(page)}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ messages: [{ role: 'user', content: 'Hi' }] })
    await (await fetch(`${site.url}/v1/chat/completions`, { method: 'POST', headers, body })).text()
    const texts = await Promise.all(
      ['Pacific/Kiritimati', 'Pacific/Honolulu'].map(async timezoneId => {
        const { page, close } = await openWindow(browser, [site.url, site.issuer], { timezoneId })
        await page.goto(`${site.url}/console`)
        await signIn(page, 'bob')
        await page.getByRole('meter').first().waitFor()
        const days = await page.locator('.bars').textContent()
        await page.getByRole('button', { name: 'Table' }).click()
        const table = await page.getByRole('region', { name: 'Usage by day and model' }).textContent()
        await page.getByRole('link', { name: 'Requests' }).click()
        await page.locator('tr.opens time').first().waitFor()
        const times = await page.locator('tr.opens time').allTextContents()
        await close()
        return { days, table, times }
      }),
    )

    expect(texts[0]?.times).toHaveLength(2)
    expect(texts[1]).toEqual(texts[0])
  })

  it('has a meter for the limits of models, keys and users too, each with whom it is of', async () => {
    const rules =
      '[{ tokens: 100k, per: day, model: svc-core }, { requests: 50, per: hour, of: key }, { usd: 0.5, per: week, of: user }, { concurrent: 4 }]'
    await site.reload(yaml =>
      yaml.replace('tpm: 40k, monthly_usd: 1 }', `tpm: 40k, monthly_usd: 1, limits: ${rules} }`),
    )
    await page.goto(`${site.url}/console`)
    await signIn(page, 'bob')
    await page.getByRole('meter', { name: 'Tokens, today, svc-core' }).waitFor()

    const cells = await page.locator('.cells > div > p:first-child').allTextContents()
    expect(cells).toEqual([
      'This month',
      'Requests, last minute',
      'Tokens, last minute',
      'Requests, at once',
      'Tokens, today, svc-core',
      'Requests, this hour, sign-in',
      'Spend, this week, each user',
      'Plan',
    ])
    expect(await page.locator('.cells').textContent()).toContain('counted separately for each end user')
  })

  it('names the key that each count of a limit of keys is of', async () => {
    await site.reload(yaml =>
      yaml.replace(
        'tpm: 40k, monthly_usd: 1 }',
        'tpm: 40k, monthly_usd: 1, limits: [{ requests: 50, per: day, of: key }] }',
      ),
    )
    await page.goto(`${site.url}/console`)
    await signIn(page, 'bob')
    const key = await makeKey(page)
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ messages: [{ role: 'user', content: 'Hi' }] })
    await (await fetch(`${site.url}/v1/chat/completions`, { method: 'POST', headers, body })).text()
    await page.getByRole('link', { name: 'Overview' }).click()
    const counts = page.getByRole('meter', { name: /^Requests, today, / })
    await counts.nth(1).waitFor()

    const shown = await counts.all()
    expect(
      await Promise.all(
        shown.map(async each => [await each.getAttribute('aria-label'), await each.getAttribute('aria-valuetext')]),
      ),
    ).toEqual([
      ['Requests, today, sign-in', '0 of 50'],
      [expect.stringMatching(/^Requests, today, .*svc_/), '1 of 50'],
    ])
  })

  it('has a chart of spend, tokens and requests, whose figures are those of the ledger in a table', async () => {
    site.backend.always(
      answer({ content: 'Hi', usage: { prompt_tokens: 1234, completion_tokens: 567, total_tokens: 1801 } }),
    )
    await page.goto(`${site.url}/console`)
    await signIn(page, 'ada')
    const key = await makeKey(page)
    const authorization = { authorization: `Bearer ${key}` }
    for (const model of ['svc-core', 'svc-core', 'svc-pro']) {
      const response = await fetch(`${site.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { ...authorization, 'content-type': 'application/json' },
        body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hi' }] }),
      })
      expect(response.status).toBe(200)
      await response.text()
    }
    const listed = await (await fetch(`${site.url}/v1/requests`, { headers: authorization })).json()
    const { data } = listed as { readonly data: readonly { readonly usd: string | null }[] }
    const nanoUsd = data.reduce((sum, { usd }) => sum + Math.round(Number(usd ?? 0) * 1e9), 0)
    const quota = (await (await fetch(`${site.url}/billing/quota`, { headers: authorization })).json()) as {
      used: number
    }
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByRole('heading', { name: 'Spend, 30 days' }).waitFor()
    await page.locator('.choice').getByText('Tokens').click()
    await page.getByRole('img', { name: /^Tokens, 30 days/ }).waitFor()
    await page.locator('.choice').getByText('Requests').click()
    await page.getByRole('img', { name: /^Requests, 30 days/ }).waitFor()

    await page.getByRole('button', { name: 'Table' }).click()
    const sum = page.getByRole('region', { name: 'Usage by day and model' }).locator('tfoot td')
    await sum.first().waitFor()
    expect(await sum.allTextContents()).toEqual(['All', '3', '3,702', '1,701', `$${(nanoUsd / 1e9).toString()}`])
    expect(Math.round(quota.used * 1e9)).toBe(nanoUsd)
    const ofKeys = page.getByRole('region', { name: 'Usage by key' }).locator('tbody tr')
    expect(await ofKeys.count()).toBe(1)
    expect(await ofKeys.locator('td').first().textContent()).toMatch(/^svc_\w+…/)
    expect(await ofKeys.locator('td').last().getAttribute('title')).toBe(`$${(nanoUsd / 1e9).toString()}`)
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'CSV' }).click()
    const lines = readFileSync(await (await saved).path(), 'utf8')
      .trimEnd()
      .split('\r\n')
    expect(lines[0]).toBe('day,model,requests,input_tokens,output_tokens,usd')
    expect(
      lines
        .slice(1)
        .map(line => line.split(',').slice(1, 5).join(' '))
        .sort(),
    ).toEqual(['svc-core 2 2468 1134', 'svc-pro 1 1234 567'])
    await page.locator('.choice').getByText('This month').click()
    await page.getByRole('heading', { name: 'Spend, this month' }).waitFor()
    await page.getByRole('button', { name: 'Table' }).click()
    await sum.first().waitFor()
    expect(await sum.allTextContents()).toEqual(['All', '3', '3,702', '1,701', `$${(nanoUsd / 1e9).toString()}`])
  })
})
