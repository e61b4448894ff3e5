import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { LEASE_MS } from '../../../../src/gateway/store/hold-store.ts'
import { windowOf } from '../../../../src/policy/decision.ts'
import type { LimitWindow, Measure } from '../../../../src/policy/limits/rule.ts'
import type { RuleClaim } from '../../../../src/policy/limits/rule-claim.ts'
import { nanoUsd, ZERO_USD } from '../../../../src/policy/nano-usd.ts'
import type { Start } from '../contract.ts'
import {
  admission,
  admit,
  claimsOf,
  extend,
  extension,
  LAPSED,
  ledgerOf,
  NOON,
  openShop,
  rowOf,
  settlement,
  sumOf,
  totalsOf,
} from '../fixtures.ts'

const MONTH_END = windowOf(NOON).end - 1
const SPENT = { tokens: 12, cost: nanoUsd(14) }

export function leasesContract(start: Start): void {
  describe('an extension', () => {
    extensions(start)
  })
  describe('a sweep', () => {
    sweeps(start)
  })
  describe('what comes after a sweep', () => {
    latecomers(start)
  })
  describe('a request that was swept up while its gateway stood still', () => {
    resumptions(start)
  })
}

function extensions(start: Start): void {
  it('holds another round, and what the rounds before it weighed', async () => {
    const { store, clock } = await start()
    const shop = await openShop(store)
    const hold = await admit(store, shop, 'req_1')
    clock.at += 2000

    const extended = await store.holds.extend(extension(hold, SPENT, { want: 40 }))

    expect(extended).toEqual({
      outcome: 'extended',
      hold: { ...hold, output: 40, tokens: 50, cost: nanoUsd(90), second: NOON / 1000 + 2, round: 1, spent: SPENT },
    })
    expect(await store.accounts.readSpend(shop.account)).toMatchObject({ used: 0, held: 104 })
    expect(await store.holds.admit(admission(shop, 'req_2'))).toMatchObject({
      readings: { requests: 1, tokens: 62, day: 1, concurrent: 1, used: 0, held: 104 },
    })
  })

  it('whose gateway dies is charged at what the rounds before weighed', async () => {
    const { store, clock } = await start()
    const shop = await openShop(store)
    await extend(store, await admit(store, shop, 'req_1'), SPENT)
    clock.at += LAPSED

    await store.holds.sweep()

    expect(await ledgerOf(store)).toMatchObject([{ requestId: 'req_1', kind: 'orphan', cost: SPENT.cost }])
    expect(await store.accounts.readSpend(shop.account)).toMatchObject({ used: SPENT.cost, held: 0 })
  })

  it('is charged as one request when it is settled, at what all of its rounds weighed', async () => {
    const { store, clock } = await start()
    const shop = await openShop(store)
    const first = await admit(store, shop, 'req_1')
    const second = await extend(store, first, SPENT)
    clock.at += 1000
    const third = await extend(store, second, { tokens: 40, cost: nanoUsd(60) })
    const settled = settlement(third, { tokens: 55, cost: nanoUsd(81) })

    await store.holds.settle(settled)

    expect(await store.accounts.readSpend(shop.account)).toMatchObject({ used: 81, held: 0 })
    expect(await ledgerOf(store)).toEqual([rowOf(settled, clock.at)])
    expect(await store.holds.admit(admission(shop, 'req_2'))).toMatchObject({
      readings: { requests: 1, tokens: 55, day: 1, concurrent: 0, used: 81, held: 0 },
    })
  })

  it('that is refunded leaves nothing held, and in the minute what its first round weighed', async () => {
    const { store } = await start()
    const shop = await openShop(store)
    const hold = await extend(store, await admit(store, shop, 'req_1'), SPENT)

    await store.holds.refund(hold)

    expect(await store.holds.admit(admission(shop, 'req_2'))).toMatchObject({
      readings: { requests: 1, tokens: SPENT.tokens, day: 1, concurrent: 0, used: 0, held: 0 },
    })
  })

  it('that is repeated holds its round once', async () => {
    const { store, clock } = await start()
    const shop = await openShop(store)
    const round = extension(await admit(store, shop, 'req_1'), SPENT)
    const first = await store.holds.extend(round)
    clock.at += 2000

    const repeated = await Promise.all([store.holds.extend(round), store.holds.extend(round)])

    expect(repeated).toEqual([first, first])
    expect(await store.accounts.readSpend(shop.account)).toMatchObject({ used: 0, held: 64 })
  })

  it('whose answer was lost is settled with the hold of the round before', async () => {
    const { store } = await start()
    const shop = await openShop(store)
    const hold = await admit(store, shop, 'req_1')
    await extend(store, hold, SPENT)

    await store.holds.settle(settlement(hold, SPENT))

    expect(await store.holds.admit(admission(shop, 'req_2'))).toMatchObject({
      readings: { tokens: 12, concurrent: 0, used: 14, held: 0 },
    })
  })

  it.each([
    ['tokens', { tpm: 60 }, { code: 'rate_limit_exceeded', type: 'tokens', limit: 60, retryAfterMs: 61_000 }],
    ['spend that others hold', { limit: 110 }, { code: 'rate_limit_exceeded', type: 'quota_hold' }],
    ['spend', { limit: 60 }, { code: 'quota_exceeded', worst: 50, left: 46 }],
  ])('refused for its %s changes nothing', async (_limit, limits, denial) => {
    const { store } = await start()
    const shop = await openShop(store)
    const hold = await admit(store, shop, 'req_1')
    const other = await admit(store, shop, 'req_2')

    const refused = await store.holds.extend(extension(hold, SPENT, limits))

    expect(refused).toMatchObject({
      denial,
      readings: { tokens: 42, concurrent: 1, used: 14, held: 50 },
    })
    expect(await store.holds.admit(admission(shop, 'req_3'))).toMatchObject({
      readings: { requests: 2, tokens: 60, day: 2, concurrent: 2, used: 0, held: 100 },
    })
    await store.holds.settle(settlement(hold, SPENT))
    await store.holds.refund(other)
    expect(await store.accounts.readSpend(shop.account)).toMatchObject({ used: 14, held: 50 })
  })

  it('that was refused may be asked for again', async () => {
    const { store } = await start()
    const shop = await openShop(store)
    const hold = await admit(store, shop, 'req_1')
    const other = await admit(store, shop, 'req_2')
    const round = extension(hold, SPENT, { tpm: 60 })
    expect(await store.holds.extend(round)).toHaveProperty('denial')

    await store.holds.refund(other)

    expect(await store.holds.extend(round)).toMatchObject({ outcome: 'extended', hold: { round: 1 } })
  })

  it('is no further request: neither the minute, the day nor the places under way refuse it', async () => {
    const { store } = await start()
    const shop = await openShop(store)
    const narrow = { rpm: 1, perDay: 1, maxConcurrent: 1 }
    const hold = await admit(store, shop, 'req_1', claimsOf(narrow))

    expect(await store.holds.extend(extension(hold, SPENT, narrow))).toMatchObject({ outcome: 'extended' })

    expect(await store.holds.admit(admission(shop, 'req_2', claimsOf({ maxConcurrent: 1 })))).toMatchObject({
      denial: { type: 'concurrency' },
      readings: { requests: 1, day: 1, concurrent: 1 },
    })
  })

  it('grants what tokens and spend leave', async () => {
    const { store } = await start()
    const shop = await openShop(store)
    const hold = await admit(store, shop, 'req_1')

    const byTokens = await extend(store, hold, SPENT, { tpm: 60, want: 500, min: 1 })
    const bySpend = await extend(store, byTokens, { tokens: 20, cost: nanoUsd(30) }, { limit: 130, want: 500, min: 1 })

    expect(byTokens).toMatchObject({ output: 38, tokens: 48, cost: nanoUsd(86) })
    expect(bySpend).toMatchObject({ output: 45, tokens: 55, cost: nanoUsd(100) })
  })

  it('at the end of the month stays in the window of its admission', async () => {
    const { store, clock } = await start(MONTH_END)
    const shop = await openShop(store)
    const hold = await admit(store, shop, 'req_1', claimsOf({ at: MONTH_END }))
    clock.at += 10_000

    const extended = await extend(store, hold, SPENT)

    expect(extended.window).toBe(windowOf(MONTH_END).start)
    expect(await store.accounts.readSpend(shop.account)).toMatchObject({ used: 0, held: 0, window: windowOf(clock.at) })
    await store.holds.settle(settlement(extended, { tokens: 30, cost: nanoUsd(40) }))
    expect(await store.accounts.readSpend(shop.account)).toMatchObject({ used: 0, held: 0 })
    clock.at = MONTH_END
    expect(await store.accounts.readSpend(shop.account)).toMatchObject({ used: 40, held: 0 })
  })

  it.each([
    ['a settlement', 'settle'],
    ['a refund', 'refund'],
    ['a sweep', 'sweep'],
  ] as const)('after %s is told that its hold ended, and takes nothing', async (_what, how) => {
    const { store, clock } = await start()
    const shop = await openShop(store)
    const hold = await admit(store, shop, 'req_1')
    clock.at += LAPSED
    if (how === 'settle') await store.holds.settle(settlement(hold, SPENT))
    else if (how === 'refund') await store.holds.refund(hold)
    else await store.holds.sweep()

    expect(await store.holds.extend(extension(hold, SPENT))).toEqual({ outcome: 'ended' })
    expect(await store.accounts.readSpend(shop.account)).toMatchObject({ used: how === 'settle' ? 14 : 0, held: 0 })
  })

  it('of a request that nobody knows is told that its hold ended', async () => {
    const { store } = await start()
    const shop = await openShop(store)
    const hold = await admit(store, shop, 'req_1')

    expect(await store.holds.extend(extension({ ...hold, requestId: 'req_0' }, SPENT))).toEqual({ outcome: 'ended' })
    expect(await store.accounts.readSpend(shop.account)).toMatchObject({ used: 0, held: 50 })
  })

  it('is a sign of life', async () => {
    const { store, clock } = await start()
    const shop = await openShop(store)
    const hold = await admit(store, shop, 'req_1')
    clock.at += LEASE_MS - 1
    await extend(store, hold, SPENT)
    clock.at += LEASE_MS - 1

    expect(await store.holds.sweep()).toBe(0)
    clock.at += 2
    expect(await store.holds.sweep()).toBe(1)
  })
}

