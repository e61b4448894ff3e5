import { setImmediate } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { startLeaseSweep } from '../../../src/gateway/admission/lease-sweep.ts'
import { Leases } from '../../../src/gateway/admission/leases.ts'
import { type Hold, NOTHING } from '../../../src/policy/counters/account-counters.ts'
import { nanoUsd } from '../../../src/policy/nano-usd.ts'
import { newDirectory, openHere } from '../../adapters/store/directory.ts'
import { admit, ledgerOf, NOON, openShop, settlement, sumOf } from '../../adapters/store/fixtures.ts'
import { VirtualClock } from '../../support/clock.ts'
import { eventually } from '../../support/eventually.ts'

/** A real store, the leases of one gateway, and a second gateway that sweeps it. */
async function start() {
  const clock = new VirtualClock(NOON)
  let frozen = 0
  /** The time of day, which goes on while timers and the monotonic clock stand still with the machine. */
  const now = () => clock.now() + frozen
  const machine = { now, elapsed: clock.elapsed, after: clock.after }
  const standStill = (ms: number) => {
    frozen += ms
  }
  const store = await openHere(await newDirectory(), now)
  const alarms: string[] = []
  const alarm = (message: string) => alarms.push(message)
  const leases = new Leases(store.holds, machine, alarm)
  const keep = () => 90 * 86_400_000
  const stopUpkeep = startLeaseSweep(store, machine, { keep }, alarm, () => leases.renewOverdue())
  onTestFinished(stopUpkeep)
  onTestFinished(() => leases.stop())
  const shop = await openShop(store)
  /** Time goes by, and whatever it sets off comes to its end. */
  const pass = async (ms: number) => {
    const step = Math.max(1000, ms / 100)
    for (let passed = 0; passed < ms; passed += step) {
      clock.advance(step)
      await store.flush()
      await setImmediate()
    }
  }
  const held = async () => (await store.accounts.readSpend(shop.account)).held
  return { clock, store, leases, shop, pass, held, alarms, standStill }
}

const outputBytes = (hold: Hold, tokens: number) => () => settlement(hold, { tokens, cost: nanoUsd(tokens) })

it('a request that goes on for long keeps its hold', async () => {
  const { store, leases, shop, pass, held } = await start()
  const hold = await admit(store, shop, 'req_1')
  leases.open(hold).dispatched(outputBytes(hold, 10))

  await pass(300_000)

  expect(await held()).toBe(50)
})

it('the hold of a gateway that died is settled at its last checkpoint within 35 s', async () => {
  const { store, leases, shop, pass, held } = await start()
  const hold = await admit(store, shop, 'req_1')
  let tokens = 10
  leases.open(hold).dispatched(() => settlement(hold, { tokens, cost: nanoUsd(tokens) }))
  await pass(12_000)
  tokens = 17
  await pass(8000)
  tokens = 30

  leases.stop()
  await pass(35_000)

  expect(await held()).toBe(0)
  expect(await ledgerOf(store)).toMatchObject([{ requestId: 'req_1', kind: 'orphan', cost: 17 }])
})

it('a crash a quarter of a second after the dispatch charges the prompt', async () => {
  const { store, leases, shop, pass, clock } = await start()
  const hold = await admit(store, shop, 'req_1')
  const lease = leases.open(hold)
  lease.dispatched(outputBytes(hold, 10))
  lease.speaking(outputBytes(hold, 12))
  clock.advance(250)

  leases.stop()
  await pass(35_000)

  expect(await ledgerOf(store)).toMatchObject([{ kind: 'orphan', cost: 12 }])
})

it('a crash before the dispatch charges nothing', async () => {
  const { store, leases, shop, pass, held } = await start()
  leases.open(await admit(store, shop, 'req_1'))
  await pass(20_000)

  leases.stop()
  await pass(35_000)

  expect(await held()).toBe(0)
  expect(await ledgerOf(store)).toEqual([])
})

it('requests of a dead gateway are settled as soon as another gateway starts', async () => {
  const clock = new VirtualClock(NOON)
  const store = await openHere(await newDirectory(), clock.now)
  const shop = await openShop(store)
  const hold = await admit(store, shop, 'req_1')
  await store.holds.heartbeat([{ hold, soFar: settlement(hold, { tokens: 12, cost: nanoUsd(14) }) }])
  clock.advance(31_000)

  onTestFinished(startLeaseSweep(store, clock, { keep: () => 90 * 86_400_000 }, () => {}))

  await eventually(async () => expect(await ledgerOf(store)).toMatchObject([{ kind: 'orphan', cost: 14 }]))
  expect((await store.accounts.readSpend(shop.account)).held).toBe(0)
})

it('a request that ended gives no more signs of life', async () => {
  const { store, leases, shop, pass } = await start()
  const hold = await admit(store, shop, 'req_1')
  const lease = leases.open(hold)
  lease.dispatched(outputBytes(hold, 10))
  lease.end()

  await pass(35_000)

  expect(sumOf(await ledgerOf(store))).toBe(NOTHING.cost)
  expect((await store.accounts.readSpend(shop.account)).held).toBe(0)
})

it('a gateway whose machine stood still for longer than its leases keeps what it serves', async () => {
  const { store, leases, shop, pass, held, alarms, standStill } = await start()
  const hold = await admit(store, shop, 'req_1')
  leases.open(hold).dispatched(outputBytes(hold, 10))
  await pass(1000)

  standStill(3_600_000)
  await pass(11_000)

  expect(await held()).toBe(50)
  expect(await ledgerOf(store)).toEqual([])
  expect(alarms).not.toContain('reservations of gateways that died were settled as of their last checkpoint')
})

it('requests that another gateway swept up while this one stood still are counted again, with an alarm', async () => {
  const { store, leases, shop, held, alarms, clock, standStill } = await start()
  leases.open(await admit(store, shop, 'req_1'))
  standStill(60_000)
  expect(await store.holds.sweep()).toBe(1)
  expect(await held()).toBe(0)

  clock.advance(10_000)

  await eventually(async () => expect(await held()).toBe(50))
  expect(alarms).toContain('running requests whose leases had run out are counted again')
})

it('a store that cannot be reached while requests are under way is told to the operator', async () => {
  const { leases, alarms, clock, store, shop } = await start()
  leases.open(await admit(store, shop, 'req_1'))
  await store.close()

  clock.advance(10_000)
  await setImmediate()

  expect(alarms).toContain('running requests could not renew their leases')
})

it('rows are removed once they are older than the ledger keeps, and what was used stays', async () => {
  const { store, shop, pass, clock } = await start()
  const keep = 7_200_000
  onTestFinished(startLeaseSweep(store, clock, { keep: () => keep }, () => {}))
  await store.holds.settle(settlement(await admit(store, shop, 'req_1')))

  await pass(keep)
  expect(await ledgerOf(store)).toHaveLength(1)
  await pass(4_000_000)

  await eventually(async () => expect(await ledgerOf(store)).toEqual([]))
  expect((await store.accounts.readSpend(shop.account)).used).toBe(50)
})
