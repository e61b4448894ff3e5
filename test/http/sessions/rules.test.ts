import { expect } from 'vitest'
import type { LimitRule } from '../../../src/policy/limits/rule.ts'
import { DOLLAR, limitPlan, limitsOf } from '../../support/limit-rules.ts'
import { openSocket } from '../../support/socket-backend.ts'
import { joined, responseDone } from './fixture.ts'
import { liveTest as it } from './live-test.ts'

const REALTIME = '/v1/realtime'

/** One response holds 5,000 tokens in and 1,000 out: 0.036 USD. Each of these uses 100 and 900: 0.0148 USD. */
const rules: readonly [string, LimitRule, number][] = [
  ['completion tokens', { measure: 'output_tokens', most: 2500, per: 'day', of: 'key' }, 900],
  ['prompt tokens', { measure: 'input_tokens', most: 5150, per: '30d', of: 'key' }, 100],
  ['US dollars', { measure: 'usd', most: 0.06 * DOLLAR, per: 'week' }, 0.0148],
]

it.for(rules)(
  'a session ends where a limit of %s has no room for another response',
  async ([_what, rule, each], { backend, gateway, key }) => {
    limitPlan(gateway, 'pro', [rule])
    const { client, server } = await joined(gateway, backend, REALTIME, key)
    for (let i = 0; i < 2; i++) {
      client.say({ type: 'response.create', response: {} })
      await server.next()
      server.say(responseDone(100, 900))
      await client.next()
    }

    expect(await client.end()).toEqual({ code: 1008, reason: 'no more can be reserved: rate_limit_exceeded' })
    expect(await limitsOf(gateway, key)).toMatchObject([{ used: expect.closeTo(2 * each, 9), held: 0 }])
  },
)

it('an event that asks for a response beyond a limit is refused by its sentence, and the session goes on', async ({
  backend,
  gateway,
  key,
}) => {
  limitPlan(gateway, 'pro', [{ measure: 'output_tokens', most: 2500, per: 'day', of: 'key' }])
  const { client, server } = await joined(gateway, backend, REALTIME, key)
  for (const id of ['one', 'two', 'three']) client.say({ type: 'response.create', event_id: id, response: {} })

  expect(JSON.parse(await client.next())).toMatchObject({
    type: 'error',
    status: 429,
    error: {
      ...{ type: 'tokens', code: 'rate_limit_exceeded', event_id: 'three' },
      message: expect.stringContaining('This key may use 2,500 completion tokens a day (UTC).'),
    },
  })
  client.say('still here')
  expect([JSON.parse(await server.next()).event_id, JSON.parse(await server.next()).event_id]).toEqual(['one', 'two'])
  expect(await server.next()).toBe('still here')
  expect(await limitsOf(gateway, key)).toMatchObject([{ used: 0, held: 2000, remaining: 500 }])
})

it('a session counts among the requests of a key that run, until it ends', async ({ backend, gateway, key }) => {
  limitPlan(gateway, 'pro', [{ measure: 'concurrent', most: 1, of: 'key' }])
  const { client } = await joined(gateway, backend, '/v1/live/call', key)
  expect(await limitsOf(gateway, key)).toMatchObject([{ used: 1, remaining: 0 }])

  await expect(openSocket(`${gateway.url}/v1/live/call`, { key })).rejects.toMatchObject({ status: 429 })
  client.ws.close()
  await gateway.logged(3)
  expect(await limitsOf(gateway, key)).toMatchObject([{ used: 0, remaining: 1 }])
  await joined(gateway, backend, '/v1/live/call', key)
})

it('seconds are held to the most that a session may last, and charged as it lasted', async ({
  backend,
  gateway,
  key,
}) => {
  limitPlan(gateway, 'pro', [{ measure: 'seconds', most: 150, per: 'hour' }])
  const { client } = await joined(gateway, backend, '/v1/live/second', key)
  expect(await limitsOf(gateway, key)).toMatchObject([{ used: 0, held: 120 }])
  gateway.clock.advance(40_500)
  client.ws.close()
  await gateway.logged(2)

  expect(await limitsOf(gateway, key)).toMatchObject([{ used: 41, held: 0, remaining: 109 }])
  await expect(openSocket(`${gateway.url}/v1/live/second`, { key })).rejects.toMatchObject({ status: 429 })
})