function sweeps(start: Start): void {
  it('leaves holds alone until their lease is over', async () => {
    const { store, clock } = await start()
    const shop = await openShop(store)
    await admit(store, shop, 'req_1')

    clock.at += LEASE_MS - 1
    expect(await store.holds.sweep()).toBe(0)
    expect(await store.accounts.readSpend(shop.account)).toMatchObject({ used: 0, held: 50 })

    clock.at += 1
    expect(await store.holds.sweep()).toBe(1)
    expect(await store.accounts.readSpend(shop.account)).toMatchObject({ used: 0, held: 0 })
  })

  it('releases a hold without a checkpoint at nothing, and writes no row', async () => {
    const { store, clock } = await start()
    const shop = await openShop(store)
    await store.holds.heartbeat([{ hold: await admit(store, shop, 'req_1') }])
    clock.at += LAPSED

    await store.holds.sweep()

    expect(await ledgerOf(store)).toEqual([])
    expect(await totalsOf(store)).toEqual([])
    expect(await store.holds.admit(admission(shop, 'req_2'))).toMatchObject({
      readings: { requests: 1, tokens: 0, day: 1, concurrent: 0, used: 0, held: 0 },
    })
  })

  it('settles a hold at its last checkpoint', async () => {
    const { store, clock } = await start()
    const shop = await openShop(store)
    const hold = await admit(store, shop, 'req_1')
    await store.holds.heartbeat([{ hold, soFar: settlement(hold, { tokens: 10, cost: nanoUsd(10) }) }])
    const soFar = settlement(hold, SPENT)
    await store.holds.heartbeat([{ hold, soFar }])
    await store.holds.heartbeat([{ hold }])
    clock.at += LAPSED

    await store.holds.sweep()

    expect(await ledgerOf(store)).toEqual([rowOf(soFar, clock.at, 'orphan')])
    expect(await store.holds.admit(admission(shop, 'req_2'))).toMatchObject({
      readings: { requests: 1, tokens: 12, day: 1, concurrent: 0, used: 14, held: 0 },
    })
  })

  it('frees the spend and the places of the dead', async () => {
    const { store, clock } = await start()
    const shop = await openShop(store)
    const narrow = claimsOf({ maxConcurrent: 2, limit: nanoUsd(100) })
    await admit(store, shop, 'req_1', narrow)
    await admit(store, shop, 'req_2', narrow)
    expect(await store.holds.admit(admission(shop, 'req_3', narrow))).toHaveProperty('denial')
    clock.at += LAPSED

    expect(await store.holds.sweep()).toBe(2)

    expect(await store.holds.admit(admission(shop, 'req_4', narrow))).toMatchObject({ outcome: 'admitted' })
    expect(await store.holds.admit(admission(shop, 'req_5', narrow))).toMatchObject({ outcome: 'admitted' })
  })

  it('spares those that gave a sign of life', async () => {
    const { store, clock } = await start()
    const shop = await openShop(store)
    const [alive, dead] = [await admit(store, shop, 'req_1'), await admit(store, shop, 'req_2')]
    clock.at += 20_000
    await store.holds.heartbeat([{ hold: alive }])
    clock.at += 20_000

    expect(await store.holds.sweep()).toBe(1)

    expect(await store.holds.extend(extension(alive, SPENT))).toMatchObject({ outcome: 'extended' })
    expect(await store.holds.extend(extension(dead, SPENT))).toEqual({ outcome: 'ended' })
  })

  it('spares a hold whose lease was over, and which gave a sign of life before the sweep', async () => {
    const { store, clock } = await start()
    const shop = await openShop(store)
    const hold = await admit(store, shop, 'req_1')
    clock.at += LAPSED
    await store.holds.heartbeat([{ hold }])

    expect(await store.holds.sweep()).toBe(0)
    expect(await store.accounts.readSpend(shop.account)).toMatchObject({ held: 50 })
  })

  it('ends a hold once, however often it runs', async () => {
    const { store, clock } = await start()
    const shop = await openShop(store)
    const hold = await admit(store, shop, 'req_1')
    await store.holds.heartbeat([{ hold, soFar: settlement(hold, SPENT) }])
    clock.at += LAPSED

    expect(await store.holds.sweep()).toBe(1)
    expect(await store.holds.sweep()).toBe(0)
    clock.at += LAPSED
    expect(await store.holds.sweep()).toBe(0)

    expect(await store.accounts.readSpend(shop.account)).toMatchObject({ used: 14, held: 0 })
    expect(await ledgerOf(store)).toHaveLength(1)
  })

  it('that runs beside others charges once', async () => {
    const { store, clock } = await start()
    const shop = await openShop(store)
    for (let index = 0; index < 120; index++) {
      const hold = await admit(store, shop, `req_${index}`)
      await store.holds.heartbeat([{ hold, soFar: settlement(hold, SPENT) }])
    }
    clock.at += LAPSED

    const swept = await Promise.all([1, 2, 3].map(() => store.holds.sweep()))

    expect(swept.reduce((sum, count) => sum + count)).toBe(120)
    expect(await store.accounts.readSpend(shop.account)).toMatchObject({ used: 120 * 14, held: 0 })
    expect(await ledgerOf(store)).toHaveLength(120)
  })

  it('that runs beside the settlement charges what the settlement says', async () => {
    const { store, clock } = await start()
    const shop = await openShop(store)
    const hold = await admit(store, shop, 'req_1')
    await store.holds.heartbeat([{ hold, soFar: settlement(hold, SPENT) }])
    clock.at += LAPSED

    await Promise.all([
      store.holds.sweep(),
      store.holds.settle(settlement(hold, { tokens: 20, cost: nanoUsd(30) })),
      store.holds.sweep(),
    ])

    expect(await store.accounts.readSpend(shop.account)).toMatchObject({ used: 30, held: 0 })
    expect(sumOf(await ledgerOf(store))).toBe(30)
  })

  it('that runs beside extensions ends what they find ended, and spares what they renewed', async () => {
    const { store, clock } = await start()
    const shop = await openShop(store)
    const holds = []
    for (let index = 0; index < 40; index++) holds.push(await admit(store, shop, `req_${index}`))
    clock.at += LAPSED

    const sweeping = store.holds.sweep()
    const extending = []
    for (const hold of holds) {
      extending.push(store.holds.extend(extension(hold, SPENT)))
      await setImmediate()
    }
    const [swept, answers] = [await sweeping, await Promise.all(extending)]

    const extended = answers.filter(answer => 'hold' in answer).length
    expect(swept + extended).toBe(40)
    expect(await store.accounts.readSpend(shop.account)).toMatchObject({ used: 0, held: 64 * extended })
  })

  it('settles every round of a request at its checkpoint', async () => {
    const { store, clock } = await start()
    const shop = await openShop(store)
    const hold = await extend(store, await admit(store, shop, 'req_1'), SPENT)
    const soFar = settlement(hold, { tokens: 25, cost: nanoUsd(33) })
    await store.holds.heartbeat([{ hold, soFar }])
    clock.at += LAPSED

    await store.holds.sweep()

    expect(await ledgerOf(store)).toEqual([rowOf(soFar, clock.at, 'orphan')])
    expect(await store.holds.admit(admission(shop, 'req_2'))).toMatchObject({
      readings: { tokens: 25, concurrent: 0, used: 33, held: 0 },
    })
  })

  it('charges the window of the admission', async () => {
    const { store, clock } = await start(MONTH_END)
    const shop = await openShop(store)
    const hold = await admit(store, shop, 'req_1', claimsOf({ at: MONTH_END }))
    await store.holds.heartbeat([{ hold, soFar: settlement(hold, SPENT) }])
    clock.at += LAPSED

    await store.holds.sweep()

    expect(await store.accounts.readSpend(shop.account)).toMatchObject({ used: 0, held: 0 })
    clock.at = MONTH_END
    expect(await store.accounts.readSpend(shop.account)).toMatchObject({ used: 14, held: 0 })
  })

  it('settles what a process that is gone left, at its last checkpoint', async () => {
    const { store, reopen, clock } = await start()
    const shop = await openShop(store)
    const [told, untold] = [await admit(store, shop, 'req_1'), await admit(store, shop, 'req_2')]
    const soFar = settlement(told, SPENT)
    await store.holds.heartbeat([{ hold: told, soFar }, { hold: untold }])
    clock.at += LAPSED

    const reopened = await reopen()
    await reopened.holds.sweep()

    expect(await ledgerOf(reopened)).toEqual([rowOf(soFar, clock.at, 'orphan')])
    expect(await reopened.holds.admit(admission(shop, 'req_3'))).toMatchObject({
      readings: { requests: 2, tokens: 12, day: 2, concurrent: 0, used: 14, held: 0 },
    })
  })
}

