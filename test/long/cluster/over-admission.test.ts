import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { GUESTS } from '../../../src/adapters/redis/layout.ts'
import { compileProgram, type Program } from '../../cli/program.ts'
import { describeRedis } from '../../support/redis/redis.ts'
import { readBooks } from '../harness/books.ts'
import type { Account } from '../harness/client.ts'
import { Fleet } from '../harness/fleet.ts'
import { Load, tallyOf } from '../harness/load.ts'
import { Masters } from '../harness/masters.ts'
import { Site } from '../harness/site.ts'
import { sizeOf } from '../harness/size.ts'
import { mostIn } from '../harness/spans.ts'
import { served, until } from '../harness/until.ts'

const KILLS = sizeOf('KILLS', 3)
const LAG_MS = 1000
const RPM = 600
/** The master is killed in the middle of what a minute has, so that it takes requests with it. */
const KILLED_AFTER = RPM / 2
const MINUTE_MS = 60_000
const WORKERS = 12
const REST_MS = { served: 10, refused: 100 }
const WIDE = 'rpm: 1M, tpm: 900M, per_day: 10M, monthly_usd: 500'
const plans = {
  alone: `rpm: ${RPM}, tpm: 900M, per_day: 10M, monthly_usd: 500`,
  shared: `${WIDE}, limits: [{ requests: ${RPM}, per: minute, of: plan }]`,
  // An account without limits shows whether an account's master serves again.
  probe: WIDE,
}

let program: Program

beforeAll(() => {
  program = compileProgram()
})

afterAll(() => program.end())

describeRedis('a minute of three gateways on a Redis Cluster', () => {
  it.each<{ limit: string; plan: keyof typeof plans; labels: readonly string[]; lies: (one: Account) => string }>([
    { limit: 'of one account', plan: 'alone', labels: ['ada'], lies: ({ account }) => account },
    { limit: 'of all accounts of a plan', plan: 'shared', labels: ['ada', 'bob', 'cyd'], lies: () => GUESTS },
  ])('$limit is passed by no more than what its master lost', async ({ limit, plan, labels, lies }) => {
    const site = await Site.open()
    onTestFinished(() => site.close())
    const masters = await Masters.open(LAG_MS)
    onTestFinished(() => masters.close())
    const fleet = new Fleet({ program, site, plans, redis: masters.url, clocks: [0, 0, 0] })
    onTestFinished(() => fleet.close())
    for (const gateway of fleet.gateways) await gateway.start()
    const accounts: Account[] = []
    for (const label of labels) accounts.push(await fleet.mint(label, plan))
    const place = masters.placeOf(lies(accounts[0] as Account))
    const probe = await probeAt(fleet, place, masters)
    await sleep(LAG_MS + 500)
    const load = new Load({ gateways: fleet.gateways, accounts, workers: WORKERS, restMs: REST_MS })
    const isOurs = (label: string) => labels.includes(label)
    const starts = () => site.log.filter(({ label }) => isOurs(label))
    const killedAt: number[] = []

    load.start()
    for (let kill = 0; kill < KILLS; kill++) {
      const before = starts().length
      await until(2 * MINUTE_MS, () => starts().length - before >= KILLED_AFTER)
      killedAt.push(performance.timeOrigin + performance.now())
      await masters.kill(place)
      await Promise.all(fleet.gateways.map(gateway => served(gateway, probe)))
      await masters.heal()
      await until(MINUTE_MS, () => load.outcomes.slice(-WORKERS).every(({ status }) => status === 429))
    }
    // As much as the minute has again once the last failover is out of it.
    await sleep(MINUTE_MS)
    await load.stop()
    const admittedAt = new Map<string, number>()
    await until(MINUTE_MS, async () => {
      const { rows } = await readBooks(fleet.first, accounts)
      for (const row of rows) admittedAt.set(row.request_id, Date.parse(row.admitted_at))
      return starts().every(({ requestId }) => admittedAt.has(requestId))
    })

    const weights = starts().map(({ requestId, at }) => ({ at: admittedAt.get(requestId) ?? at, weight: 1 }))
    const isLost = (at: number) => killedAt.some(killed => at > killed - LAG_MS && at <= killed)
    const kept = weights.map(({ at }) => ({ at, weight: isLost(at) ? 0 : 1 }))
    const lost = weights.filter(({ at }) => isLost(at)).length
    const most = mostIn(MINUTE_MS, weights)
    console.log(
      `${RPM} a minute ${limit}, ${KILLS} kills at ${LAG_MS} ms of lag: ${weights.length} starts, ${lost} in the seconds that were lost; at most ${most} in a minute, ${mostIn(MINUTE_MS, kept)} without those; clients saw ${JSON.stringify(tallyOf(load.outcomes)).replaceAll('"', '')}`,
    )
    expect(lost).toBeGreaterThanOrEqual(KILLS * WORKERS)
    expect(mostIn(MINUTE_MS, kept)).toBeLessThanOrEqual(RPM)
    expect(most).toBeGreaterThan(0.95 * RPM)
    expect(fleet.faults()).toEqual([])
  })
})

/** An account on the master that is killed. */
async function probeAt(fleet: Fleet, place: number, masters: Masters): Promise<Account> {
  for (let tries = 0; ; tries++) {
    const account = await fleet.mint(`probe-${tries}`, 'probe')
    if (masters.placeOf(account.account) === place) return account
  }
}
