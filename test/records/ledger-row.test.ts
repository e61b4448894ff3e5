import { expect, it } from 'vitest'
import { migration, SCHEMA, tableOf } from '../../src/adapters/archives/postgres/ledger-table.ts'
import { REST_PLACES } from '../../src/adapters/redis/row-text.ts'
import { ROW_FIELDS } from '../../src/records/ledger-row.ts'
import { LEDGER_RECORD_NAMES } from '../../src/wire/admin/ledger-record.ts'
import { FULL_BILL, ROWS } from './rows.ts'

it('no two fields of a row share a place in Redis, and no place is left open', () => {
  const places = Object.values(REST_PLACES)

  expect(places.toSorted((a, b) => a - b)).toEqual([...places.keys()])
})

it('no two fields of a row share a name in JSON or a column', () => {
  for (const names of [LEDGER_RECORD_NAMES, ROW_FIELDS.map(({ column }) => column)])
    expect(new Set(names).size).toBe(names.length)
})

it('the rows that every codec is tested with have every field that is declared', () => {
  const given = new Set([...Object.keys(FULL_BILL), ...Object.values(ROWS).flatMap(row => Object.keys(row))])

  expect(ROW_FIELDS.map(({ member }) => member).filter(member => !given.has(member))).toEqual([])
})

it('a table of an older version gets the columns that came since, and their types', () => {
  const later = { rule: 2, toolCosts: 2, settledAt: 3 }

  expect(migration(tableOf('svc'), 1, later)).toEqual([
    'ALTER TABLE "svc_ledger" ADD COLUMN IF NOT EXISTS route text',
    'ALTER TABLE "svc_ledger" ADD COLUMN IF NOT EXISTS tool_costs json',
  ])
  expect(migration(tableOf('svc'), 2, later)).toEqual([
    'ALTER TABLE "svc_ledger" ADD COLUMN IF NOT EXISTS settled_at timestamptz',
  ])
  expect(() => migration(tableOf('svc'), SCHEMA)).toThrow(`there is no migration from schema ${SCHEMA}`)
})
