import { expect, it, onTestFailed, onTestFinished } from 'vitest'
import { bucketOf, FLEET, GUESTS, POOLS } from '../../src/adapters/redis/layout.ts'
import { SLOTS, slotOf } from '../../src/adapters/redis/servers/slots.ts'
import { describeRedis } from '../support/redis/redis.ts'
import { faultsIn, kindsOf, NO_FAULTS, readBooks, readHeld } from './harness/books.ts'
import type { Account } from './harness/client.ts'
import { patiently } from './harness/failovers.ts'
import { Fleet } from './harness/fleet.ts'
import { leasesIn } from './harness/leases.ts'
import { Load, tallyOf } from './harness/load.ts'
import { Masters } from './harness/masters.ts'
import { program, site } from './harness/program-and-site.ts'
import { sizeOf, spread } from './harness/size.ts'
import { refusedIn, waits } from './harness/spool.ts'
import { until } from './harness/until.ts'

const MOVED = sizeOf('SLOTS', 2000, 60)
const MASTERS = 3
const BATCH = 50
const WORKERS = 12
/** Two gateways and six nodes share the cores of this machine. */
const REST_MS = { served: 10, refused: 50 }
const WITHIN_MS = 45_000
const plans = {
  pro: 'rpm: 1M, tpm: 900M, per_day: 10M, monthly_usd: 500, limits: [{ requests: 9M, per: hour }]',
  // Its limit lies on one master for all accounts.
  team: 'rpm: 1M, tpm: 900M, per_day: 10M, monthly_usd: 500, limits: [{ requests: 10M, per: hour, of: plan }]',
}
const PLANS = Array.from({ length: 30 }, (_, number) => (number % 10 === 0 ? 'team' : 'pro'))

/** Those in which something is read or written first, then others, evenly of all masters. */
function slotsToMove(accounts: readonly Account[]): readonly (readonly number[])[] {
  const tags = [...accounts.map(({ account }) => account), FLEET, GUESTS, POOLS].map(bucketOf)
  const used = ['svc:meta', ...tags.map(tag => `{${tag}}`)].map(slotOf)
  const others = Array.from({ length: SLOTS }, (_, place) => (place * 61) % SLOTS)
  const byMaster = Array.from({ length: MASTERS }, (): number[] => [])
  for (const slot of new Set([...used, ...others])) {
    const own = byMaster[Math.floor((slot * MASTERS) / SLOTS)]
    if (own && own.length < MOVED / MASTERS) own.push(slot)
  }
  return byMaster
}

describeRedis('two gateways on a Redis Cluster', () => {
  it('answer every request while slots are moved between masters, and count each once', async () => {
    const masters = await Masters.open()
    onTestFinished(() => masters.close())
    const fleet = new Fleet({ program, site, plans, redis: masters.url, clocks: [0, 0] })
    onTestFinished(() => fleet.close())
    onTestFailed(() => console.log(fleet.gateways.map(({ alarms }) => alarms.slice(-20).join('\n')).join('\n\n')))
    for (const gateway of fleet.gateways) await gateway.start()
    const accounts: Account[] = []
    for (const [number, plan] of PLANS.entries())
      accounts.push(await patiently(() => fleet.mint(`account-${number}`, plan)))
    const load = new Load({ gateways: fleet.gateways, accounts, workers: WORKERS, restMs: REST_MS })
    await load.runFor(1000)
    const before = load.outcomes.length

    load.start()
    const began = performance.now()
    const moves = slotsToMove(accounts)
    for (let at = 0; at < MOVED / MASTERS; at += BATCH)
      for (const [from, slots] of moves.entries())
        await masters.move(slots.slice(at, at + BATCH), from, (from + 1) % MASTERS)
    const seconds = (performance.now() - began) / 1000
    await load.stop()

    await until(WITHIN_MS, () => fleet.gateways.every(gateway => !waits(gateway)))
    await until(WITHIN_MS, async () => (await readHeld(fleet.first, accounts)) === 0)
    await until(WITHIN_MS, async () => (await leasesIn(masters.url)) === 0)
    const books = await patiently(() => readBooks(fleet.first, accounts))
    const during = load.outcomes.slice(before)
    const moved = moves.reduce((sum, slots) => sum + slots.length, 0)
    console.log(
      `${moved} slots moved in ${Math.round(seconds)} s: clients saw ${JSON.stringify(tallyOf(during)).replaceAll('"', '')}, ms ${spread(during.map(({ ms }) => ms))}, rows ${kindsOf(books)}; down ${fleet.downs()}`,
    )
    expect(moved).toBeGreaterThanOrEqual(MOVED - MASTERS)
    expect(during.length).toBeGreaterThan(100)
    expect(faultsIn(books, load.outcomes, site.log)).toEqual(NO_FAULTS)
    expect(fleet.gateways.flatMap(refusedIn)).toEqual([])
    expect(fleet.faults()).toEqual([])
    const failed = load.outcomes.filter(({ whole }) => !whole)
    // A machine that others use too may be late, whether slots are moved or not.
    const isBusy = fleet.downs().includes('it does not answer')
    expect(new Set(failed.map(({ status, code }) => `${status} ${code}`))).toEqual(
      new Set(isBusy && failed.length > 0 ? ['503 STORE_UNAVAILABLE'] : []),
    )
    expect(failed.length).toBeLessThanOrEqual(isBusy ? load.outcomes.length / 10 : 0)
  })
})
