import { expect, it } from 'vitest'
import { newestRows } from '../../src/gateway/store/newest-rows.ts'
import { nanoUsd } from '../../src/policy/nano-usd.ts'
import type { LedgerRow } from '../../src/records/ledger-row.ts'

/** One request in each millisecond, but for two in the tenth; every hundredth is of acct_a. */
const ids = Array.from(
  { length: 1000 },
  (_, index) => `req_${String(index - (index > 10 ? 1 : 0)).padStart(10, '0')}${index}`,
)
const rows = ids.map(
  (requestId, index): LedgerRow => ({
    ...{ requestId, account: index % 100 === 0 ? 'acct_a' : 'acct_b', plan: 'pro', asked: '', model: 'm', pool: 'p' },
    ...{ inputTokens: 1, outputTokens: 1, cost: nanoUsd(1), estimated: false, admittedAt: 0, settledAt: 0 },
    ...{ revision: 'r', kind: 'settle' },
  }),
)

/** How many rows were read, and reads of them. */
function ledger() {
  const counts = { rows: 0 }
  const readBack = async (before: string | undefined, limit: number) => {
    const older = rows.filter(({ requestId }) => before === undefined || requestId < before)
    const page = older.slice(-limit).toReversed()
    counts.rows += page.length
    return page.map(row => ({ place: row.requestId, row }))
  }
  return { counts, readBack }
}

it('a look ends after so many rows, and names no request of another account', async () => {
  const { counts, readBack } = ledger()

  const { rows: found, next } = await newestRows(readBack, { account: 'acct_a', limit: 50 }, { page: 20, most: 200 })

  expect(found.map(({ requestId }) => requestId)).toEqual([ids[900], ids[800]])
  expect(counts.rows).toBeLessThan(240)
  expect(next).toMatch(/^req_\d{10}$/)
})

it('looks that go on where others ended find all rows, each once', async () => {
  const { readBack } = ledger()
  const found: string[] = []
  for (let before: string | undefined = '~'; before !== undefined; ) {
    const looked = await newestRows(readBack, { account: 'acct_a', limit: 3, before }, { page: 7, most: 13 })
    found.push(...looked.rows.map(({ requestId }) => requestId))
    before = looked.next
  }
  expect(found).toEqual(ids.filter((_, index) => index % 100 === 0).toReversed())
})
