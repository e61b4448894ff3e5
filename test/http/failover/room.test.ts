import { afterEach, expect, it } from 'vitest'
import { answer, type Behaviour, stream, streamThenHang } from '../../support/backend.ts'
import { Failover, fine } from './fixture.ts'

let site: Failover
afterEach(() => site.close())

/** Answers that wait until they are let go. */
class Gate {
  #waiting: (() => void)[] = []
  readonly behaviour: Behaviour = async exchange => {
    await new Promise<void>(resolve => this.#waiting.push(resolve))
    await fine(exchange)
  }
  get waiting(): number {
    return this.#waiting.length
  }
  letOne(): void {
    this.#waiting.shift()?.()
  }
  letAll(): void {
    while (this.#waiting.length > 0) this.letOne()
  }
}

async function until(met: () => boolean): Promise<void> {
  while (!met()) await new Promise(setImmediate)
}

const upstream = async (asked: Promise<Response>) => {
  const response = await asked
  await response.text()
  return response.headers.get('x-svc-upstream') ?? (response.status as unknown)
}

const start = async (onprem: string, cloud = '') => {
  site = await Failover.start({ fields: { onprem, cloud } })
  site.cloud.always(fine)
}

it('a pool takes max_concurrent requests at once; one more waits, and is served when one of them ends', async () => {
  await start('max_concurrent: 2')
  const gate = new Gate()
  site.everyOnprem(gate.behaviour)
  const asked = [site.chat(), site.chat(), site.chat()].map(upstream)
  await until(() => gate.waiting === 2 && site.test.gateway.app.pools.of('onprem').slots.waiting === 1)
  expect(site.calls).toEqual([2, 0])

  gate.letOne()
  await until(() => site.calls[0] === 3)
  gate.letAll()

  expect(await Promise.all(asked)).toEqual(['onprem', 'onprem', 'onprem'])
  expect(site.test.gateway.app.pools.of('onprem').slots.taken).toBe(0)
})

it('one that waited for queue_timeout goes to the next pool, and counts against nobody', async () => {
  await start('max_concurrent: 1, queue_timeout: 300ms')
  const gate = new Gate()
  site.everyOnprem(gate.behaviour)
  const first = upstream(site.chat())
  await until(() => gate.waiting === 1)
  const second = upstream(site.chat())
  await site.test.clock.waits(300)
  expect(site.calls).toEqual([1, 0])

  site.test.clock.advance(300)

  expect(await second).toBe('cloud')
  gate.letAll()
  expect(await first).toBe('onprem')
  expect(site.failures).toEqual([0, 0])
  expect(await site.test.logged(2)).toContainEqual(
    expect.objectContaining({ failures: [{ pool: 'onprem', cause: 'max_concurrent' }] }),
  )
})

it('as many wait as may be under way; whoever comes later goes on at once', async () => {
  await start('max_concurrent: 1')
  const gate = new Gate()
  site.everyOnprem(gate.behaviour)
  const first = upstream(site.chat())
  await until(() => gate.waiting === 1)
  const second = upstream(site.chat())
  await until(() => site.test.gateway.app.pools.of('onprem').slots.waiting === 1)

  expect(await upstream(site.chat())).toBe('cloud')

  gate.letAll()
  expect(await first).toBe('onprem')
  await until(() => gate.waiting === 1)
  gate.letAll()
  expect(await second).toBe('onprem')
})

it('a client that leaves the queue frees its place in it, and nothing is sent for it', async () => {
  await start('max_concurrent: 1')
  const gate = new Gate()
  site.everyOnprem(gate.behaviour)
  const first = upstream(site.chat())
  await until(() => gate.waiting === 1)
  const leave = new AbortController()
  const second = site.test.chat(site.key, {}, { signal: leave.signal })
  const { slots } = site.test.gateway.app.pools.of('onprem')
  await until(() => slots.waiting === 1)

  leave.abort()
  await expect(second).rejects.toThrow()

  await until(() => slots.waiting === 0)
  gate.letAll()
  expect(await first).toBe('onprem')
  expect(site.calls).toEqual([1, 0])
  expect(slots.taken).toBe(0)
})

it('a stream has its place until it ends, not until it begins', async () => {
  await start('max_concurrent: 1')
  site.everyOnprem(streamThenHang({ chunks: ['x'] }))
  const leave = new AbortController()
  const first = await site.test.chat(site.key, { stream: true }, { signal: leave.signal })
  await first.body?.getReader().read()
  const second = upstream(site.chat())
  await site.test.clock.waits(500)

  site.test.clock.advance(500)

  expect(await second).toBe('cloud')
  leave.abort()
  // The backend has 5 s to report its usage.
  await site.test.clock.during(
    until(() => site.test.gateway.app.pools.of('onprem').slots.taken === 0),
    100,
  )
})

it('when every pool is full the client is told to come back', async () => {
  await start('max_concurrent: 1', 'max_concurrent: 1')
  const gate = new Gate()
  site.everyOnprem(gate.behaviour)
  site.cloud.always(gate.behaviour)
  const busy = [upstream(site.chat()), upstream(site.chat())]
  await until(() => gate.waiting === 1)
  site.test.clock.advance(500)
  await until(() => gate.waiting === 2)

  const response = await site.test.clock.during(site.chat())

  expect(response.status).toBe(503)
  expect(response.headers.get('retry-after')).toBe('1')
  expect(await response.json()).toMatchObject({ code: 'UPSTREAMS_EXHAUSTED', attempted: ['onprem', 'cloud'] })
  gate.letAll()
  await Promise.all(busy)
})

const usage = (completion_tokens: number) => ({ prompt_tokens: 0, completion_tokens, total_tokens: completion_tokens })

it('a pool costs no more than max_usd_per_hour in any hour; beyond it the next pool is asked', async () => {
  // A request holds about 4,000 tokens of output at 2 USD a million: eight thousandths of a dollar.
  await start('max_usd_per_hour: 0.02')
  site.everyOnprem(answer({ content: 'expensive', usage: usage(4000) }))

  const pools = []
  for (let i = 0; i < 4; i++) pools.push(await upstream(site.chat()))
  expect(pools).toEqual(['onprem', 'onprem', 'cloud', 'cloud'])

  site.test.clock.advance(61 * 60_000)
  expect(await upstream(site.chat())).toBe('onprem')
})

it('the unspent part of a reservation returns to the hour', async () => {
  await start('max_usd_per_hour: 0.01')
  site.everyOnprem(answer({ content: 'cheap', usage: usage(10) }))

  for (let i = 0; i < 20; i++) expect(await upstream(site.chat())).toBe('onprem')
})

it('a stream is put right when it ends', async () => {
  await start('max_usd_per_hour: 0.01')
  site.everyOnprem(stream({ chunks: ['cheap'], usage: usage(10) }))

  for (let i = 1; i <= 5; i++) {
    expect(await upstream(site.chat(true))).toBe('onprem')
    await site.test.logged(i)
  }
})

it('a replica takes max_concurrent_each requests at once; one more goes to another, and then waits for either', async () => {
  await start('max_concurrent_each: 1')
  const gate = new Gate()
  site.everyOnprem(gate.behaviour)
  const asked = [site.chat(), site.chat(), site.chat()].map(upstream)
  const state = site.test.gateway.app.pools.of('onprem')
  await until(() => gate.waiting === 2 && state.seekingReplica === 1)
  expect(site.onprem.map(({ requests }) => requests.length)).toEqual([1, 1])

  gate.letOne()
  await until(() => site.calls[0] === 3)
  gate.letAll()

  expect(await Promise.all(asked)).toEqual(['onprem', 'onprem', 'onprem'])
  expect(state.known.map(({ slots }) => [slots.taken, slots.waiting])).toEqual([
    [0, 0],
    [0, 0],
  ])
  expect([state.slots.taken, state.seekingReplica]).toEqual([0, 0])
})

it('one that waited for a replica for queue_timeout goes to the next pool', async () => {
  await start('max_concurrent_each: 1, queue_timeout: 300ms')
  const gate = new Gate()
  site.everyOnprem(gate.behaviour)
  const asked = [site.chat(), site.chat()].map(upstream)
  await until(() => gate.waiting === 2)
  const third = upstream(site.chat())
  await site.test.clock.waits(300, 2)

  site.test.clock.advance(300)

  expect(await third).toBe('cloud')
  gate.letAll()
  expect(await Promise.all(asked)).toEqual(['onprem', 'onprem'])
  expect(site.failures).toEqual([0, 0])
  expect(await site.test.logged(3)).toContainEqual(
    expect.objectContaining({ failures: [{ pool: 'onprem', cause: 'max_concurrent_each' }] }),
  )
})

it('replicas that are behind are asked where the others are full and no other pool answers', async () => {
  await start('max_concurrent_each: 1, queue_timeout: 300ms, load: { from: vllm }, spill: { waiting_over: 8 }')
  const gate = new Gate()
  site.everyOnprem(gate.behaviour)
  const { pools } = site.test.gateway.app
  pools.drain('cloud', undefined, true)
  const state = pools.of('onprem')
  const [behind, ready] = state.known
  const at = site.test.clock.now()
  behind?.reported({ at, running: 1, waiting: 9 })
  const first = upstream(site.chat())
  await until(() => gate.waiting === 1)
  expect([behind?.inFlight, ready?.inFlight]).toEqual([0, 1])

  const second = upstream(site.chat())
  await site.test.clock.waits(300)
  site.test.clock.advance(300)
  await until(() => gate.waiting === 2)
  expect([behind?.inFlight, ready?.inFlight]).toEqual([1, 1])
  gate.letAll()
  expect(await Promise.all([first, second])).toEqual(['onprem', 'onprem'])
})
