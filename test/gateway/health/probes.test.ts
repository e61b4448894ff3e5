import { afterEach, describe, expect, it } from 'vitest'
import { Failover, fine } from '../../http/failover/fixture.ts'
import { type Behaviour, hang, json, reset, staleIfReused, status } from '../../support/backend.ts'

const EVERY = 10_000

let site: Failover
afterEach(() => site.close())

const start = async (probe = 'true', more: { onprem?: string; cloud?: string } = {}) => {
  const onprem = [`probe: ${probe}, connect_timeout: 60s`, more.onprem].filter(Boolean).join(', ')
  site = await Failover.start({
    fields: { onprem, ...(more.cloud !== undefined && { cloud: `${more.cloud}, connect_timeout: 60s` }) },
  })
  site.everyOnprem(fine)
  site.cloud.always(fine)
}

const replica = (index: 0 | 1) => site.test.gateway.app.pools.of('onprem').replica(site.onprem[index].url)
const state = (index: 0 | 1) => site.breaker('onprem', index).state(site.test.clock.now())
const probes = () => site.onprem.map(backend => backend.probes.length)
const upstream = async () => (await site.chat()).headers.get('x-svc-upstream')

/** Time goes by slowly enough for what it sends over loopback to be answered. */
async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 250) {
    site.test.clock.advance(Math.min(left, 250))
    await turns(30)
  }
  await turns(100)
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise(setImmediate)
}

const probed = (index: 0 | 1, behaviour: Behaviour) => site.onprem[index].probed(behaviour)

it('every replica of a pool that declares it is asked for its path, once in a period, and no other', async () => {
  await start('{ path: "/up?deep=1", every: 10s }')
  for (let n = 1; n <= 3; n++) {
    await pass(EVERY)
    expect(probes()).toEqual([n, n])
  }

  expect(site.onprem[0].probes[0]).toMatchObject({ method: 'GET', path: '/up?deep=1', rawBody: '' })
  expect(site.cloud.probes).toEqual([])
})

it('it carries the key of the pool', async () => {
  await start('false', { cloud: 'probe: true' })
  await pass(EVERY)

  expect(site.cloud.probes[0]?.headers.authorization).toBe('Bearer sk-cloud-secret-1234')
  expect(site.cloud.probes[0]?.path).toBe('/health')
})

it('replicas are not all asked at the same instant', async () => {
  await start()
  const from = site.test.clock.now()
  await pass(EVERY)

  const halves = [0, 1].map(index => Math.floor(((replica(index as 0 | 1).probed?.at ?? 0) - from) / (EVERY / 2)))
  expect(halves).toEqual([0, 1])
})

describe.each<[string, Behaviour, object]>([
  ['200', json({}), { ok: true, status: 200 }],
  ['204', status(204), { ok: true, status: 204 }],
  ['299', status(299), { ok: true, status: 299 }],
  ['301', status(301, '', { location: '/elsewhere' }), { ok: false, status: 301, error: 'status 301' }],
  ['401', status(401), { ok: false, status: 401, error: 'status 401' }],
  ['503', status(503), { ok: false, status: 503, error: 'status 503' }],
  ['reset', reset, { ok: false, error: 'ECONNRESET' }],
])('%s', (_, behaviour, found) => {
  it(`is ${'error' in found ? 'a failure' : 'a success'}`, async () => {
    await start()
    probed(0, behaviour)
    await pass(EVERY)

    expect(replica(0).probed).toMatchObject(found)
    expect(replica(0).probed?.ok).toBe(!('error' in found))
  })
})

it('that a connection which was kept open has ended is no failure: another one is asked over', async () => {
  await start()
  probed(0, staleIfReused(json({})))
  await pass(EVERY)
  await pass(EVERY)

  expect(replica(0).probed).toMatchObject({ ok: true, status: 200 })
  // The third is the second one again.
  expect(probes()).toEqual([3, 2])
})

it('a replica that refuses connections fails', async () => {
  await start()
  await site.onprem[0].refuse()
  await pass(EVERY)

  expect(replica(0).probed).toMatchObject({ ok: false, error: 'ECONNREFUSED' })
})

