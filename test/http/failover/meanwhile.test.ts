import { afterEach, describe, expect, it } from 'vitest'
import { StoreUnavailable } from '../../../src/gateway/store/store.ts'
import {
  type Behaviour,
  chunk,
  errorFrame,
  hang,
  SSE_HEADERS,
  status,
  statusThenHang,
  streamThenHang,
  write,
} from '../../support/backend.ts'
import { Failover, fine } from './fixture.ts'

let site: Failover
afterEach(() => site.close())

const start = async (fields: { onprem?: string; cloud?: string; core?: string } = {}) => {
  site = await Failover.start({ fields })
  site.cloud.always(fine)
}

async function until(met: () => boolean): Promise<void> {
  while (!met()) await new Promise(setImmediate)
}

/** Requests that wait until they are let go. */
class Gate {
  readonly waiting: (() => void)[] = []
  readonly behaviour: Behaviour

  constructor(then: Behaviour) {
    this.behaviour = async exchange => {
      await new Promise<void>(resolve => this.waiting.push(resolve))
      await then(exchange)
    }
  }

  letOne(): void {
    this.waiting.shift()?.()
  }
}

const onprem = () => site.test.gateway.app.pools.of('onprem')
const upstream = async (asked: Promise<Response>) => (await asked).headers.get('x-svc-upstream')

describe('what changes while a request waits for its turn', () => {
  it('a replica that was left out meanwhile is not asked', async () => {
    await start({ onprem: 'max_concurrent: 1, queue_timeout: 60s, eject: { after: 1, for: 60s }' })
    await site.test.reload({ onprem: [site.onprem[0]] })
    const gate = new Gate(status(504))
    site.everyOnprem(gate.behaviour)
    const first = upstream(site.chat())
    await until(() => gate.waiting.length === 1)
    const second = upstream(site.chat())
    await until(() => onprem().slots.waiting === 1)

    site.breaker('onprem').open(site.test.clock.now(), 60_000)
    gate.letOne()

    expect(await Promise.all([first, second])).toEqual(['cloud', 'cloud'])
    expect(site.calls[0]).toBe(1)
  })

  it('a pool that was drained meanwhile gets nothing', async () => {
    await start({ onprem: 'max_concurrent: 1, queue_timeout: 60s' })
    const gate = new Gate(fine)
    site.everyOnprem(gate.behaviour)
    const first = upstream(site.chat())
    await until(() => gate.waiting.length === 1)
    const second = upstream(site.chat())
    await until(() => onprem().slots.waiting === 1)

    onprem().drained = true
    gate.letOne()

    expect(await Promise.all([first, second])).toEqual(['onprem', 'cloud'])
    expect(onprem().slots.taken).toBe(0)
  })

  it('a replica that is half-open gets one request, also where the store is asked first', async () => {
    await start({ onprem: 'eject: { after: 1, for: 5s }, max_usd_per_hour: 1000' })
    await site.test.reload({ onprem: [site.onprem[0]] })
    site.everyOnprem(status(504))
    await site.chat()
    site.test.clock.advance(5000)
    site.everyOnprem(hang)
    const { store } = site.test.gateway
    const take = store.budgets.take.bind(store.budgets)
    const held: (() => void)[] = []
    store.budgets.take = async each => {
      await new Promise<void>(resolve => held.push(resolve))
      return take(each)
    }
    const leave = new AbortController()
    const asked = Array.from({ length: 6 }, () =>
      site.test.chat(site.key, {}, { signal: leave.signal }).catch(() => {}),
    )
    await until(() => held.length === 6)

    for (const go of held) go()

    await until(() => site.calls[0] + site.calls[1] === 1 + 1 + 6)
    // One before, one to try; the others, and the first request of all, went to the cloud.
    expect(site.calls).toEqual([2, 6])
    leave.abort()
    await Promise.all(asked)
  })

  it('a request that tried and served brings a replica back, also where another tries after it', async () => {
    await start()
    await site.test.reload({ onprem: [site.onprem[0]], cloud: [] })
    const gate = new Gate(fine)
    site.everyOnprem(gate.behaviour)
    site.breaker('onprem').open(site.test.clock.now(), 60_000)
    const first = site.chat()
    await until(() => gate.waiting.length === 1)
    const second = site.chat()
    await until(() => gate.waiting.length === 2)

    gate.letOne()

    expect((await first).status).toBe(200)
    expect(site.breaker('onprem').state(site.test.clock.now())).toBe('closed')
    gate.letOne()
    await second
  })

  it('a client that leaves the queue met no full pool', async () => {
    await start({ onprem: 'max_concurrent: 1, queue_timeout: 5s' })
    const gate = new Gate(fine)
    site.everyOnprem(gate.behaviour)
    const first = site.chat()
    await until(() => gate.waiting.length === 1)
    const leave = new AbortController()
    const second = site.test.chat(site.key, {}, { signal: leave.signal })
    await until(() => onprem().slots.waiting === 1)

    leave.abort()
    await expect(second).rejects.toThrow()

    expect(await site.test.logged(1)).toMatchObject([{ status: 499, failures: [] }])
    gate.letOne()
    await first
  })

  it('a shutdown blames no replica', async () => {
    await start()
    site.everyOnprem(hang)
    const asked = Array.from({ length: 10 }, () => site.chat())
    await until(() => site.calls[0] === 10)

    await site.test.gateway.close(0)

    for (const response of await Promise.all(asked)) expect(response.status).toBe(503)
    expect(site.test.alarms).toEqual([])
    expect(site.failures).toEqual([0, 0])
  })

  it('an answer that was held, and that a shutdown ended, costs the client nothing', async () => {
    await start({ core: 'commit: complete' })
    site.everyOnprem(streamThenHang({ chunks: ['x'.repeat(3000)] }))
    await site.test.reload({}, yaml => `${yaml}\nfailover: { headers_timeout: 120s, first_content_timeout: 120s }\n`)
    const asked = site.chat(true)
    // A sent request may stay silent this long: the first of its deadlines.
    await site.test.clock.waits(60_000)
    site.test.clock.advance(25_000)
    const text = (await asked).text()

    await site.test.gateway.close(0)

    expect(await text).toContain('DRAINING')
    expect(await text).not.toContain('xxx')
    expect(site.test.log[0]?.cost).toBeUndefined()
  })
})

