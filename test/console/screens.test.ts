import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const SOURCES = fileURLToPath(new URL('../../console/src/', import.meta.url))
const TESTS = fileURLToPath(new URL('./', import.meta.url))

/** Sources that draw a page, a door or a dialog, with the name of a look at it in these tests. */
const SCREENS: Readonly<Record<string, string>> = {
  'admin/accounts/account.tsx': 'operator-account',
  'admin/accounts/accounts.tsx': 'operator-accounts',
  'admin/accounts/ask-dialog.tsx': 'operator-freeze-dialog',
  'admin/accounts/new-account.tsx': 'operator-new-account',
  'admin/accounts/would-serve.tsx': 'operator-would-serve',
  'admin/audit.tsx': 'operator-audit',
  'admin/door.tsx': 'operator-door',
  'admin/explained.tsx': 'operator-explained',
  'admin/fleet.tsx': 'operator-fleet',
  'admin/incidents.tsx': 'operator-incidents',
  'admin/invoices/invoices-of-account.tsx': 'operator-invoices-of-account',
  'admin/invoices/invoices.tsx': 'operator-invoices',
  'admin/invoices/one-invoice.tsx': 'operator-invoice',
  'admin/live/live.tsx': 'operator-live',
  'admin/notices.tsx': 'operator-notices',
  'admin/past-requests.tsx': 'operator-past',
  'admin/plans.tsx': 'operator-plans',
  'admin/pool-dialogs.tsx': 'operator-drain',
  'admin/pools.tsx': 'operator-pools',
  'admin/requests.tsx': 'operator-requests',
  'admin/revisions/comparison.tsx': 'operator-revisions-compared',
  'admin/revisions/revisions.tsx': 'operator-revisions',
  'admin/usage/usage.tsx': 'operator-usage',
  'public/billing/billing.tsx': 'billing',
  'public/billing/invoice.tsx': 'invoice',
  'public/device.tsx': 'device',
  'public/errors.tsx': 'errors',
  'public/invitation.tsx': 'invitation',
  'public/keys/key-dialogs.tsx': 'rotate',
  'public/keys/keys.tsx': 'keys',
  'public/models.tsx': 'models',
  'public/overview.tsx': 'overview',
  'public/requests/one-request.tsx': 'request-alone',
  'public/requests/requests.tsx': 'requests',
  'public/try/try.tsx': 'try',
  'shared/dialog.tsx': 'operator-limit-dialog',
  'shared/frame/shortcuts.tsx': 'shortcuts',
  'shared/search/search.tsx': 'operator-search',
  'shared/sign-in/door.tsx': 'door',
}

describe('every screen of the console', () => {
  it('has a look of its own, in which its contrast, its width and its texts are measured', () => {
    const drawn = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
      .filter(name => name.endsWith('.tsx') && DRAWS.test(readFileSync(SOURCES + name, 'utf8')))
      .sort()

    expect(drawn).toEqual(Object.keys(SCREENS))
  })

  it.each(Object.entries(SCREENS))('of %s is looked at by the name %s', (_, look) => {
    const tests = readdirSync(TESTS)
      .filter(name => name !== 'screens.test.ts')
      .map(name => readFileSync(TESTS + name, 'utf8'))
    const isNamed = tests.some(text => text.includes('lookAt(') && text.includes(`'${look}'`))

    expect(isNamed).toBe(true)
  })
})

/** Headers of pages, doors, and dialogs; `AskDialog` is one dialog for many questions. */
const DRAWS = /<Header\b|class="door"|<Dialog\b|<dialog\b/
