import { afterEach, beforeEach, expect, it } from 'vitest'
import type { LimitRecord } from '../../../src/wire/account/quota-record.ts'
import { answer, type Backend, startBackend } from '../../support/backend.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway.ts'

let backend: Backend
let test: TestGateway

beforeEach(async () => {
  backend = await startBackend()
  test = await startTestGateway({ onprem: [backend] })
})

afterEach(async () => {
  await test.close()
  await backend.close()
})

const whole = answer({ content: 'Hi', usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 } })
const LIMITS =
  'limits: [{ tokens: 1M, per: hour }, { tokens: 2M, per: day }, { requests: 90, per: week, of: user }, { usd: 5, per: 7d, of: key }]'

async function usedOf(key: string): Promise<string[]> {
  const response = await fetch(`${test.url}/billing/quota`, { headers: { authorization: `Bearer ${key}` } })
  const { limits } = (await response.json()) as { limits: readonly LimitRecord[] }
  return limits
    .filter(({ per }) => per === 'hour' || per === 'day' || per === '7d')
    .map(({ measure, per, used }) => `${measure} per ${per}: ${used}`)
}

it('limits that a reload adds count what was used before, what runs meanwhile, and what comes', async () => {
  const key = await test.key('pro')
  let release: () => void = () => {}
  const released = new Promise<void>(resolve => {
    release = resolve
  })
  backend.always(whole)
  await test.chat(key, { max_tokens: 10 })
  backend.always(async exchange => {
    await released
    await whole(exchange)
  })
  const running = test.chat(key, { max_tokens: 10, user: 'ada' })
  await backend.received(2)

  await test.reload({ fields: { pro: LIMITS } })
  expect(await usedOf(key)).toEqual(['tokens per hour: 12', 'tokens per day: 12', 'usd per 7d: 0.000039'])
  release()
  expect((await running).status).toBe(200)
  expect(await usedOf(key)).toEqual(['tokens per hour: 24', 'tokens per day: 24', 'usd per 7d: 0.000078'])
  await test.chat(key, { max_tokens: 10, user: 'ada' })
  expect(await usedOf(key)).toEqual(['tokens per hour: 36', 'tokens per day: 36', 'usd per 7d: 0.000117'])
})

it('a start with other files begins limits of an hour with what was used before', async () => {
  const key = await test.key('pro')
  backend.always(whole)
  await test.chat(key, { max_tokens: 10 })

  test.write({ fields: { pro: LIMITS } })
  test = await test.restart()

  expect(await usedOf(key)).toEqual(['tokens per hour: 12', 'tokens per day: 12', 'usd per 7d: 0.000039'])
})
