import { afterEach, expect, it } from 'vitest'
import { streamThenHang } from '../../support/backend.ts'
import { Gate, say, until } from '../queue/fixture.ts'
import { Failover, fine } from './fixture.ts'

let site: Failover
afterEach(() => site.close())

const start = async (onprem: string, cloud = 'max_concurrent: 1, queue_timeout: 1ms') => {
  site = await Failover.start({ fields: { onprem, cloud } })
  site.cloud.always(fine)
}
const slotsOf = (pool = 'onprem') => site.test.gateway.app.pools.of(pool).slots
const waits = (count: number) => until(() => slotsOf().waiting === count)

/** Without a pool behind: the cloud takes nothing. */
const startAlone = async (queue: string) => {
  site = await Failover.start({ fields: { pro: 'priority: 5', onprem: `max_concurrent: 1, queue: ${queue}` } })
  site.cloud.always(fine)
  site.test.gateway.app.pools.drain('cloud', undefined, true)
  const gate = new Gate()
  site.everyOnprem(gate.behaviour)
  return gate
}

it('accounts that wait are served in turn, and told how long they waited', async () => {
  const gate = await startAlone('{ max: 100, of_account: 20 }')
  const other = await site.test.key('pro', 'eve')
  const hog = Array.from({ length: 6 }, () => site.test.chat(site.key, say('hog')))
  await until(() => gate.open === 1)
  await waits(5)
  const small = site.test.chat(other, say('small'))
  await waits(6)
  site.test.clock.advance(700)
  let over = 0
  const all = [...hog, small].map(each => each.finally(() => over++))
  await gate.letAllUntil(() => over === 7)

  expect(gate.asked).toEqual(['hog', 'small', 'hog', 'hog', 'hog', 'hog', 'hog'])
  const answers = await Promise.all(all)
  expect(answers.map(({ status }) => status)).toEqual(Array(7).fill(200))
  expect((await small).headers.get('x-svc-queue-wait')).toBe('700')
  expect(answers.map(({ headers }) => headers.get('x-svc-queue-wait'))).toContain(null)
  await Promise.all(answers.map(each => each.text()))
  expect([slotsOf().taken, slotsOf().waiting]).toEqual([0, 0])
})

it('a request goes to a later pool that has room, and waits only where none has', async () => {
  await start('max_concurrent: 1, queue: { max: 10 }')
  const gate = new Gate()
  site.everyOnprem(gate.behaviour)
  site.cloud.always(gate.behaviour)
  const asked = [site.test.chat(site.key, say('first'))]
  await until(() => gate.open === 1)
  asked.push(site.test.chat(site.key, say('second')))
  await until(() => gate.open === 2)
  asked.push(site.test.chat(site.key, say('third')))
  await waits(1)

  let over = 0
  const all = asked.map(each => each.finally(() => over++))
  await gate.letAllUntil(() => over === 3)

  expect((await Promise.all(all)).map(({ headers }) => headers.get('x-svc-upstream'))).toEqual([
    'onprem',
    'cloud',
    'onprem',
  ])
})

it.each([
  ['a queue of its own', 'max_concurrent: 1, queue: { max: 10 }', 'second other third'],
  ['no queue', 'max_concurrent: 1, queue_timeout: 1ms', 'second third other'],
])(
  'a request that waits takes the first slot of a later pool with %s, in its turn, and leaks none',
  async (_, fields, order) => {
    await start('max_concurrent: 1, queue: { max: 10 }', fields)
    const [gate, behind] = [new Gate(), new Gate()]
    site.everyOnprem(gate.behaviour)
    site.cloud.always(behind.behaviour)
    const other = await site.test.key('pro', 'eve')
    const asked = [site.test.chat(site.key, say('first'))]
    await until(() => gate.open === 1)
    asked.push(site.test.chat(site.key, say('second')))
    await until(() => behind.open === 1)
    for (const name of ['third', 'fourth']) asked.push(site.test.chat(site.key, say(name)))
    await waits(2)
    asked.push(site.test.chat(other, say('other')))
    await waits(3)
    site.test.clock.advance(300)

    behind.letOne()
    await waits(2)
    await until(() => behind.open === 1)
    behind.letOne()
    await waits(1)
    gate.letOne()
    await waits(0)
    let over = 0
    const all = asked.map(each => each.finally(() => over++))
    await Promise.all([gate.letAllUntil(() => over === 5), behind.letAllUntil(() => over === 5)])

    expect(behind.asked.join(' ')).toBe(order)
    const answers = await Promise.all(all)
    expect(answers.map(({ headers }) => headers.get('x-svc-upstream'))).toEqual([
      ...['onprem', 'cloud', 'cloud', 'onprem', 'cloud'],
    ])
    expect(answers.map(({ headers }) => headers.get('x-svc-queue-wait'))).toEqual([null, null, '300', '300', '300'])
    for (const pool of ['onprem', 'cloud']) expect([slotsOf(pool).taken, slotsOf(pool).waiting]).toEqual([0, 0])
    expect(await site.test.logged(5)).toContainEqual(
      expect.objectContaining({ failures: [{ pool: 'onprem', cause: 'max_concurrent' }] }),
    )
  },
)

