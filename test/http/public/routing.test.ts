import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Backend, startBackend } from '../../support/backend.ts'
import { eventsOf, startTestGateway, type TestGateway } from '../../support/gateway.ts'

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

let backend: Backend
let test: TestGateway
let key: string

beforeEach(async () => {
  backend = await startBackend()
  test = await startTestGateway({ onprem: [backend], yaml: routes })
  key = await test.key('pro')
})
afterEach(async () => {
  await test.close()
  await backend.close()
})

const ask = (content: string, more: object = {}) => test.chat(key, { messages: [{ role: 'user', content }], ...more })

describe.each([false, true])('a request (stream: %s)', streamed => {
  it('for no model that a route applies to is served, named and written down as upgraded', async () => {
    const response = await ask('what happens today?', { stream: streamed })
    await response.text()

    expect(response.status).toBe(200)
    expect(response.headers.get('x-svc-smart-route')).toBe('time-sensitive')
    expect(await test.ledger()).toMatchObject([{ asked: '', model: 'svc-ultra-pro', rule: 'time-sensitive' }])
    await test.logged(1)
    expect(test.log[0]).toMatchObject({ model: 'svc-ultra-pro', rule: 'time-sensitive' })
  })

  it('for a model by name is never changed', async () => {
    const response = await ask('what happens today?', { stream: streamed, model: 'svc-core' })
    await response.text()

    expect(response.headers.has('x-svc-smart-route')).toBe(false)
    const [row] = await test.ledger()
    expect(row).toMatchObject({ asked: 'svc-core', model: 'svc-core' })
    expect(row?.rule).toBeUndefined()
  })

  it('that no route applies to has no such header', async () => {
    const response = await ask('what happens tomorrow?', { stream: streamed })
    await response.text()

    expect(response.headers.has('x-svc-smart-route')).toBe(false)
    expect(await test.ledger()).toMatchObject([{ model: 'svc-core' }])
  })
})

it('an alias by name may be upgraded', async () => {
  expect((await ask('right now', { model: 'svc-auto' })).headers.get('x-svc-smart-route')).toBe('time-sensitive')
})

it('only what the user said last counts', async () => {
  const messages = [
    { role: 'system', content: 'today' },
    { role: 'user', content: 'today' },
    { role: 'assistant', content: 'today' },
    { role: 'user', content: 'hello' },
  ]
  expect((await test.chat(key, { messages })).headers.has('x-svc-smart-route')).toBe(false)
})

it('a header may decide, whatever the case of its name', async () => {
  const asked = (value: string) =>
    fetch(`${test.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'X-Tier': value },
      body: JSON.stringify({ messages: [{ role: 'user', content: 'hi' }] }),
    })

  expect((await asked('gold')).headers.get('x-svc-smart-route')).toBe('gold')
  expect((await asked('bronze')).headers.has('x-svc-smart-route')).toBe(false)
})

it('all that a route asks for must hold', async () => {
  const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }]

  expect((await ask('a Stack Trace')).headers.get('x-svc-smart-route')).toBe('code')
  expect((await ask('a Stack Trace', { tools })).headers.has('x-svc-smart-route')).toBe(false)
})

it('a plan without the target is served as if there were no route', async () => {
  const free = await test.key('free', 'free')

  const response = await test.chat(free, { messages: [{ role: 'user', content: 'today' }] })

  expect(response.status).toBe(200)
  expect(response.headers.has('x-svc-smart-route')).toBe(false)
})

it('an upgrade that the request would not survive does not happen', async () => {
  // svc-ultra-pro thinks, and so needs 2000.
  const response = await ask('today', { max_tokens: 10 })

  expect(response.status).toBe(200)
  expect(response.headers.has('x-svc-smart-route')).toBe(false)
})

it('the client pays the price of the model that served', async () => {
  await (await ask('today')).text()
  // Rows stand in the order of their milliseconds.
  test.clock.advance(1)
  await (await ask('tomorrow')).text()

  // 9 and 3 tokens: at 2 and 8 USD a million, and at 1 and 10.
  expect((await test.ledger()).map(({ cost }) => cost)).toEqual([42_000, 39_000])
})

it('the events of an upgraded stream are those of any other', async () => {
  const events = await eventsOf(await ask('today', { stream: true }))

  expect(events.at(-1)).toBe('[DONE]')
})
