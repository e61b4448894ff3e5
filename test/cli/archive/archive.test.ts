import { expect, it } from 'vitest'
import { statusText } from '../../../src/cli/archive/archive-run.ts'
import type { ArchiveRecord } from '../../../src/wire/admin/archive-state.ts'

const fine: ArchiveRecord = {
  to: 'postgres://warehouse.internal:5432/svc',
  here: true,
  archived_rows: 12_000,
  failures: 0,
  last_error: null,
  waiting_rows: 0,
  oldest_at: null,
  lag_seconds: 0,
}

it('says how far rows came', () => {
  expect(statusText(fine).split('\n')).toEqual([
    'to              postgres://warehouse.internal:5432/svc',
    'taken there by  this gateway',
    'rows so far     12000 since this gateway started',
    'rows that wait  none',
    'failures        none',
  ])
})

it('says how many rows wait, since when, and why', () => {
  const waits = { failures: 7, last_error: 'connect ECONNREFUSED 10.0.0.7:5432', waiting_rows: 7_000_000 }
  const since = { oldest_at: '2026-11-12T10:00:00.000Z', lag_seconds: 604_800.2 }
  expect(statusText({ ...fine, here: false, archived_rows: 0, ...waits, ...since }).split('\n')).toEqual([
    'to              postgres://warehouse.internal:5432/svc',
    'taken there by  another gateway on the same store, or none yet',
    'rows so far     0 since this gateway started',
    'rows that wait  7000000, the oldest admitted 2026-11-12T10:00:00Z, 7d later than it might be there',
    'failures        7',
    'last failure    connect ECONNREFUSED 10.0.0.7:5432',
  ])
})

it('says where there is no archive', () => {
  const none = { ...fine, to: null, here: false, archived_rows: 0 }
  expect(statusText(none)).toBe('No archive: rows are removed after ledger.keep.')
})
