import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { compileProgram } from '../cli/program.ts'
import { type Account, ask } from './harness/client.ts'
import { Fleet, type Gateway } from './harness/fleet.ts'
import { Site } from './harness/site.ts'
import { scaled } from './harness/size.ts'
import { mannersOf, SlowClient } from './harness/slow.ts'

const SLOW = scaled(2000, 50)
const HEADERS_S = 5
const REQUEST_S = 10
/** Connections are opened in waves: a listener's queue is short. */
const WAVE = 100
const limits = `connections_per_ip: 100k, shed_load: false, headers_timeout: ${HEADERS_S}s, request_timeout: ${REQUEST_S}s, idle_timeout: ${REQUEST_S}s`
/** The last of them may come as late as idle_timeout and headers_timeout, a check and a moment to hear their answer. */
const GONE_WITHIN_MS = (HEADERS_S + REQUEST_S + 1 + 2) * 1000

it(`${SLOW} slow connections are reaped, and all the while a healthy client is served`, async () => {
  const program = compileProgram()
  const site = await Site.open()
  const fleet = new Fleet({ program, site, plans: { pro: 'rpm: 1M, tpm: 900M, monthly_usd: 500' }, limits })
  await fleet.start()
  const account = await fleet.mint('ada', 'pro')
  const alone = await healthy(fleet.first, account, 2000)
  const before = residentKiB(fleet.first)

  const manners = mannersOf(account.key)
  const slow = Array.from({ length: SLOW }, (_, n) => {
    const manner = manners[n % manners.length]
    if (!manner) throw new Error('there are no manners')
    return () => new SlowClient(fleet.first, manner)
  })
  let over = false
  const beside = healthy(fleet.first, account, Number.POSITIVE_INFINITY, () => over)
  const clients: SlowClient[] = []
  for (let from = 0; from < SLOW; from += WAVE) {
    const wave = slow.slice(from, from + WAVE).map(open => open())
    await Promise.all(wave.map(client => client.begin()))
    clients.push(...wave)
  }
  const since = performance.now()
  const most = residentKiB(fleet.first)
  const ends = await Promise.all(clients.map(async client => ({ client, ...(await client.end(since)) })))
  over = true
  const served = await beside

  const perConnection = (most - before) / SLOW
  const lastMs = Math.max(...ends.map(({ ms }) => ms))
  console.log(
    `${SLOW} slow connections: ${perConnection.toFixed(1)} KiB each, all gone ${Math.round(lastMs)} ms after the last had come; ` +
      `healthy client ${shares(served.ms)} (alone ${shares(alone.ms)}), ${served.ms.length} requests`,
  )
  for (const { name } of manners) {
    const own = ends.filter(({ client }) => client.manner.name === name)
    console.log(`  ${name}: gone after at most ${Math.round(Math.max(...own.map(({ ms }) => ms)))} ms`)
  }
  expect(ends.filter(({ told }) => !told).map(({ client, text }) => `${client.manner.name}: ${text}`)).toEqual([])
  expect(lastMs).toBeLessThan(GONE_WITHIN_MS)
  expect(served.failures).toEqual([])
  expect(served.ms.length).toBeGreaterThan(100)
  expect(fleet.faults()).toEqual([])
  await fleet.close()
  await site.close()
  await program.end()
})

/** Asks again and again, one at a time, until the time is over or it is told to stop. */
async function healthy(gateway: Gateway, account: Account, forMs: number, stop: () => boolean = () => false) {
  const ms: number[] = []
  const failures: string[] = []
  const end = performance.now() + forMs
  while (performance.now() < end && !stop()) {
    const outcome = await ask(gateway, { account })
    ms.push(outcome.ms)
    if (outcome.status !== 200) failures.push(`${outcome.status} ${outcome.code}`)
    await sleep(10)
  }
  return { ms, failures }
}

/** Half and nearly all of some times. */
function shares(ms: readonly number[]): string {
  const sorted = [...ms].sort((a, b) => a - b)
  const at = (share: number) => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(1)
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`
}

/** Memory that the process of a gateway holds. */
function residentKiB({ pid }: Gateway): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1])
}
