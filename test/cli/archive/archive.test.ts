import { expect, it } from 'vitest'
import { statusText } from '../../../src/cli/archive/run.ts'
import { widthOf } from '../../../src/cli/kit/table.ts'
import type { ArchiveRecord } from '../../../src/wire/admin/archive-state.ts'
import { atWidth } from '../at-width.ts'

const fine: ArchiveRecord = {
  to: 'postgres://warehouse.internal:5432/svc',
  read_back: true,
  here: true,
  archived_rows: 12_000,
  failures: 0,
  last_error: null,
  waiting_rows: 0,
  oldest_at: null,
  lag_seconds: 0,
}

const waits = { failures: 7, last_error: 'connect ECONNREFUSED 10.0.0.7:5432', waiting_rows: 7_000_000 }
const since = { oldest_at: '2026-11-12T10:00:00.000Z', lag_seconds: 604_800.2 }
const states: readonly ArchiveRecord[] = [
  fine,
  { ...fine, here: false, archived_rows: 0, ...waits, ...since },
  { ...fine, to: 'https://warehouse.internal/rows', read_back: false },
  { ...fine, to: 'file:/var/lib/svc/rows', waiting_rows: 12, oldest_at: since.oldest_at, lag_seconds: 61 },
]

it.each([80, 120, 200])('what waits, since when, and why, is its golden text in %s columns', async columns => {
  const text = `${states.map(state => atWidth(columns, () => statusText(state))).join('\n\n')}\n`

  await expect(text).toMatchFileSnapshot(`../golden/archive-status-${columns}.txt`)
  expect(text.split('\n').filter(line => widthOf(line) > columns)).toEqual([])
})

it('says where there is no archive', () => {
  const none = { ...fine, to: null, here: false, archived_rows: 0 }
  expect(statusText(none)).toBe('No archive: rows are deleted after ledger.keep.')
})
