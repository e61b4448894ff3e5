import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { type Behaviour, hang, reset, status } from '../../support/backend.ts'
import { ADMIN_TOKEN } from '../../support/gateway.ts'
import { Failover, fine } from './fixture.ts'

let site: Failover
afterEach(() => site.close())

const start = async (fields: string, more: { readonly cloud?: string; readonly yaml?: string } = {}) => {
  const { cloud, yaml } = more
  site = await Failover.start({
    fields: { onprem: `connect_timeout: 60s, ${fields}`, ...(cloud !== undefined && { cloud }) },
    ...(yaml !== undefined && { yaml }),
  })
  site.everyOnprem(fine)
  site.cloud.always(fine)
}

const replica = (index: 0 | 1) => site.test.gateway.app.pools.of('onprem').replica(site.onprem[index].url)

/** Time goes by slowly enough for what it sends over loopback to be answered. */
async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 250) {
    site.test.clock.advance(Math.min(left, 250))
    for (let turn = 0; turn < 30; turn++) await new Promise(setImmediate)
  }
}

async function until(met: () => boolean): Promise<void> {
  while (!met()) await pass(250)
}

/** The metrics of an engine at which so many requests wait. */
const waits =
  (waiting: number | string, more = ''): Behaviour =>
  ({ response }) =>
    void response
      .writeHead(200, { 'content-type': 'text/plain; version=0.0.4' })
      .end(`vllm:num_requests_running{engine="0"} 3\nvllm:num_requests_waiting{engine="0"} ${waiting}\n${more}`)

const reported = (...behaviours: readonly Behaviour[]) => {
  for (const [index, backend] of site.onprem.entries()) backend.probed(behaviours[index] ?? behaviours[0] ?? waits(0))
}

const upstream = async () => (await site.chat()).headers.get('x-svc-upstream')
/** Alarms without their details. */
const alarms = () => site.test.alarms.map(alarm => alarm.replace(/ \{.*$/, ''))
const asked = async (path: string) =>
  (await fetch(`${site.test.admin}${path}`, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } })).text()

const VLLM = 'load: { from: vllm }'

