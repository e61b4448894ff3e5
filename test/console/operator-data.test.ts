import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { registerPlan } from '../../src/cli/plan/plan.ts'
import { runHere } from '../cli/here.ts'
import { answer } from '../support/backend.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { hasChromium, openWindow, startChromium, type Window } from './chromium.ts'
import { LOOKS, lookAt } from './look.ts'
import { openAsOperator } from './operator.ts'
import { HOSTILE, operate, type Seeded, seed, setClock } from './seed.ts'
import { type Site, startSite } from './site.ts'

const ADA = 'ada@example.com'

describe.skipIf(!hasChromium)('what operators read and change in the console', () => {
  let site: Site
  let browser: Browser
  let seeded: Seeded
  let window: Window
  let page: Page

  beforeAll(async () => {
    const clock = setClock()
    browser = await startChromium()
    site = await startSite({ now: clock.now })
    const usage = { prompt_tokens: 12, completion_tokens: 40, total_tokens: 52 }
    site.backend.always(answer({ content: 'Hi', usage }))
    seeded = await seed(site, clock)
  }, 120_000)
  afterAll(async () => {
    await browser?.close()
    await site?.close()
  })

  const idOf = (label: string) => seeded.accounts.get(label) ?? ''
  const open = async (path: string) => {
    await page.goto(`${site.admin}/console/${path}`)
    await page.locator('h1').waitFor()
    await shown(page)
  }
  const lastAudit = async () => {
    const { data } = await operate(site, 'audit?order=desc&limit=1')
    const [row] = data as { by: string; action: string; account: string; before: string; after: string }[]
    return row
  }

  describe('by its pages', () => {
    // The gateway lets a code be tried ten times a minute.
    beforeAll(async () => {
      window = await openWindow(browser, [site.admin])
      page = window.page
      await openAsOperator(site, page)
    })
    afterAll(() => window.close())
    afterEach(() => expect(window.faults).toEqual([]))

    it('usage: the table has the sums of the ledger, each day has a bar, and the file has the rows of the table', async () => {
      await open('usage?split=account')
      const { data } = (await operate(site, 'usage?by=account&since=30d')) as {
        data: { label: string; usd: string; requests: number }[]
      }
      const rows = page.getByRole('region', { name: 'Usage by account' }).locator('tbody tr')

      expect(await rows.count()).toBe(data.length)
      expect(await rows.first().textContent()).toContain(data[0]?.label)
      expect(await page.locator('svg .ground').count()).toBe(30)
      const [download] = await Promise.all([page.waitForEvent('download'), page.getByText('Save as CSV').click()])
      const csv = await textOf(await download.createReadStream())
      expect(csv.split('\r\n').slice(0, 2)).toEqual([
        'account,label,requests,input_tokens,cached_tokens,output_tokens,usd,saved_usd',
        expect.stringContaining(`${data[0]?.label},${data[0]?.requests},`),
      ])
      await page.getByLabel('Split by').selectOption('plan')
      await page.getByRole('heading', { name: 'By plan' }).waitFor()
      expect(page.url()).toContain('split=plan')
    })

    it('usage by hour: 48 bars, and the sums of the ledger for these hours', async () => {
      await open('usage?split=account&days=hours')
      const { data } = (await operate(site, 'usage?by=hour,account&since=47h')) as {
        data: { label: string; requests: number }[]
      }
      const rows = page.getByRole('region', { name: 'Usage by account' }).locator('tbody tr')
      await rows.first().waitFor()

      expect(await page.locator('svg .ground').count()).toBe(48)
      const cells = (column: number) => rows.locator(`td:nth-child(${column})`).allTextContents()
      const counts = (await cells(2)).map(Number)
      const shown = (await cells(1)).map((label, at) => [label, counts[at]])
      const expected: Record<string, number> = {}
      for (const { label, requests } of data) expected[label] = (expected[label] ?? 0) + requests
      expect(Object.fromEntries(shown)).toEqual(expected)
      await page.getByText('svcctl usage --since 47h --by hour,account').waitFor()
    })

    it('an account begins with its last 48 hours, by hour and model', async () => {
      await open(`accounts?id=${idOf('ada@example.com')}`)
      const section = page.locator('section', { has: page.getByRole('heading', { name: 'Last 48 hours' }) })
      await section.locator('svg .ground').first().waitFor()

      expect(await section.locator('svg .ground').count()).toBe(48)
      await page.getByRole('link', { name: 'Invoices' }).last().click()
      await page.getByRole('heading', { name: 'Invoices of ada@example.com' }).waitFor()
      expect(await page.getByRole('region', { name: 'Invoices' }).locator('tbody tr').count()).toBeGreaterThan(0)
    })

    it('usage: what failed attempts cost has a bar for each day, and its sums by pool', async () => {
      const { ledger } = site.gateway.store
      const failed = []
      for await (const row of ledger.readRows())
        failed.push({ attempt: 1, bill: { ...row, pool: row.model, estimated: true }, cause: 'status 500' })
      await ledger.recordWaste(failed)
      await open('usage')
      const { waste } = (await operate(site, 'usage?since=30d&by=day&waste=day')) as { waste: { day: string }[] }
      const chart = page.getByRole('img', { name: 'Cost of failed attempts' })

      expect(await chart.locator('rect:not(.ground)').count()).toBe(waste.length)
      const rows = page.getByRole('region', { name: 'Cost of failed attempts' }).locator('tbody tr')
      expect((await rows.allTextContents()).map(text => text.slice(0, 8))).toEqual(['svc-pro1', 'svc-core'])
    })

    it('accounts: found by label, id, and masked key; by its plan; and opened with keys alone', async () => {
      await open('accounts')
      const field = page.getByLabel('Find an account')
      const found = async () => (await page.locator('a[data-row]').allTextContents()).sort()
      const { keys } = (await operate(site, 'accounts/show', { account: 'batch' })) as { keys: { key: string }[] }
      for (const text of ['batch', idOf('batch'), keys[0]?.key ?? '']) {
        await field.fill(text)
        await expect.poll(found).toEqual(['batch'])
      }
      await field.fill('ACME')
      await expect.poll(found).toEqual(['ci@acme.example', 'eve@acme.example'])
      await field.fill('nobody')
      await page.getByText('No account matches').waitFor()
      await field.fill('')
      await page.getByLabel('Plan').selectOption('free')
      await expect.poll(found).toEqual(['bob@example.com', 'zoe@example.com'])

      await page.locator('h1').click()
      await page.keyboard.press('j')
      await page.keyboard.press('j')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'zoe@example.com' }).waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('heading', { name: 'Accounts' }).waitFor()
    })

    it('one account: its plan, window, limits, keys, requests and changes are those of the gateway', async () => {
      await open(`accounts?id=${idOf(ADA)}`)
      const text = async (name: string) => (await page.getByRole('region', { name }).textContent()) ?? ''

      expect(await text('Plan and spend')).toContain('set by an operator')
      expect(await text('Plan and spend')).toContain('$12.50 of it granted')
      expect(await text('Limits')).toContain('US dollars per dayset by an operator')
      expect(await text('Keys')).toMatch(/ci svc_\w{4}…/)
      expect(await page.getByRole('region', { name: 'Requests' }).locator('tbody tr').count()).toBe(8)
      expect(await text('Changes, newest first')).toContain('set-limit')
    })

    it.each<[string, (page: Page) => Promise<void>, string, string, Record<string, string>]>([
      [
        'Set plan…',
        async page => void (await page.locator('dialog select').selectOption('free')),
        'set-plan ACCOUNT free',
        'Set plan',
        { action: 'set-plan', after: 'free' },
      ],
      [
        'Grant…',
        page => page.getByLabel('US dollars', { exact: true }).fill('2.5'),
        'grant ACCOUNT 2.5',
        'Grant',
        { action: 'grant', after: '2.5 USD' },
      ],
      [
        'Overage…',
        async page => void (await page.locator('dialog select').selectOption('off')),
        'set-overage ACCOUNT off',
        'Set overage',
        { action: 'set-overage', after: 'off' },
      ],
      [
        'Set limit…',
        page => page.getByLabel('Maximum, US dollars').fill('3'),
        "set-limit ACCOUNT 'usd 3 per month'",
        'Set limit',
        { action: 'set-limit', after: 'usd 3 per month' },
      ],
      [
        'Remove…',
        async () => {},
        "unset-limit ACCOUNT 'usd per month'",
        'Remove limit',
        { action: 'unset-limit', before: 'usd 3 per month' },
      ],
      [
        'Org…',
        page => page.getByLabel('Org', { exact: true }).fill('org:acme'),
        'set-org ACCOUNT org:acme',
        'Set org',
        { action: 'set-org', after: 'org:acme' },
      ],
      [
        'Org…',
        page => page.getByLabel('Org', { exact: true }).fill(''),
        'set-org ACCOUNT --clear',
        'Set org',
        { action: 'set-org', before: 'org:acme' },
      ],
      ['Freeze…', async () => {}, 'freeze ACCOUNT', 'Freeze', { action: 'freeze' }],
      ['Thaw…', async () => {}, 'thaw ACCOUNT', 'Thaw', { action: 'thaw' }],
    ])(
      '%s shows the command that does the same, and the audit names the operator',
      async (button, fill, command, action, row) => {
        const account = idOf('batch')
        await open(`accounts?id=${account}`)
        await page.getByRole('button', { name: button }).click()
        const dialog = page.getByRole('dialog')
        await fill(page)

        expect(await dialog.locator('.command code').textContent()).toBe(
          `svcctl accounts ${command.replace('ACCOUNT', account)}`,
        )
        expect(await dialog.textContent()).toContain('operator ada@desk')
        const before = await lastAudit()
        await page.keyboard.press('Escape')
        expect(await lastAudit()).toEqual(before)
        await page.getByRole('button', { name: button }).click()
        await fill(page)
        await dialog.getByRole('button', { name: action, exact: true }).click()
        await expect.poll(lastAudit).toMatchObject({ by: 'operator ada@desk', account, ...row })
      },
    )

    it('keys: one that is minted is shown once, rotated with a grace, and revoked, by the keyboard alone', async () => {
      const account = idOf('eve@acme.example')
      await open(`accounts?id=${account}`)
      const press = async (name: string | RegExp) => {
        await page.getByRole('button', { name }).first().focus()
        await page.keyboard.press('Enter')
      }
      await press('Mint key…')
      await page.getByRole('dialog').waitFor()
      await page.getByLabel('Name').focus()
      await page.keyboard.type('deploy')
      await expect
        .poll(() => page.locator('dialog .command code').textContent())
        .toBe(`svcctl keys mint --account ${account} --name deploy`)
      await page.keyboard.press('Enter')
      const value = async () => (await page.locator('[data-key]').textContent()) ?? ''
      const minted = await value()
      expect(minted).toMatch(/^svc_\w{42}$/)
      await press('Rotate… deploy')
      await page.getByLabel('Old key').selectOption('24h')
      await press('Rotate key')
      await expect.poll(value).not.toBe(minted)
      const rotated = await value()
      const statusOf = async (key: string) => {
        const response = await fetch(`${site.url}/v1/account`, { headers: { authorization: `Bearer ${key}` } })
        return response.status
      }
      expect([await statusOf(minted), await statusOf(rotated)]).toEqual([200, 200])
      page.on('dialog', dialog => void dialog.accept())
      await press('I have saved it')
      await page.getByText('replaced, in its grace period').waitFor()
      await page
        .locator('tr', { hasText: 'replaced, in its grace period' })
        .getByRole('button', { name: /Revoke/ })
        .focus()
      await page.keyboard.press('Enter')
      await press('Revoke key')
      await expect.poll(() => statusOf(minted)).toBe(401)
      // A revoked key works no more, though it was to work on for a while.
      await expect.poll(() => page.getByText('replaced, in its grace period').count()).toBe(0)
      expect(await page.content()).not.toContain(rotated)
    })

    it('a device has no plan of its own to set, and no key to mint or rotate', async () => {
      const { account } = await operate(site, 'keys/guest', { device_id: 'device-1' })
      await open(`accounts?id=${account}`)
      await page.getByRole('button', { name: /^Freeze/ }).waitFor()
      const buttons = (await page.locator('main button').allTextContents()).filter(text => text.includes('…'))

      expect(buttons.map(text => text.replace(/….*/, ''))).toEqual(['Freeze', 'Revoke'])
    })

    it('plans: each model with the entry that includes it, each limit with its line', async () => {
      await open('plans')
      const row = page.getByRole('row', { name: /^svc-pro/ })

      expect(await row.textContent()).toMatch(/–.*all/)
      expect(await page.getByRole('article').filter({ hasText: 'pro' }).textContent()).toMatch(
        /240 requests a minute :\d+/,
      )
      await page.getByLabel('Show lines').check()
      expect(await row.textContent()).toMatch(/allconfig\.yaml:\d+/)
    })

    it('revisions: two are compared as svcctl plan does, with their texts, and none can be edited', async () => {
      await open('revisions')
      await page.getByRole('link', { name: 'from 2 to 3' }).click()
      await page.getByRole('heading', { name: 'Revision 2 to 3' }).waitFor()
      await page.getByLabel('From').selectOption('1')
      await page.getByText('4 changes').waitFor()
      const { changes } = (await operate(site, 'revisions/diff?from=1&to=3')) as {
        changes: { text: string; line: number; file: string }[]
      }

      expect(await page.locator('.change').allTextContents()).toEqual(
        changes.map(({ text, file, line }) =>
          expect.stringMatching(new RegExp(`${escaped(text)}.*${escaped(`${file}:${line}`)}$`)),
        ),
      )
      expect(await page.locator('.texts .gone').allTextContents()).toContain('    rpm: 120')
      expect(await page.locator('.texts .come').allTextContents()).toContain('    rpm: 240')
      expect(await page.locator('.command code').textContent()).toBe('svcctl rollback 1')
      expect(await page.locator('textarea, [contenteditable]').count()).toBe(0)

      const [from, to] = await Promise.all([filesOf(1), filesOf(3)])
      const { stdout } = await runHere(registerPlan, ['plan', '--against', from, '--json'], dirname(to))
      expect(JSON.stringify(JSON.parse(stdout).changes)).toBe(JSON.stringify(changes))
    })

    /** The main file of a kept revision, in a directory of its own. */
    async function filesOf(number: number): Promise<string> {
      const directory = temporaryFolder('svc-revision')
      const kept = await site.gateway.app.revisions.find(number)
      for (const { file, text } of kept?.files ?? []) await writeFile(join(directory, file), text)
      return join(directory, 'config.yaml')
    }

    it('revisions: one that does not load any more says what is wrong in its files', async () => {
      const { revisions } = site.gateway.app
      const find = revisions.find.bind(revisions)
      const broken = { ...revisions.serving, number: 4, files: [{ file: 'config.yaml', text: 'version: 9\n' }] }
      vi.spyOn(revisions, 'find').mockImplementation(async number => (number === 4 ? broken : find(number)))
      await open('revisions?from=1&to=4')

      expect(await page.getByRole('alert').textContent()).toMatch(/^Revision 4 no longer loads.*config\.yaml:1:\d+/s)
      expect(window.faults.splice(0)).toEqual([expect.stringContaining('a status of 409')])
    })

    it('a change that cannot be made says why', async () => {
      await open(`accounts?id=${idOf('bob@example.com')}`)
      await page.getByRole('button', { name: 'Mint key…' }).click()
      await page.getByLabel('Name').fill('key_no')
      await page.getByRole('button', { name: 'Mint key', exact: true }).click()
      await page.getByRole('alert').getByText('not begin with key_').waitFor()

      expect(window.faults.splice(0)).toEqual([expect.stringContaining('a status of 400')])
    })

    it('audit: newest first, and narrowed by account and change', async () => {
      await open('audit')
      const { data } = (await operate(site, 'audit?order=desc')) as { data: { action: string }[] }
      const rows = page.getByRole('region', { name: 'Changes' }).locator('tbody tr')

      expect(await rows.count()).toBe(Math.min(100, data.length))
      await page.getByLabel('Account').fill('zoe@example.com')
      await page.getByLabel('Change', { exact: true }).selectOption('set-plan')
      await expect.poll(() => rows.count()).toBe(1)
      expect(await rows.textContent()).toMatch(/operator ada@desk.*set-plan.*zoe@example\.com.*pro.*free/)
    })

    it('incidents: open ones are counted beside their page until they are over', async () => {
      const { alarm } = site.gateway.app
      const { open: before } = (await operate(site, 'incidents?state=open')) as { open: number }
      const tool = { tool: '<b>search</b>' }
      alarm('a hosted tool fails', { ...tool, cause: 'it hangs' })
      await open('audit')
      await page.locator('nav a[href$="/incidents"]').click()
      await page.getByText('Models get an error from the tool').waitFor()
      await page.getByText('tool <b>search</b>').first().waitFor()
      expect(await page.locator('nav .news').textContent()).toBe(String(before + 1))

      alarm('a hosted tool works again', tool)
      await page.keyboard.press('r')
      await expect.poll(() => page.locator('nav .news').count()).toBe(before === 0 ? 0 : 1)
      await page.getByText('over', { exact: true }).first().waitFor()
    })

    it('notices: one that was given up is sent again by its button, and is listed with its target and error', async () => {
      const { notices } = site.gateway.app.store
      const failed = { target: 'ops', state: 'failed', tries: 6, error: 'answers 400 <b>' } as const
      const event = { kind: 'freeze', state: 'frozen', account: 'acct_1', by: HOSTILE } as const
      const id = `ntc_${'1'.repeat(32)}`
      await notices.add([{ id, at: Date.now(), event, deliveries: [failed] }])
      await open('notices?state=failed')
      const row = page.getByRole('region', { name: 'Notices' }).locator('tbody tr').first()
      expect(await row.textContent()).toContain('answers 400 <b>')
      await row.getByRole('button', { name: 'Send again' }).click()
      await page.getByText('Sent again: 1').waitFor()
      expect((await notices.find(id))?.deliveries[0]).toMatchObject({ state: 'waiting' })
    })

    it('incidents: what an operator did is an alarm in the log, and no incident', async () => {
      const { open: before } = (await operate(site, 'incidents?state=open')) as { open: number }
      await operate(site, 'pools/drain', { pool: 'onprem' })
      await operate(site, 'pools/undrain', { pool: 'onprem' })
      await open('incidents')
      await page.locator('details.alarms summary').click()
      await page.getByText('an operator undrained the pool onprem').waitFor()

      expect(await operate(site, 'incidents?state=open')).toMatchObject({ open: before })
    })

    it('notices: a test goes to a target at once, and the page says whether it took it, or which targets there are', async () => {
      const receiver = createServer((request, response) => {
        request.resume()
        response.writeHead(request.url === '/' ? 200 : 503).end()
      })
      await new Promise<void>(resolve => receiver.listen(0, '127.0.0.1', resolve))
      onTestFinished(() => void receiver.close())
      const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
      await writeFile(join(dirname(site.file), 'hook.secret'), `whsec_${Buffer.alloc(32, 7).toString('base64')}`, {
        mode: 0o600,
      })
      const target = (path: string) => `{ webhook: "${url}${path}", secret: "file:hook.secret" }`
      const section = `notice_targets: { ops: ${target('/')}, away: ${target('/away')} }
notices: [{ at: [80%], of: [account], to: [ops, away] }]
`
      await site.reload(yaml => yaml + section)
      await open('notices')
      const test = async (name: string) => {
        await page.getByLabel('Target').fill(name)
        await page.getByRole('button', { name: 'Send a test' }).click()
      }
      await test('ops')
      await page.getByText('ops accepted the test.').waitFor()
      await test('away')
      await page.getByText('away did not accept the test: it answered 503').waitFor()
      await test('pager')
      await page.getByText('the files declare ops, away').waitFor()
      await page.getByText('svcctl notices list').waitFor()
      window.faults.splice(0)
      await site.reload(yaml => yaml)
    })
  })

  it('a count that arrives beside a page leaves the page in sight at 390 pixels', async () => {
    window = await openWindow(browser, [site.admin], { viewport: { width: 390, height: 900 } })
    page = window.page
    await openAsOperator(site, page)
    const { alarm } = site.gateway.app
    const tool = { tool: 'search' }
    alarm('a hosted tool works again', tool)
    await open('incidents')
    const isInSight = async () => {
      const tab = await page.locator('nav [aria-current]').boundingBox()
      return tab !== null && tab.x >= 0 && tab.x + tab.width <= 390
    }
    await expect.poll(isInSight).toBe(true)

    alarm('a hosted tool fails', { ...tool, cause: 'it hangs' })
    await page.keyboard.press('r')
    await page.locator('nav .news').waitFor()
    await expect.poll(isInSight).toBe(true)
    alarm('a hosted tool works again', tool)
  })

  it.each(LOOKS)(
    'every page is accessible, no wider than its window, and shows hostile names as text: %s, %i pixels',
    async (colorScheme, width) => {
      window = await openWindow(browser, [site.admin], { colorScheme, viewport: { width, height: 900 } })
      page = window.page
      await openAsOperator(site, page)
      const found: string[] = []
      const look = lookAt(page, found, `${colorScheme}-${width}`)
      for (const name of [
        'usage',
        'usage?days=hours',
        'invoices',
        'accounts',
        'plans',
        'revisions',
        'audit',
        'incidents',
        'notices',
      ]) {
        await open(name)
        await look(`operator-${name}`)
        const tab = await page.locator('nav [aria-current]').boundingBox()
        if (!tab || tab.x < 0 || tab.x + tab.width > width) found.push(`${name}: its tab is out of sight`)
      }
      await open('usage?split=account&days=90')
      await look('operator-usage-by-account')
      await open('revisions?from=1&to=3')
      await look('operator-revisions-compared')
      await open(`accounts?id=${seeded.hostile}`)
      expect(await page.locator('h1').textContent()).toBe(HOSTILE)
      await look('operator-account-hostile')
      await open(`accounts?id=${idOf(ADA)}`)
      await look('operator-account')
      for (const [button, name] of [
        ['Set limit…', 'operator-limit-dialog'],
        ['Freeze…', 'operator-freeze-dialog'],
        ['Grant…', 'operator-grant-dialog'],
      ] as const) {
        await page.getByRole('button', { name: button }).click()
        await look(name)
        await page.keyboard.press('Escape')
      }
      await open('accounts')
      await page.getByRole('button', { name: 'New account…' }).click()
      await look('operator-new-account')
      await open(`invoices?account=${idOf(ADA)}`)
      await look('operator-invoices-of-account')
      await page.getByRole('region', { name: 'Invoices' }).getByRole('link').first().click()
      await page.getByRole('region', { name: 'Lines' }).waitFor()
      await look('operator-invoice')

      expect(found).toEqual([])
      expect(await page.locator('img').count()).toBe(0)
      expect(window.faults).toEqual([])
      await window.close()
    },
  )
})

/** Resolves once everything that was asked for is shown. */
const shown = (page: Page) => expect.poll(() => page.locator('.skeleton').count()).toBe(0)

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

async function textOf(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = []
  for await (const part of stream) parts.push(part)
  return Buffer.concat(parts).toString()
}
