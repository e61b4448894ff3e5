import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { request } from 'undici'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { compileProgram, type Program } from '../cli/program.ts'
import { hasRedis, startRedis } from '../support/redis/redis.ts'
import { type Account, ask } from './harness/client.ts'
import { Fleet, type Gateway } from './harness/fleet.ts'
import { Site } from './harness/site.ts'
import { until } from './harness/until.ts'

/** The most that others may notice of an attack. */
const HEALTHY_P99_MS = 250
const HELD_MS = 100
const MOST_RSS_KIB = 512 * 1024
const BACK_WITHIN_MS = 30_000
const LEFT_RSS_KIB = 64 * 1024

const SECONDS = 15
const HEALTHY = 3
const PAUSE_MS = 25

const hostile = fileURLToPath(new URL('harness/hostile.js', import.meta.url))
const flags = ['--import', new URL('longest.js', import.meta.url).href]
const plans = {
  pro: 'rpm: 1M, tpm: 900M, monthly_usd: 500',
  guest: 'rpm: 20, tpm: 100M, monthly_usd: 100, per_day: 1M',
}
const limits = 'connections_per_ip: 1k'
const yaml = 'guests: { plan: guest, mint_per_ip_hour: 10k, usd_per_day_total: 1000 }'

let program: Program

beforeAll(() => {
  program = compileProgram()
})

afterAll(() => program.end())

/** `names` is refused for what it is; `dear` is as much as is let through; `invalid` is no request that would be counted. */
const attacks = [
  ['burst names', 60],
  ['burst dear', 60],
  ['stream names', 8],
  ['stream dear', 8],
  ['stream invalid', 8],
  ['hold large', 250],
] as const
const origins = [
  ['one key at one address', 1],
  ['50 keys at 50 addresses', 50],
] as const
const stores = ['embedded', ...(hasRedis ? ['redis'] : [])]

describe.each(stores)('beside an attack, on the %s store', store => {
  describe.each(origins)('from %s', (_, count) => {
    it.each(attacks)('%s with %i connections, healthy clients are served as ever', async (attack, connections) => {
      const redis = store === 'redis' ? await startRedis() : undefined
      onTestFinished(async () => redis?.stop())
      const site = await Site.open()
      onTestFinished(() => site.close())
      const fleet = new Fleet({ program, site, plans, limits, yaml, flags, ...(redis && { redis: redis.url }) })
      onTestFinished(() => fleet.close())
      await fleet.start()
      const gateway = fleet.first
      const keys = await Promise.all(Array.from({ length: count }, (_, n) => guestKey(gateway, `device-${n}`)))
      const addresses = Array.from({ length: count }, (_, n) => `127.0.0.${n + 2}`)
      const accounts = await Promise.all(Array.from({ length: HEALTHY }, (_, n) => fleet.mint(`healthy-${n}`, 'pro')))
      await Promise.all(accounts.map(account => healthy(gateway, account, () => false, 40)))
      const idle = residentKiB(gateway)
      await longestHeld(gateway)

      let over = false
      let most = 0
      const watch = setInterval(() => {
        most = Math.max(most, residentKiB(gateway))
      }, 50)
      onTestFinished(() => clearInterval(watch))
      const beside = accounts.map(account => healthy(gateway, account, () => over))
      const told = await attacked({ url: gateway.url, keys, addresses, attack, connections, seconds: SECONDS })
      over = true
      const served = (await Promise.all(beside)).flat()
      const held = await longestHeld(gateway)
      clearInterval(watch)

      const p99 = share(
        served.map(({ ms }) => ms),
        0.99,
      )
      const left = attack.startsWith('hold') ? await leftAfter(gateway, idle) : 0
      console.log(
        `${store}, ${count} keys, ${attack}: ${served.length} healthy requests, p99 ${p99.toFixed(1)} ms, held ${held} ms, ` +
          `RSS ${mb(idle)} and at most ${mb(most - idle)} MB more, ${mb(left)} MB more after; told ${JSON.stringify(told)}`,
      )
      expect(served.filter(({ status }) => status !== 200)).toEqual([])
      expect(p99).toBeLessThanOrEqual(HEALTHY_P99_MS)
      expect(held).toBeLessThanOrEqual(HELD_MS)
      expect(most - idle).toBeLessThanOrEqual(MOST_RSS_KIB)
      expect(left).toBeLessThanOrEqual(LEFT_RSS_KIB)
      expect(fleet.faults()).toEqual([])
    })
  })
})

interface Attack {
  readonly url: string
  readonly keys: readonly string[]
  readonly addresses: readonly string[]
  readonly attack: string
  readonly connections: number
  readonly seconds: number
}

/** How often what was answered to the attack. */
async function attacked(attack: Attack): Promise<Readonly<Record<string, number>>> {
  const child = spawn(process.execPath, [hostile, JSON.stringify(attack)], { stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  child.stdout.on('data', (bytes: Buffer) => {
    said += bytes.toString()
  })
  await once(child, 'close')
  return (JSON.parse(said) as { told: Record<string, number> }).told
}

/** Asks one request after the other, until it is told to stop or has asked so many. */
async function healthy(gateway: Gateway, account: Account, stop: () => boolean, most = Number.POSITIVE_INFINITY) {
  const outcomes: { status: number; code: string; ms: number }[] = []
  while (!stop() && outcomes.length < most) {
    const { status, code, ms } = await ask(gateway, { account })
    outcomes.push({ status, code, ms })
    await sleep(PAUSE_MS)
  }
  return outcomes
}

async function guestKey(gateway: Gateway, device: string): Promise<string> {
  const { statusCode, body } = await request(`${gateway.url}/v1/keys/guest`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ device_id: device }),
  })
  const text = await body.text()
  if (statusCode !== 200) throw new Error(`no key for ${device}: ${text}`)
  return (JSON.parse(text) as { key: string }).key
}

/** How much more than before is resident, as soon as that is little, and at the latest after 30 s. */
async function leftAfter(gateway: Gateway, idle: number): Promise<number> {
  const end = performance.now() + BACK_WITHIN_MS
  while (performance.now() < end && residentKiB(gateway) - idle > LEFT_RSS_KIB) await sleep(250)
  return residentKiB(gateway) - idle
}

/** For how long the event loop was held at most, in ms, since this was asked last. */
async function longestHeld(gateway: Gateway): Promise<number> {
  const before = gateway.alarms.length
  if (gateway.pid !== undefined) process.kill(gateway.pid, 'SIGUSR2')
  const said = () => gateway.alarms.slice(before).find(line => line.startsWith('longest '))
  await until(10_000, () => said() !== undefined)
  return Number(said()?.slice('longest '.length))
}

/** Memory that the process of a gateway holds. */
function residentKiB({ pid }: Gateway): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1])
}

function share(numbers: readonly number[], of: number): number {
  const sorted = [...numbers].sort((a, b) => a - b)
  return sorted[Math.floor(of * (sorted.length - 1))] ?? 0
}

const mb = (kib: number): number => Math.round(kib / 1024)
