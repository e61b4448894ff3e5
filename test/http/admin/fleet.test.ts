import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { SseSplitter } from '../../../src/wire/sse.ts'
import { inNpmTest } from '../../lanes/lane.ts'
import { answer, type Backend, startBackend } from '../../support/backend.ts'
import { eventually } from '../../support/eventually.ts'
import { ADMIN_TOKEN, startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { describeRedis, useRedis } from '../../support/redis/redis.ts'

let backend: Backend
let gateways: TestGateway[]

beforeEach(async () => {
  backend = await startBackend()
  backend.always(answer({ content: 'Hi' }))
  gateways = []
})

afterEach(async () => {
  for (const gateway of gateways) await gateway.close()
  await backend.close()
})

async function start(name: string, more: object = {}): Promise<TestGateway> {
  const gateway = await startTestGateway({ onprem: [backend], name, ...more })
  gateways.push(gateway)
  return gateway
}

async function asked({ admin }: Pick<TestGateway, 'admin'>, path: string, body?: object, signal?: AbortSignal) {
  const response = await fetch(`${admin}${path}`, {
    ...(signal && { signal }),
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  })
  expect(response.status).toBe(200)
  return response
}
const read = async (gateway: Pick<TestGateway, 'admin'>, path: string) =>
  (await (await asked(gateway, path)).json()) as Record<string, unknown>

inNpmTest.describe('on an embedded store', () => {
  it('the fleet is the gateway that was asked', async () => {
    const one = await start('one:1')

    expect(await read(one, '/admin/fleet')).toEqual({
      object: 'list',
      store: 'embedded',
      data: [
        {
          gateway: 'one:1',
          version: expect.stringMatching(/^\d/),
          revision: one.gateway.app.config.revision,
          admin: one.admin,
          since: new Date(one.clock.now()).toISOString(),
          in_flight: 0,
          asked: true,
        },
      ],
      drift: [],
    })
    expect((await read(one, '/readyz')).fleet).toEqual({ gateways: 1, drift: [] })
  })

  it('a drained pool and a drained replica are so after a restart', async () => {
    const one = await start('one:1', { cloud: [{ url: 'http://127.0.0.1:9/v1' }] })
    await asked(one, '/admin/pools/drain', { pool: 'onprem' })
    await asked(one, '/admin/pools/drain', { pool: 'cloud', replica: 1 })

    const again = await one.restart()
    gateways = [again]
    expect((await read(again, '/admin/pools')).data).toMatchObject([
      { pool: 'onprem', drained: true, replicas: [{ state: 'drained' }] },
      { pool: 'cloud', drained: false, replicas: [{ state: 'drained' }] },
    ])
    await asked(again, '/admin/pools/undrain', { pool: 'onprem' })
    const last = await again.restart()
    gateways = [last]
    expect((await read(last, '/admin/pools')).data).toMatchObject([
      { pool: 'onprem', drained: false },
      { pool: 'cloud', drained: false, replicas: [{ state: 'drained' }] },
    ])
  })
})

describeRedis('on one Redis', () => {
  const redis = useRedis()
  const join = (name: string, more: object = {}) => start(name, { redis: redis(), ...more })
  const namesOf = (fleet: Record<string, unknown>) =>
    (fleet.data as readonly { readonly gateway: string }[]).map(({ gateway }) => gateway)

  it('each gateway lists all, until one leaves', async () => {
    const [one, two] = [await join('one:1'), await join('two:2')]

    expect(namesOf(await read(one, '/admin/fleet'))).toEqual(['one:1', 'two:2'])
    expect((await read(two, '/admin/fleet')).data).toMatchObject([
      { gateway: 'one:1', admin: one.admin, asked: false },
      { gateway: 'two:2', admin: two.admin, asked: true },
    ])
    await two.close()
    gateways = [one]
    expect(namesOf(await read(one, '/admin/fleet'))).toEqual(['one:1'])
  })

  it('other gateways reach a gateway at its server.fleet_url', async () => {
    const one = await join('one:1')
    one.write({}, yaml => yaml.replace('server:', 'server:\n  fleet_url: http://10.0.0.5:9090/'))
    await one.gateway.reload('operator')

    expect((await read(one, '/admin/fleet')).data).toMatchObject([{ admin: 'http://10.0.0.5:9090' }])
  })

  it('a revision that differs is drift in the list, the detail of /readyz and a metric, and ends with it', async () => {
    const same = (gateway: TestGateway) => gateway.gateway.app.config.revision
    const [one, two] = [await join('one:1'), await join('two:2')]
    // Each machine has its own address and directory.
    expect(same(one)).not.toBe(same(two))
    expect((await read(one, '/admin/fleet')).drift).toEqual([])
    two.write({}, yaml => yaml.replace('server:', 'server:\n  drain_delay: 7s'))
    await two.gateway.reload('operator')
    one.clock.advance(1000)
    await eventually(async () => expect((await read(one, '/admin/fleet')).drift).not.toEqual([]))

    expect((await read(one, '/admin/fleet')).drift).toEqual([
      {
        of: 'revision',
        sections: ['server'],
        values: [
          { value: same(one), gateways: ['one:1'] },
          { value: same(two), gateways: ['two:2'] },
        ],
      },
    ])
    expect((await read(one, '/readyz')).fleet).toEqual({ gateways: 2, drift: ['revision'] })
    const metrics = async () => (await asked(one, '/metrics')).text()
    expect(await metrics()).toContain('svc_fleet_gateways 2\n')
    expect(await metrics()).toContain('svc_fleet_drift{of="revision"} 1\n')
    expect(await metrics()).toContain('svc_fleet_drift{of="version"} 0\n')

    await two.close()
    gateways = [one]
    one.clock.advance(1000)
    await eventually(async () => {
      expect((await read(one, '/readyz')).fleet).toEqual({ gateways: 1, drift: [] })
    })
    expect(await metrics()).toContain('svc_fleet_drift{of="revision"} 0\n')
  })

  it('a pool drained at one gateway gets no new requests from any, including one that starts later', async () => {
    const [one, two] = [await join('one:1'), await join('two:2')]
    await asked(one, '/admin/pools/drain', { pool: 'onprem' })
    two.clock.advance(1000)
    await eventually(async () => {
      expect((await read(two, '/admin/pools')).data).toMatchObject([{ pool: 'onprem', drained: true }])
    })
    const three = await join('three:3')
    const key = await one.key('pro')
    for (const gateway of [one, two, three]) expect((await gateway.chat(key)).status).toBe(503)

    await asked(three, '/admin/pools/undrain', { pool: 'onprem' })
    for (const gateway of [one, two]) gateway.clock.advance(1000)
    for (const gateway of [one, two, three])
      await eventually(async () => expect((await gateway.chat(key)).status).toBe(200))
  })

  it('past requests that another gateway refused are listed, and a gateway that cannot be asked is named', async () => {
    const [one, two] = [await join('one:1'), await join('two:2')]
    const key = await one.key('free', 'eve')
    const refused = await two.chat(key, { model: 'svc-ultra-pro' })
    expect(refused.status).toBe(429)
    await two.logged(1)
    const since = new Date(Date.now() - 3_600_000).toISOString()
    const path = `/admin/requests?since=${since}&errors=true&account=eve`

    const listed = await read(one, path)
    expect(listed).toMatchObject({ data: [{ status: 429, label: 'eve', from: 'memory' }], next: null })
    expect(listed.unreached).toBeUndefined()
    expect((await read(one, `${path}&remembered=true`)).data).toEqual([])

    vi.spyOn(two.gateway.store.fleet, 'leave').mockResolvedValue()
    await two.close()
    gateways = [one]
    expect((await read(one, path)).unreached).toEqual([
      { gateway: 'two:2', problem: expect.stringMatching(/^it does not answer at http/) },
    ])
  })

  it('pools of the fleet are added up, and a gateway that cannot be asked is named', async () => {
    const [one, two] = [await join('one:1'), await join('two:2')]
    await forgetDead()
    const pool = two.gateway.app.pools.of('onprem')
    const [replica] = pool.replicas(declaredIn(two))
    if (!replica) throw new Error('the pool has no replica')
    vi.spyOn(replica.breaker, 'state').mockReturnValue('open')

    const all = await read(one, '/admin/pools?gateway=all')
    expect(all).toMatchObject({
      gateways: ['one:1', 'two:2'],
      unreached: [],
      data: [{ pool: 'onprem', replicas: [{ state: 'open', seen_by: ['two:2'] }] }],
    })
    expect((await read(two, '/admin/pools?gateway=one:1')).data).toMatchObject([{ replicas: [{ state: 'closed' }] }])
    expect((await read(one, '/admin/pools?gateway=two:2')).gateways).toEqual(['two:2'])
    const { status, body } = await refused(one, '/admin/pools?gateway=three:3')
    expect({ status, said: body.error }).toEqual({
      status: 400,
      said: expect.stringContaining('there is no gateway `three:3` on this store; there are one:1, two:2, or all'),
    })

    await kill(two)
    const rest = await read(one, '/admin/pools?gateway=all')
    expect(rest.gateways).toEqual(['one:1'])
    expect(rest.unreached).toEqual([
      { gateway: 'two:2', problem: expect.stringMatching(/^it does not answer at http/) },
    ])
  })

  it('a request is shown by any gateway, with what the one that had it remembers', async () => {
    const [one, two] = [await join('one:1'), await join('two:2')]
    await forgetDead()
    const key = await one.key('free', 'eva')
    const denied = await two.chat(key, { model: 'svc-ultra-pro' })
    const id = String(denied.headers.get('x-request-id'))
    await two.logged(1)

    expect((await refused(one, `/admin/requests/${id}`)).status).toBe(404)
    expect(await read(one, `/admin/requests/${id}?gateway=all`)).toMatchObject({
      request: { request_id: id, status: 429 },
      unreached: [],
    })
    await kill(two)
    const { status, body } = await refused(one, `/admin/requests/${id}?gateway=all`)
    expect({ status, said: body.error }).toEqual({
      status: 404,
      said: expect.stringContaining('two:2 could not be asked: it does not answer at http'),
    })
  })

  it('a follower of the fleet sees requests of each gateway, with its name, also of one that comes later and one that goes', async () => {
    const [one, two] = [await join('one:1'), await join('two:2')]
    await forgetDead()
    const key = await one.key('pro', 'zoe')
    const events: Record<string, unknown>[] = []
    const leave = new AbortController()
    const response = await asked(one, '/admin/events?gateway=all', undefined, leave.signal)
    const splitter = new SseSplitter()
    const reading = (async () => {
      for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>)
        for (const data of splitter.push(Buffer.from(bytes))) events.push(JSON.parse(data))
    })().catch(() => {})
    const from = () => events.filter(({ event }) => event === 'request').map(({ gateway }) => gateway)
    const served = async (gateway: TestGateway) => {
      const before = from().length
      await (await gateway.chat(key)).text()
      await eventually(() => {
        for (const each of gateways) each.clock.advance(100)
        expect(from().length).toBe(before + 1)
      })
    }
    await eventually(() => expect(two.gateway.app.feed.readers).toBe(1))
    await served(one)
    await served(two)
    const three = await join('three:3')
    await one.gateway.app.fleet.announce()
    one.clock.advance(1000)
    await eventually(() => expect(three.gateway.app.feed.readers).toBe(1))
    await served(three)
    expect(from()).toEqual(['one:1', 'two:2', 'three:3'])

    await kill(two)
    await eventually(() =>
      expect(events).toContainEqual({
        event: 'gateway',
        gateway: 'two:2',
        followed: false,
        problem: expect.any(String),
      }),
    )
    leave.abort()
    await reading
  })

  const declaredIn = ({ gateway }: TestGateway) => {
    const pool = gateway.app.config.pools.get('onprem')
    if (!pool) throw new Error('there is no pool')
    return pool
  }
  /** Those that died in tests before count for some seconds. */
  async function forgetDead(): Promise<void> {
    const own = gateways.map(({ gateway }) => gateway.app.fleet.self.id)
    for (const { gateway } of gateways.slice(0, 1))
      for (const { id } of (await gateway.store.fleet.read()).members)
        if (!own.includes(id)) await gateway.store.fleet.leave(id)
  }
  /** It ends, and its lease is not over. */
  async function kill(gateway: TestGateway): Promise<void> {
    vi.spyOn(gateway.gateway.store.fleet, 'leave').mockResolvedValue()
    await gateway.close()
    gateways = gateways.filter(each => each !== gateway)
  }
  async function refused({ admin }: TestGateway, path: string) {
    const response = await fetch(`${admin}${path}`, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
})