it('one that says nothing for five seconds fails', async () => {
  await start()
  probed(0, hang)
  while (replica(0).probed === undefined && probes()[0] === 0) await pass(1)
  site.test.clock.advance(4999)
  expect(replica(0).probed).toBeUndefined()
  site.test.clock.advance(1)

  expect(replica(0).probed).toMatchObject({ ok: false, error: 'timeout', ms: 5000 })
})

describe('two failures in a row', () => {
  it('leave a replica out, where one does not', async () => {
    await start()
    probed(0, status(503))
    await pass(EVERY)
    expect(state(0)).toBe('closed')
    await pass(EVERY)

    expect([state(0), state(1)]).toEqual(['open', 'closed'])
    for (let i = 0; i < 10; i++) expect(await upstream()).toBe('onprem')
    expect(site.onprem[0].requests).toEqual([])
  })

  it('are not two with a success between them', async () => {
    await start()
    for (const behaviour of [status(503), fine, status(503), fine, status(503)]) {
      probed(0, behaviour)
      await pass(EVERY)
    }

    expect(state(0)).toBe('closed')
  })

  it('leave it out for the time that its pool declares', async () => {
    await start('true', { onprem: 'eject: { for: 7s }' })
    probed(0, status(503))
    while (state(0) === 'closed') await pass(250)

    expect(site.breaker('onprem', 0).wait(site.test.clock.now())).toBe(7000)
  })

  it('are told once, and so is that it is back', async () => {
    await start()
    probed(0, status(503))
    for (let n = 0; n < 6; n++) await pass(EVERY)
    const { url } = site.onprem[0]
    const out = `a replica is ejected ${JSON.stringify({ pool: 'onprem', replica: url, failures: 0, probe: 'status 503' })}`
    expect(site.test.alarms).toEqual([out])

    probed(0, json({}))
    for (let n = 0; n < 12; n++) await pass(EVERY)
    while (state(0) !== 'closed') await upstream()
    expect(site.test.alarms).toEqual([out, `a replica is back ${JSON.stringify({ pool: 'onprem', replica: url })}`])
  })
})