describe('what a backend says of a request', () => {
  it('is a refusal also where it repeats a long prompt', async () => {
    await start()
    const echo = status(422, {
      detail: [{ loc: ['body', 'seed'], msg: 'Input should be a number', input: 'a'.repeat(300_000) }],
    })
    site.everyOnprem(echo)

    expect((await site.chat()).status).toBe(400)
    expect(site.calls).toEqual([1, 0])
    expect(site.failures).toEqual([0, 0])
  })

  it('is told as FastAPI writes it', async () => {
    await start()
    site.everyOnprem(status(422, { detail: [{ loc: ['body', 'seed'], msg: 'Input should be a number' }] }))

    expect(await (await site.chat()).json()).toMatchObject({
      error: 'the backend refused the request: body.seed: Input should be a number',
    })
  })

  it('is a refusal as JSON in place of a stream', async () => {
    await start()
    site.everyOnprem(status(200, { error: { message: 'bad tool schema', code: 400 } }))

    expect((await site.chat(true)).status).toBe(400)
    expect(site.calls).toEqual([1, 0])
  })

  it('is in no line of the log and no row of the ledger', async () => {
    await start()
    const message = `Bearer abcdefghijklmnop at http://10.1.2.3:8000 sk-cloud-secret-1234 ${'prompt '.repeat(20_000)}`
    site.everyOnprem(errorFrame({ message, code: 500 }))

    await (await site.chat(true)).text()

    const [entry] = await site.test.logged(1)
    expect(entry?.failures?.map(({ cause }) => cause)).toEqual(['error event 500', 'error event 500'])
    expect(await site.rows()).toContain('waste onprem error event 500')
  })

  it.each(['gpu-node-3.internal:8000', '[fd00::12]:8000', '10.0.0.7:8000', 'http://x.example/y'])(
    'is told without %s',
    async place => {
      await start()
      site.everyOnprem(status(400, { error: { message: `worker ${place} rejected it` } }))

      expect(await (await site.chat()).json()).toMatchObject({
        error: 'the backend refused the request: worker [address] rejected it',
      })
    },
  )

  it('is told without the addresses of our replicas, whatever they look like', async () => {
    await start()
    const { host } = new URL(site.onprem[0].url)
    site.everyOnprem(status(400, { error: { message: `${host.replace('127.0.0.1', '127.0.0.1')} said no` } }))

    expect(await (await site.chat()).text()).not.toContain('127.0.0.1')
  })

  it('is heard although its body is slow', async () => {
    await start({ onprem: 'headers_timeout: 2s' })
    site.everyOnprem(statusThenHang(401))
    for (const backend of site.onprem) backend.answersChecks(status(401))
    const asked = site.chat(true)
    // The store is swept every five seconds as well.
    await site.test.clock.waits(5000, 2)

    site.test.clock.advance(5000)

    expect(await upstream(asked)).toBe('cloud')
    expect(await site.test.logged(1)).toMatchObject([{ failures: [{ pool: 'onprem', cause: 'status 401' }] }])
  })

  it('costs a client nothing that leaves before it is over', async () => {
    await start()
    site.everyOnprem(statusThenHang(503))
    const leave = new AbortController()
    const asked = site.test.chat(site.key, { stream: true }, { signal: leave.signal })
    // The store is swept every five seconds as well.
    await site.test.clock.waits(5000, 2)

    leave.abort()
    await expect(asked).rejects.toThrow()

    await site.test.logged(1)
    expect(await site.test.ledger()).toEqual([])
  })
})

