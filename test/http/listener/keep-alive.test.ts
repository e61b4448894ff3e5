import { describe, expect } from 'vitest'
import { hang, status, stream, streamAtOnce, streamThenHang } from '../../support/backend.ts'
import { gatewayTest } from '../../support/gateway-test.ts'
import { heldSettlement, reading } from '../../support/held.ts'

const it = gatewayTest.extend('config', ({ cloud }) => ({
  cloud: [cloud],
  yaml: 'failover: { headers_timeout: 40s, first_content_timeout: 40s }',
}))

describe('while nobody has answered', () => {
  it('headers wait for 25 s and then name no pool, a comment fills each 15 s of silence, and one names the pool that answers', async ({
    backend,
    cloud,
    gateway,
    key,
  }) => {
    backend.next(hang)
    let answered = false
    const asked = gateway.chat(key, { stream: true }).then(response => {
      answered = true
      return response
    })
    await backend.received(1)

    gateway.clock.advance(24_999)
    await new Promise(setImmediate)
    expect(answered).toBe(false)
    gateway.clock.advance(1)
    const response = await asked

    expect(response.status).toBe(200)
    expect(response.headers.get('x-svc-upstream')).toBeNull()
    expect(response.headers.get('x-svc-quota-plan')).toBe('pro')
    const read = reading(response)
    gateway.clock.advance(14_999)
    cloud.always(stream({ chunks: ['fine'] }))
    gateway.clock.advance(1)
    expect(await read.until('keep-alive')).toBe(': keep-alive\n\n')
    expect(await read.rest()).toMatch(/fine[\s\S]*data: \[DONE\]\n\n$/)
  })

  it('failover goes on behind the headers, silently', async ({ backend, cloud, gateway, key }) => {
    backend.next(hang)
    cloud.next(stream({ chunks: ['from the cloud'] }))
    const asked = gateway.chat(key, { stream: true })
    await backend.received(1)
    gateway.clock.advance(25_000)
    const response = await asked

    gateway.clock.advance(15_000)

    const text = await reading(response).rest()
    expect(text).toContain('from the cloud')
    expect(text).not.toContain('error')
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
  })

  it('exhaustion after the headers is an error event, and no end that looks clean', async ({
    backend,
    cloud,
    gateway,
    key,
  }) => {
    backend.next(hang)
    cloud.always(status(529))
    const asked = gateway.chat(key, { stream: true })
    await backend.received(1)
    gateway.clock.advance(25_000)
    const response = await asked

    gateway.clock.advance(15_000)

    const text = await reading(response).rest()
    const event = text.split('\n\n').find(line => line.startsWith('data: ')) ?? ''
    expect(JSON.parse(event.slice(6))).toMatchObject({
      error: { code: 'UPSTREAMS_EXHAUSTED', message: expect.any(String) },
    })
    expect(text).not.toContain('[DONE]')
    expect(await gateway.ledger()).toEqual([])
  })

  it('a whole answer waits without a word', async ({ backend, gateway, key }) => {
    backend.next(hang)
    let answered = false
    const asked = gateway.chat(key).then(response => {
      answered = true
      return response
    })
    await backend.received(1)

    gateway.clock.advance(60_000)
    await new Promise(setImmediate)

    expect(answered).toBe(false)
    gateway.clock.advance(540_000)
    expect((await asked).headers.get('x-svc-upstream')).toBe('cloud')
  })
})

it('a comment fills each 15 s of silence in the middle of a stream', async ({ backend, gateway, key }) => {
  backend.next(streamThenHang({ chunks: ['partial'] }))
  const read = reading(await gateway.chat(key, { stream: true }))
  await read.until('partial')

  gateway.clock.advance(15_000)
  await read.until(': keep-alive\n\n')
  gateway.clock.advance(15_000)
  await read.until(': keep-alive\n\n: keep-alive\n\n')
  gateway.clock.advance(60_000)

  expect(await read.rest()).toContain('UPSTREAM_INTERRUPTED')
})

it('a stream whose end waits 15 s for the ledger says what it had until then, and a comment', async ({
  backend,
  gateway,
  running,
  key,
}) => {
  backend.next(streamAtOnce('all of it'))
  const settlement = heldSettlement(running.app.store)
  const asked = gateway.chat(key, { stream: true })
  await settlement.asked

  gateway.clock.advance(15_000)
  const read = reading(await asked)
  const soFar = await read.until(': keep-alive\n\n')
  expect(soFar).toMatch(/all of it[\s\S]*: keep-alive\n\n$/)
  expect(soFar).not.toContain('[DONE]')

  settlement.letGo()
  expect(await read.rest()).toMatch(/: keep-alive\n\ndata: \[DONE\]\n\n$/)
  expect(await gateway.ledger()).toHaveLength(1)
})
