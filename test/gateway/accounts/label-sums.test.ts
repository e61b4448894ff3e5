import { setImmediate } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { readInvoiceOf } from '../../../src/gateway/accounts/invoices.ts'
import { newRequestId } from '../../../src/gateway/accounts/keys.ts'
import { labelSums, SPLITTING } from '../../../src/gateway/accounts/label-sums.ts'
import type { LedgerStore, PastQuery } from '../../../src/gateway/store/ledger-store.ts'
import { NO_SUMS } from '../../../src/gateway/store/total-sums.ts'
import { CLOSES_AFTER, monthAt } from '../../../src/policy/billing/month.ts'
import { nanoUsd } from '../../../src/policy/nano-usd.ts'
import { NO_VALUE } from '../../../src/wire/admin/usage-report.ts'
import { newDirectory, openHere } from '../../adapters/store/directory.ts'
import { admit, NOON, openShop, settlement } from '../../adapters/store/fixtures.ts'
import { FULL_BILL } from '../../records/rows.ts'
import { VirtualClock } from '../../support/clock.ts'

const MONTH = monthAt(NOON)
const NOTHING = async () => ({ total: NO_SUMS })
const BOUNDED = { of: 'usage', month: MONTH, labels: ['project'], read: NOTHING, most: 200_000 } as const

/** A ledger of so many looks, each with one request of project web. */
function ledgerOf(looks: number) {
  const reads: PastQuery[] = []
  const running = { now: 0, most: 0 }
  const of = new Map<string, number>()
  const readPast: LedgerStore['readPast'] = async query => {
    reads.push(query)
    running.most = Math.max(running.most, ++running.now)
    await setImmediate()
    running.now--
    const name = `${query.account} ${query.since}`
    const look = query.before === undefined || (of.get(name) ?? 0) >= looks ? 1 : (of.get(name) ?? 0) + 1
    of.set(name, look)
    const requestId = newRequestId(NOON - look, bytes => new Uint8Array(bytes))
    const row = { ...FULL_BILL, kind: 'settle' as const, settledAt: NOON, requestId, admittedAt: NOON - look }
    const requests = [[{ ...row, labels: { project: 'web' } }]]
    return look < looks ? { requests, next: requestId } : { requests }
  }
  return { ledger: { readPast }, reads, running }
}

it('an account has one split of its usage at a time, which all calls for the same one share', async () => {
  const { ledger, reads, running } = ledgerOf(2)
  const split = (account: string, month = MONTH) => labelSums(ledger, { ...BOUNDED, account, month })
  const other = monthAt(MONTH.since - 1)

  const same = await Promise.all(Array.from({ length: 20 }, () => split('ada')))
  expect(reads).toHaveLength(2)
  expect(new Set(same.map(each => JSON.stringify(each))).size).toBe(1)

  await Promise.all([split('ada'), split('ada', other), split('ada')])
  expect([reads.length, running.most]).toEqual([6, 1])

  await Promise.all([split('ada'), split('grace')])
  expect(running.most).toBe(2)
})

it('a process runs four splits at once, of however many accounts, and has places for 256 calls that wait for one', async () => {
  const { ledger, running } = ledgerOf(3)
  const accounts = Array.from({ length: 20 }, (_, number) => `acct_${number}`)
  await Promise.all(accounts.map(account => labelSums(ledger, { ...BOUNDED, account })))
  expect(running.most).toBe(4)

  const places = Array.from({ length: 256 }, (_, number) => SPLITTING.take(ledger, `acct_${number}`))
  expect(places.every(place => typeof place === 'function')).toBe(true)
  expect(SPLITTING.take(ledger, 'acct_late')).toBe('process')
  for (const leave of places) if (typeof leave === 'function') leave()
  const late = SPLITTING.take(ledger, 'acct_late')
  expect(late).toBeTypeOf('function')
  if (typeof late === 'function') late()
})

/** A ledger of one look, in which an account settles so many requests during each of its first reads, every second one of project web. */
function busyLedger(reads: number, each: number) {
  const rows = ledgerOf(1)
  const settled = { web: 0, none: 0 }
  const settle = () => {
    if (settled.web <= settled.none) settled.web++
    else settled.none++
  }
  for (let count = 0; count < 10; count++) settle()
  let looks = 0
  const readPast: LedgerStore['readPast'] = async query => {
    const { requests } = await rows.ledger.readPast(query)
    if (looks++ < reads) for (let count = 0; count < each; count++) settle()
    return { requests: Array.from({ length: settled.web }, () => requests[0] ?? []) }
  }
  const read = async () => {
    const requests = settled.web + settled.none
    return { total: { ...NO_SUMS, requests, cost: nanoUsd(requests * FULL_BILL.cost) } }
  }
  return { ledger: { readPast }, read, settled }
}

