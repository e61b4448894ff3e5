import { expect, it } from 'vitest'
import type { Store } from '../../../../../src/gateway/store/store.ts'
import { dayAt, type Hold } from '../../../../../src/policy/counters/account-counters.ts'
import { nanoUsd } from '../../../../../src/policy/nano-usd.ts'
import type { Start, Started } from '../../contract.ts'
import {
  admission,
  admit,
  charged,
  claimsOf,
  LAPSED,
  ledgerOf,
  NOON,
  openGuest,
  openShop,
  settlement,
  totalsOf,
  waste,
  wasted,
  wasteOf,
  wasteRowOf,
} from '../../fixtures.ts'
import { expectTaken, holdShared } from '../limits/shared.ts'

const DAY_MS = 86_400_000
const TODAY = dayAt(NOON)
/** The total of so many attempts at 10 tokens in, 5 out and 9 nano-USD. */
const wasteTotal = (attempts: number, day = TODAY, pool = 'cloud-core') => ({
  day,
  pool,
  attempts,
  inputTokens: 10 * attempts,
  outputTokens: 5 * attempts,
  cost: 9 * attempts,
})

export function wasteContract(start: Start): void {
  it('a row says all that its bill says and why the attempt failed, also where a name is odd', async () => {
    const { store, clock } = await start()
    const shop = await openShop(store)
    const { bill } = waste(await admit(store, shop, 'req_1'))
    const odd = { ...bill, asked: 'my “model”  \\ \n{"x":1}\u0000 ', pool: 'eu west 1' }
    clock.at += 1000

    await store.ledger.recordWaste([
      { attempt: 1, bill: odd, cause: 'status 500: “no”\n' },
      { attempt: 2, bill: { ...odd, rule: 'a → b' }, cause: '' },
    ])

    expect(await ledgerOf(store)).toEqual([
      { ...odd, kind: 'waste', settledAt: clock.at, cause: 'status 500: “no”\n' },
      { ...odd, rule: 'a → b', kind: 'waste', settledAt: clock.at, cause: '' },
    ])
    expect(await wasteOf(store)).toEqual([wasteTotal(2, TODAY, 'eu west 1')])
  })

  it('the same attempt again changes nothing, at once, later, after a restart, or beside a new one', async () => {
    const { store, clock, reopen } = await start()
    const shop = await openShop(store)
    const hold = await admit(store, shop, 'req_1')
    const [one, other, two] = [waste(hold, 1), waste(hold, 1, { tokens: 99, cost: nanoUsd(99) }), waste(hold, 2)]

    await store.ledger.recordWaste([one, other])
    await Promise.all([store.ledger.recordWaste([one]), store.ledger.recordWaste([one])])
    clock.at += 5000
    await store.ledger.recordWaste([other])
    const reopened = await reopen()
    await reopened.ledger.recordWaste([other, two])

    expect(await ledgerOf(reopened)).toEqual([wasteRowOf(one, NOON), wasteRowOf(two, clock.at)])
    expect(await wasteOf(reopened)).toEqual([wasteTotal(2)])
  })

  it('no row is nothing to write', async () => {
    const { store } = await start()

    await store.ledger.recordWaste([])

    expect(await ledgerOf(store)).toEqual([])
  })

  it('touches nothing of the account: no reading, no spend, no total', async () => {
    const { store, clock } = await start()
    const shop = await openShop(store)
    const hold = await admit(store, shop, 'req_1')
    const settled = settlement(await admit(store, shop, 'req_2'))
    await store.holds.settle(settled)
    const before = await booksOf(store, shop.account)

    await store.ledger.recordWaste([1, 2, 3].map(attempt => waste(hold, attempt, { tokens: 1e6, cost: nanoUsd(1e12) })))
    await store.ledger.recordWaste([waste(settled.hold)])

    expect(await booksOf(store, shop.account)).toEqual(before)
    clock.at += 1
    expect(await store.holds.admit(admission(shop, 'req_3', claimsOf({ limit: 150, tpm: 90 })))).toMatchObject({
      outcome: 'admitted',
      readings: { requests: 2, tokens: 60, day: 2, concurrent: 1, used: 50, held: 50 },
    })
  })

  it('takes nothing of what guests share', async () => {
    const { store } = await start()
    const phone = await openGuest(store)
    const hold = await holdShared(store, phone, 'req_1')

    await store.ledger.recordWaste([waste(hold)])
    await expectTaken(store, phone, nanoUsd(50))

    await store.holds.settle(settlement(hold, { tokens: 20, cost: nanoUsd(30) }))
    await expectTaken(store, phone, nanoUsd(30))
  })

  it.each(Object.keys(ENDS) as (keyof typeof ENDS)[])(
    'a request ends the same with it, before or after, and whatever it is told again: %s',
    async how => {
      const books = []
      for (const when of ['never', 'before', 'after', 'both'] as const) {
        const started = await start()
        const shop = await openShop(started.store)
        const hold = await admit(started.store, shop, 'req_1')
        const attempts = [waste(hold, 1), waste(hold, 2)]

        if (when === 'before' || when === 'both') await started.store.ledger.recordWaste(attempts)
        await ENDS[how](started, hold)
        if (when === 'after' || when === 'both') await started.store.ledger.recordWaste(attempts)
        await tellAgain(started, hold)

        const rows = await ledgerOf(started.store)
        expect(wasted(rows).map(({ cause, cost }) => [cause, cost])).toEqual(
          when === 'never' ? [] : attempts.map(({ cause, bill }) => [cause, bill.cost]),
        )
        // Charged rows come first.
        expect([...charged(rows), ...wasted(rows)]).toEqual(rows)
        books.push(await booksOf(started.store, shop.account))
      }

      expect(books.slice(1)).toEqual([books[0], books[0], books[0]])
    },
  )

  it('rows are in the order of their requests and then of their attempts, by account or whole, since an admission', async () => {
    const { store, clock } = await start()
    const [ada, bob] = [await openShop(store, 'ada'), await openShop(store, 'bob')]
    const ids = ['req_1', 'req_10', 'req_2']
    const holds = []
    for (const [index, id] of ids.entries()) {
      clock.at = NOON + index * 1000
      holds.push(await admit(store, index === 1 ? bob : ada, id))
    }
    for (const hold of [...holds].reverse()) {
      for (const attempt of [10, 2, 1])
        await store.ledger.recordWaste([waste(hold, attempt, { tokens: 10, cost: nanoUsd(attempt) })])
      await store.holds.settle(settlement(hold))
    }
    const told = async (query: Parameters<Store['ledger']['readRows']>[0]) => {
      const rows = []
      for await (const { requestId, kind, cost } of store.ledger.readRows(query))
        rows.push(`${requestId} ${kind} ${cost}`)
      return rows
    }
    const of = (id: string) => [`${id} settle 50`, `${id} waste 1`, `${id} waste 2`, `${id} waste 10`]

    expect(await told({})).toEqual(ids.flatMap(of))
    expect(await told({ account: bob.account })).toEqual(of('req_10'))
    expect(await told({ account: ada.account })).toEqual([...of('req_1'), ...of('req_2')])
    expect(await told({ since: NOON + 1000 })).toEqual([...of('req_10'), ...of('req_2')])
  })

  it('totals are the sums by day of admission and pool, of which trimming takes none', async () => {
    const { store, clock, reopen } = await start()
    const [ada, bob] = [await openShop(store, 'ada'), await openShop(store, 'bob')]
    const [first, second] = [await admit(store, ada, 'req_1'), await admit(store, bob, 'req_2')]
    clock.at += DAY_MS
    const { bill, ...third } = waste(await admit(store, bob, 'req_3', claimsOf({ at: clock.at })))
    const near = { ...third, bill: { ...bill, pool: 'near', cachedTokens: 4 } }
    await store.ledger.recordWaste([waste(first, 1), waste(second, 1), waste(second, 2), near])
    for (const hold of [first, second]) await store.holds.refund(hold)
    const all = [wasteTotal(3), { ...wasteTotal(1, TODAY + 1, 'near'), cachedTokens: 4 }]

    expect(await wasteOf(store)).toEqual(all)
    expect(await store.ledger.trim(NOON + 1)).toBe(3)

    const reopened = await reopen()
    expect(await ledgerOf(reopened)).toEqual([wasteRowOf(near, clock.at)])
    expect(await wasteOf(reopened)).toEqual(all)
    expect(await wasteOf(reopened, { since: TODAY + 1 })).toEqual(all.slice(1))
    expect(await wasteOf(reopened, { since: TODAY + 2 })).toEqual([])
    expect(await totalsOf(reopened)).toEqual([])
  })

  it('hundreds of rows at once are each there', async () => {
    const { store } = await start()
    const shops = await Promise.all(['ada', 'bob', 'eve'].map(label => openShop(store, label)))
    const holds = await Promise.all(shops.map((shop, index) => admit(store, shop, `req_${index}`)))

    const rows = holds.flatMap(hold => Array.from({ length: 100 }, (_, index) => waste(hold, index + 1)))
    await store.ledger.recordWaste(rows)

    expect(await ledgerOf(store)).toEqual(rows.map(row => wasteRowOf(row)))
    expect(await wasteOf(store)).toEqual([wasteTotal(300)])
  })
}

