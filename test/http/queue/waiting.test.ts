import { afterEach, expect, it } from 'vitest'
import { ADMIN_TOKEN } from '../../support/gateway.ts'
import { Queued, say, until } from './fixture.ts'

let site: Queued
afterEach(() => site.close())

/** Reads what a stream has said so far. */
class Listener {
  text = ''
  isOver = false
  constructor(response: Response) {
    void this.#read(response)
  }
  async #read(response: Response): Promise<void> {
    const decoder = new TextDecoder()
    for await (const bytes of response.body ?? []) this.text += decoder.decode(bytes, { stream: true })
    this.isOver = true
  }
}

async function startFull(onprem: string): Promise<{ readonly first: Promise<Response> }> {
  site = await Queued.start(onprem)
  const first = site.ask('first')
  await until(() => site.gate.open === 1)
  return { first }
}

it('with comments, a stream that waits says so each 5 s, and goes on with its answer', async () => {
  const { first } = await startFull('max_concurrent: 1, queue: { comments: true, timeout: 1h }')
  const asked = site.ask('second', { stream: true })
  await site.waits(1)
  site.test.clock.advance(5000)
  const response = await asked
  const heard = new Listener(response)
  await until(() => heard.text.includes('waiting'))
  site.test.clock.advance(5000)
  await until(() => heard.text.split(': waiting, 1 in the queue\n\n').length === 3)

  site.gate.letOne()
  await first
  await until(() => site.gate.open === 1)
  site.gate.letOne()
  await until(() => heard.isOver)

  expect(response.status).toBe(200)
  expect(heard.text).toContain('Fi')
  expect(heard.text.trimEnd()).toMatch(/data: \[DONE\]$/)
})

it('with comments, a stream whose wait was too long ends with an error event, since its status is sent', async () => {
  const { first } = await startFull('max_concurrent: 1, queue: { comments: true, timeout: 20s }')
  const asked = site.ask('second', { stream: true })
  await site.waits(1)
  site.test.clock.advance(5000)
  const response = await asked
  const heard = new Listener(response)
  site.test.clock.advance(15_000)
  await until(() => heard.isOver)

  expect(response.status).toBe(200)
  expect(heard.text).toContain('UPSTREAMS_EXHAUSTED')
  expect(site.load).toEqual([1, 0])
  site.gate.letOne()
  await first
})

it.each([
  ['headers_timeout', {}, 'headers_timeout: 2s'],
  ['stream_timeout', { stream: true }, 'stream_timeout: 5s'],
  ['first_content_timeout', { stream: true }, 'first_content_timeout: 3s'],
  ['answer_timeout', {}, 'answer_timeout: 5s'],
])('%s begins once a request has its slot', async (_name, form, timeout) => {
  const { first } = await startFull(`max_concurrent: 1, queue: { timeout: 1h }`)
  await site.test.reload({ fields: { onprem: `max_concurrent: 1, queue: { timeout: 1h }, ${timeout}` } })
  const second = site.ask('second', form)
  await site.waits(1)
  site.test.clock.advance(60_000)

  site.gate.letOne()
  await (await first).text()
  await until(() => site.gate.open === 1)
  site.test.clock.advance(1000)
  site.gate.letOne()

  const answer = await second
  expect([answer.status, answer.headers.get('x-svc-queue-wait')]).toEqual([200, '60000'])
  expect(await answer.text()).toMatch(/Fi/)
})

it('metrics and operators see who waits, by priority, and how each wait ended', async () => {
  const { first } = await startFull('max_concurrent: 1, queue: { max: 2, of_account: 1, timeout: 20s }')
  const guest = await site.test.key('free', 'visitor')
  const gone = new AbortController()
  const second = site.ask('second')
  const third = site.ask('third', { key: guest, signal: gone.signal }).catch(() => {})
  await site.waits(2)
  expect((await site.ask('more')).status).toBe(503)
  expect(await metricsOf()).toContain('svc_pool_queue{pool="onprem",priority="1"} 2')
  const [pool] = ((await admin('/admin/pools')) as { data: readonly object[] }).data
  expect(pool).toMatchObject({ waiting: 2, queue: { max: 2, by_priority: [{ priority: 1, waiting: 2 }] } })
  gone.abort()
  await third
  await site.waits(1)
  site.test.clock.advance(2000)
  site.gate.letOne()
  await first
  await until(() => site.gate.open === 1)
  const late = site.ask('late')
  await site.waits(1)
  site.test.clock.advance(20_000)
  expect((await late).status).toBe(503)
  site.gate.letOne()
  await (await second).text()

  const metrics = await metricsOf()
  for (const why of ['served', 'gone', 'full', 'timeout'])
    expect(metrics).toContain(`svc_pool_queue_left_total{pool="onprem",why="${why}"} 1`)
  expect(metrics).toContain('svc_pool_queue_wait_seconds_sum{pool="onprem"} 2')
})

it('an account that asks with large bodies without end costs only itself: what it holds is bounded, and others are served in turn', async () => {
  site = await Queued.start('max_concurrent: 1, queue: { max: 100, of_account: 50, bytes: 4MB, timeout: 1h }', {
    yaml: 'limits: { body_memory: 64MB }',
  })
  const first = site.ask('first')
  await until(() => site.gate.open === 1)
  const other = await site.test.key('pro', 'eve')
  const body = JSON.stringify(say(`hostile ${'z'.repeat(90_000)}`))
  const flood = Array.from({ length: 80 }, () =>
    fetch(`${site.test.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${site.key}`, 'content-type': 'application/json' },
      body,
    }),
  )
  let refused = 0
  for (const each of flood) void each.then(({ status }) => status === 503 && refused++)
  const most = Math.floor(4_000_000 / body.length)
  await until(() => refused === 80 - most)
  expect(site.slots.waiting).toBe(most)

  const small = site.ask('small', { key: other })
  await site.waits(most + 1)
  site.gate.letOne()
  await first
  await until(() => site.gate.open === 1)
  expect(site.gate.asked.at(-1)).toBe('small')
  let over = 0
  for (const each of [...flood, small]) void each.finally(() => over++)
  await site.gate.letAllUntil(() => over === 81)
  expect((await small).status).toBe(200)
  await until(() => site.slots.taken === 0)
  expect(site.load).toEqual([0, 0])
})

async function admin(path: string): Promise<unknown> {
  const response = await fetch(site.test.admin + path, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } })
  return response.json()
}

async function metricsOf(): Promise<string> {
  const response = await fetch(`${site.test.admin}/metrics`, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } })
  return response.text()
}
