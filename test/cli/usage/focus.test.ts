import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { registerReconcile } from '../../../src/cli/reconcile/reconcile.ts'
import { registerUsage } from '../../../src/cli/usage/usage.ts'
import { answer } from '../../support/backend.ts'
import { ADMIN_TOKEN } from '../../support/gateway.ts'
import { gatewayTest } from '../../support/gateway-test.ts'
import { runCommand } from '../run-command.ts'

const it = gatewayTest.extend('config', {
  yaml: 'labels: { project: { from: [header x-project] } }\nbilling: { seller: { name: Acme AI } }',
})

const usage = { prompt_tokens: 900, completion_tokens: 31, total_tokens: 931 }

it('`usage export --format focus` is a bill that `reconcile` finds equal to the ledger', async ({
  gateway,
  backend,
}) => {
  backend.always(answer({ content: 'Hi', usage }))
  const key = await gateway.key('pro')
  for (const project of ['web', 'api', undefined]) {
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      ...(project && { 'x-project': project }),
    }
    const body = JSON.stringify({ model: 'svc-core', messages: [{ role: 'user', content: 'Hi' }] })
    await (await fetch(`${gateway.url}/v1/chat/completions`, { method: 'POST', headers, body })).text()
  }
  const env = { SVCCTL_ADMIN: gateway.admin, SVCCTL_TOKEN: ADMIN_TOKEN }
  const config = ['-c', join(gateway.dir, 'config.yaml')]

  const exported = await runCommand(
    program => registerUsage(program.enablePositionalOptions()),
    ['usage', 'export', '--format', 'focus', ...config],
    { env },
  )
  const bill = join(gateway.dir, 'focus.csv')
  writeFileSync(bill, exported.stdout)
  const compare = ['reconcile', '--bill', bill, '--pool', 'onprem', '--model', 'svc-core=test-model', ...config]
  const reconciled = await runCommand(registerReconcile, compare, { env })

  expect(exported.stdout).toContain('Acme AI')
  expect(exported.stdout).toContain('"{""project"":""web""}"')
  expect(reconciled.stdout).toContain('All days, models and kinds agree.')
  expect(reconciled.code).toBe(0)
})
