import fc from 'fast-check'
import { expect, it } from 'vitest'
import { newRequestId } from '../../../../../src/gateway/accounts/keys.ts'
import type { PastQuery } from '../../../../../src/gateway/store/ledger-store.ts'
import { isFailed, lengthOf } from '../../../../../src/gateway/store/past-requests.ts'
import type { Store } from '../../../../../src/gateway/store/store.ts'
import type { LedgerRow } from '../../../../../src/records/ledger-row.ts'
import type { Start } from '../../contract.ts'
import {
  admit,
  all,
  type Clock,
  claimsOf,
  LAPSED,
  NOON,
  openShop,
  type Shop,
  settlement,
  waste,
} from '../../fixtures.ts'

/** Requests of the past, found by what they were. */
export function pastContract(start: Start): void {
  it('requests are found by account, key, model, pool, length, failure and time, page after page, none twice', async () => {
    const { store, clock, reopen } = await start()
    await fill(store, clock)
    const rows = await all(store.ledger.readRows())
    await check(store, rows)
    await store.ledger.index()
    await check(store, rows)
    const [bill] = rows.filter(({ model }) => model === 'svc-rare')
    if (!bill) throw new Error('nothing is rare')
    // Among what the index has.
    await store.ledger.recordWaste([{ attempt: 9, bill: { ...bill, pool: 'cloud-core' }, cause: 'late' }])
    await check(store, await all(store.ledger.readRows()))
    await store.ledger.index()
    await store.ledger.trim(NOON + 20 * STEP)
    const left = await all(store.ledger.readRows())
    await check(store, left)
    await check(await reopen(), left)
  })
}

async function check(store: Store, rows: readonly LedgerRow[]): Promise<void> {
  await fc.assert(
    fc.asyncProperty(query, async asked => {
      const pages: string[] = []
      for (let before: string | undefined = ''; before !== undefined; ) {
        const page = await store.ledger.readPast({ ...asked, ...(before !== '' && { before }) })
        expect(page.requests.length).toBeLessThanOrEqual(asked.limit)
        pages.push(...page.requests.map(own => own.map(row => `${row.requestId} ${row.kind}`).join()))
        before = page.next
      }
      expect(pages).toEqual(expected(rows, asked))
    }),
    { numRuns: 60 },
  )
}

/** The expected result, computed from all rows. */
function expected(rows: readonly LedgerRow[], asked: PastQuery): string[] {
  const { account, key, model, pool, slow = 0, failed, since, until = Number.POSITIVE_INFINITY } = asked
  const ids = [...new Set(rows.map(({ requestId }) => requestId))].sort().reverse()
  return ids
    .map(id => rows.filter(({ requestId }) => requestId === id))
    .filter(own => own.every(row => row.admittedAt >= since && row.admittedAt < until))
    .filter(own => account === undefined || own[0]?.account === account)
    .filter(own => key === undefined || own.some(row => row.key === key))
    .filter(own => model === undefined || own.some(row => row.model === model))
    .filter(own => pool === undefined || own.some(row => row.pool === pool))
    .filter(own => lengthOf(own) >= slow && (!failed || isFailed(own)))
    .map(own => own.map(row => `${row.requestId} ${row.kind}`).join())
}

const REQUESTS = 150
const STEP = 40_000

const maybe = (...values: readonly string[]) => fc.constantFrom(undefined, undefined, ...values)
const moment = fc.integer({ min: -1, max: REQUESTS + 1 }).map(step => NOON + step * STEP)

const query: fc.Arbitrary<PastQuery> = fc
  .record({
    account: maybe('acct_ada', 'acct_bob', 'acct_none'),
    key: maybe('key_1', 'key_2'),
    model: maybe('svc-core', 'svc-rare'),
    pool: maybe('onprem-core', 'cloud-core'),
    slow: fc.constantFrom(undefined, 5, 20_000),
    failed: fc.constantFrom(undefined, undefined, true as const),
    since: fc.oneof(fc.constant(0), moment),
    until: fc.oneof(fc.constant(undefined), moment),
    limit: fc.constantFrom(1, 7, 1000),
  })
  .map(({ since, limit, ...others }) => ({
    since,
    limit,
    ...Object.fromEntries(Object.entries(others).filter(([, value]) => value !== undefined)),
  }))

/** Some are slow, some failed over or failed, some were left, and one has a model of its own. */
async function fill(store: Store, clock: Clock): Promise<void> {
  const shops = [await openShop(store, 'ada'), await openShop(store, 'bob'), await openShop(store, 'eve')]
  for (let index = 0; index < REQUESTS; index++) {
    clock.at = Math.max(clock.at, NOON + index * STEP)
    const [shop = shops[0]] = [shops[index % 5 === 0 ? 1 : index % 31 === 0 ? 2 : 0]]
    if (shop) await play(store, clock, shop, index)
  }
}

async function play(store: Store, clock: Clock, shop: Shop, index: number): Promise<void> {
  const id = newRequestId(clock.at, bytes => Buffer.alloc(bytes, index))
  const hold = await admit(store, shop, id, claimsOf({ at: clock.at, rpm: 1e6, tpm: 1e9, limit: 1e12 }))
  const { bill, ...rest } = settlement(hold)
  const key = index % 3 === 0 ? { key: index % 2 === 0 ? 'key_1' : 'key_2' } : {}
  const whole = { ...rest, bill: { ...bill, ...key, model: index === 43 ? 'svc-rare' : 'svc-core' } }
  if (index % 7 === 0) await store.ledger.recordWaste([waste(hold), waste(hold, 2)])
  if (index % 21 === 0) return store.holds.refund(hold)
  if (index % 10 === 3) clock.at += 25_000
  if (index % 29 === 0) {
    await store.holds.heartbeat([{ hold, soFar: whole }])
    clock.at += LAPSED
    await store.holds.sweep()
  }
  if (index % 58 !== 0) await store.holds.settle(whole)
}
