import { describe, expect } from 'vitest'
import { eventsOf } from '../../support/gateway.ts'
import { gatewayTest } from '../../support/gateway-test.ts'

const routes = `
routes:
  - name: time-sensitive
    when: { mentions: [today, "right now"] }
    use: svc-ultra-pro
  - name: gold
    when: { header: { x-tier: [gold, platinum] } }
    use: svc-ultra-pro
  - name: code
    when: { matches: '(?i)stack ?trace', not: { has_tools: true } }
    use: svc-ultra-pro
`

const it = gatewayTest.extend('config', { yaml: routes }).extend(
  'ask',
  ({ gateway, key }) =>
    (content: string, more: object = {}) =>
      gateway.chat(key, { messages: [{ role: 'user', content }], ...more }),
)

describe.each([false, true])('a request (stream: %s)', streamed => {
  it('for no model that a route applies to is served, named and written down as upgraded', async ({ gateway, ask }) => {
    const response = await ask('what happens today?', { stream: streamed })
    await response.text()

    expect(response.status).toBe(200)
    expect(response.headers.get('x-svc-smart-route')).toBe('time-sensitive')
    expect(await gateway.ledger()).toMatchObject([{ asked: '', model: 'svc-ultra-pro', rule: 'time-sensitive' }])
    await gateway.logged(1)
    expect(gateway.log[0]).toMatchObject({ model: 'svc-ultra-pro', rule: 'time-sensitive' })
  })

  it('for a model by name is never changed', async ({ gateway, ask }) => {
    const response = await ask('what happens today?', { stream: streamed, model: 'svc-core' })
    await response.text()

    expect(response.headers.has('x-svc-smart-route')).toBe(false)
    const [row] = await gateway.ledger()
    expect(row).toMatchObject({ asked: 'svc-core', model: 'svc-core' })
    expect(row?.rule).toBeUndefined()
  })

  it('that no route applies to has no such header', async ({ gateway, ask }) => {
    const response = await ask('what happens tomorrow?', { stream: streamed })
    await response.text()

    expect(response.headers.has('x-svc-smart-route')).toBe(false)
    expect(await gateway.ledger()).toMatchObject([{ model: 'svc-core' }])
  })
})

it('an alias by name may be upgraded', async ({ ask }) => {
  expect((await ask('right now', { model: 'svc-auto' })).headers.get('x-svc-smart-route')).toBe('time-sensitive')
})

it('only what the user said last counts', async ({ gateway, key }) => {
  const messages = [
    { role: 'system', content: 'today' },
    { role: 'user', content: 'today' },
    { role: 'assistant', content: 'today' },
    { role: 'user', content: 'hello' },
  ]
  expect((await gateway.chat(key, { messages })).headers.has('x-svc-smart-route')).toBe(false)
})

it('a header may decide, whatever the case of its name', async ({ gateway, key }) => {
  const asked = (value: string) =>
    fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'X-Tier': value },
      body: JSON.stringify({ messages: [{ role: 'user', content: 'hi' }] }),
    })

  expect((await asked('gold')).headers.get('x-svc-smart-route')).toBe('gold')
  expect((await asked('bronze')).headers.has('x-svc-smart-route')).toBe(false)
})

it('all that a route asks for must hold', async ({ ask }) => {
  const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }]

  expect((await ask('a Stack Trace')).headers.get('x-svc-smart-route')).toBe('code')
  expect((await ask('a Stack Trace', { tools })).headers.has('x-svc-smart-route')).toBe(false)
})

it('a plan without the target is served as if there were no route', async ({ gateway }) => {
  const free = await gateway.key('free', 'free')

  const response = await gateway.chat(free, { messages: [{ role: 'user', content: 'today' }] })

  expect(response.status).toBe(200)
  expect(response.headers.has('x-svc-smart-route')).toBe(false)
})

it('an upgrade that the request would not survive does not happen', async ({ ask }) => {
  // svc-ultra-pro thinks, and so needs 2000.
  const response = await ask('today', { max_tokens: 10 })

  expect(response.status).toBe(200)
  expect(response.headers.has('x-svc-smart-route')).toBe(false)
})

it('the client pays the price of the model that served', async ({ gateway, ask }) => {
  await (await ask('today')).text()
  // Rows stand in the order of their milliseconds.
  gateway.clock.advance(1)
  await (await ask('tomorrow')).text()

  // 9 and 3 tokens: at 2 and 8 USD a million, and at 1 and 10.
  expect((await gateway.ledger()).map(({ cost }) => cost)).toEqual([42_000, 39_000])
})

it('the events of an upgraded stream are those of any other', async ({ ask }) => {
  const events = await eventsOf(await ask('today', { stream: true }))

  expect(events.at(-1)).toBe('[DONE]')
})
