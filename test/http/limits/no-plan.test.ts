import { expect } from 'vitest'
import { gatewayTest } from '../../support/gateway-test.ts'
import { send } from '../calls.ts'

const it = gatewayTest.extend('plan', 'gone').extend(
  'chat',
  ({ gateway, key }) =>
    (model?: string) =>
      send(gateway, 'POST /v1/chat/completions', {
        token: key,
        body: { messages: [{ role: 'user', content: 'Hello' }], max_tokens: 10, ...(model && { model }) },
      }),
)

it.for<[undefined | string, string]>([
  [undefined, 'svc-auto'],
  ['svc-core', 'svc-core'],
])(
  'an account on a plan that the files no longer declare is denied %s with the names of both',
  async ([model, named], { backend, chat }) => {
    const told = await chat(model)

    expect(told.status).toBe(429)
    expect(told.body).toMatchObject({
      error: {
        type: 'plan_limit',
        retry_after_ms: 0,
        message: expect.stringContaining(`Plan gone does not include ${named}.`),
      },
    })
    expect(backend.requests).toEqual([])
  },
)

it('its quota says the plan as it was named, and a limit of 0', async ({ gateway, key }) => {
  const told = await send(gateway, 'GET /billing/quota', { token: key })

  expect(told).toMatchObject({ status: 200, body: { planSlug: 'gone', limit: 0, used: 0 } })
})

it('the operator is told of the plan once, however many requests there are', async ({ gateway, key }) => {
  const other = await gateway.key('gone', 'another')
  for (const token of [key, key, other]) await send(gateway, 'GET /billing/quota', { token })

  expect(gateway.alarms.filter(alarm => alarm.includes('"plan":"gone"'))).toHaveLength(1)
})
