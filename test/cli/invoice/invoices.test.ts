import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { registerInvoices } from '../../../src/cli/invoice/invoices.ts'
import { monthAt, monthBefore } from '../../../src/policy/billing/month.ts'
import { startBackend } from '../../support/backend.ts'
import { ADMIN_TOKEN, startTestGateway } from '../../support/gateway.ts'
import { runCommand } from '../run-command.ts'

it('a month without invoices has its name as JSON', async () => {
  const backend = await startBackend()
  onTestFinished(() => backend.close())
  const test = await startTestGateway({ onprem: [backend], now: true })
  onTestFinished(() => test.close())
  const config = join(test.dir, 'config.yaml')
  const listed = async (month: string) => {
    const env = { SVCCTL_ADMIN: test.admin, SVCCTL_TOKEN: ADMIN_TOKEN }
    const { stdout } = await runCommand(registerInvoices, ['invoices', '--month', month, '--json', '-c', config], {
      env,
    })
    return JSON.parse(stdout)
  }
  const [now, before] = [monthAt(Date.now()), monthBefore(monthAt(Date.now()))]
  const list = (month: string) => ({ object: 'list', month, data: [] })

  expect(await listed('this')).toEqual(list(now.month))
  expect(await listed('last')).toEqual(list(before.month))
})
