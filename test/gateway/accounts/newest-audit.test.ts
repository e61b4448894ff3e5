import { expect, it } from 'vitest'
import { newestAudit } from '../../../src/gateway/accounts/audited.ts'
import type { AuditRow } from '../../../src/records/audit.ts'

const row = (at: number, by = 'operator'): AuditRow => ({
  at,
  by,
  action: 'freeze',
  account: '',
  before: '',
  after: '',
})

/** Rows as a store has them, and how many of them were read. */
function trailOf(rows: readonly AuditRow[]) {
  const trail = {
    read: 0,
    find: async () => undefined,
    async *readAuditBack() {
      for (const each of rows) {
        trail.read++
        yield each
      }
    },
  }
  return trail
}

const timesIn = ({ rows }: { readonly rows: readonly AuditRow[] }) => rows.map(({ at }) => at)
const ALL = { before: Number.POSITIVE_INFINITY, isWanted: () => true }

it('the newest changes are read, and not those behind them', async () => {
  const trail = trailOf(Array.from({ length: 1000 }, (_, place) => row(1000 - place)))

  const page = await newestAudit(trail, { ...ALL, limit: 3 })

  expect(timesIn(page)).toEqual([1000, 999, 998])
  expect(trail.read).toBe(4)
  expect(timesIn(await newestAudit(trail, { ...ALL, limit: 2, before: page.next ?? 0 }))).toEqual([997, 996])
})

it('changes of one moment are on one page', async () => {
  const page = await newestAudit(trailOf([3, 2, 2, 2, 1].map(at => row(at))), { ...ALL, limit: 2 })

  expect(page).toMatchObject({ next: 2 })
  expect(timesIn(page)).toEqual([3, 2, 2, 2])
})

it('no more than a bound are looked at for those that are wanted, and the next page goes on there', async () => {
  const trail = trailOf([...Array.from({ length: 20 }, (_, place) => row(50 - place)), row(1, 'ada')])
  const wanted = { ...ALL, limit: 5, isWanted: ({ by }: AuditRow) => by === 'ada' }

  const first = await newestAudit(trail, wanted, 10)
  expect(first).toEqual({ rows: [], next: 41 })
  const second = await newestAudit(trail, { ...wanted, before: 41 }, 10)
  expect(second).toEqual({ rows: [], next: 31 })
  expect(timesIn(await newestAudit(trail, { ...wanted, before: 31 }, 10))).toEqual([1])
})
