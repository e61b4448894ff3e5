import { expect } from 'vitest'
import type { LogEntry } from '../../../src/http/log-entry.ts'
import { logLine } from '../../../src/server/log/line.ts'
import { ADMIN_TOKEN, type TestGateway } from '../../support/gateway.ts'
import { gatewayTest as it } from '../../support/gateway-test.ts'
import { limitPlan } from '../../support/limit-rules.ts'

it('a refusal is counted by what limits it, and its line of the log names the limit', async ({ gateway }) => {
  limitPlan(gateway, 'free', [
    { measure: 'output_tokens', most: 5, per: '30d', of: 'key', model: 'svc-core' },
    { measure: 'concurrent', most: 9, of: 'user' },
  ])
  const key = await gateway.key('free')
  for (const status of [200, 429, 429]) expect((await gateway.chat(key, { max_tokens: 5 })).status).toBe(status)
  const tight = await gateway.key('tight', 'bob')
  for (const status of [200, 200, 429]) expect((await gateway.chat(tight, { max_tokens: 5 })).status).toBe(status)
  const log = await gateway.logged(6)

  const text = await metrics(gateway)
  expect(text).toContain('svc_limit_refusals_total{measure="output_tokens",per="30d",of="key"} 2\n')
  expect(text).toContain('svc_limit_refusals_total{measure="requests",per="minute",of="account"} 1\n')
  expect(lineOf(log[1])).toContain('rate_limit_exceeded tokens (output_tokens per 30d of key for svc-core)')
  expect(lineOf(log[5])).toMatch(/rate_limit_exceeded requests(?! \()/)
})

it('the utilisation of the fullest limit is observed for each admitted request, and for no other', async ({
  gateway,
}) => {
  limitPlan(gateway, 'free', [{ measure: 'requests', most: 4, per: 'day', of: 'key' }])
  const key = await gateway.key('free')
  for (const status of [200, 200, 200, 200, 429])
    expect((await gateway.chat(key, { max_tokens: 5 })).status).toBe(status)
  await gateway.logged(5)

  const text = await metrics(gateway)
  const under = (bound: string) =>
    Number(new RegExp(`^svc_limit_share_bucket{le="${bound}"} (\\d+)$`, 'm').exec(text)?.[1])
  expect(['0.1', '0.25', '0.5', '0.75', '0.9', '1', '\\+Inf'].map(under)).toEqual([0, 1, 2, 3, 3, 4, 4])
})

const metrics = async (gateway: TestGateway): Promise<string> =>
  (await fetch(`${gateway.admin}/metrics`, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } })).text()

const lineOf = (entry: LogEntry | undefined): string =>
  entry ? logLine(entry, { defaultModel: { name: 'svc-auto' } }) : ''