function latecomers(start: Start): void {
  /** A request of 30 tokens and 50 nano-USD that was swept up, at a checkpoint or without one. */
  async function startOrphan({ checkpoint }: { checkpoint: boolean }) {
    const started = await start()
    const { store, clock } = started
    const shop = await openShop(store)
    const hold = await admit(store, shop, 'req_1')
    const soFar = settlement(hold, SPENT)
    if (checkpoint) await store.holds.heartbeat([{ hold, soFar }])
    clock.at += LAPSED
    await store.holds.sweep()
    const sweptAt = clock.at
    clock.at += 1000
    return { ...started, shop, hold, soFar, sweptAt }
  }

  it.each([
    ['more', { tokens: 30, cost: nanoUsd(50) }],
    ['as much', SPENT],
    ['less', { tokens: 3, cost: nanoUsd(4) }],
  ])('a settlement of %s charges the difference', async (_what, charge) => {
    const { store, clock, shop, hold, soFar, sweptAt } = await startOrphan({ checkpoint: true })
    const settled = settlement(hold, charge)

    await store.holds.settle(settled)

    expect(await ledgerOf(store)).toEqual([rowOf(soFar, sweptAt, 'orphan'), rowOf(settled, clock.at, 'late', soFar)])
    expect(await store.holds.admit(admission(shop, 'req_2'))).toMatchObject({
      readings: { requests: 1, tokens: charge.tokens, day: 1, concurrent: 0, used: charge.cost, held: 0 },
    })
  })

  it('a settlement where nothing was charged is charged in full', async () => {
    const { store, clock, shop, hold } = await startOrphan({ checkpoint: false })
    const settled = settlement(hold)

    await store.holds.settle(settled)

    expect(await ledgerOf(store)).toEqual([rowOf(settled, clock.at, 'late')])
    expect(await store.holds.admit(admission(shop, 'req_2'))).toMatchObject({
      readings: { requests: 1, tokens: 30, day: 1, concurrent: 0, used: 50, held: 0 },
    })
  })

  it('a refund takes all of it back', async () => {
    const { store, clock, shop, hold, soFar, sweptAt } = await startOrphan({ checkpoint: true })

    await store.holds.refund(hold)

    expect(await ledgerOf(store)).toEqual([
      rowOf(soFar, sweptAt, 'orphan'),
      rowOf(settlement(hold, { tokens: 0, cost: ZERO_USD }), clock.at, 'late', soFar),
    ])
    expect(await store.holds.admit(admission(shop, 'req_2'))).toMatchObject({
      readings: { requests: 1, tokens: 0, day: 1, concurrent: 0, used: 0, held: 0 },
    })
  })

  it('a refund where nothing was charged writes no row', async () => {
    const { store, shop, hold } = await startOrphan({ checkpoint: false })

    await store.holds.refund(hold)

    expect(await ledgerOf(store)).toEqual([])
    expect(await store.accounts.readSpend(shop.account)).toMatchObject({ used: 0, held: 0 })
  })

  it('a settlement after the refund changes nothing, where nothing was charged', async () => {
    const { store, shop, hold } = await startOrphan({ checkpoint: false })
    await store.holds.refund(hold)

    await store.holds.settle(settlement(hold))

    expect(await ledgerOf(store)).toEqual([])
    expect(await store.accounts.readSpend(shop.account)).toMatchObject({ used: 0, held: 0 })
  })

  it.each([true, false])('counts once, whatever follows (checkpoint: %s)', async checkpoint => {
    const { store, shop, hold } = await startOrphan({ checkpoint })
    const settled = settlement(hold, { tokens: 20, cost: nanoUsd(30) })
    await Promise.all([store.holds.settle(settled), store.holds.settle(settled)])
    const rows = await ledgerOf(store)

    await store.holds.settle(settled)
    await store.holds.refund(hold)
    await store.holds.heartbeat([{ hold, soFar: settlement(hold) }])
    await store.holds.sweep()

    expect(await ledgerOf(store)).toEqual(rows)
    expect(await store.accounts.readSpend(shop.account)).toMatchObject({ used: 30, held: 0 })
    expect(await totalsOf(store)).toMatchObject([{ requests: 1, inputTokens: 10, outputTokens: 10, cost: 30 }])
  })

  it('a refund that was repeated takes back once', async () => {
    const { store, shop, hold } = await startOrphan({ checkpoint: true })

    await Promise.all([store.holds.refund(hold), store.holds.refund(hold)])
    await store.holds.settle(settlement(hold))

    expect(await ledgerOf(store)).toHaveLength(2)
    expect(await store.accounts.readSpend(shop.account)).toMatchObject({ used: 0, held: 0 })
  })

  it('a sign of life after the settlement or the refund changes nothing', async () => {
    const { store, clock } = await start()
    const shop = await openShop(store)
    const [settled, refunded] = [await admit(store, shop, 'req_1'), await admit(store, shop, 'req_2')]
    await store.holds.settle(settlement(settled, SPENT))
    await store.holds.refund(refunded)

    await store.holds.heartbeat([settled, refunded].map(hold => ({ hold, soFar: settlement(hold) })))
    clock.at += LAPSED

    expect(await store.holds.sweep()).toBe(0)
    expect(await store.accounts.readSpend(shop.account)).toMatchObject({ used: 14, held: 0 })
    expect(await ledgerOf(store)).toHaveLength(1)
  })

  it('the truth is charged even where the limit is passed by it', async () => {
    const { store, shop, hold } = await startOrphan({ checkpoint: false })
    const narrow = claimsOf({ limit: 50 })
    await store.holds.settle(settlement(await admit(store, shop, 'req_2', narrow)))

    await store.holds.settle(settlement(hold))

    expect(await store.accounts.readSpend(shop.account)).toMatchObject({ used: 100, held: 0 })
    expect(await store.holds.admit(admission(shop, 'req_3', narrow))).toMatchObject({
      denial: { code: 'quota_exceeded' },
    })
  })

  it('charges the window of the admission', async () => {
    const { store, clock } = await start(MONTH_END)
    const shop = await openShop(store)
    const hold = await admit(store, shop, 'req_1', claimsOf({ at: MONTH_END }))
    await store.holds.heartbeat([{ hold, soFar: settlement(hold, SPENT) }])
    clock.at += LAPSED
    await store.holds.sweep()

    await store.holds.settle(settlement(hold))

    expect(await store.accounts.readSpend(shop.account)).toMatchObject({ used: 0, held: 0 })
    clock.at = MONTH_END
    expect(await store.accounts.readSpend(shop.account)).toMatchObject({ used: 50, held: 0 })
  })

  it('a settlement after a restart charges the difference', async () => {
    const { store, clock, reopen } = await start()
    const shop = await openShop(store)
    const hold = await admit(store, shop, 'req_1')
    const soFar = settlement(hold, SPENT)
    await store.holds.heartbeat([{ hold, soFar }])
    clock.at += LAPSED
    const reopened = await reopen()
    await reopened.holds.sweep()

    await reopened.holds.settle(settlement(hold))
    await reopened.holds.settle(settlement(hold))

    expect(await ledgerOf(reopened)).toEqual([
      rowOf(soFar, clock.at, 'orphan'),
      rowOf(settlement(hold), clock.at, 'late', soFar),
    ])
    expect(await reopened.holds.admit(admission(shop, 'req_2'))).toMatchObject({
      readings: { requests: 1, tokens: 30, day: 1, concurrent: 0, used: 50, held: 0 },
    })
  })

  it('a hold that nobody knows is charged once, in full, as settled', async () => {
    const { store } = await start()
    const shop = await openShop(store)
    const lost = { ...(await admit(store, shop, 'req_1')), requestId: 'req_lost' }
    const settled = settlement(lost, SPENT)

    await Promise.all([store.holds.settle(settled), store.holds.settle(settled)])
    await store.holds.settle(settled)

    expect(await ledgerOf(store)).toEqual([rowOf(settled)])
    expect(await store.holds.admit(admission(shop, 'req_2'))).toMatchObject({
      readings: { requests: 1, tokens: 42, day: 1, concurrent: 1, used: 14, held: 50 },
    })
  })

  it('a refund of a hold that nobody knows changes nothing', async () => {
    const { store } = await start()
    const shop = await openShop(store)
    const hold = await admit(store, shop, 'req_1')

    await store.holds.refund({ ...hold, requestId: 'req_lost' })

    expect(await store.holds.admit(admission(shop, 'req_2'))).toMatchObject({
      readings: { requests: 1, tokens: 30, day: 1, concurrent: 1, used: 0, held: 50 },
    })
  })
}