/** How a request may end. */
const ENDS = {
  settle: ({ store }: Started, hold: Hold) => store.holds.settle(settlement(hold, { tokens: 20, cost: nanoUsd(30) })),
  refund: ({ store }: Started, hold: Hold) => store.holds.refund(hold),
  orphan: async ({ store, clock }: Started, hold: Hold) => {
    await store.holds.heartbeat([{ hold, soFar: settlement(hold, { tokens: 12, cost: nanoUsd(14) }) }])
    clock.at += LAPSED
    await store.holds.sweep()
  },
  late: async (started: Started, hold: Hold) => {
    await ENDS.orphan(started, hold)
    await ENDS.settle(started, hold)
  },
  'refund after the orphan': async (started: Started, hold: Hold) => {
    await ENDS.orphan(started, hold)
    await ENDS.refund(started, hold)
  },
  'late without a checkpoint': async (started: Started, hold: Hold) => {
    started.clock.at += LAPSED
    await started.store.holds.sweep()
    await ENDS.settle(started, hold)
  },
} as const

async function tellAgain(started: Started, hold: Hold): Promise<void> {
  await ENDS.settle(started, hold)
  await ENDS.refund(started, hold)
}

/** An account's books, without its failed attempts. */
async function booksOf(store: Store, account: string) {
  return {
    spend: await store.accounts.readSpend(account),
    rows: charged(await ledgerOf(store)),
    totals: await totalsOf(store),
  }
}
