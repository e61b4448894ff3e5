import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { compileProgram, type Program } from '../cli/program.ts'
import { FaultProxy } from '../support/faults/fault-proxy.ts'
import { randomInt, seeded } from '../support/random.ts'
import { askOf } from './harness/asks.ts'
import { readBooks, readHeld } from './harness/books.ts'
import { Fleet } from './harness/fleet.ts'
import { Load, tallyOf, verdictsOf } from './harness/load.ts'
import { Site } from './harness/site.ts'
import { scaled, spread } from './harness/size.ts'
import { until } from './harness/until.ts'

const CHURN_MS = scaled(60_000, 6000)
const WORKERS = 20
const CALLS_AT_MOST = 1.2
const plans = { pro: 'rpm: 1M, tpm: 900M, monthly_usd: 500' }
const seed = Number(process.env.CHURN_SEED ?? Date.now() % 2 ** 31)

let program: Program

beforeAll(() => {
  program = compileProgram()
})

afterAll(() => program.end())

it('one of three replicas is killed and revived under load: no request fails that was not committed', async () => {
  const random = seeded(seed)
  const sites = await Promise.all([Site.open(), Site.open(), Site.open()])
  onTestFinished(() => Promise.all(sites.map(site => site.close())).then(() => {}))
  const replicas = await Promise.all(sites.map((backend, n) => new FaultProxy({ backend, seed: seed + n }).listen()))
  onTestFinished(() => Promise.all(replicas.map(replica => replica.refuse())).then(() => {}))
  const fleet = new Fleet({ program, plans, site: { url: '' }, replicas: replicas.map(({ url }) => url) })
  onTestFinished(() => fleet.close())
  await fleet.start()
  const ada = await fleet.mint('ada', 'pro')
  const load = new Load({ gateways: fleet.gateways, accounts: [ada], workers: WORKERS, asks: askOf(random) })

  load.start()
  const end = performance.now() + CHURN_MS
  let kills = 0
  while (performance.now() < end) {
    await sleep(randomInt(random, 300, 2000))
    const victim = randomInt(random, 0, sites.length - 1)
    const revive = await (random() < 0.5 ? kill(replicas[victim]) : killBehind(sites[victim]))
    kills++
    await sleep(randomInt(random, 300, 3000))
    await revive()
  }
  await load.stop()

  const { outcomes } = load
  const verdicts = verdictsOf(outcomes)
  const calls = sites.reduce((sum, { log }) => sum + log.length, 0)
  const factor = calls / outcomes.length
  const ms = outcomes.filter(({ verdict, stream }) => verdict === 'whole' && !stream).map(outcome => outcome.ms)
  console.log(
    `one of three replicas killed ${kills} times in ${CHURN_MS / 1000} s, seed ${seed}: ${JSON.stringify(tallyOf(outcomes))}, ${JSON.stringify(verdicts)}; ${calls} calls at backends of ${outcomes.length} client calls, ${factor.toFixed(3)}; whole answers ms ${spread(ms)}`,
  )
  const { whole = 0, interrupted = 0, ...others } = verdicts
  expect(others).toEqual({})
  expect(whole).toBeGreaterThan(10 * WORKERS)
  expect(interrupted).toBeLessThan(0.1 * whole)
  expect(factor).toBeLessThanOrEqual(CALLS_AT_MOST)
  await until(5000, async () => (await readHeld(fleet.first, [ada])) === 0)
  const { rows } = await readBooks(fleet.first, [ada])
  expect(new Set(rows.map(({ request_id }) => request_id)).size).toBe(rows.length)
  expect(fleet.faults()).toEqual([])
})

/** Open connections are reset, new ones refused. Resolves with what revives it. */
async function kill(replica: FaultProxy | undefined): Promise<() => Promise<unknown>> {
  await replica?.refuse()
  return async () => replica?.listen()
}

/** Open connections end, new ones are accepted and reset, as by a balancer in front of it. */
async function killBehind(site: Site | undefined): Promise<() => Promise<unknown>> {
  await site?.kill()
  return async () => site?.revive()
}
