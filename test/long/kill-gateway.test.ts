import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { NO_VALUE } from '../../src/wire/admin/usage-report.ts'
import { describeRedis, startRedis } from '../support/redis/redis.ts'
import { killed, reconciled } from './harness/bill.ts'
import { faultsIn, kindsOf, NO_FAULTS, projectsIn, readBooks, readHeld, sumOf } from './harness/books.ts'
import type { Account, Ask } from './harness/client.ts'
import { Fleet, type FleetTerms } from './harness/fleet.ts'
import { LeaseWatch } from './harness/leases.ts'
import { Load, mixed, tallyOf } from './harness/load.ts'
import { program, site } from './harness/program-and-site.ts'
import { between, sizeOf, spread } from './harness/size.ts'

const CYCLES = sizeOf('CYCLES', 50, 3)
const WORKERS = 24
/** A lease of 30 s, and a sweep every 5 s after it: docs/decisions/005. */
const RELEASED_WITHIN_MS = 35_000
const TIGHT_NANO_USD = 20_000_000
const plans = {
  pro: 'rpm: 1M, tpm: 900M, monthly_usd: 500',
  busy: 'rpm: 1M, tpm: 900M, max_concurrent: 6, monthly_usd: 500',
  tight: 'rpm: 1M, tpm: 900M, monthly_usd: 0.02',
}

it('a kill -9 of the gateway on the embedded store loses no row, doubles none and leaves nothing held', async () => {
  const town = await open({ clocks: [0] })
  const { fleet, accounts, load } = town
  const startMs: number[] = []

  for (let cycle = 0; cycle < CYCLES; cycle++) {
    load.start()
    await sleep(between(300, 1500))
    await fleet.first.kill()
    await load.stop()
    // Also in the middle of its recovery.
    if (cycle % 3 === 2) await fleet.first.startAndKill(between(100, 1000))
    const killed = performance.now()
    await fleet.first.start()
    startMs.push(performance.now() - killed)

    expect(await readHeld(fleet.first, accounts)).toBe(0)
    expect(await town.faults()).toEqual(NO_FAULTS)
  }

  await town.expectProjectsKept()
  await town.expectBillExplained()
  await town.expectLimitsKept()
  console.log(`kill -9 gateway, embedded: ${CYCLES} cycles, ${await town.figures()}; start ms ${spread(startMs)}`)
})

describeRedis('on Redis', () => {
  it('a kill -9 of one of two gateways loses no row, doubles none and releases what it held within 35 s', async () => {
    const redis = await startRedis({ durable: true })
    onTestFinished(() => redis.stop())
    const town = await open({ clocks: [0, 0], redis: redis.url })
    const { fleet, accounts, load } = town
    const watch = await LeaseWatch.open(redis.url)
    onTestFinished(() => watch.close())

    for (let cycle = 0; cycle < CYCLES; cycle++) {
      const victim = fleet.gateways[cycle % fleet.gateways.length]
      load.start()
      await sleep(between(300, 1500))
      const killedAt = performance.now()
      await victim?.kill()
      await load.stop()
      await watch.left(killedAt)
      await victim?.start()

      expect(await town.faults()).toEqual(NO_FAULTS)
    }
    const released = await watch.allReleased(RELEASED_WITHIN_MS + 5000)

    expect(await readHeld(fleet.first, accounts)).toBe(0)
    expect(await town.faults()).toEqual(NO_FAULTS)
    await town.expectProjectsKept()
    await town.expectBillExplained()
    await town.expectLimitsKept()
    console.log(
      `kill -9 gateway, Redis AOF always: ${CYCLES} cycles, ${await town.figures()}; ${released.length} holds of the dead released after ms ${spread(released)}`,
    )
    expect(Math.max(0, ...released)).toBeLessThanOrEqual(RELEASED_WITHIN_MS)
  })
})

/** Causes of usage that a killed gateway did not record: beside its estimates, and unknown to the ledger. Health checks are failed attempts. */
const OF_KILLS = ['estimates', 'past_the_gateway', 'failed_attempts']
const LABELS = 'labels: { project: { from: [header x-svc-label-project] } }'
const PROJECTS = ['web', 'api', undefined]

/** Two of three requests have a value of the label. */
function asks(account: Account, n: number): Ask {
  const project = PROJECTS[n % PROJECTS.length]
  return { ...mixed(account, n), ...(project !== undefined && { project }) }
}

/** A fleet with accounts of three kinds, and clients that ask without end. */
async function open(terms: Pick<FleetTerms, 'clocks' | 'redis'>) {
  const visited = site.log.length
  const fleet = new Fleet({ ...terms, program, site, plans, yaml: LABELS })
  onTestFinished(() => fleet.close())
  await fleet.start()
  const ada = await fleet.mint('ada', 'pro')
  const dan = await fleet.mint('dan', 'tight')
  const accounts = [ada, await fleet.mint('bob', 'pro'), await fleet.mint('cyd', 'busy'), dan]
  const load = new Load({ gateways: fleet.gateways, accounts, workers: WORKERS, asks })
  const books = () => readBooks(fleet.first, accounts)
  return {
    fleet,
    accounts,
    load,
    faults: async () => faultsIn(await books(), load.outcomes, site.log.slice(visited)),
    /** Usage by label equals the rows, also those of requests that a kill ended. */
    expectProjectsKept: async () => {
      const { reported, byRows } = await projectsIn(fleet.first, await books())
      expect(reported).toEqual(byRows)
      expect([...reported.keys()].sort()).toEqual(['api', 'web', NO_VALUE])
    },
    /** The bill of the backends differs from the ledger by what kills lost, which `svcctl reconcile` names without a rest. */
    expectBillExplained: async () => {
      const visits = site.log.slice(visited)
      const lost = killed(visits, (await books()).rows)
      const { code, unexplained, causes, billed, recorded, orphans } = await reconciled(program, fleet.first, visits)
      expect({ code, unexplained, orphans }).toEqual({ code: 0, unexplained: 0, orphans: lost.orphans })
      expect(billed - recorded).toBe(lost.lost)
      expect(sumOf(Object.values(causes))).toBe(lost.lost)
      expect(OF_KILLS).toEqual(expect.arrayContaining(Object.keys(causes)))
      console.log(`the bill is ${billed} nano-USD, the ledger ${recorded}: ${JSON.stringify({ ...lost, causes })}`)
    },
    expectLimitsKept: async () => {
      const { used } = await books()
      expect(used.get(dan.account)).toBeLessThanOrEqual(TIGHT_NANO_USD)
      expect(fleet.faults()).toEqual([])
    },
    figures: async () => {
      const { rows } = await books()
      const tally = JSON.stringify(tallyOf(load.outcomes)).replaceAll('"', '')
      const cost = sumOf(rows.map(row => row.cost_nano_usd))
      return `clients saw ${tally}, rows ${kindsOf({ rows })} for ${cost} nano-USD; 0 missing, 0 doubled, 0 unequal`
    },
  }
}
