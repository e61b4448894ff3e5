import { afterEach, describe, expect, it } from 'vitest'
import { type Behaviour, hang, headersThenHang, status } from '../../support/backend.ts'
import { Failover, fine } from './fixture.ts'

let site: Failover
afterEach(() => site.close())

/** One replica on premises, and the cloud, which serves. */
async function begun(onprem = '', behaviour: Behaviour = fine): Promise<void> {
  site = await Failover.start({ fields: { onprem } })
  await site.test.reload({ onprem: [site.onprem[0]] })
  site.cloud.always(fine)
  site.onprem[0].always(behaviour)
}

const replica = () => site.test.gateway.app.pools.of('onprem').replica(site.onprem[0].url)
const turns = async (count = 20) => {
  for (let turn = 0; turn < count; turn++) await new Promise(setImmediate)
}
/** Moves on by less than any timeout of the check itself. */
const passes = async (ms: number) => {
  site.test.clock.advance(ms)
  await turns()
}

describe('a replica that asked for a pause', () => {
  const asks: readonly (readonly [string, Behaviour, number])[] = [
    ['by a 429 with Retry-After', status(429, '', { 'retry-after': '7' }), 7000],
    ['by a 503 with Retry-After', status(503, '', { 'retry-after': '7' }), 7000],
    ['in milliseconds', status(429, '', { 'retry-after-ms': '7000' }), 7000],
    [
      'by the limit that it reports spent',
      status(429, '', { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '7s' }),
      7000,
    ],
    ['without a time', status(429), 1000],
  ]

  it.each(asks)('is asked nothing before it is over: %s', async (_name, behaviour, pause) => {
    await begun('', behaviour)
    expect((await site.chat()).headers.get('x-svc-upstream')).toBe('cloud')

    await passes(pause)
    expect(site.onprem[0].checks).toEqual([])

    await passes(1000)
    await site.onprem[0].checked(1)
    expect(site.onprem[0].requests).toHaveLength(1)
  })

  it('is not asked at all where a request was answered there after the pause', async () => {
    await begun()
    site.onprem[0].next(status(429, '', { 'retry-after': '7' }))
    await site.chat()
    await passes(7000)

    expect((await site.chat()).headers.get('x-svc-upstream')).toBe('onprem')
    await passes(60_000)

    expect(site.onprem[0].checks).toEqual([])
  })

  it('has all accounts wait once three of them were asked to wait', async () => {
    await begun('', status(429, '', { 'retry-after': '7' }))
    const accounts = await Promise.all(['bob', 'eve', 'joe', 'kim'].map(name => site.test.key('pro', name)))

    for (const key of accounts) expect((await site.test.chat(key)).headers.get('x-svc-upstream')).toBe('cloud')

    expect(site.onprem[0].requests).toHaveLength(3)
    expect(replica().cooling(site.test.clock.now())).toBe(7000)
  })
})

describe.each<[string, Behaviour, boolean, number]>([
  ['its headers', hang, true, 15_000],
  ['its first content', headersThenHang, true, 30_000],
  ['a whole answer', hang, false, 600_000],
])('a replica that is given up because it is silent: %s', (_name, behaviour, isStreamed, timeout) => {
  const asks = async () => {
    const asked = site.chat(isStreamed)
    await site.onprem[0].received(site.onprem[0].requests.length + 1)
    await turns()
    for (let passed = 0; passed < timeout; passed += 15_000) await passes(15_000)
    const response = await asked
    expect(await response.text()).toContain('cloud-model')
    await turns()
  }

  it('gets no second request and no health check', async () => {
    await begun('', behaviour)

    for (let times = 1; times < 5; times++) {
      await asks()
      expect([site.onprem[0].requests.length, site.onprem[0].checks.length]).toEqual([times, 0])
    }
  })

  it('gets one health check before it is ejected for failures that a client could have provoked', async () => {
    await begun('eject: { after: 2, for: 5s }', behaviour)
    site.onprem[0].answersChecks(fine)
    await asks()
    await asks()
    await site.onprem[0].checked(1)
    await turns()

    expect(replica().breaker.state(site.test.clock.now())).toBe('closed')
    expect(replica().breaker.failures).toBe(0)
  })
})
