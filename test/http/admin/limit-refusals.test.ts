import { afterEach, beforeEach, expect, it } from 'vitest'
import type { LogEntry } from '../../../src/http/log-entry.ts'
import { logLine } from '../../../src/server/log/log-line.ts'
import { answer, type Backend, startBackend } from '../../support/backend.ts'
import { ADMIN_TOKEN, startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { limitPlan } from '../../support/limit-rules.ts'

let backend: Backend
let test: TestGateway

beforeEach(async () => {
  backend = await startBackend()
  backend.always(answer({ content: 'Hi', usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 } }))
  test = await startTestGateway({ onprem: [backend] })
})

afterEach(async () => {
  await test.close()
  await backend.close()
})

it('a refusal is counted by what limits it, and its line of the log names the limit', async () => {
  limitPlan(test, 'free', [
    { measure: 'output_tokens', most: 5, per: '30d', of: 'key', model: 'svc-core' },
    { measure: 'concurrent', most: 9, of: 'user' },
  ])
  const key = await test.key('free')
  for (const status of [200, 429, 429]) expect((await test.chat(key, { max_tokens: 5 })).status).toBe(status)
  const tight = await test.key('tight', 'bob')
  for (const status of [200, 200, 429]) expect((await test.chat(tight, { max_tokens: 5 })).status).toBe(status)
  const log = await test.logged(6)

  const text = await metrics()
  expect(text).toContain('svc_limit_refusals_total{measure="output_tokens",per="30d",of="key"} 2\n')
  expect(text).toContain('svc_limit_refusals_total{measure="requests",per="minute",of="account"} 1\n')
  expect(lineOf(log[1])).toContain('rate_limit_exceeded tokens (output_tokens per 30d of key for svc-core)')
  expect(lineOf(log[5])).toMatch(/rate_limit_exceeded requests(?! \()/)
})

it('what was taken of the fullest limit is observed of each admitted request, and of no other', async () => {
  limitPlan(test, 'free', [{ measure: 'requests', most: 4, per: 'day', of: 'key' }])
  const key = await test.key('free')
  for (const status of [200, 200, 200, 200, 429]) expect((await test.chat(key, { max_tokens: 5 })).status).toBe(status)
  await test.logged(5)

  const text = await metrics()
  const under = (bound: string) =>
    Number(new RegExp(`^svc_limit_share_bucket{le="${bound}"} (\\d+)$`, 'm').exec(text)?.[1])
  expect(['0.1', '0.25', '0.5', '0.75', '0.9', '1', '\\+Inf'].map(under)).toEqual([0, 1, 2, 3, 3, 4, 4])
})

const metrics = async (): Promise<string> =>
  (await fetch(`${test.admin}/metrics`, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } })).text()

const lineOf = (entry: LogEntry | undefined): string =>
  entry ? logLine(entry, { defaultModel: { name: 'svc-auto' } }) : ''
