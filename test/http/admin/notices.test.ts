import { afterEach, beforeEach, expect, it } from 'vitest'
import { answer, type Backend, startBackend } from '../../support/backend.ts'
import { ENV, startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { act, listed, read, startReceiver } from './notices-fixture.ts'

/** Longer than the gateway waits between two looks. */
const TURN_MS = 3001

let backend: Backend
let test: TestGateway
let receiver: Awaited<ReturnType<typeof startReceiver>>

beforeEach(async () => {
  backend = await startBackend()
  // 0.0041 USD of the 0.01 of the plan.
  backend.always(answer({ content: 'Hi', usage: { prompt_tokens: 100, completion_tokens: 400, total_tokens: 500 } }))
  receiver = await startReceiver()
  test = await startTestGateway({
    onprem: [backend],
    yaml: receiver.yaml,
    env: { ...ENV, ...receiver.env },
    fields: { tight: 'limits: [{ usd: 1, per: hour, of: org }]' },
  })
})
afterEach(async () => {
  await test.close()
  await backend.close()
  receiver.close()
})

const chat = async (key: string) => {
  const response = await test.chat(key, { max_tokens: 500 })
  await response.text()
  return response.status
}

const soon = (read: () => number) =>
  expect.poll(() => {
    test.clock.advance(TURN_MS)
    return read()
  })

/** Once the receiver has so many. */
async function heard(count: number) {
  await soon(() => receiver.heard.length).toBe(count)
  return receiver.heard.map(({ data }) => `${data.measure}/${data.per} ${data.percent}`)
}

it('an account hears once of each threshold, by requests of every kind, and operators see how far it came', async () => {
  const key = await test.key('tight', 'ada')
  expect(await chat(key)).toBe(200)
  expect(await chat(key)).toBe(200)
  // 2 of 3 requests of the day, and 0.0082 of 0.01 dollars.
  expect((await heard(2)).sort()).toEqual(['requests/day 50', 'usd/month 80'])
  const spend = receiver.heard.find(({ data }) => data.measure === 'usd')
  expect(spend?.data).toMatchObject({ kind: 'limit', limit: '0.01', used: '0.0082', of: 'account', org: null })
  // Its receiver has a notice before the gateway has written that.
  await expect.poll(async () => (await listed(test)).waiting).toBe(0)
  const shown = await listed(test)
  expect(shown.data.map(({ id }) => id).sort()).toEqual(receiver.heard.map(({ id }) => id).sort())
  expect(shown.data.map(({ deliveries }) => deliveries[0]?.state)).toEqual(['delivered', 'delivered'])
})

it('a limit that is lowered is announced with the next request, once, and a reload takes new thresholds', async () => {
  const key = await test.key('free', 'ada')
  await chat(key)
  await test.reload({}, yaml => yaml.replace('tpm: 40k, monthly_usd: 1', 'tpm: 40k, monthly_usd: 0.015'))
  await chat(key)
  await heard(1)
  expect(receiver.heard[0]?.data).toMatchObject({ percent: 50, limit: '0.015', used: '0.0082' })
})

it('a receiver that was away gets what waited, and operators list, retry and test it', async () => {
  receiver.state.away = true
  const key = await test.key('tight', 'ada')
  await chat(key)
  await chat(key)
  await soon(() => receiver.state.refused).toBeGreaterThan(2)
  const waiting = await listed(test, '?state=waiting')
  expect(waiting.waiting).toBe(2)
  expect(waiting.data.map(({ deliveries }) => deliveries[0]?.state)).toEqual(['waiting', 'waiting'])
  expect(waiting.data.some(({ deliveries }) => deliveries[0]?.error === 'it answered 503')).toBe(true)
  expect((await act(test, 'test', { target: 'ops' })).body).toEqual({
    target: 'ops',
    delivered: false,
    error: 'it answered 503',
  })
  receiver.state.away = false
  expect((await act(test, 'retry', {})).body).toEqual({ retried: 2 })
  await heard(2)
  await expect.poll(async () => (await listed(test)).waiting).toBe(0)
  expect((await act(test, 'test', { target: 'ops' })).body).toMatchObject({ delivered: true })
  expect(receiver.heard.at(-1)?.data).toMatchObject({ kind: 'test' })
  expect((await act(test, 'retry', {})).body).toEqual({ retried: 0 })
  expect((await act(test, 'retry', { id: 'ntc_none' })).status).toBe(404)
  const unknown = await act(test, 'test', { target: 'opps' })
  expect([unknown.status, JSON.stringify(unknown.body)]).toEqual([400, expect.stringContaining('names `opps`')])
})

it('the incident of a target that takes no notices ends once the files no longer declare it', async () => {
  receiver.state.away = true
  const key = await test.key('tight', 'ada')
  await chat(key)
  await chat(key)
  const open = async () => {
    test.clock.advance(TURN_MS)
    const { data } = (await read(test, 'incidents?state=open')) as {
      data: readonly { readonly incident: string; readonly subject: { readonly target: string } }[]
    }
    return data.map(({ incident, subject }) => `${incident} ${subject.target}`)
  }
  await expect.poll(open).toEqual(['notices-wait ops'])
  await test.reload({ yaml: '' })
  await expect.poll(open).toEqual([])
})

it('a key that asks where notices go is sent to the operator where nobody signs in, and not for another key', async () => {
  const authorization = `Bearer ${await test.key('free', 'ada')}`
  const answer = await fetch(`${test.url}/v1/account/notices`, { headers: { authorization } })
  expect([answer.status, await answer.text()]).toEqual([
    401,
    expect.stringContaining('changes where notices go. This gateway has no sign-in: ask the operator.'),
  ])
})
