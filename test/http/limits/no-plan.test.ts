import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Backend, startBackend } from '../../support/backend.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { send } from '../calls.ts'

let backend: Backend
let test: TestGateway
let key: string

beforeEach(async () => {
  backend = await startBackend()
  test = await startTestGateway({ onprem: [backend] })
  key = await test.key('gone')
})

afterEach(async () => {
  await test.close()
  await backend.close()
})

const chat = (model?: string) =>
  send(test, 'POST /v1/chat/completions', {
    token: key,
    body: { messages: [{ role: 'user', content: 'Hello' }], max_tokens: 10, ...(model && { model }) },
  })

it.each([
  [undefined, 'svc-auto'],
  ['svc-core', 'svc-core'],
])(
  'an account on a plan that the files no longer declare is denied %s with the names of both',
  async (model, named) => {
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

it('its quota says the plan as it was named, and a limit of 0', async () => {
  const told = await send(test, 'GET /billing/quota', { token: key })

  expect(told).toMatchObject({ status: 200, body: { planSlug: 'gone', limit: 0, used: 0 } })
})

it('the operator is told of the plan once, however many requests there are', async () => {
  const other = await test.key('gone', 'another')
  for (const token of [key, key, other]) await send(test, 'GET /billing/quota', { token })

  expect(test.alarms.filter(alarm => alarm.includes('"plan":"gone"'))).toHaveLength(1)
})