function resumptions(start: Start): void {
  /** A request of 30 tokens and 50 nano-USD that was swept up, and whose gateway then gave a sign of life. */
  async function startResumed({ checkpoint = true, narrow = {} }: { checkpoint?: boolean; narrow?: Narrow } = {}) {
    const started = await start()
    const { store, clock } = started
    const shop = await openShop(store)
    const hold = await admit(store, shop, 'req_1', claimsOf(narrow))
    const soFar = settlement(hold, SPENT)
    if (checkpoint) await store.holds.heartbeat([{ hold, soFar }])
    clock.at += LAPSED
    expect(await store.holds.sweep()).toBe(1)
    const resume = () => store.holds.heartbeat([{ hold, soFar: settlement(hold, { tokens: 13, cost: nanoUsd(15) }) }])
    return { ...started, shop, hold, soFar, resume }
  }

  it.each([
    [true, { used: 14, held: 36 }],
    [false, { used: 0, held: 50 }],
  ])('holds again what it held, without what it was charged (checkpoint: %s)', async (checkpoint, spend) => {
    const { store, shop, resume } = await startResumed({ checkpoint })

    expect(await resume()).toEqual(['req_1'])
    expect(await resume()).toEqual([])

    expect(await store.accounts.readSpend(shop.account)).toMatchObject(spend)
    expect(await store.holds.admit(admission(shop, 'req_2'))).toMatchObject({
      readings: { requests: 1, tokens: 30, day: 1, concurrent: 1, ...spend },
    })
  })

  it('is counted even past a limit, so that nothing more is admitted until it ended', async () => {
    const narrow = { maxConcurrent: 1 }
    const { store, shop, hold, resume } = await startResumed({ narrow })
    const next = (id: string) => store.holds.admit(admission(shop, id, claimsOf(narrow)))
    const other = await admit(store, shop, 'req_2', claimsOf(narrow))

    await resume()
    await store.holds.settle(settlement(other))
    expect(await next('req_3')).toMatchObject({ denial: { type: 'concurrency' }, readings: { concurrent: 1 } })
    await store.holds.settle(settlement(hold))

    expect(await next('req_4')).toMatchObject({ outcome: 'admitted', readings: { concurrent: 0 } })
  })

  it.each([
    ['settled', ['settle'], 30],
    ['refunded', ['refund'], 0],
    ['swept up again', ['sweep'], 14],
    ['swept up again and settled', ['sweep', 'settle'], 30],
    ['swept up again and refunded', ['sweep', 'refund'], 0],
    ['swept up and resumed again, and settled', ['sweep', 'resume', 'settle'], 30],
    ['swept up and resumed again, and refunded', ['sweep', 'resume', 'refund'], 0],
    ['swept up and resumed again, and its gateway dies', ['sweep', 'resume', 'sweep', 'sweep'], 14],
  ] as const)('is charged once, where it is %s', async (_what, acts, cost) => {
    const { store, clock, shop, hold, resume } = await startResumed()
    await resume()
    const settled = settlement(hold, { tokens: 20, cost: nanoUsd(30) })

    for (const act of acts) {
      if (act === 'settle') await store.holds.settle(settled)
      else if (act === 'refund') await store.holds.refund(hold)
      else if (act === 'resume') expect(await resume()).toEqual(['req_1'])
      else {
        clock.at += LAPSED
        await store.holds.sweep()
      }
    }
    clock.at += LAPSED
    await store.holds.sweep()

    const rows = await ledgerOf(store)
    expect(sumOf(rows)).toBe(cost)
    expect(rows.map(({ kind }) => kind)).toEqual(cost === 14 ? ['orphan'] : ['orphan', 'late'])
    expect(await store.accounts.readSpend(shop.account)).toMatchObject({ used: cost, held: 0 })
    expect(await totalsOf(store)).toMatchObject([{ requests: 1, cost }])
    expect(await store.holds.admit(admission(shop, 'req_2'))).toMatchObject({ readings: { concurrent: 0 } })
  })

  it.each(['account', 'plan:pro'])('counts again in limits of %s, and leaves there what it came to', async group => {
    const { store, clock } = await start()
    const shop = await openShop(store)
    const rules = [ruleOf('concurrent', group), ruleOf('tokens', group, 'hour')]
    const claims = { ...claimsOf(), rules }
    const hold = await admit(store, shop, 'req_1', claims)
    await store.holds.heartbeat([{ hold, soFar: settlement(hold, SPENT) }])
    const lapse = async () => {
      clock.at += LAPSED
      await store.holds.sweep()
    }
    const expectUsed = async (concurrent: number, used: number, held: number) =>
      expect(await store.holds.readRules(shop.account, claims)).toMatchObject([
        { used: 0, held: concurrent },
        { used, held },
      ])

    for (let turn = 0; turn < 2; turn++) {
      await lapse()
      await expectUsed(0, 12, 0)
      await store.holds.heartbeat([{ hold }])
      await expectUsed(1, 12, 18)
    }
    await store.holds.settle(settlement(hold, { tokens: 20, cost: nanoUsd(30) }))
    await lapse()

    await expectUsed(0, 20, 0)
  })

  it('is settled as any other where it was charged nothing', async () => {
    const { store, clock, shop, hold, resume } = await startResumed({ checkpoint: false })
    await resume()

    await store.holds.settle(settlement(hold, SPENT))

    expect(await ledgerOf(store)).toEqual([rowOf(settlement(hold, SPENT), clock.at)])
    expect(await store.accounts.readSpend(shop.account)).toMatchObject({ used: 14, held: 0 })
  })

  it.each([
    [true, { outcome: 'ended' }],
    [false, { outcome: 'extended' }],
  ])('gets another round only where it was charged nothing (checkpoint: %s)', async (checkpoint, outcome) => {
    const { store, hold, resume } = await startResumed({ checkpoint })
    await resume()

    expect(await store.holds.extend(extension(hold, SPENT))).toMatchObject(outcome)
  })
}

type Narrow = Parameters<typeof claimsOf>[0]

const ruleOf = (measure: Measure, group: string, per?: LimitWindow): RuleClaim => ({
  rule: { measure, ...(per && { per }), most: 1000 },
  group,
  field: `${measure}/${per ?? ''}//`,
})