describe('load', () => {
  it('every replica is read once in a period, with the key of its pool, and no other pool is', async () => {
    await start('', { cloud: 'load: { from: vllm, url: "/up/metrics?x=1", every: 500ms }' })
    site.cloud.probed(waits(2))
    await until(() => site.cloud.probes.length >= 4)

    expect(site.cloud.probes[0]).toMatchObject({ method: 'GET', path: '/up/metrics?x=1', rawBody: '' })
    expect(site.cloud.probes[0]?.headers.authorization).toBe('Bearer sk-cloud-secret-1234')
    expect(site.onprem.map(({ probes }) => probes.length)).toEqual([0, 0])
  })

  it('a replica with a port of its own for metrics is read there', async () => {
    await start('', { cloud: '' })
    const [{ port }] = site.onprem
    const load = `load: { from: vllm, url: ":${port}/metrics" }`
    await site.test.reload({}, yaml => yaml.replace('model: cloud-model', `model: cloud-model, ${load}`))
    site.onprem[0].probed(waits(2))
    await until(() => site.onprem[0].probes.length > 0)
    expect(site.cloud.probes).toEqual([])
  })

  it('what the engine reports is what operators see', async () => {
    await start(VLLM)
    const text = readFileSync(new URL('../../support/engine-metrics/vllm-0.11.txt', import.meta.url))
    reported(({ response }) => void response.end(text))
    await until(() => replica(0).report !== undefined && replica(1).report !== undefined)

    const { data } = JSON.parse(await asked('/admin/pools'))
    const load = { running: 11, waiting: 12, kv_usage: 0.5, stale: false, at: expect.any(String) }
    expect(data).toMatchObject([{ pool: 'onprem', replicas: [{ load }, { load }] }, { pool: 'cloud' }])
    expect(data[1].replicas[0]).not.toHaveProperty('load')
    const metrics = await asked('/metrics')
    for (const [name, value] of [
      ['running', 11],
      ['waiting', 12],
      ['kv_usage', 0.5],
    ])
      expect(metrics).toContain(`svc_replica_${name}{pool="onprem",replica="${site.onprem[0].url}"} ${value}`)
    expect(metrics).toMatch(/svc_replica_load_age_seconds\{pool="onprem",replica="[^"]+"\} [0-2](\.\d+)?\n/)
  })

  it('an engine that started anew is noticed once, and the start is known from then on', async () => {
    await start(VLLM)
    reported(waits(0, 'process_start_time_seconds 1.7e9\n'))
    await until(() => replica(0).report !== undefined)
    expect(replica(0).restarts).toBe(0)
    site.onprem[0].probed(waits(0, 'process_start_time_seconds 1.7000001e9\n'))
    await until(() => replica(0).restarts > 0)
    await pass(5000)
    expect([replica(0).restarts, replica(1).restarts]).toEqual([1, 0])
    expect(alarms()).toEqual(['an engine restarted: its caches are empty'])
  })
})

const HOSTILE: readonly (readonly [string, Behaviour])[] = [
  ['hang', hang],
  ['break off', reset],
  ['answer 500', status(500)],
  ['are not there', status(404)],
  ['redirect', status(302, '', { location: '/elsewhere' })],
  ['are NaN', waits('NaN')],
  ['are negative', waits(-1)],
  ['have other names', ({ response }) => void response.end('sglang:num_running_reqs 1\n')],
  ['are a web page', ({ response }) => void response.end('<html>\n'.repeat(1000))],
  ['are 10 MB', ({ response }) => void response.end(Buffer.alloc(10_000_000, 'vllm:other 1\n'))],
  ['are one line of 10 MB', ({ response }) => void response.end(Buffer.alloc(10_000_000, 'x'))],
  [
    'are said to be gzip, and are not',
    ({ response }) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end('vllm:num_requests_running 1\n'),
  ],
  ['are 1 GB behind gzip', ({ response }) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(BOMB)],
]
const BOMB = Buffer.concat(Array<Buffer>(16).fill(gzipSync(Buffer.alloc(64_000_000, 'a'))))

describe.each(HOSTILE)('metrics that %s', (_, behaviour) => {
  it('cost the picture alone: no replica is ejected, and operators are told after 30 s', async () => {
    await start(`${VLLM}, spill: { waiting_over: 8 }`)
    reported(waits(30))
    await until(() => replica(0).report !== undefined && replica(1).report !== undefined)
    expect(await upstream()).toBe('cloud')

    reported(behaviour)
    // Whatever comes now, what was reported before is soon too old.
    await pass(6000)
    expect(await upstream()).toBe('onprem')
    expect(alarms()).toEqual([])
    const metrics = await asked('/metrics')
    expect(metrics).not.toContain('svc_replica_waiting{')
    expect(metrics).toContain('svc_replica_load_age_seconds{')

    await until(() => alarms().length >= 2)
    expect(alarms()).toEqual(Array(2).fill('the load of a replica cannot be read; the gateway goes by its own counts'))
    expect([replica(0), replica(1)].map(({ breaker }) => breaker.state(site.test.clock.now()))).toEqual([
      'closed',
      'closed',
    ])
    expect(await upstream()).toBe('onprem')

    reported(waits(0))
    await until(() => alarms().length >= 4)
    expect(alarms().slice(2)).toEqual(Array(2).fill('the load of a replica is read again'))
  })
})

describe('spill', () => {
  it('a replica at which too many requests wait is passed over while it reports that', async () => {
    await start(`${VLLM}, spill: { waiting_over: 8 }`)
    reported(waits(9), waits(8))
    await until(() => replica(0).report !== undefined && replica(1).report !== undefined)
    for (let n = 0; n < 8; n++) expect(await upstream()).toBe('onprem')
    expect(site.onprem.map(({ requests }) => requests.length)).toEqual([0, 8])
  })

  it('a pool all of whose replicas are passed over is asked behind the others, and serves where they fail', async () => {
    await start(`${VLLM}, spill: { waiting_over: 8 }`)
    reported(waits(9))
    await until(() => replica(0).report !== undefined && replica(1).report !== undefined)
    expect(await upstream()).toBe('cloud')

    site.cloud.always(status(500))
    expect(await site.test.clock.during(upstream())).toBe('onprem')
    expect(await asked('/admin/pools')).toContain('9 requests wait at its least loaded replica, more than 8')
  })

  it('streams whose first token is late make a pool busy, until they are 30 s old', async () => {
    await start('spill: { first_token_over: 5s }')
    const { firstTokens } = replica(0)
    const now = site.test.clock.now()
    for (const index of [0, 1] as const) replica(index).firstTokens.add(now, { all: 20, late: 3 })
    expect(await upstream()).toBe('cloud')
    await pass(31_000)
    expect(firstTokens.count(site.test.clock.now()).all).toBe(0)
    expect(await upstream()).toBe('onprem')
  })

  it('the wait for a first token is measured from dispatch, and only of streams', async () => {
    await start('spill: { first_token_over: 5s }')
    await site.test.chat(site.key, { max_tokens: 5 })
    expect(counted()).toEqual({ all: 0, late: 0 })
    await (await site.chat(true)).text()
    expect(counted()).toEqual({ all: 1, late: 0 })

    site.everyOnprem(hang)
    const hanging = site.chat(true)
    await until(() => counted().late === 1)
    expect(counted()).toEqual({ all: 2, late: 1 })
    site.everyOnprem(fine)
    await site.test.clock.during(hanging, 1000)
  })
})

function counted() {
  const now = site.test.clock.now()
  const counts = [replica(0), replica(1)].map(({ firstTokens }) => firstTokens.count(now))
  return { all: counts.reduce((sum, { all }) => sum + all, 0), late: counts.reduce((sum, { late }) => sum + late, 0) }
}
