import { expect, it } from 'vitest'
import { type Charge, dayOf, type Hold } from '../../../../../src/policy/counters/account-counters.ts'
import { nanoUsd } from '../../../../../src/policy/nano-usd.ts'
import type { CachedTokens } from '../../../../../src/policy/price.ts'
import type { Total } from '../../../../../src/records/sums.ts'
import type { Start } from '../../contract.ts'
import {
  admit,
  all,
  claimsOf,
  LAPSED,
  ledgerOf,
  NOON,
  openShop,
  rowOf,
  settlement,
  sumOf,
  takenBy,
  totalsOf,
} from '../../fixtures.ts'

const DAY_MS = 86_400_000
const TODAY = dayOf(NOON / 1000)

/** The total of one request at 10 tokens in, 20 out and 50 nano-USD, or of many. */
const totalOf = (account: string, count: number, other: Partial<Total> = {}): Total => ({
  day: TODAY,
  account,
  plan: 'pro',
  model: 'svc-core',
  requests: count,
  inputTokens: 10 * count,
  outputTokens: 20 * count,
  cost: nanoUsd(50 * count),
  ...other,
})

export function ledgerContract(start: Start): void {
  it('a row says all that its bill says, also where a name is odd', async () => {
    const { store } = await start()
    const shop = await openShop(store)
    const { bill, ...rest } = settlement(await admit(store, shop, 'req_1'))
    const odd = { ...bill, asked: 'my “model”  \\ \n{"x":1}\u0000 ', pool: 'eu west 1', estimated: true, rule: 'a → b' }

    await store.holds.settle({ ...rest, bill: odd })

    expect(await ledgerOf(store)).toEqual([{ ...odd, kind: 'settle', settledAt: NOON }])
  })

  it.each([
    ['alone', {}],
    ['beside a route', { rule: 'r' }],
  ])('a row says which hosted tools were called, %s', async (_name, more) => {
    const { store } = await start()
    const shop = await openShop(store)
    const { bill, ...rest } = settlement(await admit(store, shop, 'req_1'))
    const called = { ...bill, ...more, tools: { docs_search: 2, calculator: 1 } }

    await store.holds.settle({ ...rest, bill: called })

    expect(await ledgerOf(store)).toEqual([{ ...called, kind: 'settle', settledAt: NOON }])
  })

  it.each([
    ['read and written', { cachedTokens: 6, cacheWriteTokens: 3 }],
    ['read', { cachedTokens: 6 }],
    ['read, with what that saved', { cachedTokens: 6, saved: nanoUsd(54) }],
    ['written, beside a route', { cacheWriteTokens: 3, rule: 'r' }],
  ])('a row says what of its input was cached: %s', async (_name, more) => {
    const { store } = await start()
    const shop = await openShop(store)
    const { bill, ...rest } = settlement(await admit(store, shop, 'req_1'))
    const cached = { ...bill, ...more }

    await store.holds.settle({ ...rest, bill: cached })

    expect(await ledgerOf(store)).toEqual([{ ...cached, kind: 'settle', settledAt: NOON }])
  })

  it.each([
    ['alone', {}],
    ['beside a route', { rule: 'r' }],
    ['beside what was cached', { cachedTokens: 6 }],
  ])('a row says which key it came with, %s', async (_name, more) => {
    const { store } = await start()
    const shop = await openShop(store)
    const { bill, ...rest } = settlement(await admit(store, shop, 'req_1'))
    const keyed = { ...bill, ...more, key: 'key_1' }

    await store.holds.settle({ ...rest, bill: keyed })

    expect(await ledgerOf(store)).toEqual([{ ...keyed, kind: 'settle', settledAt: NOON }])
  })

  it('totals are kept by key, and what came without one by itself', async () => {
    const { store, reopen } = await start()
    const shop = await openShop(store)
    for (const [index, key] of ['key_1', 'key_2', undefined, 'key_1'].entries()) {
      const { bill, ...rest } = settlement(await admit(store, shop, `req_${index}`))
      await store.holds.settle({ ...rest, bill: { ...bill, ...(key !== undefined && { key }) } })
    }

    const of = (count: number, key?: string) => totalOf(shop.account, count, key === undefined ? {} : { key })
    const sums = [of(1), of(2, 'key_1'), of(1, 'key_2')]
    expect(await totalsOf(store)).toEqual(sums)
    expect(await totalsOf(await reopen())).toEqual(sums)
  })

  it('what comes late and what is taken back counts for the key of its request', async () => {
    const { store, clock } = await start()
    const shop = await openShop(store)
    const soFarOf = (hold: Hold, charge: Charge) => {
      const { bill, ...rest } = settlement(hold, charge)
      return { ...rest, bill: { ...bill, key: 'key_1' } }
    }
    const holds = [await admit(store, shop, 'req_1'), await admit(store, shop, 'req_2')] as const
    const part = { tokens: 12, cost: nanoUsd(14) }
    await store.holds.heartbeat(holds.map(hold => ({ hold, soFar: soFarOf(hold, part) })))
    clock.at += LAPSED
    await store.holds.sweep()

    await store.holds.settle(soFarOf(holds[0], takenBy(holds[0])))
    await store.holds.refund(holds[1])

    expect(await totalsOf(store)).toEqual([{ ...totalOf(shop.account, 1), requests: 2, key: 'key_1' }])
    expect((await ledgerOf(store)).map(({ kind, key }) => [kind, key])).toEqual([
      ['orphan', 'key_1'],
      ['late', 'key_1'],
      ['orphan', 'key_1'],
      ['late', 'key_1'],
    ])
  })

  it('a row of a request that named no model has an empty name', async () => {
    const { store } = await start()
    const shop = await openShop(store)
    const { bill, ...rest } = settlement(await admit(store, shop, 'req_1'))

    await store.holds.settle({ ...rest, bill: { ...bill, asked: '' } })

    expect(await ledgerOf(store)).toMatchObject([{ asked: '' }])
  })

  it('rows are in the order of their request ids, by account or whole', async () => {
    const { store, clock } = await start()
    const [ada, bob] = [await openShop(store, 'ada'), await openShop(store, 'bob')]
    const requests = Array.from({ length: 600 }, (_, index) => `req_${String(index).padStart(6, '0')}`)
    const holds = []
    for (const [index, id] of requests.entries()) holds.push(await admit(store, index % 3 ? ada : bob, id))
    clock.at += 1000
    for (const some of inGroups(holds.reverse()))
      await Promise.all(some.map(hold => store.holds.settle(settlement(hold))))

    const whole = await ledgerOf(store)
    const bobs = await ledgerOf(store, bob.account)

    expect(whole.map(({ requestId }) => requestId)).toEqual(requests)
    expect(bobs.map(({ requestId }) => requestId)).toEqual(requests.filter((_, index) => index % 3 === 0))
  })

  it('rows of one request follow one another, the orphan before what came late', async () => {
    const { store, clock } = await start()
    const shop = await openShop(store)
    const ids = ['req_1', 'req_10', 'req_2']
    const holds = await Promise.all(ids.map(id => admit(store, shop, id)))
    await store.holds.heartbeat(
      holds.map(hold => ({ hold, soFar: settlement(hold, { tokens: 12, cost: nanoUsd(14) }) })),
    )
    clock.at += LAPSED
    await store.holds.sweep()
    for (const hold of [...holds].reverse()) await store.holds.settle(settlement(hold))

    const rows = await ledgerOf(store)

    expect(rows.map(({ requestId, kind }) => `${requestId} ${kind}`)).toEqual(
      ids.flatMap(id => [`${id} orphan`, `${id} late`]),
    )
  })

  it('rows can be read since an admission', async () => {
    const { store, clock } = await start()
    const [ada, bob] = [await openShop(store, 'ada'), await openShop(store, 'bob')]
    for (const [index, shop] of [ada, bob, ada, bob].entries()) {
      clock.at = NOON + index * 1000
      await store.holds.settle(settlement(await admit(store, shop, `req_${index}`)))
    }

    const since = await all(store.ledger.readRows({ since: NOON + 2000 }))
    const bobs = await all(store.ledger.readRows({ since: NOON + 2000, account: bob.account }))

    expect(since.map(({ requestId }) => requestId)).toEqual(['req_2', 'req_3'])
    expect(bobs.map(({ requestId }) => requestId)).toEqual(['req_3'])
  })

  it('rows and totals survive a restart', async () => {
    const { store, reopen } = await start()
    const shop = await openShop(store)
    const settled = settlement(await admit(store, shop, 'req_1'))
    await store.holds.settle(settled)

    const reopened = await reopen()

    expect(await ledgerOf(reopened)).toEqual([rowOf(settled)])
    expect(await totalsOf(reopened)).toEqual([totalOf(shop.account, 1)])
  })

  it('totals are the sums by day of admission, account, plan and model', async () => {
    const { store, clock } = await start()
    const [ada, bob] = [await openShop(store, 'ada'), await openShop(store, 'bob')]
    const ask = async (shop: typeof ada, id: string, other: { plan?: string; model?: string } = {}) => {
      const { bill, ...rest } = settlement(await admit(store, shop, id, claimsOf({ at: clock.at })))
      return { ...rest, bill: { ...bill, ...other } }
    }
    const first = await ask(ada, 'req_1')
    await store.holds.settle(await ask(ada, 'req_2'))
    await store.holds.settle(await ask(ada, 'req_3', { model: 'svc-ultra' }))
    await store.holds.settle(await ask(ada, 'req_4', { plan: 'free' }))
    await store.holds.settle(await ask(bob, 'req_5'))
    clock.at += DAY_MS
    await store.holds.settle(first)
    await store.holds.settle(await ask(ada, 'req_6'))

    expect(await totalsOf(store)).toEqual([
      totalOf(ada.account, 1, { plan: 'free' }),
      totalOf(ada.account, 2),
      totalOf(ada.account, 1, { model: 'svc-ultra' }),
      totalOf(bob.account, 1),
      totalOf(ada.account, 1, { day: TODAY + 1 }),
    ])
    expect(await totalsOf(store, { since: TODAY + 1 })).toEqual([totalOf(ada.account, 1, { day: TODAY + 1 })])
    expect(await totalsOf(store, { since: TODAY + 2 })).toEqual([])
  })

  it('totals of late requests are those of the day of their admission, and count each request once', async () => {
    const { store, clock } = await start()
    const shop = await openShop(store)
    const holds = await Promise.all(['req_1', 'req_2', 'req_3'].map(id => admit(store, shop, id)))
    const [more, nothing, fromNothing] = holds
    if (!more || !nothing || !fromNothing) throw new Error('three were admitted')
    await store.holds.heartbeat(
      [more, nothing].map(hold => ({ hold, soFar: settlement(hold, { tokens: 12, cost: nanoUsd(14) }) })),
    )
    clock.at += DAY_MS
    await store.holds.sweep()
    expect(await totalsOf(store)).toEqual([
      totalOf(shop.account, 2, { inputTokens: 20, outputTokens: 4, cost: nanoUsd(28) }),
    ])

    await store.holds.settle(settlement(more))
    await store.holds.refund(nothing)
    await store.holds.settle(settlement(fromNothing))

    expect(await totalsOf(store)).toEqual([
      totalOf(shop.account, 3, { inputTokens: 20, outputTokens: 40, cost: nanoUsd(100) }),
    ])
  })

  it('totals have what of the input was cached and what that saved, of a late request once, and of a refunded one nothing', async () => {
    const { store, clock, reopen } = await start()
    const shop = await openShop(store)
    const cached = (hold: Hold, tokens: CachedTokens) => {
      const { bill, ...rest } = settlement(hold)
      const saved = tokens.cachedTokens && { saved: nanoUsd(9 * tokens.cachedTokens) }
      return { ...rest, bill: { ...bill, ...tokens, ...saved } }
    }
    const holds = await Promise.all(['req_1', 'req_2', 'req_3', 'req_4'].map(id => admit(store, shop, id)))
    const [plain, whole, late, refunded] = holds
    if (!plain || !whole || !late || !refunded) throw new Error('four were admitted')
    await store.holds.settle(settlement(plain))
    expect(await totalsOf(store)).toEqual([totalOf(shop.account, 1)])

    await store.holds.settle(cached(whole, { cachedTokens: 6, cacheWriteTokens: 3 }))
    await store.holds.heartbeat([late, refunded].map(hold => ({ hold, soFar: cached(hold, { cachedTokens: 4 }) })))
    clock.at += LAPSED
    await store.holds.sweep()
    expect(await totalsOf(store)).toEqual([
      totalOf(shop.account, 4, { cachedTokens: 14, cacheWriteTokens: 3, saved: nanoUsd(126) }),
    ])

    await store.holds.settle(cached(late, { cachedTokens: 5, cacheWriteTokens: 1 }))
    await store.holds.refund(refunded)

    const sums = totalOf(shop.account, 3, { requests: 4, cachedTokens: 11, cacheWriteTokens: 4, saved: nanoUsd(99) })
    expect(await totalsOf(store)).toEqual([sums])
    expect(await totalsOf(await reopen())).toEqual([sums])
  })

  it('totals of one account are its own of the days that were asked for', async () => {
    const { store, clock } = await start()
    const [ada, bob] = [await openShop(store, 'ada'), await openShop(store, 'bob')]
    const ask = async (shop: typeof ada, id: string) =>
      store.holds.settle(settlement(await admit(store, shop, id, claimsOf({ at: clock.at }))))
    await ask(ada, 'req_1')
    await ask(bob, 'req_2')
    clock.at += DAY_MS
    await ask(ada, 'req_3')
    await ask(bob, 'req_4')
    clock.at += DAY_MS
    await ask(ada, 'req_5')

    const { account } = ada
    expect(await totalsOf(store, { account })).toEqual(
      [0, 1, 2].map(later => totalOf(account, 1, { day: TODAY + later })),
    )
    expect(await totalsOf(store, { account, since: TODAY + 1 })).toEqual(
      [1, 2].map(later => totalOf(account, 1, { day: TODAY + later })),
    )
  })

  it('trimming removes rows of requests admitted before, and leaves totals and spend', async () => {
    const { store, clock } = await start()
    const [ada, bob] = [await openShop(store, 'ada'), await openShop(store, 'bob')]
    const requests = Array.from({ length: 700 }, (_, index) => `req_${String(index).padStart(6, '0')}`)
    const holds = []
    for (const [index, id] of requests.entries()) {
      clock.at = NOON + index
      holds.push(await admit(store, index % 2 ? ada : bob, id, claimsOf({ rpm: 1e6 })))
    }
    clock.at = NOON + DAY_MS
    for (const some of inGroups(holds)) await Promise.all(some.map(hold => store.holds.settle(settlement(hold))))
    const totals = await totalsOf(store)

    const removed = await store.ledger.trim(NOON + 650)

    expect(removed).toBe(650)
    expect((await ledgerOf(store)).map(({ requestId }) => requestId)).toEqual(requests.slice(650))
    expect((await ledgerOf(store, ada.account)).length).toBe(25)
    expect(await totalsOf(store)).toEqual(totals)
    expect(sumOf(totals)).toBe(700 * 50)
    expect(await store.accounts.readSpend(ada.account)).toMatchObject({ used: 350 * 50, held: 0 })
    expect(await store.ledger.trim(NOON + 650)).toBe(0)
  })

  it('trimming removes both rows of a request that was late', async () => {
    const { store, clock } = await start()
    const shop = await openShop(store)
    const hold = await admit(store, shop, 'req_1')
    await store.holds.heartbeat([{ hold, soFar: settlement(hold, { tokens: 12, cost: nanoUsd(14) }) }])
    clock.at += LAPSED
    await store.holds.sweep()
    await store.holds.settle(settlement(hold))
    const kept = settlement(await admit(store, shop, 'req_2'))
    await store.holds.settle(kept)

    expect(await store.ledger.trim(NOON + 1)).toBe(2)

    expect(await ledgerOf(store)).toEqual([rowOf(kept)])
    expect(await store.accounts.readSpend(shop.account)).toMatchObject({ used: 100 })
  })

  it('trimming survives a restart, and so do the totals of what was trimmed', async () => {
    const { store, clock, reopen } = await start()
    const shop = await openShop(store)
    await store.holds.settle(settlement(await admit(store, shop, 'req_1')))
    clock.at += 1
    await store.ledger.trim(clock.at)

    const reopened = await reopen()

    expect(await ledgerOf(reopened)).toEqual([])
    expect(await totalsOf(reopened)).toEqual([totalOf(shop.account, 1)])
    expect(await reopened.accounts.readSpend(shop.account)).toMatchObject({ used: 50 })
  })
}

/** Groups small enough for a busy machine to serve without a store looking dead. */
const inGroups = <T>(items: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(items.length / 50) }, (_, group) => items.slice(group * 50, (group + 1) * 50))
