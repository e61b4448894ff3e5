import fc from 'fast-check'
import { expect, it } from 'vitest'
import { packCounters, unpackCounters } from '../../../src/adapters/embedded/account-counters.ts'
import { packRow, type StoredRow, unpackRow } from '../../../src/adapters/embedded/ledger-rows.ts'
import { holdOfStored, storedHold } from '../../../src/adapters/embedded/open-holds.ts'
import type { AccountCounters } from '../../../src/policy/counters/account-counters.ts'
import { CALENDAR_RULES } from '../../../src/policy/limits/named-rules.ts'
import { nanoUsd } from '../../../src/policy/nano-usd.ts'
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
  calendar: fc.tuple(...CALENDAR_RULES.map(() => fc.record({ number: fc.nat(), requests: fc.nat() }))),
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

it('a row comes back as it was packed, its members in their order', () => {
  fc.assert(
    fc.property(row, row => {
      expect(JSON.stringify(unpackRow(packRow(row)))).toBe(JSON.stringify(row))
    }),
  )
})

it('a standing comes back as it was packed', () => {
  fc.assert(
    fc.property(standing, standing => {
      expect(unpackCounters(packCounters(standing))).toEqual(standing)
    }),
  )
})

it('running requests are `open` in a hold on disk, as ever, and it comes back as it was', () => {
  const { readings, ...rest } = heldOf('req_1')
  const held = { ...rest, readings: { ...readings, concurrent: 3 } }

  expect(storedHold(held).readings).toEqual({ requests: 0, tokens: 0, day: 0, open: 3, used: 0, held: 0 })
  expect(holdOfStored(storedHold(held))).toEqual(held)
})
