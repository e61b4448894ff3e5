import fc from 'fast-check'
import { expect, it } from 'vitest'
import { coverageOf } from '../../../src/policy/billing/coverage.ts'
import { nanoUsd } from '../../../src/policy/nano-usd.ts'
import { invoiceCsv } from '../../../src/wire/invoice/csv.ts'
import { INVOICE, shownInvoice } from '../../../src/wire/invoice/shown-invoice.ts'
import { readAs } from '../../../src/wire/schema/read.ts'

const cost = fc.integer({ min: 0, max: 3_000_000_000 }).map(nanoUsd)
const sums = (name: string, paid: number) => ({
  name,
  requests: 1,
  inputTokens: 2,
  outputTokens: 3,
  cost: nanoUsd(paid),
})
/** Exact, of decimal text. */
const nanos = (usd: string): number => {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(usd) ?? []
  return (sign === '-' ? -1 : 1) * Number(whole + fraction.padEnd(9, '0'))
}
const total = (amounts: readonly string[]) => amounts.reduce((sum, usd) => sum + nanos(usd), 0)

const used = fc.record({
  lines: fc.array(fc.record({ model: fc.constantFrom('a', 'b', 'c'), cost }), { minLength: 1, maxLength: 12 }),
  tools: fc.array(cost, { maxLength: 4 }),
  days: fc.integer({ min: 1, max: 31 }),
  late: fc.array(cost, { maxLength: 3 }),
  allowance: cost,
  credit: cost,
  round: fc.constantFrom('exact' as const, 'cent' as const),
})

function invoiceOf({
  lines,
  tools,
  days,
  late,
  allowance,
  credit,
  round,
}: typeof used extends fc.Arbitrary<infer V> ? V : never) {
  const all = [...lines.map(each => each.cost), ...tools].reduce((sum, each) => sum + each, 0)
  const ofModel = (model: string) =>
    lines.filter(each => each.model === model).reduce((sum, each) => sum + each.cost, 0)
  // The first days have a part each, the last one the rest.
  const part = Math.floor(all / days)
  const perDay = Array.from({ length: days }, (_, at) => (at === days - 1 ? all - part * (days - 1) : part))
  const allotment = { allowance, credit }
  return shownInvoice(
    {
      ...{ number: 'INV-2026-10-x', state: 'issued', issued_at: '2026-11-02T00:00:00.000Z', account: 'acct_x' },
      ...{ label: 'ada', gateway: 'https://llm.example.com', seller: null, round, month: '2026-10' },
    },
    {
      lines: lines.map(({ model, cost: paid }) => ({
        ...{ model, kind: 'input', quantity: 9, price: nanoUsd(500), cost: paid },
      })),
      models: ['a', 'b', 'c'].map(model => sums(model, ofModel(model))),
      tools: tools.map((paid, at) => ({ name: `tool_${at}`, calls: 1, cost: paid })),
      days: perDay.map((paid, at) => sums(`2026-10-${String(at + 1).padStart(2, '0')}`, paid)),
      byLabel: [
        {
          label: 'project',
          values: [...lines.map(each => each.cost), ...tools].map((paid, at) => sums(`v${at}`, paid)),
        },
      ],
      total: sums('', all),
      plans: ['free'],
      late: late.map((paid, at) => ({ month: `2026-0${at + 7}`, number: `INV-${at}`, cost: paid })),
      allotment,
      coverage: coverageOf(nanoUsd(all), allotment),
    },
  )
}

it('shown lines, models, days and values of labels add up to the shown total, rounded and exact', () => {
  fc.assert(
    fc.property(used, each => {
      const invoice = invoiceOf(each)
      const of = (items: readonly { readonly amount_usd: string }[]) => total(items.map(item => item.amount_usd))
      const exact = (items: readonly { readonly usd: string }[]) => total(items.map(item => item.usd))
      const { lines, tools, models, days, late, amount, coverage, by_label: [project] = [] } = invoice
      expect(of([...lines, ...tools])).toBe(nanos(invoice.total.amount_usd))
      expect(exact([...lines, ...tools])).toBe(invoice.total.cost_nano_usd)
      expect(of([...models, ...tools])).toBe(nanos(invoice.total.amount_usd))
      expect(of(days)).toBe(nanos(invoice.total.amount_usd))
      expect(of(project?.values ?? [])).toBe(nanos(invoice.total.amount_usd))
      expect(exact(project?.values ?? [])).toBe(invoice.total.cost_nano_usd)
      expect(exact(days)).toBe(nanos(invoice.total.usd))
      expect(nanos(invoice.total.amount_usd) + of(late)).toBe(nanos(amount.amount_usd))
      expect(invoice.total.cost_nano_usd + exact(late)).toBe(amount.cost_nano_usd)
      const covered = coverage && [coverage.from_allowance_usd, coverage.from_credit_usd, coverage.overage_usd]
      expect(total(covered ?? [])).toBe(nanos(amount.amount_usd))
      if (each.round === 'exact') expect(amount.amount_usd).toBe(amount.usd)
      else
        for (const item of [...lines, ...tools, ...days, ...late]) expect(item.amount_usd).toMatch(/^-?\d+(\.\d\d?)?$/)
    }),
  )
})

it('an invoice is read as it was sent, and its CSV has all items once', () => {
  fc.assert(
    fc.property(used, each => {
      const invoice = invoiceOf(each)
      expect(readAs(INVOICE, JSON.parse(JSON.stringify(invoice)))).toEqual(invoice)
      const { lines, models, tools, days, late } = invoice
      const values = lines.length + tools.length
      const rows = invoiceCsv(invoice).trimEnd().split('\r\n')
      expect(rows).toHaveLength(1 + lines.length + models.length + tools.length + days.length + values + late.length)
    }),
    { numRuns: 20 },
  )
})