describe('once every choice has finished', () => {
  const finished: Behaviour = async ({ response }) => {
    response.writeHead(200, SSE_HEADERS)
    await write(response, chunk('test-model', { content: 'hello' }, null) + chunk('test-model', {}, 'stop'))
  }

  it.each(['first_content', 'complete'])('silence is a clean end, five seconds later (commit: %s)', async commit => {
    await start({ core: `commit: ${commit}` })
    site.everyOnprem(finished)
    const asked = site.chat(true).then(response => response.text())
    // The store is swept every five seconds as well.
    await site.test.clock.waits(5000, 2)

    site.test.clock.advance(5000)

    expect((await asked).endsWith('data: [DONE]\n\n')).toBe(true)
    expect(site.calls).toEqual([1, 0])
    await site.test.logged(1)
    expect(site.failures).toEqual([0, 0])
  })
})

describe('what failed attempts cost', () => {
  it('is their prompt where the backend said that it failed', async () => {
    await start()
    site.everyOnprem(status(500))

    await (await site.chat()).text()

    const wasted = (await site.test.ledger()).filter(({ kind }) => kind === 'waste')
    expect(wasted.map(({ outputTokens }) => outputTokens)).toEqual([0, 0])
  })

  it('is recorded also where the store then fails', async () => {
    await start({ cloud: 'max_usd_per_hour: 5, cost_usd_per_1m: { input: 1, output: 1 }' })
    site.everyOnprem(status(500))
    site.test.gateway.store.budgets.take = async () => {
      throw new StoreUnavailable('test')
    }

    expect((await site.chat()).status).toBe(503)
    expect(await site.rows()).toEqual(['waste onprem status 500', 'waste onprem status 500'])
    expect(onprem().slots.taken).toBe(0)
  })
})

describe('an operator hears', () => {
  it('once of a pool that cannot be used, and once that it can again', async () => {
    await start()
    site.everyOnprem(status(401))
    for (let i = 0; i < 4; i++) await site.chat()
    site.everyOnprem(fine)
    site.test.clock.advance(5000)
    await site.chat()
    await site.chat()

    const ofPools = site.test.alarms.filter(alarm => alarm.startsWith('a pool'))
    expect(ofPools.map(alarm => alarm.split(':')[0])).toEqual([
      'a pool cannot be used',
      expect.stringContaining('a pool can be used again'),
    ])
  })

  it('in the log why a pool was passed over', async () => {
    await start()
    for (const index of [0, 1]) site.breaker('onprem', index).open(site.test.clock.now(), 60_000)
    await site.chat()
    onprem().drained = true
    await site.chat()

    const entries = await site.test.logged(2)
    expect(entries.map(({ failures }) => failures)).toEqual([
      [{ pool: 'onprem', cause: 'ejected' }],
      [{ pool: 'onprem', cause: 'drained' }],
    ])
  })

  it('in the log no pool behind the one that answered', async () => {
    await start()
    site.everyOnprem(fine)
    site.test.gateway.app.pools.of('cloud').drained = true
    await site.chat()

    const [entry] = await site.test.logged(1)
    expect([entry?.pool, entry?.failures ?? []]).toEqual(['onprem', []])
  })
})

it('a pause is waited out also by a request for which another replica failed', async () => {
  await start({ onprem: 'wait_for_retry_after: 2s' })
  onprem().replica(site.onprem[1].url).cool(site.test.clock.now(), { time: 1000, asked: true })
  site.onprem[0].always(status(500))
  site.onprem[1].always(fine)
  const asked = site.chat()
  await site.test.clock.waits(1000)

  site.test.clock.advance(1000)

  expect(await upstream(asked)).toBe('onprem')
})

it('no pause is waited out where both attempts in the pool are spent: the last one is for the next pool', async () => {
  await start({ onprem: 'wait_for_retry_after: 2s' })
  site.everyOnprem(fine)
  for (const backend of site.onprem) backend.next(status(429, '', { 'retry-after': '2' }))

  expect(await upstream(site.chat())).toBe('cloud')
  expect(site.calls).toEqual([2, 1])
})
