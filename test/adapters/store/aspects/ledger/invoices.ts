import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Invoice, invoiceOf } from '../../../../../src/gateway/accounts/invoice.ts'
import { listInvoices, readInvoiceOf } from '../../../../../src/gateway/accounts/invoices.ts'
import type { IssuedInvoice } from '../../../../../src/gateway/store/issued-invoice.ts'
import type { Store } from '../../../../../src/gateway/store/store.ts'
import { isCharge } from '../../../../../src/policy/billing/charges.ts'
import { CLOSES_AFTER, monthAt } from '../../../../../src/policy/billing/month.ts'
import { dayAt } from '../../../../../src/policy/counters/account-counters.ts'
import { nanoUsd } from '../../../../../src/policy/nano-usd.ts'
import type { LedgerRow } from '../../../../../src/records/ledger-row.ts'
import type { Sums, ToolTotal } from '../../../../../src/records/sums.ts'
import { dayText } from '../../../../../src/wire/admin/since.ts'
import type { Start } from '../../contract.ts'
import { admit, all, type Clock, charged, claimsOf, NOON, openShop, type Shop, settlement } from '../../fixtures.ts'
import { asked, DAY_MS, play } from './played.ts'

/** An invoice says what the rows say, and outlives them. */
export function invoicesContract(start: Start): void {
  it('charges are counted by day, model, key and name as the rows have them, once for each request', async () => {
    const { store, clock, reopen } = await start()
    let run = 0
    await fc.assert(
      fc.asyncProperty(fc.array(asked, { minLength: 1, maxLength: 8 }), async requests => {
        clock.at = NOON
        const shop = await openShop(store, `charged${run++}`)
        for (const [index, one] of requests.sort((a, b) => a.day - b.day).entries())
          await play(store, clock, shop, `req_c${run}_${index}`, one)
        const rows = charged(await all(store.ledger.readRows({ account: shop.account })))
        const since = dayAt(NOON)
        const kept = async (ledger: Store['ledger']) =>
          chargesOfTotals(await all(ledger.readTools({ account: shop.account, since })))
        expect(await kept(store.ledger)).toEqual(chargesOfRows(rows))
        await store.ledger.trim(clock.at + 10 * DAY_MS)
        expect(await kept(store.ledger)).toEqual(chargesOfRows(rows))
      }),
      { numRuns: 25 },
    )
    const before = await all(store.ledger.readTools())
    expect(await all((await reopen()).ledger.readTools())).toEqual(before)
  })

  it('an invoice is equal to the rows to the nano-USD, by model, tool and day, also once they are removed', async () => {
    const { store, clock, reopen } = await start()
    const other = await openShop(store, 'other')
    let run = 0
    await fc.assert(
      fc.asyncProperty(fc.array(asked, { minLength: 1, maxLength: 8 }), async requests => {
        clock.at = NOON
        const shop = await openShop(store, `shop${run++}`)
        for (const [index, one] of requests.sort((a, b) => a.day - b.day).entries())
          await play(store, clock, index % 4 === 3 ? other : shop, `req_${run}_${index}`, one)

        const query = { account: shop.account, since: dayAt(NOON), until: dayAt(NOON) + 2 }
        const rows = charged(await all(store.ledger.readRows({ account: shop.account, until: query.until * DAY_MS })))
        const invoice = await invoiceOf(store.ledger, query)
        expect(briefly(invoice)).toEqual(ofRows(rows))
        const sum = (items: readonly { readonly cost: number }[]) => items.reduce((total, { cost }) => total + cost, 0)
        expect(sum(invoice.models) + sum(invoice.tools)).toBe(invoice.total.cost)
        expect(sum(invoice.lines) + sum(invoice.tools)).toBe(invoice.total.cost)
        expect(sum(invoice.days)).toBe(invoice.total.cost)

        await store.ledger.trim(clock.at + 10 * DAY_MS)
        expect(await invoiceOf(store.ledger, query)).toEqual(invoice)
      }),
      { numRuns: 25 },
    )
    const query = { account: other.account, since: 0, until: dayAt(NOON) + 9 }
    const before = await invoiceOf(store.ledger, query)
    expect(await invoiceOf((await reopen()).ledger, query)).toEqual(before)
  })

  it('an issued invoice is kept as it is: a second one of its month is not, also after a restart', async () => {
    const { store, clock, reopen } = await start()
    const shop = await openShop(store, 'issued')
    const first = await issuedFrom(store, shop, clock)
    const { ledger } = store
    const other = { ...first, used: nanoUsd(1), invoice: { ...first.invoice, label: 'renamed' } }

    expect(await ledger.keepInvoice(first)).toEqual(first)
    expect(await ledger.keepInvoice(other)).toEqual(first)
    expect(await ledger.readInvoices(shop.account, ['2026-09', first.month])).toEqual([first])
    expect(await ledger.readInvoices('acct_other', [first.month])).toEqual([])
    expect(await (await reopen()).ledger.readInvoices(shop.account, [first.month])).toEqual([first])
  })

  it('a dump has the issued invoices', async () => {
    const { store, clock } = await start()
    const shop = await openShop(store, 'dumped')
    const issued = await issuedFrom(store, shop, clock)
    await store.ledger.keepInvoice(issued)

    const dumped = (await all(store.dump())).flatMap(([kind, record]) => (kind === 'invoice' ? [record] : []))
    expect(dumped).toEqual([issued])
  })

  it('usage that is settled after its invoice was issued stands on the next one, once, and changes no issued invoice', async () => {
    const { store, clock } = await start()
    const shop = await openShop(store, 'late')
    const { ledger, holds } = store
    const billed = { account: shop.account, label: 'late', gateway: 'g', seller: null, round: 'exact' as const }
    const [november, december, january] = [NOON, NOON + 31 * DAY_MS, NOON + 62 * DAY_MS].map(at => monthAt(at))
    if (!november || !december || !january) throw new RangeError('there are three months')
    const readAt = (at: number, month: typeof november) => readInvoiceOf(ledger, billed, month, at)
    const use = async (id: string) => admit(store, shop, id, claimsOf({ at: clock.at, rpm: 1e6, limit: 1e12 }))
    const spent = async (id: string) => {
      const hold = await use(id)
      await holds.settle(settlement(hold))
      return settlement(hold).bill.cost
    }

    clock.at = NOON
    const cost = await spent('req_1')
    const late = await use('req_2')
    clock.at = november.until + CLOSES_AFTER
    const issued = await readAt(clock.at, november)
    expect(issued).toMatchObject({ final: true, amount: { cost_nano_usd: cost } })

    await holds.settle(settlement(late))
    await spent('req_3')
    expect(await readAt(clock.at, november)).toEqual(issued)
    const lateUsage = { month: november.month, number: issued.number, cost_nano_usd: cost }
    expect(await readAt(clock.at, december)).toMatchObject({ late: [lateUsage], amount: { cost_nano_usd: 2 * cost } })
    clock.at = december.until + CLOSES_AFTER
    await spent('req_4')
    const next = await readAt(clock.at, january)
    expect(next).toMatchObject({ late: [], final: false, amount: { cost_nano_usd: cost } })
    expect(await readAt(clock.at, december)).toMatchObject({ final: true, late: [lateUsage] })
    const list = await listInvoices(ledger, { ...billed, createdAt: NOON }, clock.at)
    expect(list.map(({ month, state }) => [month, state])).toEqual([
      [january.month, 'running'],
      [december.month, 'issued'],
      [november.month, 'issued'],
    ])
    expect(list.reduce((sum, { amount }) => sum + amount.cost_nano_usd, 0)).toBe(4 * cost)
  })
}

