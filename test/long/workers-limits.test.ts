import { setTimeout as sleep } from 'node:timers/promises'
import { request } from 'undici'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { compileProgram, type Program } from '../cli/program.ts'
import { answer, type Backend, startBackend } from '../support/backend.ts'
import { readBooks, sumOf } from './harness/books.ts'
import type { Account } from './harness/client.ts'
import { Fleet, type FleetTerms, type Gateway } from './harness/fleet.ts'
import { Load, tallyOf } from './harness/load.ts'
import { Running } from './harness/running.ts'
import { Site } from './harness/site.ts'
import { between, scaled, sizeOf } from './harness/size.ts'
import { mostIn, percent } from './harness/spans.ts'
import { until } from './harness/until.ts'

const WORKERS = 4
/** Clients, each of which asks again once it is answered. */
const CLIENTS = 256
const KILLS = sizeOf('KILLS', 20, 3)
/** More than two spans of the limit. */
const MINUTES_MS = Math.max(75_000, scaled(150_000))
const WHILE_MS = Math.max(5000, scaled(30_000))
const MINUTE_MS = 60_000
const RPM = 600
const AT_ONCE = 8
const PLACES = 5
/** Ten cents, in nano-USD. */
const DIME = 100_000_000
const ample = 'rpm: 1M, tpm: 900M'
const plans = {
  minute: `rpm: ${RPM}, tpm: 900M, monthly_usd: 500`,
  narrow: `${ample}, monthly_usd: 500, limits: [{ concurrent: ${AT_ONCE} }]`,
  dime: `${ample}, monthly_usd: 0.1`,
  wide: `${ample}, monthly_usd: 500`,
  guest: `${ample}, monthly_usd: 500, per_day: 1M`,
}

let program: Program
beforeAll(() => {
  program = compileProgram()
})
afterAll(() => program.end())

/** A gateway of several workers, on a site. */
async function open(site: Pick<Site, 'url'>, terms: Partial<FleetTerms> = {}): Promise<Fleet> {
  const fleet = new Fleet({ program, site, plans, server: `workers: ${WORKERS}`, ...terms })
  onTestFinished(() => fleet.close())
  await fleet.start()
  return fleet
}

async function openSite(): Promise<Site> {
  const site = await Site.open()
  onTestFinished(() => site.close())
  return site
}

/** A backend that knows how many requests of clients it has at once. */
async function openCounted(): Promise<{ readonly backend: Backend; readonly running: Running }> {
  const [backend, running] = [await startBackend(), new Running()]
  onTestFinished(() => backend.close())
  backend.always(exchange => running.serve(exchange, between(1, 20)))
  // The gateway's own requests belong to no client.
  backend.answersChecks(answer({ content: 'Hi' }))
  return { backend, running }
}

/** Keeps all clients busy; a refused one asks again a moment later. */
const flood = ({ gateways }: Fleet, accounts: readonly Account[], restMs = 500): Load =>
  new Load({
    ...{ gateways, accounts, workers: CLIENTS, restMs: { served: 0, refused: restMs } },
    asks: (account, n) => ({ account, maxTokens: 2 + (n % 40) }),
  })

const text = (outcomes: Load['outcomes']) => JSON.stringify(tallyOf(outcomes)).replaceAll('"', '')

/** Ends one worker as `kill -9` does. Resolves once another one has its place. */
async function killOne(gateway: Gateway): Promise<void> {
  const { workers } = gateway
  const victim = workers[Math.floor(Math.random() * workers.length)] ?? 0
  process.kill(victim, 'SIGKILL')
  await until(60_000, () => gateway.workers.length === WORKERS && !gateway.workers.includes(victim))
}

it(`rpm ${RPM}: in no 60 s does an account start more, on ${WORKERS} workers of which one is killed`, async () => {
  const site = await openSite()
  const fleet = await open(site)
  const account = await fleet.mint('minute', 'minute')
  const load = flood(fleet, [account], 1000)
  load.start()
  await sleep(MINUTES_MS / 2)
  await killOne(fleet.first)
  await sleep(MINUTES_MS / 2)
  await load.stop()

  const { rows } = await readBooks(fleet.first, [account])
  const admissions = new Map(rows.map(row => [row.request_id, Date.parse(row.admitted_at)]))
  const starts = [...admissions.values()].map(at => ({ at, weight: 1 }))
  const wayMs = Math.max(...site.log.map(({ at, requestId }) => at - (admissions.get(requestId) ?? at)))
  const arrived = site.log.map(({ at }) => ({ at, weight: 1 }))
  const most = { admitted: mostIn(MINUTE_MS, starts), arrived: mostIn(MINUTE_MS - wayMs, arrived) }
  console.log(
    `rpm ${RPM}, ${WORKERS} workers, ${CLIENTS} clients, ${MINUTES_MS / 1000} s: in any 60 s ${most.admitted} admitted, ${most.arrived} at the backend (at most ${Math.round(wayMs)} ms on their way); ${text(load.outcomes)}`,
  )
  expect(most.admitted).toBeLessThanOrEqual(RPM)
  expect(most.arrived).toBeLessThanOrEqual(RPM)
  // Else the limit was never met.
  expect(most.admitted).toBeGreaterThanOrEqual(0.95 * RPM)
})

