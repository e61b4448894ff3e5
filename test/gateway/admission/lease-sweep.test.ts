import { setImmediate } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { startLeaseSweep } from '../../../src/gateway/admission/lease-sweep.ts'
import { newDirectory, openHere } from '../../adapters/store/directory.ts'
import { admit, claimsOf, ledgerOf, NOON, openShop, settlement } from '../../adapters/store/fixtures.ts'
import { VirtualClock } from '../../support/clock.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** A store with one settled request and its upkeep, on a machine whose clock can be set. */
async function start() {
  const time = new VirtualClock(NOON)
  let wrong = 0
  const clock = { now: () => time.now() + wrong, elapsed: time.elapsed, after: time.after }
  const store = await openHere(await newDirectory(), clock.now)
  const alarms: unknown[] = []
  const shop = await openShop(store)
  await store.holds.settle(settlement(await admit(store, shop, 'req_1')))
  let trimming: Promise<number> | undefined
  const trim = (before: number, at?: number) => {
    trimming = store.ledger.trim(before, at)
    return trimming
  }
  onTestFinished(
    startLeaseSweep({ holds: store.holds, ledger: { trim } }, clock, { keep: () => 90 * DAY }, (...told) =>
      alarms.push(told),
    ),
  )
  const pass = async (ms: number) => {
    time.advance(ms)
    await trimming
    await setImmediate()
  }
  const setClock = (ms: number) => {
    wrong = ms
  }
  return { store, shop, alarms, pass, setClock, clock }
}

it('a clock that is set ahead makes no row of the ledger old', async () => {
  const { store, shop, pass, setClock, clock } = await start()

  setClock(101 * DAY)
  await store.holds.settle(settlement(await admit(store, shop, 'req_2', claimsOf({ at: clock.now() }))))
  await pass(HOUR)
  setClock(0)
  await pass(HOUR)

  expect(await ledgerOf(store)).toMatchObject([{ requestId: 'req_1' }, { requestId: 'req_2' }])
})

it('a clock that is set ahead removes no counter of a limit', async () => {
  const { store, shop, pass, setClock } = await start()
  const rule = { measure: 'images', most: 50, per: 'day' } as const
  const claims = { ...claimsOf(), pieces: { images: 2 }, rules: [{ rule, group: 'account', field: 'images/day//' }] }
  await store.holds.settle({ ...settlement(await admit(store, shop, 'req_2', claims)), pieces: { images: 2 } })

  setClock(3 * DAY)
  await pass(HOUR)
  setClock(0)

  expect(await store.holds.readRules(shop.account, claims)).toMatchObject([{ used: 2, held: 0 }])
})

it('rows are removed once as much time went by, and not before', async () => {
  const { store, pass } = await start()

  for (let day = 0; day < 89; day++) await pass(DAY)
  expect(await ledgerOf(store)).toHaveLength(1)
  for (let day = 0; day < 2; day++) await pass(DAY)

  expect(await ledgerOf(store)).toEqual([])
})

it('the operator is told of a clock that was set, once each time, and by how much', async () => {
  const { alarms, pass, setClock } = await start()

  for (const days of [101, 101, 0, 0]) {
    setClock(days * DAY)
    await pass(10_000)
  }

  expect(alarms).toEqual([
    ['the clock of this machine was set', { bySeconds: 101 * 86_400 }],
    ['the clock of this machine was set', { bySeconds: -101 * 86_400 }],
  ])
})
