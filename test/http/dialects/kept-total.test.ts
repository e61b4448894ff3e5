import { randomBytes } from 'node:crypto'
import { afterEach, expect, it } from 'vitest'
import { answer } from '../../support/backend.ts'
import { ADMIN_TOKEN, ENV } from '../../support/gateway.ts'
import { Dialects } from './fixture.ts'

let site: Dialects
afterEach(() => site.close())

/** Gauges of kept responses, by name. */
async function gauges(): Promise<Record<string, number>> {
  const scraped = await fetch(`${site.test.admin}/metrics`, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } })
  const lines = (await scraped.text()).split('\n').filter(line => line.startsWith('svc_kept_responses_'))
  return Object.fromEntries(lines.map(line => line.split(' ')).map(([name, value]) => [name, Number(value)]))
}

it('metrics say what kept responses take in the store, and what they may', async () => {
  const env = { ...ENV, RESPONSES_KEY: randomBytes(32).toString('base64') }
  site = await Dialects.start(`responses: { keep: 1h, key: "\${RESPONSES_KEY}", max_bytes_total: 5MB }`, { env })
  expect(await gauges()).toEqual({ svc_kept_responses_bytes: 0, svc_kept_responses_max_bytes: 5e6 })

  site.chats.next(answer({ content: 'seven' }))
  expect((await site.ask('responses', { model: 'svc-core', input: 'how many?' })).status).toBe(200)
  const bytes = await site.test.gateway.app.store.responses.readTotal()
  expect(bytes).toBeGreaterThan(100)
  site.test.clock.advance(10_000)
  expect(await gauges()).toEqual({ svc_kept_responses_bytes: bytes, svc_kept_responses_max_bytes: 5e6 })
})

it('metrics have none of this where no responses are kept', async () => {
  site = await Dialects.start('')

  expect(await gauges()).toEqual({})
})