describe('a replica that was left out', () => {
  const leaveOut = async () => {
    await start()
    probed(0, status(503))
    while (state(0) === 'closed') await pass(250)
  }

  it('stays out while its probes fail, and gets no request of a client', async () => {
    await leaveOut()
    for (let n = 0; n < 30; n++) {
      await pass(EVERY)
      await upstream()
    }

    expect(state(0)).not.toBe('closed')
    expect(site.onprem[0].requests).toEqual([])
    expect(site.onprem[1].requests).toHaveLength(30)
  })

  it('is asked as soon as its time is over, and back once a request was served', async () => {
    await leaveOut()
    probed(0, json({}))
    const [asked] = probes()
    await pass(4999)
    expect(state(0)).toBe('open')
    expect(probes()[0]).toBe(asked)
    await pass(1)
    expect([state(0), site.onprem[0].requests.length]).toEqual(['half-open', 0])

    while (site.onprem[0].requests.length === 0) await upstream()
    expect(state(0)).toBe('closed')
  })

  it('and answers its probes alone is tried by one request at a time, and stays out', async () => {
    await leaveOut()
    site.onprem[0].always(status(503))
    probed(0, json({}))
    let tried = 0
    for (let n = 0; n < 6; n++) {
      await pass(60_000)
      for (let i = 0; i < 10; i++) expect(await upstream()).toBe('onprem')
      expect(site.onprem[0].requests.length).toBe(++tried)
      expect(state(0)).toBe('open')
    }
  })

  it('is tried by no client meanwhile: the probe is', async () => {
    await leaveOut()
    probed(0, hang)
    await pass(5000)
    expect([probes()[0], state(0)]).toEqual([3, 'half-open'])

    for (let i = 0; i < 10; i++) await upstream()

    expect(site.onprem[0].requests).toEqual([])
  })

  it('because of requests, is tried again after a probe likewise', async () => {
    await start()
    // The other one serves, and is asked at other times.
    site.onprem[0].always(status(529))
    while (state(0) === 'closed') await upstream()
    const failed = site.onprem[0].requests.length
    const [asked = 0] = probes()

    await pass(5000)

    expect(probes()[0]).toBeGreaterThan(asked)
    expect(site.onprem[0].requests).toHaveLength(failed)
    site.onprem[0].always(fine)
    while (state(0) !== 'closed') await upstream()
    expect(site.onprem[0].requests).toHaveLength(failed + 1)
    expect(site.test.alarms.map(alarm => alarm.replace(/ \{.*/, ''))).toEqual([
      'a replica is ejected',
      'a replica is back',
    ])
  })

  it('is back before its time when it serves the one request that everything open leaves', async () => {
    await start()
    for (const index of [0, 1] as const) probed(index, status(503))
    await pass(EVERY)
    await pass(EVERY)
    site.breaker('cloud').open(site.test.clock.now(), 5000)
    expect([state(0), state(1)]).toEqual(['open', 'open'])

    expect((await site.chat()).status).toBe(200)
    expect([state(0), state(1)].sort()).toEqual(['closed', 'open'])
  })
})

it('a success leaves the failures of real requests as they are', async () => {
  await start()
  site.onprem[0].always(status(529))
  while (site.breaker('onprem', 0).failures < 4) await upstream()

  await pass(EVERY)
  expect(replica(0).probed?.ok).toBe(true)
  expect([site.breaker('onprem', 0).failures, state(0)]).toEqual([4, 'closed'])

  const before = site.onprem[0].requests.length
  while (site.onprem[0].requests.length === before) await upstream()
  expect(state(0)).toBe('open')
})

it('a probe takes no place, counts as no request, and costs nothing', async () => {
  await start('true', { onprem: 'max_concurrent: 1, max_usd_per_hour: 1' })
  for (const index of [0, 1] as const) probed(index, hang)
  // Neither is overdue yet: the first of them was sent in the first half of the period, and the clock stands at each.
  while (!probes().every(count => count === 1)) await pass(250)

  const { app } = site.test.gateway
  const pool = app.pools.of('onprem')
  expect([pool.slots.taken, pool.slots.waiting, replica(0).inFlight, pool.retrying]).toEqual([0, 0, 0, 0])
  expect(pool.sent(app.clock.now())).toEqual({ all: 0, marked: 0 })
  expect(await upstream()).toBe('onprem')
  await site.test.logged(1)
  expect(await site.rows()).toEqual(['settle onprem'])
})

describe('a reload', () => {
  it('begins with replicas that are to be probed now, and lets go of others', async () => {
    await start('false')
    site.test.clock.advance(60_000)
    // The first of two is asked in the first half of a period, by chance at its very beginning, and then a period later.
    const once = 0.6 * EVERY
    await site.test.reload({ fields: { onprem: 'probe: { path: /a }, connect_timeout: 60s' } })
    await pass(once)
    await site.test.reload({ fields: { onprem: 'probe: { path: /b }, connect_timeout: 60s' } })
    await pass(once)
    expect(site.onprem[0].probes.map(({ path }) => path)).toEqual(['/a', '/b'])

    probed(0, status(503))
    await pass(EVERY)
    await pass(EVERY)
    await site.test.reload({ fields: { onprem: '' } })
    const before = probes()
    await pass(60_000)

    expect(probes()).toEqual(before)
    // From now on a request tries it, as where there never was a probe.
    expect(replica(0).breaker.admits(site.test.clock.now())).toBe(true)
  })

  it('that changes nothing of them leaves them in their time', async () => {
    await start()
    await pass(EVERY)
    const { at = 0 } = replica(0).probed ?? {}
    await pass(1000)
    await site.test.reload({}, yaml => `${yaml}# changed\n`)
    await pass(EVERY - 1000)

    expect(replica(0).probed?.at).toBe(at + EVERY)
  })
})

it('a gateway that has left asks nobody, and tells of no failure', async () => {
  await start()
  for (const index of [0, 1] as const) probed(index, hang)
  // Neither is overdue yet: the first of them was sent in the first half of the period, and the clock stands at each.
  while (!probes().every(count => count === 1)) await pass(250)

  await site.test.gateway.close(0)
  site.test.clock.advance(60_000)

  expect(probes()).toEqual([1, 1])
  expect(site.test.alarms).toEqual([])
})
