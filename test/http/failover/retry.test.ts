import { afterEach, describe, expect, it } from 'vitest'
import { type Backend, type Behaviour, contextTooLong, reset, startBackend, status } from '../../support/backend.ts'
import { startTestGateway, type TestGateway, type TestPools } from '../../support/gateway.ts'
import { Failover, fine } from './fixture.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close()
})

const kept = <T extends { close(): Promise<void> }>(thing: T): T => {
  open.push(thing)
  return thing
}
const site = async (fields: TestPools['fields'] = {}) => kept(await Failover.start({ fields }))

/** A pool of one replica, and no other pool. */
async function lone(fields: TestPools['fields'] = {}): Promise<{ test: TestGateway; backend: Backend; key: string }> {
  const backend = kept(await startBackend())
  backend.always(fine)
  const test = kept(await startTestGateway({ onprem: [backend], fields }))
  return { test, backend, key: await test.key('pro') }
}

describe('a pool of one replica', () => {
  it.each<[string, Behaviour]>([
    ['a 500', status(500)],
    ['a 502', status(502)],
    ['a 503', status(503)],
    ['a reset', reset],
  ])('is tried once more after %s, not before 50 ms and not after 250', async (_name, behaviour) => {
    const { test, backend, key } = await lone()
    backend.next(behaviour)
    const start = test.clock.now()

    const response = await test.clock.during(test.chat(key))

    expect(response.status).toBe(200)
    expect(backend.requests).toHaveLength(2)
    expect(test.clock.now() - start).toBeGreaterThanOrEqual(50)
  })

  it.each<[string, Behaviour]>([
    ['a 529', status(529)],
    ['a 504', status(504)],
    ['a 429', status(429)],
    ['a 401', status(401)],
  ])('is not tried again after %s', async (_name, behaviour) => {
    const { test, backend, key } = await lone()
    backend.next(behaviour)

    expect((await test.chat(key)).status).toBe(503)
    expect(backend.requests).toHaveLength(1)
  })

  it.each<[string, boolean]>([
    ['early is tried once more', true],
    ['late is not: it would be silent for as long again', false],
  ])('that breaks off %s', async (_name, isEarly) => {
    const { test, backend, key } = await lone()
    let breakOff = () => {}
    backend.next(async exchange => {
      await new Promise<void>(resolve => {
        breakOff = resolve
      })
      await reset(exchange)
    })
    const asked = test.chat(key)
    await backend.received(1)

    test.clock.advance(isEarly ? 4000 : 20_000)
    breakOff()

    expect((await test.clock.during(asked)).status).toBe(isEarly ? 200 : 503)
    expect(backend.requests).toHaveLength(isEarly ? 2 : 1)
  })

  it('is tried twice, not thrice', async () => {
    const { test, backend, key } = await lone()
    backend.always(status(503))

    expect((await test.clock.during(test.chat(key))).status).toBe(503)
    expect(backend.requests).toHaveLength(2)
  })
})

describe('a 429', () => {
  it('gives its replica a pause of as long as it says, and others serve meanwhile', async () => {
    const { onprem, test, chat } = await begun()
    onprem[0].next(status(429, '', { 'retry-after': '9' }))
    while (onprem[0].requests.length === 0) await chat()

    for (let i = 0; i < 10; i++) await chat()
    test.clock.advance(8999)
    for (let i = 0; i < 10; i++) await chat()
    expect(onprem[0].requests).toHaveLength(1)

    test.clock.advance(1)
    while (onprem[0].requests.length === 1) await chat()
  })

  it('with a date is understood', async () => {
    const { onprem, test, chat } = await begun()
    const at = new Date(test.clock.now() + 20_000).toUTCString()
    onprem[0].next(status(429, '', { 'retry-after': at }))
    while (onprem[0].requests.length === 0) await chat()

    expect(test.gateway.app.pools.of('onprem').replica(onprem[0].url).longestPause(test.clock.now())).toBe(20_000)
  })

  it('is believed for 60 s at most', async () => {
    const { onprem, test, chat } = await begun()
    onprem[0].next(status(429, '', { 'retry-after': '86400' }))
    while (onprem[0].requests.length === 0) await chat()

    expect(test.gateway.app.pools.of('onprem').replica(onprem[0].url).longestPause(test.clock.now())).toBe(60_000)
  })

  it('of every replica is a 503 that says when the first is back, and asks none of them again before', async () => {
    const { test, backend, key } = await lone()
    backend.next(status(429, '', { 'retry-after': '9' }))
    await test.chat(key)

    const response = await test.chat(key)

    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('9')
    expect(await response.json()).toMatchObject({ tier: 'on-premises', attempted: ['onprem'] })
    expect(backend.requests).toHaveLength(1)
  })

  it('is waited out where the pool says so', async () => {
    const { test, backend, key } = await lone({ onprem: 'wait_for_retry_after: 2s' })
    backend.next(status(429, '', { 'retry-after': '2' }))
    const asked = test.chat(key)
    await backend.received(1)
    await test.clock.waits(2000)
    expect(backend.requests).toHaveLength(1)

    test.clock.advance(2000)

    expect((await asked).status).toBe(200)
    expect(backend.requests).toHaveLength(2)
  })

  it.each<[string, object]>([
    ['asks for no pause', {}],
    ['asks for one for ever', { 'retry-after': '1' }],
  ])('that %s leaves an attempt for the next pool', async (_name, headers) => {
    const it = await site({ onprem: 'wait_for_retry_after: 2s' })
    await it.test.reload({ onprem: [it.onprem[0]] })
    it.everyOnprem(status(429, '', { ...headers }))
    it.cloud.always(fine)

    const response = await it.test.clock.during(it.chat(), 100)

    expect(response.headers.get('x-svc-upstream')).toBe('cloud')
    expect(it.calls).toEqual('retry-after' in headers ? [2, 1] : [1, 1])
  })

  it('is not waited out for longer than that', async () => {
    const { test, backend, key } = await lone({ onprem: 'wait_for_retry_after: 2s' })
    backend.next(status(429, '', { 'retry-after': '3' }))

    expect((await test.chat(key)).status).toBe(503)
    expect(backend.requests).toHaveLength(1)
  })

  it('that is waited out is given up when the client leaves', async () => {
    const { test, backend, key } = await lone({ onprem: 'wait_for_retry_after: 2s' })
    backend.next(status(429, '', { 'retry-after': '2' }))
    const leave = new AbortController()
    const asked = test.chat(key, {}, { signal: leave.signal })
    await test.clock.waits(2000)

    leave.abort()
    await expect(asked).rejects.toThrow()

    expect(await test.logged(1)).toMatchObject([{ status: 499 }])
    expect(backend.requests).toHaveLength(1)
    expect(await test.ledger()).toEqual([])
  })

  async function begun() {
    const { onprem, test, chat } = await site().then(it => ({
      ...it,
      onprem: it.onprem,
      test: it.test,
      chat: () => it.chat(),
    }))
    return { onprem, test, chat: async () => (await chat()).text() }
  }
})

