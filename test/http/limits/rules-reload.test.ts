import { expect } from 'vitest'
import type { LimitRecord } from '../../../src/wire/quota-record.ts'
import { answer } from '../../support/backend.ts'
import type { TestGateway } from '../../support/gateway.ts'
import { gatewayTest as it } from '../../support/gateway-test.ts'

const whole = answer({ content: 'Hi', usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 } })
const LIMITS =
  'limits: [{ tokens: 1M, per: hour }, { tokens: 2M, per: day }, { requests: 90, per: week, of: user }, { usd: 5, per: 7d, of: key }]'

async function usedOf(gateway: TestGateway, key: string): Promise<string[]> {
  const response = await fetch(`${gateway.url}/billing/quota`, { headers: { authorization: `Bearer ${key}` } })
  const { limits } = (await response.json()) as { limits: readonly LimitRecord[] }
  return limits
    .filter(({ per }) => per === 'hour' || per === 'day' || per === '7d')
    .map(({ measure, per, used }) => `${measure} per ${per}: ${used}`)
}

it('limits that a reload adds count what was used before, what runs meanwhile, and what comes', async ({
  backend,
  gateway,
}) => {
  const key = await gateway.key('pro')
  let release: () => void = () => {}
  const released = new Promise<void>(resolve => {
    release = resolve
  })
  backend.always(whole)
  await gateway.chat(key, { max_tokens: 10 })
  backend.always(async exchange => {
    await released
    await whole(exchange)
  })
  const running = gateway.chat(key, { max_tokens: 10, user: 'ada' })
  await backend.received(2)

  await gateway.reload({ fields: { pro: LIMITS } })
  expect(await usedOf(gateway, key)).toEqual(['tokens per hour: 12', 'tokens per day: 12', 'usd per 7d: 0.000039'])
  release()
  expect((await running).status).toBe(200)
  expect(await usedOf(gateway, key)).toEqual(['tokens per hour: 24', 'tokens per day: 24', 'usd per 7d: 0.000078'])
  await gateway.chat(key, { max_tokens: 10, user: 'ada' })
  expect(await usedOf(gateway, key)).toEqual(['tokens per hour: 36', 'tokens per day: 36', 'usd per 7d: 0.000117'])
})

it('a start with other files begins limits of an hour with what was used before', async ({
  backend,
  gateway,
  restart,
}) => {
  const key = await gateway.key('pro')
  backend.always(whole)
  await gateway.chat(key, { max_tokens: 10 })

  gateway.write({ fields: { pro: LIMITS } })
  const restarted = await restart()

  expect(await usedOf(restarted, key)).toEqual(['tokens per hour: 12', 'tokens per day: 12', 'usd per 7d: 0.000039'])
})
