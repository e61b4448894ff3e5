import { randomBytes } from 'node:crypto'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openEmbeddedStore } from '../../../src/adapters/embedded/store.ts'
import { exposition, Metrics } from '../../../src/adapters/metrics/metrics.ts'
import { openRedisStore } from '../../../src/adapters/redis/store.ts'
import type { Wrote } from '../../../src/gateway/store/ledger-store.ts'
import type { Store } from '../../../src/gateway/store/store.ts'
import { nanoUsd } from '../../../src/policy/nano-usd.ts'
import type { LedgerRow } from '../../../src/records/ledger-row.ts'
import { blackHole, FaultProxy } from '../../support/faults/fault-proxy.ts'
import { itParses, parse, valuesOf } from '../../support/prometheus.ts'
import { describeRedis, useRedis } from '../../support/redis/redis.ts'
import { newDirectory } from './directory.ts'
import { admit, clockAt, LAPSED, ledgerOf, NOON, openShop, settlement, totalsOf, waste } from './fixtures.ts'

const SPENT = { tokens: 12, cost: nanoUsd(14) }
const LESS = { tokens: 11, cost: nanoUsd(12) }

type Open = (wrote: Wrote, now: () => number) => Promise<Store>

/** Settles, sweeps, refunds and wastes in every way that writes a row. */
async function writeAll(store: Store, clock: { at: number }): Promise<void> {
  const shop = await openShop(store)
  const held = async (id: string) => admit(store, shop, id)
  const [settled, refunded, orphan, less, back, blank] = await Promise.all(
    ['req_1', 'req_2', 'req_3', 'req_4', 'req_5', 'req_6'].map(held),
  )
  if (!settled || !refunded || !orphan || !less || !back || !blank) throw new Error('all were admitted')
  await store.holds.settle(settlement(settled))
  await store.holds.settle(settlement(settled))
  await store.holds.refund(refunded)
  await store.ledger.recordWaste([waste(settled, 1), waste(settled, 2)])
  await store.ledger.recordWaste([waste(settled, 2)])
  await store.holds.heartbeat([orphan, less, back].map(hold => ({ hold, soFar: settlement(hold, SPENT) })))
  clock.at += LAPSED
  await store.holds.sweep()
  await store.holds.settle(settlement(less, LESS))
  await store.holds.refund(back)
  await store.holds.settle(settlement(blank))
}

const idsOf = (rows: readonly LedgerRow[]) =>
  rows.map(({ requestId, kind, cost }) => `${requestId} ${kind} ${cost}`).sort()

function rowsContract(open: Open): void {
  it('whoever counts hears once of every row that was written, and of how many requests', async () => {
    const clock = clockAt(NOON)
    const heard: LedgerRow[] = []
    let requests = 0
    const store = await open((row, added) => {
      heard.push(row)
      if (row.kind !== 'waste') requests += added
    }, clock.now)

    await writeAll(store, clock)

    const rows = await ledgerOf(store)
    expect(rows.map(({ kind }) => kind).sort()).toEqual(
      ['late', 'late', 'late', 'orphan', 'orphan', 'orphan', 'settle', 'waste', 'waste'].sort(),
    )
    expect(idsOf(heard)).toEqual(idsOf(rows))
    expect(requests).toBe((await totalsOf(store)).reduce((sum, total) => sum + total.requests, 0))
  })

  itParses('metrics of it are the totals of the ledger, although no counter falls', async () => {
    const clock = clockAt(NOON)
    const metrics = new Metrics()
    const store = await open(metrics.wrote, clock.now)

    await writeAll(store, clock)

    const families = parse((await exposition(metrics.registries())).text)
    const sum = (name: string) => Object.values(valuesOf(families, name)).reduce((all, value) => all + value, 0)
    const totals = await totalsOf(store)
    const of = (field: 'requests' | 'inputTokens' | 'outputTokens' | 'cost') =>
      totals.reduce((all, total) => all + total[field], 0)
    expect(sum('svc_spend_returned_usd_total')).toBeGreaterThan(0)
    expect(sum('svc_charged_requests_total')).toBe(of('requests'))
    expect(Math.round((sum('svc_spend_usd_total') - sum('svc_spend_returned_usd_total')) * 1e9)).toBe(of('cost'))
    expect(sum('svc_tokens_total') - sum('svc_tokens_returned_total')).toBe(of('inputTokens') + of('outputTokens'))
  })
}

describe('the embedded store', () => {
  rowsContract(async (wrote, now) => {
    const store = await openEmbeddedStore({ path: await newDirectory(), now, wrote })
    onTestFinished(() => store.close())
    return store
  })

  it('tells of what a process before left behind when it is opened', async () => {
    const path = await newDirectory()
    const clock = clockAt(NOON)
    const first = await openEmbeddedStore({ path, now: clock.now })
    const hold = await admit(first, await openShop(first), 'req_1')
    await first.holds.heartbeat([{ hold, soFar: settlement(hold, SPENT) }])
    await first.close()
    const heard: LedgerRow[] = []

    const store = await openEmbeddedStore({ path, now: clock.now, wrote: row => heard.push(row) })
    onTestFinished(() => store.close())

    expect(idsOf(heard)).toEqual(['req_1 orphan 14'])
  })
})

describeRedis('the store in Redis', () => {
  const server = useRedis()
  const optionsFor = async (wrote: Wrote, now: () => number, url = server().url) => ({
    url,
    prefix: `test-${randomBytes(6).toString('hex')}`,
    stateDir: await newDirectory(),
    alarm: () => {},
    now,
    wrote,
    answerMs: 15_000,
  })

  rowsContract(async (wrote, now) => {
    const store = await openRedisStore(await optionsFor(wrote, now))
    onTestFinished(() => store.close())
    return store
  })

  it.each([
    ['', []],
    [' of a request with waste', [1, 2]],
  ])('a settlement%s whose answer was lost is counted once, when it is told again', async (_, attempts) => {
    const heard: LedgerRow[] = []
    const proxy = await new FaultProxy({ backend: server(), seed: 1 }).listen()
    onTestFinished(() => proxy.refuse())
    const options = await optionsFor(
      row => heard.push(row),
      () => NOON,
      `redis://127.0.0.1:${proxy.port}/0`,
    )
    const store = await openRedisStore({ ...options, answerMs: 500 })
    onTestFinished(() => store.close())
    const hold = await admit(store, await openShop(store), 'req_1')

    await store.ledger.recordWaste(attempts.map(attempt => waste(hold, attempt)))
    const heal = proxy.add(blackHole, ['down'])
    await store.holds.settle(settlement(hold))
    expect(heard).toHaveLength(attempts.length)
    heal()
    proxy.cut()

    await expect.poll(() => heard.length).toBe(attempts.length + 1)
    expect(idsOf(heard)).toEqual(idsOf(await ledgerOf(store)))
  })
})