it('before_next keeps a request waiting for its first pool before it goes to a later one', async () => {
  await start('max_concurrent: 1, queue: { before_next: 2s }', '')
  const gate = new Gate()
  site.everyOnprem(gate.behaviour)
  const first = site.test.chat(site.key, say('first'))
  await until(() => gate.open === 1)
  const second = site.test.chat(site.key, say('second'))
  await site.test.clock.waits(2000)
  expect(site.calls).toEqual([1, 0])

  site.test.clock.advance(2000)

  const answer = await second
  expect([answer.headers.get('x-svc-upstream'), answer.headers.get('x-svc-queue-wait')]).toEqual(['cloud', '2000'])
  gate.letOne()
  await first
})

it('a full queue, and a wait that was too long, are a 503 that says when to come back; the request counts, its money does not', async () => {
  const spent = 'cost_usd_per_1m: { input: 1, output: 2 }, max_usd_per_hour: 0.000001'
  await start('max_concurrent: 1, queue: { max: 3, of_account: 2, timeout: 20s }', spent)
  const gate = new Gate()
  site.everyOnprem(gate.behaviour)
  const first = site.test.chat(site.key, say('a'))
  await until(() => gate.open === 1)
  const waiting = [site.test.chat(site.key, say('b')), site.test.chat(site.key, say('c'))]
  await waits(2)

  const refused = await site.test.chat(site.key, say('d'))
  expect([refused.status, refused.headers.get('x-svc-error-code'), refused.headers.get('retry-after')]).toEqual([
    503,
    'UPSTREAMS_EXHAUSTED',
    '20',
  ])
  expect(await site.test.logged(1)).toContainEqual(
    expect.objectContaining({
      failures: [
        { pool: 'onprem', cause: 'max_concurrent' },
        { pool: 'cloud', cause: 'max_usd_per_hour' },
        { pool: 'onprem', cause: 'queue.of_account' },
      ],
    }),
  )

  site.test.clock.advance(20_000)
  const late = await Promise.all(waiting)
  expect(late.map(({ status, headers }) => [status, headers.get('retry-after')])).toEqual(Array(2).fill([503, '20']))
  gate.letOne()
  const answer = await first
  await answer.text()
  const next = site.test.chat(site.key, say('e'))
  await until(() => gate.open === 1)
  gate.letOne()
  const { headers } = await next
  const [limit, left] = ['limit', 'remaining'].map(part => Number(headers.get(`x-ratelimit-${part}-requests`)))
  expect((limit ?? 0) - (left ?? 0)).toBe(5)
  expect(await site.rows()).toEqual(['settle onprem', 'settle onprem'])
  expect([slotsOf().taken, slotsOf().waiting]).toEqual([0, 0])
})

it('bodies of one account that wait are bounded in bytes, and cost no other account its place', async () => {
  const gate = await startAlone('{ max: 100, bytes: 100KB }')
  const other = await site.test.key('pro', 'eve')
  const first = site.test.chat(site.key, say('a'))
  await until(() => gate.open === 1)
  const large = say(`large ${'x'.repeat(60_000)}`, { max_tokens: 16 })
  const held = site.test.chat(site.key, large)
  await waits(1)

  expect((await site.test.chat(site.key, large)).status).toBe(503)
  const small = site.test.chat(other, say('small'))
  await waits(2)

  let over = 0
  const all = [first, held, small].map(each => each.finally(() => over++))
  await gate.letAllUntil(() => over === 3)
  expect((await Promise.all(all)).map(({ status }) => status)).toEqual([200, 200, 200])
  expect(gate.asked).toEqual(['a', 'small', 'large'])
})

it('a client that leaves the queue frees its place and its reservation at once', async () => {
  const gate = await startAlone('{ max: 1 }')
  const first = site.test.chat(site.key, say('a'))
  await until(() => gate.open === 1)
  const leaving = new AbortController()
  const second = site.test.chat(site.key, say('b'), { signal: leaving.signal })
  await waits(1)
  leaving.abort()
  await expect(second).rejects.toThrow()
  await waits(0)
  const third = site.test.chat(site.key, say('c'))
  await waits(1)

  let over = 0
  const all = [first, third].map(each => each.finally(() => over++))
  await gate.letAllUntil(() => over === 2)
  expect((await Promise.all(all)).map(({ status }) => status)).toEqual([200, 200])
  expect(gate.asked).toEqual(['a', 'c'])
  expect(await site.rows()).toEqual(['settle onprem', 'settle onprem'])
})

