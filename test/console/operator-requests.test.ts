import { dirname } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { registerExplain } from '../../src/cli/explain/explain.ts'
import { runHere } from '../cli/here.ts'
import { openAsOperator } from './operator.ts'
import { describeConsole } from './rig.ts'
import type { Site } from './site.ts'
import { askAs, chatAs, keyOf } from './traffic.ts'

describeConsole('the requests of all', { door: 'admin', shared: true }, rig => {
  let site: Site
  let page: Page
  beforeAll(async () => {
    ;({ site, page } = rig())
    const [ada, bob] = [await keyOf(site, 'ada', 'pro'), await keyOf(site, 'bob', 'free')]
    await chatAs(site, ada)
    await chatAs(site, bob, 'svc-pro')
    await chatAs(site, 'svc_wrong')
    await openAsOperator(site, page)
    await page.getByRole('link', { name: 'Requests' }).click()
    await rows().nth(2).waitFor()
  })

  const rows = () => page.locator('tr:has([data-row])')

  it('come as they end, with what refused them', async () => {
    await chatAs(site, await keyOf(site, 'ada', 'pro'), 'nope')
    await rows().filter({ hasText: 'nope' }).waitFor()

    const texts = await rows().allTextContents()
    expect(texts[0]).toContain('400 VALIDATION_ERROR')
    expect(texts.find(text => text.includes('bob'))).toContain('429 plan_limit')
    expect(texts.find(text => text.includes('unknown'))).toContain('401 INVALID_KEY')
    expect(texts.at(-1)).toContain('svc-auto → svc-core')
  })

  it('are narrowed by status, plan and account, by an address that can be sent on', async () => {
    await page.getByLabel('By plan').selectOption('free')
    await expect.poll(() => rows().count()).toBe(1)
    expect(new URL(page.url()).search).toBe('?plan=free')
    await page.goto(`${site.admin}/console/requests?account=ada&status=2xx`)
    await expect.poll(() => rows().count()).toBe(1)
    expect(await page.getByLabel('By status').inputValue()).toBe('2xx')
    await page.getByText('svcctl requests list --account ada').waitFor()

    await page.getByLabel('By account').fill('bob')
    await page.getByLabel('By account').press('Enter')
    await page.getByText('No matching requests').waitFor()
    await page.getByRole('button', { name: 'Show all' }).click()
    await expect.poll(() => rows().count()).toBe(4)
  })

  it('leave alone what is typed into a filter while the names of other filters load', async () => {
    let release = () => {}
    const held = new Promise<void>(resolve => {
      release = resolve
    })
    await page.route('**/admin/matrix', route => held.then(() => route.continue()))
    await page.goto(`${site.admin}/console/requests`)
    await page.getByLabel('By account').fill('bob')
    release()
    await page.getByLabel('By plan').getByRole('option', { name: 'free' }).waitFor({ state: 'attached' })
    await page.unroute('**/admin/matrix')

    expect(await page.getByLabel('By account').inputValue()).toBe('bob')
    await page.getByLabel('By account').press('Enter')
    await expect.poll(() => rows().count()).toBe(1)
    await page.getByRole('link', { name: 'Requests' }).click()
    await expect.poll(() => page.getByLabel('By account').inputValue()).toBe('')
  })

  it('open by a request id that is pasted into a filter', async () => {
    const { data } = await askAs(site, '/admin/requests?limit=1')
    const [{ request_id: id }] = data as [{ readonly request_id: string }]
    for (const path of ['requests', 'requests?since=24h']) {
      await page.goto(`${site.admin}/console/${path}`)
      await page.getByLabel('By account').fill(` ${id} `)
      await page.getByLabel('By account').press('Enter')
      await page.getByRole('heading', { name: 'Request', exact: true }).waitFor()
      expect(new URL(page.url()).searchParams.get('id')).toBe(id)
    }
  })

  it.each([
    ['refused', 'bob', 'plan free does not include svc-pro', 'Answer to the client'],
    ['served by the second pool', 'ada', 'Attempts', 'ECONNREFUSED'],
  ])('that was %s is explained as svcctl explain does', async (_name, account, ...texts) => {
    await page.goto(`${site.admin}/console/requests?account=${account}`)
    if (account === 'ada') {
      await site.reload(yaml =>
        yaml
          .replace('serve: [onprem]', 'serve: [gone, onprem]')
          .replace(
            'pools:',
            'pools:\n  gone: { site: on-premises, model: test-model, replicas: [http://127.0.0.1:1] }',
          ),
      )
      await chatAs(site, await keyOf(site, 'ada', 'pro'))
      await rows().filter({ hasText: 'gone' }).waitFor()
    }
    const answered = page.waitForResponse(/\/admin\/requests\/req_/)
    await rows().first().click()
    const answer = await (await answered).json()
    await page.getByText('Deciding it again gives the same answer').waitFor()
    for (const text of texts) await page.getByText(text).first().waitFor()

    const id = new URL(page.url()).searchParams.get('id') ?? ''
    const { stdout } = await runHere(registerExplain, ['explain', '-c', site.file, '--request', id, '--json'])
    expect(`${JSON.stringify(answer.decision, null, 2)}\n`).toBe(stdout.replaceAll(`${dirname(site.file)}/`, ''))
  })

  it('open by the keyboard, and Esc leads back', async () => {
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Request', exact: true }).waitFor()
    expect(new URL(page.url()).searchParams.get('id')).toMatch(/^req_/)

    const id = new URL(page.url()).searchParams.get('id')
    await page.keyboard.press('Escape')
    await page.getByRole('heading', { name: 'Requests' }).waitFor()
    await expect.poll(() => page.evaluate('document.activeElement.search')).toBe(`?id=${id}`)
  })

  it('are narrowed as before when one of them was closed', async () => {
    await page.goto(`${site.admin}/console/requests`)
    await page.getByLabel('By plan').selectOption('free')
    await expect.poll(() => rows().count()).toBe(1)
    await rows().first().click()
    await page.getByRole('heading', { name: 'Request', exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('heading', { name: 'Requests' }).waitFor()

    expect(new URL(page.url()).search).toBe('?plan=free')
    await expect.poll(() => rows().count()).toBe(1)
  })
})
