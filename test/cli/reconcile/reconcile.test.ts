import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { registerReconcile } from '../../../src/cli/reconcile/reconcile.ts'
import { reconciledText } from '../../../src/cli/reconcile/text.ts'
import { reconcile } from '../../../src/policy/billing/bill/reconcile.ts'
import { answer, type Backend, startBackend } from '../../support/backend.ts'
import { ADMIN_TOKEN, startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { runCommand } from '../run-command.ts'

let backend: Backend
let cloud: Backend
let test: TestGateway

beforeAll(async () => {
  ;[backend, cloud] = [await startBackend(), await startBackend()]
  const cost = 'cost_usd_per_1m: { input: 2, cached_input: 0.5, output: 8 }'
  test = await startTestGateway({ onprem: [backend], cloud: [cloud], fields: { onprem: cost, cloud: cost } })
  const usage = {
    prompt_tokens: 900,
    completion_tokens: 30,
    total_tokens: 930,
    prompt_tokens_details: { cached_tokens: 400 },
  }
  backend.always(answer({ content: 'Hi', usage }))
  cloud.always(answer({ content: 'Hi', usage }))
  const key = await test.key('pro')
  for (let sent = 0; sent < 3; sent++) await (await test.chat(key)).text()
})

afterAll(async () => {
  await test.close()
  await Promise.all([backend.close(), cloud.close()])
})

const HEADER = 'start_time,end_time,amount_value,amount_currency,quantity,quantity_unit,line_item,project_id\n'
const line = (kind: string, tokens: number, usd: string) =>
  `1795219200,1795305600,${usd},usd,${tokens},tokens,"test-model, ${kind}",proj_a\n`

async function reconciled(lines: readonly string[], ...more: readonly string[]) {
  const bill = join(test.dir, 'bill.csv')
  writeFileSync(bill, HEADER + lines.join(''))
  const args = ['reconcile', '--bill', bill, '-c', join(test.dir, 'config.yaml'), '--pool', 'onprem', ...more]
  return runCommand(registerReconcile, args, { env: { SVCCTL_ADMIN: test.admin, SVCCTL_TOKEN: ADMIN_TOKEN } })
}

it('a provider that bills what the gateway recorded has no difference', async () => {
  const own = [line('input', 1500, '0.003'), line('cached input', 1200, '0.0006'), line('output', 90, '0.00072')]
  const { code, stdout } = await reconciled(own)
  expect(stdout).toContain('All days, models and kinds agree.')
  expect({ code, difference: /Difference +(\S+)/.exec(stdout)?.[1] }).toEqual({ code: 0, difference: '$0' })
})

it('differences are named with amounts that add up, and exit 10 follows from the unexplained rest alone', async () => {
  const dear = [line('input', 1500, '0.0045'), line('cached input', 1200, '0.0006'), line('output', 1090, '0.00872')]
  const named = await reconciled(dear, '--json')
  const bill = JSON.parse(named.stdout)
  expect({
    code: named.code,
    causes: bill.causes,
    unexplained: bill.unexplained_usd,
    all: bill.difference_usd,
  }).toMatchObject({
    ...{ code: 0, unexplained: '0', all: '0.0095' },
    causes: { price_drift: '0.0015', past_the_gateway: '0.008', time_zone: '0' },
  })

  expect((await reconciled(dear)).stdout).toContain('test-model input: billed at $3 for 1M, configured $2')

  const short = await reconciled([line('input', 1500, '0.003'), line('cached input', 1200, '0.0006')])
  expect(short.code).toBe(10)
  expect(short.stdout).toMatch(/unexplained +-0\.00072 +0\.00072/)
  expect(
    (await reconciled([line('input', 1500, '0.003'), line('cached input', 1200, '0.0006')], '--tolerance', '20%')).code,
  ).toBe(0)
})

it('lines of other projects are traffic past the gateway', async () => {
  const own = [line('input', 1500, '0.003'), line('cached input', 1200, '0.0006'), line('output', 90, '0.00072')]
  const foreign = line('output', 7, '0.5').replace('proj_a', 'proj_b')
  const { stdout, code } = await reconciled([...own, foreign], '--project', 'proj_a', '--json')
  expect({ code, past: JSON.parse(stdout).causes.past_the_gateway }).toEqual({ code: 0, past: '0.5' })
})

it('requests that a dead gateway left are counted below the causes', () => {
  const bill = {
    ...reconcile({ lines: [], uses: [], prices: new Map() }),
    ...{ format: 'FOCUS', pools: ['cloud'], first: '2026-11-01', last: '2026-11-01' },
    ...{ unknownModels: [], leftOut: 0, orphans: 2, tolerance: 1000 },
  }
  expect(reconciledText(bill).replaceAll(/\s+/g, ' ')).toContain(
    '▲ a gateway died: 2 requests charged as of the last checkpoint. What it had not recorded counts as estimated usage, then as traffic past the gateway.',
  )
})