it.each([0, 1, 2])('requests that settle while rows are read have their own values, in %i reads', async reads => {
  const { ledger, read, settled } = busyLedger(reads, 3)
  const { usage, split } = await labelSums(ledger, { ...BOUNDED, account: 'ada', read })
  expect(usage.total.requests).toBe(settled.web + settled.none)
  expect(Object.fromEntries(split?.[0]?.values.map(({ name, requests }) => [name, requests]) ?? [])).toEqual({
    web: settled.web,
    [NO_VALUE]: settled.none,
  })
})

it('the values of an account that settles without a pause add up to its total, after three reads', async () => {
  const { ledger, read, settled } = busyLedger(Number.POSITIVE_INFINITY, 3)
  const { usage, split } = await labelSums(ledger, { ...BOUNDED, account: 'ada', read })
  expect(usage.total.requests).toBe(10 + 3 * 3)
  expect(split?.[0]?.values.map(({ requests }) => requests).reduce((sum, each) => sum + each)).toBe(19)
  expect(settled.web + settled.none).toBe(19)
})

it('calls that join a split get the usage it is of, so that usage which came since is not under `—`', async () => {
  const { ledger, read, settled } = busyLedger(1, 2)
  const split = () => labelSums(ledger, { ...BOUNDED, account: 'ada', read })
  const first = split()
  await setImmediate()
  const joined = split()

  expect(await joined).toEqual(await first)
  const { usage, split: found } = await joined
  expect(usage.total.requests).toBe(12)
  expect(found?.[0]?.values.find(({ name }) => name === 'web')?.requests).toBe(settled.web)
})

it('a split that fails leaves the next one of its account its turn', async () => {
  const { ledger } = ledgerOf(1)
  let isDown = true
  const readPast: LedgerStore['readPast'] = async query => {
    if (isDown) throw new Error('down')
    return ledger.readPast(query)
  }
  const flaky = { readPast }
  await expect(labelSums(flaky, { ...BOUNDED, account: 'ada' })).rejects.toThrow('down')
  isDown = false
  expect((await labelSums(flaky, { ...BOUNDED, account: 'ada' })).split).toHaveLength(1)
})

it('a bound on requests counts those that were found, however many looks among the rows of others they take', async () => {
  const { ledger, reads } = ledgerOf(12)
  const [project] = (await labelSums(ledger, { ...BOUNDED, account: 'ada', most: 13 })).split ?? []
  expect(reads).toHaveLength(12)
  expect(project?.values.find(({ name }) => name === 'web')?.requests).toBe(12)

  expect((await labelSums(ledgerOf(12).ledger, { ...BOUNDED, account: 'ada', most: 11 })).split).toBeUndefined()
  expect((await labelSums(ledgerOf(1000).ledger, { ...BOUNDED, account: 'ada' })).split).toBeUndefined()
})

it('a final invoice that many ask for at once is split by labels once', async () => {
  const clock = new VirtualClock(NOON)
  const store = await openHere(await newDirectory(), clock.now)
  onTestFinished(() => store.close())
  const shop = await openShop(store)
  const { bill, ...settled } = settlement(
    await admit(
      store,
      shop,
      newRequestId(NOON, bytes => new Uint8Array(bytes)),
    ),
  )
  await store.holds.settle({ ...settled, bill: { ...bill, labels: { project: 'web' } } })
  const { ledger } = store
  const reads = { past: 0 }
  const counted: LedgerStore = Object.assign(Object.create(ledger) as LedgerStore, {
    readTotals: ledger.readTotals.bind(ledger),
    readTools: ledger.readTools.bind(ledger),
    readInvoices: ledger.readInvoices.bind(ledger),
    keepInvoice: ledger.keepInvoice.bind(ledger),
    readPast: async (query: PastQuery) => {
      reads.past++
      return ledger.readPast(query)
    },
  })
  const billed = { account: shop.account, label: 'ada', gateway: 'g', seller: null, round: 'exact' as const }
  const read = (turns: number) => async () => {
    for (let turn = 0; turn < turns; turn++) await setImmediate()
    return readInvoiceOf(counted, { ...billed, labels: ['project'] }, MONTH, MONTH.until + CLOSES_AFTER)
  }
  const invoices = await Promise.all(Array.from({ length: 20 }, (_, number) => read(number)()))

  expect(reads.past).toBe(1)
  expect(new Set(invoices.map(invoice => JSON.stringify(invoice))).size).toBe(1)
  expect(invoices[0]?.by_label).toMatchObject([{ label: 'project', values: [{ name: 'web', requests: 1 }] }])
  expect(JSON.stringify(invoices[0])).not.toContain(NO_VALUE)
})
