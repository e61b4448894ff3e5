import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import type { ShownPool } from '../../src/wire/admin/pool.ts'
import { eventually } from '../support/eventually.ts'
import { describeRedis, startRedis } from '../support/redis/redis.ts'
import { faultsIn, kindsOf, NO_FAULTS, readBooks, readHeld } from './harness/books.ts'
import { ask } from './harness/client.ts'
import { Fleet, type Gateway } from './harness/fleet.ts'
import { LeaseWatch } from './harness/leases.ts'
import { Load, tallyOf } from './harness/load.ts'
import { program, site } from './harness/program-and-site.ts'
import { between, sizeOf } from './harness/size.ts'

const CYCLES = sizeOf('CYCLES', 20, 2)
const CLIENTS = 24
const SLOTS = 5
/** A lease of 30 s, and a sweep every 5 s after it: docs/decisions/005. */
const RELEASED_WITHIN_MS = 40_000
const ample = 'rpm: 1M, tpm: 900M, monthly_usd: 500'
const plans = { team: ample, pro: ample }
const queue = 'queue: { max: 1000, of_account: 1000, timeout: 5m }'
const pool = `max_concurrent: ${SLOTS}, max_concurrent_over: store, ${queue}, shares: { "plan:team": 60%, "plan:pro": 40% }`

async function poolAt(gateway: Gateway): Promise<ShownPool | undefined> {
  const { body } = await gateway.ask('GET', '/admin/pools')
  return (JSON.parse(body) as { readonly data: readonly ShownPool[] }).data[0]
}

describeRedis('on Redis', () => {
  it('kills of gateways that share slots lose no row, double none, and leave no slot of a share in use', async () => {
    const redis = await startRedis({ durable: true })
    onTestFinished(() => redis.stop())
    const fleet = new Fleet({ program, site, plans, pool, clocks: [0, 0], redis: redis.url })
    onTestFinished(() => fleet.close())
    await fleet.start()
    const accounts = [await fleet.mint('ada', 'team'), await fleet.mint('bob', 'pro'), await fleet.mint('cyd', 'pro')]
    const watch = await LeaseWatch.open(redis.url)
    onTestFinished(() => watch.close())
    const load = new Load({ gateways: fleet.gateways, accounts, workers: CLIENTS })
    const faults = async () => faultsIn(await readBooks(fleet.first, accounts), load.outcomes, site.log)

    for (let cycle = 0; cycle < CYCLES; cycle++) {
      const victim = fleet.gateways[cycle % fleet.gateways.length]
      load.start()
      await sleep(between(500, 1500))
      const killedAt = performance.now()
      await victim?.kill()
      await load.stop()
      await watch.left(killedAt)
      await victim?.start()
      expect(await faults()).toEqual(NO_FAULTS)
    }
    await watch.allReleased(RELEASED_WITHIN_MS)

    expect(await readHeld(fleet.first, accounts)).toBe(0)
    expect(await faults()).toEqual(NO_FAULTS)
    expect(fleet.faults()).toEqual([])
    await expectAllSlotsFree(fleet, accounts)
    const tally = tallyOf(load.outcomes)
    expect(tally['200']).toBeGreaterThan(0)
    const rows = kindsOf(await readBooks(fleet.first, accounts))
    console.log(`kill -9 with shares: ${CYCLES} cycles, clients saw ${JSON.stringify(tally)}, rows ${rows}`)
  })
})

/** Requests that fill all slots run at once, and then none is left in use. */
async function expectAllSlotsFree(fleet: Fleet, accounts: Parameters<typeof readHeld>[1]): Promise<void> {
  site.hold()
  const from = site.log.length
  const held = Array.from({ length: SLOTS }, (_, n) => {
    const gateway = fleet.gateways[n % fleet.gateways.length]
    const account = accounts[n % accounts.length]
    if (!gateway || !account) throw new Error('there are two gateways and three accounts')
    return ask(gateway, { account, stream: true, script: { held: true } })
  })
  await eventually(() => expect(site.log.length - from).toBe(SLOTS))
  site.release()
  expect((await Promise.all(held)).map(({ status, whole }) => [status, whole])).toEqual(Array(SLOTS).fill([200, true]))
  for (const gateway of fleet.gateways)
    await eventually(async () => {
      const shown = await poolAt(gateway)
      expect(shown).toMatchObject({ in_flight: 0, waiting: 0 })
      expect(shown?.queue?.shares?.map(share => [share.in_flight, share.waiting])).toEqual([
        [0, 0],
        [0, 0],
      ])
    })
}