it(`concurrent ${AT_ONCE}: the backend never has more of an account, from ${WORKERS} workers`, async () => {
  const { backend, running } = await openCounted()
  const fleet = await open(backend)
  const account = await fleet.mint('narrow', 'narrow')

  const load = flood(fleet, [account], 200)
  await load.runFor(WHILE_MS)

  console.log(`concurrent ${AT_ONCE}: at most ${running.most} of ${running.total} at once; ${text(load.outcomes)}`)
  expect(running.most).toBe(AT_ONCE)
})

it(`max_concurrent ${PLACES}: the backend never has more at once, over ${KILLS} kills of a worker`, async () => {
  const { backend, running } = await openCounted()
  const fleet = await open(backend, { pool: `max_concurrent: ${PLACES}, queue_timeout: 20s` })
  const account = await fleet.mint('wide', 'wide')
  const load = flood(fleet, [account])
  load.start()
  // So many clients fill the pool at once, where the places of a worker that was killed come back.
  const fills = () => until(60_000, () => running.now === PLACES)
  for (let n = 0; n < KILLS; n++) {
    await fills()
    await killOne(fleet.first)
  }
  await fills()
  await load.stop()

  console.log(
    `max_concurrent ${PLACES}, ${KILLS} kills: at most ${running.most} of ${running.total} at once; ${text(load.outcomes)}`,
  )
  expect(running.most).toBe(PLACES)
})

it(`monthly_usd: what ${WORKERS} workers serve an account never passes it, and uses nearly all of it`, async () => {
  const site = await openSite()
  const fleet = await open(site)
  const account = await fleet.mint('dime', 'dime')
  const load = flood(fleet, [account])
  load.start()
  await until(120_000, () => load.outcomes.filter(({ status }) => status === 402).length > 2 * CLIENTS)
  await load.stop()

  const used = (await readBooks(fleet.first, [account])).used.get(account.account) ?? 0
  expectSpent('monthly_usd', used, site, load)
})

it(`usd_per_day_total: what ${WORKERS} workers serve all guests never passes it, and uses nearly all of it`, async () => {
  const site = await openSite()
  const yaml = `guests: { plan: guest, mint_per_ip_hour: 10k, usd_per_day_total: ${DIME / 1e9} }`
  const fleet = await open(site, { yaml })
  const guests = await Promise.all(Array.from({ length: 32 }, (_, n) => guestOf(fleet.first, `device-${n}`)))
  const load = flood(fleet, guests)
  load.start()
  await until(120_000, () => load.outcomes.filter(({ status }) => status !== 200).length > 2 * CLIENTS)
  await load.stop()

  const { rows } = await readBooks(fleet.first, [])
  expectSpent('usd_per_day_total', sumOf(rows.map(row => row.cost_nano_usd)), site, load)
})

function expectSpent(limit: string, used: number, site: Site, load: Load): void {
  const spent = sumOf(site.log.map(({ cost }) => cost))
  console.log(
    `${limit}: ${spent} true, ${used} charged of ${DIME} nano-USD (${percent(used / DIME)}); ${text(load.outcomes)}`,
  )
  expect(spent).toBeLessThanOrEqual(DIME)
  expect(used).toBeLessThanOrEqual(DIME)
  expect(used).toBeGreaterThanOrEqual(0.9 * DIME)
}

/** A device that has its key; nothing else of its account is known here. */
async function guestOf(gateway: Gateway, device: string): Promise<Account> {
  const { statusCode, body } = await request(`${gateway.url}/v1/keys/guest`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ device_id: device }),
  })
  const answered = await body.text()
  if (statusCode !== 200) throw new Error(`no key for ${device}: ${answered}`)
  return { label: device, account: device, plan: 'guest', key: (JSON.parse(answered) as { key: string }).key }
}