describe('a prompt that is too long for a pool', () => {
  it('goes on to one that declares a larger context, and blames nobody', async () => {
    const it = await site({ onprem: 'context: 8k', cloud: 'context: 128k' })
    it.everyOnprem(contextTooLong)
    it.cloud.always(fine)

    const response = await it.chat()

    expect(response.headers.get('x-svc-upstream')).toBe('cloud')
    expect(it.calls).toEqual([1, 1])
    expect(it.failures).toEqual([0, 0])
    expect(it.test.alarms).toEqual([])
  })

  it.each([
    ['no pool declares its context', {}],
    ['the next one takes no more', { onprem: 'context: 8k', cloud: 'context: 8k' }],
    ['the next one takes more than this one said, but no more than the model has', { cloud: 'context: 32k' }],
  ])('is relayed where %s', async (_name, fields) => {
    const it = await site(fields)
    it.everyOnprem(contextTooLong)

    const response = await it.chat()

    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      error: "the backend refused the request: This model's maximum context length is 4096 tokens.",
    })
    expect(it.calls).toEqual([1, 0])
  })

  it('is relayed where the larger pool fails: why it was refused is the truer answer', async () => {
    const it = await site({ onprem: 'context: 8k', cloud: 'context: 128k' })
    it.everyOnprem(contextTooLong)
    it.cloud.always(status(529))

    expect((await it.chat()).status).toBe(400)
    expect(it.calls).toEqual([1, 1])
  })
})

describe('retries in a pool', () => {
  it('are a fifth of its requests, or three at once: beyond that the next pool is asked', async () => {
    const it = await site({ onprem: 'eject: { after: 1000 }' })
    it.cloud.always(fine)
    // Every replica fails after all of them were asked, so that their retries begin at once.
    let waiting: (() => void)[] = []
    for (const backend of it.onprem) backend.answersChecks(status(529))
    it.everyOnprem(async exchange => {
      await new Promise<void>(resolve => waiting.push(resolve))
      return status(529)(exchange)
    })
    const release = () => {
      for (const go of waiting) go()
      waiting = []
    }

    const asked = Array.from({ length: 10 }, () => it.chat())
    await until(() => waiting.length === 10)
    release()
    await until(() => waiting.length + it.cloud.requests.length === 10)
    expect(waiting).toHaveLength(3)
    expect(it.cloud.requests).toHaveLength(7)
    release()

    for (const response of await Promise.all(asked)) expect(response.headers.get('x-svc-upstream')).toBe('cloud')
  })
})

it('the last attempt is kept for a healthy pool that was not asked', async () => {
  const [first, second, third] = [kept(await startBackend()), kept(await startBackend()), kept(await startBackend())]
  first.always(status(401))
  second.always(status(503))
  third.always(fine)
  const yaml = `  spare: { site: cloud, model: spare, replicas: ["${third.url}"] }`
  const test = kept(await startTestGateway({ onprem: [first], cloud: [second], yaml }))
  await test.reload({}, text => text.replace('serve: [onprem, cloud]', 'serve: [onprem, cloud, spare]'))

  const response = await test.clock.during(test.chat(await test.key('pro')))

  expect(response.headers.get('x-svc-upstream')).toBe('spare')
  expect([first, second, third].map(({ requests }) => requests.length)).toEqual([1, 1, 1])
})

async function until(met: () => boolean): Promise<void> {
  while (!met()) await new Promise(setImmediate)
}
