import fc from 'fast-check'
import { expect, it } from 'vitest'
import { csvRows } from '../../../src/cli/reconcile/csv-rows.ts'
import { chargesOf } from '../../../src/policy/billing/charges.ts'
import { addNanoUsd, nanoUsd, subtractNanoUsd } from '../../../src/policy/nano-usd.ts'
import { costOfTokens, type PaidTokens } from '../../../src/policy/price.ts'
import type { LedgerRow } from '../../../src/records/ledger-row.ts'
import { type FocusTerms, focusCsv } from '../../../src/wire/focus/csv.ts'
import { PLAIN_BILL } from '../../records/rows.ts'

const AT = Date.UTC(2026, 10, 21, 10)

const amount = fc.integer({ min: 0, max: 50_000_000 }).map(nanoUsd)
const price = fc.record({ input: amount, output: amount, cachedInput: amount }, { requiredKeys: ['input', 'output'] })
const use = fc.record({
  inputTokens: fc.integer({ min: 0, max: 200_000 }),
  outputTokens: fc.integer({ min: 0, max: 20_000 }),
  cachedTokens: fc.integer({ min: 0, max: 200_000 }),
})
const tools = fc.dictionary(
  fc.constantFrom('search', 'read'),
  fc.record({ calls: fc.integer({ min: 1, max: 4 }), cost: amount }),
)
/** A request that ended once, or that was charged at a checkpoint and corrected later. */
const request = fc.record({ price, tools, uses: fc.array(use, { minLength: 1, maxLength: 2 }) })

type Request = typeof request extends fc.Arbitrary<infer V> ? V : never

function rowsOf({ price, tools, uses }: Request, number: number): readonly LedgerRow[] {
  const charged = (tokens: PaidTokens, isLast: boolean) => {
    const called = isLast ? Object.entries(tools) : []
    const toolCosts = Object.fromEntries(called.map(([name, { cost }]) => [name, cost]))
    const cost = called.reduce((sum, [, each]) => addNanoUsd(sum, each.cost), costOfTokens(price, tokens, 0))
    return {
      cost,
      charges: chargesOf(price, tokens),
      toolCosts,
      tools: Object.fromEntries(called.map(([name, { calls }]) => [name, calls])),
    }
  }
  const bill = { ...PLAIN_BILL, requestId: `req_${number}`, admittedAt: AT + number }
  const [first, second] = uses
  if (!first || !second)
    return [
      { ...bill, ...charged(first ?? { inputTokens: 0, outputTokens: 0 }, true), kind: 'settle', settledAt: AT + 5000 },
    ]
  const [orphan, truth] = [charged(first, false), charged(second, true)]
  const late = { ...truth, cost: subtractNanoUsd(truth.cost, orphan.cost) }
  return [
    { ...bill, ...orphan, kind: 'orphan', settledAt: AT + 30_000 },
    { ...bill, ...late, kind: 'late', settledAt: AT + 60_000 },
  ]
}

/** Records of the export, by column. */
async function focus(rows: readonly LedgerRow[], terms: FocusTerms = { provider: 'Acme AI' }) {
  const records: Record<string, string>[] = []
  let names: readonly string[] = []
  const given = (async function* () {
    yield* rows
  })()
  for await (const { cells } of csvRows(focusCsv(given, terms), ','))
    if (names.length === 0) names = cells
    else records.push(Object.fromEntries(cells.map((cell, at) => [names[at] ?? '', cell])))
  return records
}

/** A decimal text as an integer of 1e-18. */
function scaled(text = ''): bigint {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d{1,18}))?$/.exec(text) ?? []
  return BigInt(sign + whole + fraction.padEnd(18, '0'))
}

