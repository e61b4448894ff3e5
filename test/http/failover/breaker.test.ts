import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hang, status, streamThenReset } from '../../support/backend.ts'
import { Failover, fine } from './fixture.ts'

let site: Failover
beforeEach(async () => {
  site = await Failover.start()
  site.everyOnprem(fine)
  site.cloud.always(fine)
})
afterEach(() => site.close())

const chat = async () => (await site.chat()).text()
const asked = (index: 0 | 1) => site.onprem[index].requests.length
const state = (index: 0 | 1) => site.breaker('onprem', index).state(site.test.clock.now())

/** Asks until a replica has had so many requests. */
async function until(index: 0 | 1, requests: number): Promise<void> {
  while (asked(index) < requests) await chat()
}

describe('a replica that fails five times in a row', () => {
  beforeEach(async () => {
    site.onprem[0].always(status(529))
    await until(0, 5)
  })

  it('is left out for five seconds', async () => {
    expect(state(0)).toBe('open')
    for (let i = 0; i < 20; i++) await chat()
    site.test.clock.advance(4999)
    for (let i = 0; i < 20; i++) await chat()

    expect(asked(0)).toBe(5)
  })

  it('is then tried by one request at a time', async () => {
    site.test.clock.advance(5000)
    site.onprem[0].always(hang)
    const leave = new AbortController()
    const probes: Promise<unknown>[] = []
    while (asked(0) < 6) {
      probes.push(site.test.chat(site.key, {}, { signal: leave.signal }).catch(() => {}))
      await new Promise(resolve => setTimeout(resolve, 2))
    }

    for (let i = 0; i < 20; i++) await chat()
    expect(asked(0)).toBe(6)
    leave.abort()
    await Promise.all(probes)
  })

  it('is back when that request is served', async () => {
    site.test.clock.advance(5000)
    site.onprem[0].always(fine)
    await until(0, 6)

    expect(state(0)).toBe('closed')
    await until(0, 10)
    expect(site.cloud.requests).toHaveLength(0)
  })

  it('is left out for twice as long when that request fails, then thrice, up to 60 s', async () => {
    for (const [time, requests] of [
      [5000, 6],
      [10_000, 7],
      [15_000, 8],
    ] as const) {
      site.test.clock.advance(time - 1)
      expect(state(0)).toBe('open')
      site.test.clock.advance(1)
      await until(0, requests)
    }
    for (let n = 0; n < 20; n++) {
      site.test.clock.advance(60_000)
      expect(state(0)).toBe('half-open')
      await until(0, 9 + n)
    }
    expect(site.breaker('onprem', 0).wait(site.test.clock.now())).toBe(60_000)
  })

  it('is a place that no answer of before brings back', async () => {
    const breaker = site.breaker('onprem', 0)

    breaker.succeeded(site.test.clock.now())

    expect(state(0)).toBe('open')
  })
})

it('half of at least twenty requests in ten seconds failing leaves a replica out as well', async () => {
  let count = 0
  site.onprem[0].always(exchange => (count++ % 2 === 0 ? status(529) : fine)(exchange))
  site.onprem[0].answersChecks(status(529))
  await until(0, 19)
  expect(state(0)).toBe('closed')

  await until(0, 21)

  expect(state(0)).toBe('open')
})

it('failures that lie further apart than ten seconds, with answers between them, leave nobody out', async () => {
  let count = 0
  site.onprem[0].always(exchange => (count++ % 2 === 0 ? status(529) : fine)(exchange))
  for (let i = 1; i <= 30; i++) {
    await until(0, i)
    site.test.clock.advance(1000)
  }

  expect(state(0)).toBe('closed')
})

it('streams that are cut after their first content count', async () => {
  site.onprem[0].always(streamThenReset({ chunks: ['x'] }))
  site.onprem[1].always(streamThenReset({ chunks: ['x'] }))

  for (let i = 1; i <= 12; i++) {
    await (await site.chat(true)).text()
    await site.test.logged(i)
  }

  expect([state(0), state(1)]).toEqual(['open', 'open'])
})

describe('with every breaker open', () => {
  beforeEach(async () => {
    site.everyOnprem(status(529))
    site.cloud.always(status(529))
    const closed = () => [state(0), state(1), site.breaker('cloud').state(site.test.clock.now())].includes('closed')
    while (closed()) await chat()
  })

  it('one is asked before a request is given up: what is remembered must not refuse a healthy fleet', async () => {
    site.everyOnprem(fine)
    site.cloud.always(fine)
    const before = site.calls[0] + site.calls[1]

    expect((await site.chat()).status).toBe(200)
    expect(site.calls[0] + site.calls[1]).toBe(before + 1)
  })

  it('no more than one is asked', async () => {
    const before = site.calls[0] + site.calls[1]

    const response = await site.chat()

    expect(response.status).toBe(503)
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    expect(site.calls[0] + site.calls[1]).toBe(before + 1)
  })

  it('the one that was left out longest is asked', async () => {
    const opened = site.onprem.map((backend, index) => ({ backend, at: site.breaker('onprem', index).openedAt }))
    opened.push({ backend: site.cloud, at: site.breaker('cloud').openedAt })
    const earliest = Math.min(...opened.map(({ at }) => at))
    const before = new Map(opened.map(({ backend }) => [backend, backend.requests.length]))

    await chat()

    const hit = opened.filter(({ backend }) => backend.requests.length > (before.get(backend) ?? 0))
    expect(hit.map(({ at }) => at)).toEqual([earliest])
  })
})

it("the policy's view of health follows the breakers", async () => {
  site.everyOnprem(status(529))
  while (state(0) !== 'open' || state(1) !== 'open') await chat()
  const before = site.calls[0]

  const response = await site.chat()

  expect(response.headers.get('x-svc-upstream')).toBe('cloud')
  expect(site.calls[0]).toBe(before)
})
