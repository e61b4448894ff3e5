import fc from 'fast-check'
import { expect, it } from 'vitest'
import { packCounters, type UnpackedCounters, unpackCounters } from '../../../src/adapters/embedded/account-counters.ts'
import { holdOfStored, storedHold } from '../../../src/adapters/embedded/holds.ts'
import { packRow, type StoredRow, unpackRow } from '../../../src/adapters/embedded/ledger-rows.ts'
import { openRecords } from '../../../src/adapters/embedded/records.ts'
import type { AccountCounters } from '../../../src/policy/counters/account-counters.ts'
import { CALENDAR_LIMITS } from '../../../src/policy/limits/limits.ts'
import { nanoUsd } from '../../../src/policy/nano-usd.ts'
import { expectBalanced, newDirectory, openHere } from './directory.ts'
import { admission, admit, ledgerOf, openShop, settlement, totalsOf, waste } from './fixtures.ts'
import { heldOf } from './held.ts'

const count = fc.integer({ min: -1_000_000, max: Number.MAX_SAFE_INTEGER })
const bill = {
  requestId: fc.string(),
  account: fc.string(),
  plan: fc.string(),
  asked: fc.string(),
  model: fc.string(),
  pool: fc.string(),
  inputTokens: count,
  outputTokens: count,
  cost: count.map(nanoUsd),
  estimated: fc.boolean(),
  admittedAt: count,
  revision: fc.string(),
}
const end = { kind: fc.constantFrom('settle', 'orphan', 'late', 'waste'), settledAt: count }
const some = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })
/** In the order of the members of a row as it is made. */
const row: fc.Arbitrary<StoredRow> = fc
  .tuple(
    fc.record(bill),
    some(fc.string()),
    some(fc.dictionary(fc.string(), fc.nat())),
    fc.record(end),
    some(fc.string()),
    some(fc.nat()),
    fc.boolean(),
  )
  .map(([bill, rule, tools, end, cause, tokens, shared]) => ({
    ...bill,
    ...(rule !== undefined && { rule }),
    ...(tools && { tools }),
    ...(end as Pick<StoredRow, 'kind' | 'settledAt'>),
    ...(cause !== undefined && { cause }),
    ...(tokens !== undefined && { tokens }),
    ...(shared && { shared }),
  }))

const standing: fc.Arbitrary<AccountCounters> = fc.record({
  minute: fc.array(fc.record({ second: count, requests: fc.nat(), tokens: count })),
  calendar: fc.tuple(...CALENDAR_LIMITS.map(() => fc.record({ number: fc.nat(), requests: fc.nat() }))),
  concurrent: fc.nat(),
  spend: fc
    .uniqueArray(
      fc.tuple(fc.nat(Number.MAX_SAFE_INTEGER), fc.record({ used: count.map(nanoUsd), held: count.map(nanoUsd) })),
      {
        selector: ([window]) => window,
      },
    )
    .map(windows => Object.fromEntries(windows)),
})

/** As files of schema 3 have counters. */
const unpackedOf = ({ minute, calendar: [day], concurrent, spend }: AccountCounters): UnpackedCounters => ({
  ...{ minute, day: day ?? { number: 0, requests: 0 }, open: concurrent, spend },
})

it('a row comes back as it was packed, its members in their order', () => {
  fc.assert(
    fc.property(row, row => {
      expect(JSON.stringify(unpackRow(packRow(row)))).toBe(JSON.stringify(row))
      expect(unpackRow(row)).toBe(row)
    }),
  )
})

it('a standing comes back as it was packed', () => {
  fc.assert(
    fc.property(standing, standing => {
      expect(unpackCounters(packCounters(standing))).toEqual(standing)
      // They had one calendar window.
      expect(unpackCounters(unpackedOf(standing))).toEqual({ ...standing, calendar: standing.calendar.slice(0, 1) })
    }),
  )
})

it('running requests are `open` in a hold on disk, as ever, and it comes back as it was', () => {
  const { readings, ...rest } = heldOf('req_1')
  const held = { ...rest, readings: { ...readings, concurrent: 3 } }

  expect(storedHold(held).readings).toEqual({ requests: 0, tokens: 0, day: 0, open: 3, used: 0, held: 0 })
  expect(holdOfStored(storedHold(held))).toEqual(held)
})

it('files of schema 3, whose rows and standings are objects, serve as before', async () => {
  const path = await newDirectory()
  const first = await openHere(path)
  const shop = await openShop(first)
  const [settled, left] = [await admit(first, shop, 'req_1'), await admit(first, shop, 'req_2')]
  await first.holds.heartbeat([{ hold: left, soFar: settlement(left, { tokens: 12, cost: nanoUsd(14) }) }])
  await first.ledger.recordWaste([waste(settled)])
  await first.holds.settle(settlement(settled))
  const rows = await ledgerOf(first)
  await first.close()
  const old = await openRecords(path)
  await old.transact(() => {
    old.meta.put('schema', 3)
    for (const { key, value } of old.ledger.getRange()) old.ledger.put(key, unpackRow(value))
    for (const { key, value } of old.standings.getRange()) old.standings.put(key, unpackedOf(unpackCounters(value)))
  })
  expect(Array.from(old.ledger.getRange(), ({ value }) => Array.isArray(value))).toEqual([false, false])
  await old.close()

  const store = await openHere(path)

  expect((await ledgerOf(store)).filter(({ kind }) => kind !== 'orphan')).toEqual(rows)
  expect(await expectBalanced(store, shop.account)).toMatchObject([{ cost: 50 }, { cost: 14 }])
  expect(await store.holds.admit(admission(shop, 'req_3'))).toMatchObject({
    readings: { requests: 2, used: 64, held: 0 },
  })
  await store.holds.settle(settlement(settled))
  await store.holds.settle(settlement(left))
  expect(await ledgerOf(store)).toMatchObject([...rows, { kind: 'orphan', cost: 14 }, { kind: 'late', cost: 36 }])
  expect(await totalsOf(store)).toMatchObject([{ requests: 2, cost: 100 }])
  expect(await store.ledger.trim(Number.MAX_SAFE_INTEGER)).toBe(4)
})