/** The invoice of this month, as if it were over. */
async function issuedFrom(store: Store, shop: Shop, clock: Clock): Promise<IssuedInvoice> {
  clock.at = NOON
  const hold = await admit(store, shop, 'req_of_invoice', claimsOf({ at: clock.at, rpm: 1e6, limit: 1e12 }))
  await store.holds.settle(settlement(hold))
  const billed = { account: shop.account, label: 'ada', gateway: 'g', seller: null, round: 'cent' as const }
  const month = monthAt(NOON)
  const invoice = await readInvoiceOf(store.ledger, billed, month, NOON)
  return {
    account: shop.account,
    month: month.month,
    issuedAt: NOON,
    used: settlement(hold).bill.cost,
    late: {},
    invoice,
  }
}

/** Sums of charges by what they are counted by, without those that came to nothing. */
function chargesOfTotals(totals: readonly ToolTotal[]): Record<string, number> {
  const sums: Record<string, number> = {}
  for (const { day, model, key, tool, calls } of totals)
    if (isCharge(tool)) addCharge(sums, [day, model, key ?? '', tool], calls)
  return nonZero(sums)
}

/** Charges from rows: the last row of a request settled late has all of them, and none if it was taken back. */
function chargesOfRows(rows: readonly LedgerRow[]): Record<string, number> {
  const sums: Record<string, number> = {}
  for (const id of new Set(rows.map(({ requestId }) => requestId))) {
    const own = rows.filter(({ requestId }) => requestId === id)
    const last = own.at(-1)
    if (!last || own.reduce((sum, { inputTokens }) => sum + inputTokens, 0) === 0) continue
    for (const [name, quantity] of Object.entries(last.charges ?? {}))
      addCharge(sums, [dayAt(last.admittedAt), last.model, last.key ?? '', name], quantity)
  }
  return nonZero(sums)
}

