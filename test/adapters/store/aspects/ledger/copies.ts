import { expect, it } from 'vitest'
import { comparePools } from '../../../../../src/gateway/mirror/comparison.ts'
import { isWasted, shownKind } from '../../../../../src/records/ledger-row.ts'
import { mirrorTexts } from '../../../../../src/records/mirror-facts.ts'
import type { Start } from '../../contract.ts'
import { admit, ledgerOf, NOON, openShop, settlement, totalsOf, waste, wasteOf } from '../../fixtures.ts'

const FACTS = mirrorTexts({
  pool: 'onprem',
  original: { end: 'well', firstMs: 100, ms: 1100, inputTokens: 10, outputTokens: 20, finish: 'stop' },
  copy: { end: 'failed', ms: 7 },
})

export function copiesContract(start: Start): void {
  it('a copy is in no sum of its account, and in one apart from the failed attempts of its pool', async () => {
    const { store, reopen } = await start()
    const shop = await openShop(store)
    const hold = await admit(store, shop, 'req_1')
    await store.holds.settle(settlement(hold))
    await store.ledger.recordWaste([waste(hold)])
    const [totals, wasted] = [await totalsOf(store), await wasteOf(store)]

    const failed = waste(hold, 9000)
    const copy = { ...failed, cause: 'copy', bill: { ...failed.bill, mirror: FACTS } }
    await store.ledger.recordWaste([copy])
    await store.ledger.recordWaste([copy])

    const reopened = await reopen()
    expect((await ledgerOf(reopened)).map(shownKind)).toEqual(['settle', 'waste', 'mirror'])
    expect((await ledgerOf(reopened)).filter(isWasted)).toHaveLength(1)
    expect(await totalsOf(reopened)).toEqual(totals)
    const [plain, ...more] = (await wasteOf(reopened)).toSorted((a, b) => (a.pool < b.pool ? -1 : 1))
    expect(plain).toEqual(wasted[0])
    expect(more).toEqual([{ ...wasted[0], pool: 'cloud-core/mirror' }])
    const { rows } = await reopened.ledger.readNewest({ account: shop.account, limit: 10 })
    expect(rows.map(shownKind)).toEqual(['settle'])
    const { requests } = await reopened.ledger.readPast({ copied: true, since: 0, limit: 10 })
    expect(requests).toHaveLength(1)

    const compared = await comparePools(reopened.ledger, { pool: 'onprem', to: 'cloud-core', since: NOON - 1 })
    expect(compared).toMatchObject({
      pairs: 1,
      original: { errors: 0, firstTokenP50Ms: 100, tokensPerSecond: 20, finish: { stop: 1 } },
      copy: { errors: 1, outputTokens: 0, finish: {} },
    })
  })
}
