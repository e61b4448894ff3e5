import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { compileProgram, type Program } from '../cli/program.ts'
import { blackHole, FaultProxy, type Toxic, type Way } from '../support/faults/fault-proxy.ts'
import { randomInt, seeded } from '../support/random.ts'
import { askOf } from './harness/asks.ts'
import { faultsIn, kindsOf, NO_FAULTS, readBooks, readHeld } from './harness/books.ts'
import { Fleet } from './harness/fleet.ts'
import { Load, tallyOf, verdictsOf } from './harness/load.ts'
import { Site } from './harness/site.ts'
import { scaled, spread } from './harness/size.ts'
import { until } from './harness/until.ts'

const FAULTS_MS = scaled(60_000, 8000)
const WORKERS = 20
const plans = { pro: 'rpm: 1M, tpm: 900M, monthly_usd: 500' }
/** Short, so that a black hole costs seconds. */
const pool =
  'connect_timeout: 500ms, headers_timeout: 1500ms, first_content_timeout: 2s, idle_timeout: 1500ms, stream_timeout: 10s, answer_timeout: 2s'
const seed = Number(process.env.FAULTS_SEED ?? Date.now() % 2 ** 31)

let program: Program

beforeAll(() => {
  program = compileProgram()
})

afterAll(() => program.end())

it('whatever the network does, an answer is right, or cut with an error after a part of it, or an error', async () => {
  const random = seeded(seed)
  const sites = await Promise.all([Site.open(), Site.open(), Site.open()])
  onTestFinished(() => Promise.all(sites.map(site => site.close())).then(() => {}))
  const replicas = await Promise.all(sites.map((backend, n) => new FaultProxy({ backend, seed: seed + n }).listen()))
  onTestFinished(() => Promise.all(replicas.map(replica => replica.refuse())).then(() => {}))
  const fleet = new Fleet({ program, plans, pool, site: { url: '' }, replicas: replicas.map(({ url }) => url) })
  onTestFinished(() => fleet.close())
  await fleet.start()
  const ada = await fleet.mint('ada', 'pro')
  const load = new Load({ gateways: fleet.gateways, accounts: [ada], workers: WORKERS, asks: askOf(random) })

  load.start()
  const end = performance.now() + FAULTS_MS
  await Promise.all(replicas.map(replica => torment(replica, random, end)))
  await load.stop()

  const { outcomes } = load
  const verdicts = verdictsOf(outcomes)
  await until(10_000, async () => (await readHeld(fleet.first, [ada])) === 0)
  const books = await readBooks(fleet.first, [ada])
  const log = sites.flatMap(site => site.log)
  const whole = outcomes.filter(({ verdict }) => verdict === 'whole')
  console.log(
    `toxics on three replicas for ${FAULTS_MS / 1000} s, seed ${seed}: ${JSON.stringify(tallyOf(outcomes))}, ${JSON.stringify(verdicts)}; ${log.length} calls at backends; rows ${kindsOf(books)}; whole answers ms ${spread(whole.map(({ ms }) => ms))}`,
  )
  const wrong = Object.keys(verdicts).filter(verdict => verdict.startsWith('wrong'))
  expect(wrong).toEqual([])
  expect(whole.length).toBeGreaterThan(WORKERS)
  expect(settledTwice(books.rows)).toEqual([])
  // A stream that is cut between its finish and its usage is charged at what the gateway counted.
  const { mispriced, ...faults } = faultsIn(books, outcomes, log)
  expect({ ...faults, mispriced: [] }).toEqual(NO_FAULTS)
  expect(mispriced.length).toBeLessThan(0.05 * whole.length)
  expect(fleet.faults()).toEqual([])
})

/** One fault after the other, with rests between them. */
async function torment(replica: FaultProxy, random: () => number, end: number): Promise<void> {
  while (performance.now() < end) {
    await sleep(randomInt(random, 0, 800))
    const heal = await strike(replica, random)
    await sleep(randomInt(random, 50, 1500))
    await heal()
  }
}

async function strike(replica: FaultProxy, random: () => number): Promise<() => unknown> {
  const dice = randomInt(random, 0, 9)
  if (dice === 0) {
    await replica.refuse()
    return () => replica.listen()
  }
  if (dice === 1) {
    replica.cut()
    return () => {}
  }
  const toxics = [toxicOf(random), ...(random() < 0.3 ? [toxicOf(random)] : [])]
  const removers = toxics.map(toxic => replica.add(toxic, waysOf(random)))
  return () => removers.map(remove => remove())
}

function toxicOf(random: () => number): Toxic {
  // Anywhere in the headers or in the first events.
  const after = randomInt(random, 0, 3000)
  const toxics: readonly Toxic[] = [
    { kind: 'latency', ms: randomInt(random, 0, 80), jitterMs: 100 },
    { kind: 'bandwidth', bytesPerSecond: randomInt(random, 500, 50_000) },
    { kind: 'slicer', most: randomInt(random, 1, 40), gapMs: randomInt(random, 0, 3) },
    { kind: 'reset', after },
    { kind: 'halfClose', after },
    { kind: 'silence', after },
    blackHole,
  ]
  return toxics[randomInt(random, 0, toxics.length - 1)] ?? blackHole
}

function waysOf(random: () => number): readonly Way[] {
  const dice = random()
  if (dice < 0.5) return ['down']
  return dice < 0.75 ? ['up'] : ['up', 'down']
}

/** Requests with more than one row of a settlement. */
function settledTwice(rows: readonly { readonly request_id: string; readonly kind: string }[]): string[] {
  const settled = rows.filter(({ kind }) => kind === 'settle').map(({ request_id }) => request_id)
  return settled.filter((id, n) => settled.indexOf(id) !== n)
}