function addCharge(sums: Record<string, number>, of: readonly (string | number)[], quantity: number): void {
  const name = of.join(' ')
  sums[name] = (sums[name] ?? 0) + quantity
}

const nonZero = (sums: Record<string, number>): Record<string, number> =>
  Object.fromEntries(Object.entries(sums).filter(([, sum]) => sum !== 0))

/** The content of an invoice, in any order. */
const briefly = ({ models, tools, days, total }: Invoice) => ({
  models: Object.fromEntries(models.map(({ name, ...item }) => [name, numbersOf(item)])),
  tools: Object.fromEntries(tools.map(({ name, calls, cost }) => [name, [calls, cost]])),
  days: Object.fromEntries(days.map(({ name, ...item }) => [name, numbersOf(item)])),
  total: numbersOf(total),
})

const numbersOf = ({ requests, inputTokens, outputTokens, cachedTokens = 0, cost }: Sums) => [
  requests,
  inputTokens,
  outputTokens,
  cachedTokens,
  cost,
]

/** The content of an invoice, summed from the rows of each request. */
function ofRows(rows: readonly LedgerRow[]): ReturnType<typeof briefly> {
  const sums: ReturnType<typeof briefly> = { models: {}, tools: {}, days: {}, total: [0, 0, 0, 0, 0] }
  for (const id of new Set(rows.map(({ requestId }) => requestId))) {
    const own = rows.filter(({ requestId }) => requestId === id)
    const [first] = own
    // A late row repeats the cached tokens and calls of the whole request, even if it was taken back.
    const last = own.at(-1)
    if (!first || !last) continue
    const sum = (field: 'inputTokens' | 'outputTokens' | 'cost') => own.reduce((total, row) => total + row[field], 0)
    const [input, cost] = [sum('inputTokens'), sum('cost')]
    const kept: Partial<LedgerRow> = input === 0 ? {} : last
    const numbers = [1, input, sum('outputTokens'), kept.cachedTokens ?? 0, cost]
    const called = addCalls(sums.tools, kept)
    add(sums.models, first.model, [...numbers.slice(0, -1), cost - called])
    add(sums.days, dayText(dayAt(first.admittedAt)), numbers)
    sums.total = sums.total.map((each, index) => each + (numbers[index] ?? 0))
  }
  return sums
}

/** Adds their cost. */
function addCalls(sums: Record<string, number[]>, { tools = {}, toolCosts = {} }: Partial<LedgerRow>): number {
  for (const [name, made] of Object.entries(tools)) {
    const [before = 0, was = 0] = Object.hasOwn(sums, name) ? (sums[name] ?? []) : []
    sums[name] = [before + made, was + (toolCosts[name] ?? 0)]
  }
  return Object.values(toolCosts).reduce((total: number, cost) => total + cost, 0)
}

function add(sums: Record<string, number[]>, name: string, numbers: readonly number[]): void {
  sums[name] = numbers.map((number, index) => number + (sums[name]?.[index] ?? 0))
}