it('requests that wait in a pool which is drained go to the next one at once', async () => {
  const gate = await startAlone('{ max: 10 }')
  const first = site.test.chat(site.key, say('a'))
  await until(() => gate.open === 1)
  const second = site.test.chat(site.key, say('b'))
  await waits(1)
  const { pools } = site.test.gateway.app
  pools.drain('cloud', undefined, false)

  pools.drain('onprem', undefined, true)

  expect((await second).headers.get('x-svc-upstream')).toBe('cloud')
  gate.letOne()
  await first
})

it('requests that wait go to a later pool as soon as it is undrained', async () => {
  const gate = await startAlone('{ max: 10 }')
  const first = site.test.chat(site.key, say('a'))
  await until(() => gate.open === 1)
  const waiting = ['b', 'c'].map(name => site.test.chat(site.key, say(name)))
  await waits(2)

  site.test.gateway.app.pools.drain('cloud', undefined, false)

  const answers = await Promise.all(waiting)
  expect(answers.map(({ headers }) => headers.get('x-svc-upstream'))).toEqual(['cloud', 'cloud'])
  gate.letOne()
  await first
})

it('a stream that waits has no headers before it is served, unless its operator wants comments', async () => {
  await startAlone('{ max: 10, timeout: 300s }')
  site.everyOnprem(streamThenHang({ chunks: ['x'] }))
  const leave = new AbortController()
  const first = await site.test.chat(site.key, say('a', { stream: true }), { signal: leave.signal })
  await first.body?.getReader().read()
  let isOpen = false
  const gone = new AbortController()
  const second = site.test.chat(site.key, say('b', { stream: true }), { signal: gone.signal }).then(
    () => {
      isOpen = true
    },
    () => {},
  )
  await waits(1)
  site.test.clock.advance(60_000)
  await new Promise(setImmediate)

  expect(isOpen).toBe(false)
  gone.abort()
  await second
  leave.abort()
})

it('plans with a higher priority go first, and a limit that was raised lets those in that wait', async () => {
  const gate = await startAlone('{ max: 10, aging: 1h, timeout: 1h }')
  const guest = await site.test.key('free', 'visitor')
  const first = site.test.chat(site.key, say('first'))
  await until(() => gate.open === 1)
  const slow = site.test.chat(guest, say('low'))
  await waits(1)
  const fast = site.test.chat(site.key, say('high'))
  await waits(2)
  slotsOf().resize({ maxConcurrent: 2 })
  await until(() => gate.open === 2)
  slotsOf().resize({ maxConcurrent: 3 })
  await until(() => gate.open === 3)
  let over = 0
  for (const each of [first, slow, fast]) void each.finally(() => over++)
  await gate.letAllUntil(() => over === 3)

  expect(gate.asked).toEqual(['first', 'high', 'low'])
  expect([slotsOf().taken, slotsOf().waiting]).toEqual([0, 0])
})

it.each([
  ['one pool', ', before_next: 1h'],
  ['two pools', ''],
])(
  'clients that leave at any time while they wait for %s leak no slot, and the money of all accounts is exact',
  async (_, more) => {
    await start(`max_concurrent: 2, queue: { max: 100, of_account: 10, timeout: 1h${more} }`)
    const gate = new Gate()
    site.everyOnprem(gate.behaviour)
    site.cloud.always(gate.behaviour)
    const accounts = ['a', 'b', 'c', 'd']
    const keys = await Promise.all(accounts.map(name => site.test.key('pro', name)))
    let over = 0
    const asked = Array.from({ length: 32 }, (_, n) => {
      const leave = new AbortController()
      const answer = site.test.chat(keys[n % 4] ?? '', say(`${n}`, { stream: n % 3 === 0 }), { signal: leave.signal })
      const ends = answer.then(each => each.text()).catch(() => 'left')
      return { leave, ends: ends.finally(() => over++) }
    })
    await until(() => slotsOf().waiting > 25)
    for (const [n, { leave }] of asked.entries()) {
      if ((n * 7) % 5 < 2) leave.abort()
      if (n % 3 === 0) gate.letOne()
      await new Promise(setImmediate)
    }
    await site.test.clock.during(gate.letAllUntil(() => over === 32 && slotsOf().taken + slotsOf('cloud').taken === 0))

    for (const pool of ['onprem', 'cloud']) expect([slotsOf(pool).taken, slotsOf(pool).waiting]).toEqual([0, 0])
    const charged = (await site.test.ledger()).reduce((sum, row) => sum + (row.kind === 'settle' ? row.cost : 0), 0)
    const used = await Promise.all(keys.map(key => usedNanoUsd(key)))
    expect(charged).toBeGreaterThan(0)
    expect(used.reduce((sum, each) => sum + each)).toBe(charged)
  },
)

/** The spend of an account with all that it has reserved. */
async function usedNanoUsd(key: string): Promise<number> {
  const response = await fetch(`${site.test.url}/billing/quota`, { headers: { authorization: `Bearer ${key}` } })
  const quota = (await response.json()) as { readonly used: number; readonly held: number }
  return Math.round((quota.used + quota.held) * 1e9)
}
