import { expect, it } from 'vitest'
import type { PastQuery } from '../../src/gateway/store/ledger-store.ts'
import { pastRequests, type Track } from '../../src/gateway/store/past-requests.ts'
import { nanoUsd } from '../../src/policy/nano-usd.ts'
import type { LedgerRow } from '../../src/records/ledger-row.ts'

/** Rows of four parts; a request in each millisecond, every fiftieth with a failed attempt at a pool of its own. */
const parts = [0, 1, 2, 3].map(part =>
  Array.from({ length: 250 }, (_, index) => index * 4 + part).flatMap(number => {
    const requestId = `req_${String(number).padStart(26, '0')}`
    const row = (kind: LedgerRow['kind'], pool: string): LedgerRow => ({
      ...{ requestId, account: 'acct_a', plan: 'pro', asked: '', model: 'm', pool, kind },
      ...{ inputTokens: 1, outputTokens: 1, cost: nanoUsd(1), estimated: false, revision: 'r' },
      ...{ admittedAt: number * 1000, settledAt: number * 1000 },
    })
    const own = [{ place: requestId, row: row('settle', 'near') }]
    return number % 50 === 0 ? [...own, { place: `${requestId}+waste`, row: row('waste', 'far') }] : own
  }),
)

function ledger() {
  const counts = { rows: 0 }
  const tracks = parts.map(
    (rows): Track => ({
      readBack: async (before, limit) => {
        const page = rows
          .filter(({ place }) => before === undefined || place < before)
          .slice(-limit)
          .toReversed()
        counts.rows += page.length
        return page
      },
    }),
  )
  return { counts, tracks }
}

const BOUNDS = { page: 10, atOnce: 2, most: 120 }
const numbers = (requests: readonly (readonly LedgerRow[])[]) =>
  requests.map(([first]) => Number(first?.requestId.slice(4)))

it('the newest of all parts come first, and no more of the parts is read than it takes', async () => {
  const { counts, tracks } = ledger()

  const { requests, next } = await pastRequests(tracks, { since: 0, limit: 20 }, BOUNDS)

  expect(numbers(requests)).toEqual(Array.from({ length: 20 }, (_, index) => 999 - index))
  expect(numbers([requests.at(-1) ?? []])).toEqual([Number(next?.slice(4))])
  expect(counts.rows).toBeLessThan(100)
})

it('a look ends after so many rows, has not passed over any, and says where the next one goes on', async () => {
  const { counts, tracks } = ledger()
  const query: PastQuery = { pool: 'far', since: 0, limit: 1000 }
  const seen: number[] = []
  let looks = 0
  for (let before: string | undefined = ''; before !== undefined; looks++) {
    const from = counts.rows
    const page = await pastRequests(tracks, { ...query, ...(before !== '' && { before }) }, BOUNDS)
    expect(counts.rows - from).toBeLessThanOrEqual(BOUNDS.most + BOUNDS.atOnce * BOUNDS.page)
    for (const rows of page.requests) expect(rows.map(({ kind }) => kind)).toEqual(['settle', 'waste'])
    seen.push(...numbers(page.requests))
    before = page.next
  }

  expect(seen).toEqual(Array.from({ length: 20 }, (_, index) => 950 - index * 50))
  expect(looks).toBeGreaterThan(5)
})

it('nothing older than what is asked for is read', async () => {
  const { counts, tracks } = ledger()

  const { requests, next } = await pastRequests(tracks, { since: 900_000, limit: 1000 }, { ...BOUNDS, most: 10_000 })

  expect(numbers(requests)).toHaveLength(100)
  expect(next).toBeUndefined()
  // Ids are up to a minute older than admissions.
  expect(counts.rows).toBeLessThan(260)
})