/** Columns of FOCUS 1.2 that are mandatory and may not be null. */
const NEVER_NULL = [
  ...['BilledCost', 'BillingAccountId', 'BillingCurrency', 'BillingPeriodEnd', 'BillingPeriodStart', 'ChargeCategory'],
  ...['ChargePeriodEnd', 'ChargePeriodStart', 'ContractedCost', 'EffectiveCost', 'InvoiceIssuerName', 'ListCost'],
  ...['ProviderName', 'PublisherName', 'ServiceCategory', 'ServiceName'],
  // Usage that is no correction has these too.
  ...['PricingQuantity', 'PricingUnit', 'ConsumedQuantity', 'ConsumedUnit', 'ListUnitPrice', 'SkuId', 'SkuPriceId'],
]

it('what is billed adds up to each row of the ledger, and list prices times quantities to list costs', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(request, { maxLength: 4 }), async requests => {
      const rows = requests.flatMap(rowsOf)
      const records = await focus(rows)

      const billed = (kind: string, id: string) =>
        records
          .filter(record => record.x_RequestId === id && record.x_RowKind === kind)
          .reduce((sum, record) => sum + scaled(record.BilledCost), 0n)
      for (const row of rows) expect(billed(row.kind, row.requestId)).toBe(BigInt(row.cost) * 10n ** 9n)
      for (const record of records) {
        expect(NEVER_NULL.filter(column => record[column] === '')).toEqual([])
        const [quantity, unit] = [scaled(record.PricingQuantity), scaled(record.ListUnitPrice)]
        expect((quantity * unit) / 10n ** 18n).toBe(scaled(record.ListCost))
        expect(unit >= 0n).toBe(true)
      }
    }),
  )
})

it('a row has its period, invoice, labels and nulls as the specification says', async () => {
  const row: LedgerRow = {
    ...{ ...PLAIN_BILL, admittedAt: AT, settledAt: AT + 5000, kind: 'settle', cost: nanoUsd(25), key: 'key_1' },
    ...{ charges: { 'input@500': 10, 'output@1000': 20 }, labels: { project: 'web', team: 'core' } },
  }
  const [input, output] = await focus([row])
  expect(input).toMatchObject({
    ...{ BilledCost: '0.000000005', EffectiveCost: '0.000000005', ListCost: '0.000000005', ListUnitPrice: '0.0005' },
    ...{ ConsumedQuantity: '10', ConsumedUnit: 'Tokens', PricingQuantity: '0.00001', PricingUnit: '1000000 Tokens' },
    ...{ BillingAccountId: 'acct_shop', BillingAccountName: '', ChargeClass: '', SkuPriceDetails: '' },
    ...{ BillingPeriodStart: '2026-11-01T00:00:00Z', BillingPeriodEnd: '2026-12-01T00:00:00Z' },
    ...{ ChargePeriodStart: '2026-11-21T10:00:00Z', ChargePeriodEnd: '2026-11-21T10:00:01Z' },
    ...{
      InvoiceId: 'INV-2026-11-shop',
      SubAccountId: 'key_1',
      SubAccountType: 'Key',
      Tags: '{"project":"web","team":"core"}',
    },
    ...{ SkuId: 'svc-core/input', SkuPriceId: 'svc-core/input@500', SkuMeter: 'Input Tokens' },
  })
  expect(output).toMatchObject({ BilledCost: '0.00000002', SkuMeter: 'Output Tokens' })
})

it('a charge that was settled after its month closed is a correction, and periods are those of the calendar', async () => {
  const row: LedgerRow = {
    ...PLAIN_BILL,
    admittedAt: AT,
    settledAt: Date.UTC(2026, 10, 27),
    day: '2026-11-25',
    kind: 'orphan',
  }
  const calendar = { zone: 'Europe/Berlin', monthStarts: 26 }
  const [line] = await focus([row], { provider: 'Acme AI', calendar })
  expect(line).toMatchObject({
    ...{ ChargeClass: 'Correction', InvoiceId: '', Tags: '', SubAccountType: '' },
    ...{ BillingPeriodStart: '2026-10-25T23:00:00Z', BillingPeriodEnd: '2026-11-25T23:00:00Z' },
  })
})

it('failed attempts, which nobody pays, are left out', async () => {
  expect(await focus([{ ...PLAIN_BILL, settledAt: AT, kind: 'waste', cause: 'status 500' }])).toEqual([])
})
