import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Agent, type ClientRequest, request } from 'node:http'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { ShownPool } from '../../src/wire/admin/pool.ts'
import { compileProgram, type Program } from '../cli/program.ts'
import { answer, startBackend } from '../support/backend.ts'
import { eventually } from '../support/eventually.ts'
import { describeRedis, type RedisServer, startRedis } from '../support/redis/redis.ts'
import { readBooks, readHeld, sumOf } from './harness/books.ts'
import type { Account } from './harness/client.ts'
import { Fleet, type Gateway } from './harness/fleet.ts'
import { sizeOf, spread } from './harness/size.ts'

/**
 * Requests of the attack: those whose bodies come whole, those whose bodies never end, and small ones. At full size, with 10,000
 * bodies of 10 MB and files for as many connections: `WHOLE=10000 npm run test:long -- hostile-queue`.
 */
const WHOLE = sizeOf('WHOLE', 40, 12)
const LAZY = sizeOf('LAZY', 3000, 30)
const SMALL = sizeOf('SMALL', 3000, 100)

const BODY_BYTES = 10_000_000
const SLOTS = 2
const OF_ACCOUNT = 50
const MOST_BYTES = 64_000_000
const PEAK_KIB = 512 * 1024
const HEALTHY = 3
const EACH = 5
/** The time of a request at the engine. */
const SERVICE_MS = 300
/** The gateway reads or refuses 100 GB at full size. */
const PATIENCE = { timeout: 60_000 + 100 * WHOLE, interval: 200 }

const pool = `max_concurrent: ${SLOTS}, queue: { max: 1000, of_account: ${OF_ACCOUNT}, bytes: 64MB, timeout: 1h }`
const limits = `connections_per_ip: ${WHOLE + LAZY + SMALL + 1000}, shed_load: false, body_memory: 256MB`
const plans = { pro: 'rpm: 1M, tpm: 900M, monthly_usd: 500' }

const said = (label: string, more: object = {}) =>
  JSON.stringify({ messages: [{ role: 'user', content: label }], max_tokens: 4, ...more })
const small = Buffer.from(said('hostile'))
/** One buffer for all connections: a text would be encoded for each. */
const large = Buffer.from(
  said('hostile', { metadata: { text: 'x'.repeat(BODY_BYTES - said('hostile', { metadata: { text: '' } }).length) } }),
)

let program: Program
beforeAll(() => {
  program = compileProgram()
})
afterAll(() => program.end())

/** An engine that serves requests once it may, and keeps their order. */
async function startEngine() {
  const backend = await startBackend()
  onTestFinished(() => backend.close())
  let begin = () => {}
  const begun = new Promise<void>(resolve => {
    begin = resolve
  })
  const engine = { order: [] as string[], url: backend.url, begin }
  backend.always(async exchange => {
    backend.requests.length = 0
    const [{ content = '' } = {}] = exchange.seen.body.messages as readonly { readonly content?: string }[]
    engine.order.push(content)
    await begun
    await sleep(SERVICE_MS)
    await answer({ content: 'Hi' })(exchange)
  })
  return engine
}

/** The connections of one hostile account, each with one request, and how often each status came. */
class Attack {
  readonly statuses: Record<string, number> = {}
  readonly #agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY, keepAlive: false })
  readonly #open = new Set<ClientRequest>()
  readonly #gateway: Gateway
  readonly #key: string

  constructor(gateway: Gateway, { key }: Account) {
    this.#gateway = gateway
    this.#key = key
  }

  /** Requests that have no answer yet. */
  get open(): number {
    return this.#open.size
  }

  send(body: Buffer): void {
    this.#begin(body.length).end(body)
  }

  /** Sends the beginning of a large body, and nothing more. */
  async sendLazily(): Promise<void> {
    const sent = this.#begin(BODY_BYTES)
    sent.write(large.subarray(0, 1000))
    await Promise.race([once(sent, 'finish'), once(sent, 'socket')]).catch(() => {})
  }

  end(): void {
    for (const each of this.#open) each.destroy()
  }

  #begin(length: number): ClientRequest {
    const headers = {
      authorization: `Bearer ${this.#key}`,
      'content-type': 'application/json',
      'content-length': length,
    }
    const url = `${this.#gateway.url}/v1/chat/completions`
    const sent = request(url, { method: 'POST', agent: this.#agent, headers })
    this.#open.add(sent)
    const ended = (how: string) => {
      if (this.#open.delete(sent)) this.statuses[how] = (this.statuses[how] ?? 0) + 1
    }
    sent.on('response', response => {
      response.resume()
      ended(String(response.statusCode))
    })
    sent.on('error', () => ended('cut'))
    return sent
  }
}

async function poolAt(gateway: Gateway): Promise<ShownPool> {
  const { body } = await gateway.ask('GET', '/admin/pools')
  const [found] = (JSON.parse(body) as { readonly data: readonly ShownPool[] }).data
  if (!found) throw new Error('there is a pool')
  return found
}

/** The most memory that the process has held. */
function peakKiB({ pid }: Gateway): number {
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
}

describe('a pool that is full, on the embedded store', () => floodedPool('embedded', async () => undefined))
describeRedis('a pool that is full, on Redis', () => floodedPool('redis', startRedis))

function floodedPool(store: string, startStore: () => Promise<RedisServer | undefined>): void {
  it('serves others in turn beside an account that waits with bodies without end, whose requests and bytes are bounded', async () => {
    const redis = await startStore()
    onTestFinished(async () => redis?.stop())
    const engine = await startEngine()
    const fleet = new Fleet({ program, site: engine, plans, pool, limits, ...(redis && { redis: redis.url }) })
    onTestFinished(() => fleet.close())
    await fleet.start()
    const gateway = fleet.first
    const accounts = await Promise.all(Array.from({ length: HEALTHY }, (_, n) => fleet.mint(`healthy-${n}`, 'pro')))
    const hostile = await fleet.mint('hostile', 'pro')
    const attack = new Attack(gateway, hostile)
    onTestFinished(() => attack.end())
    const idle = peakKiB(gateway)
    for (let n = 0; n < SLOTS; n++) attack.send(small)
    await eventually(() => expect(engine.order).toHaveLength(SLOTS))

    const watch = watchLatency(gateway, await fleet.mint('watch', 'pro'))
    for (let n = 0; n < WHOLE; n++) {
      attack.send(large)
      if (n % 100 === 0) await setImmediate()
    }
    const mostLarge = Math.floor(MOST_BYTES / BODY_BYTES)
    await eventually(() => expect(attack.open).toBeLessThanOrEqual(SLOTS + mostLarge), PATIENCE)
    // On a busy machine a body may be late, and a client that still sends when it is refused may lose the answer.
    expect(Object.keys(attack.statuses).filter(each => each !== 'cut' && each !== '408')).toEqual(['503'])
    expect((await poolAt(gateway)).waiting).toBeGreaterThan(0)
    expect((await poolAt(gateway)).waiting).toBeLessThanOrEqual(mostLarge)
    for (let n = 0; n < LAZY; n++) await attack.sendLazily()
    for (let n = 0; n < SMALL; n++) attack.send(small)
    await eventually(() => expect(refusalsOf(attack)).toBeGreaterThanOrEqual(WHOLE - mostLarge + SMALL - OF_ACCOUNT))
    expect((await poolAt(gateway)).waiting).toBeLessThanOrEqual(OF_ACCOUNT)

    engine.begin()
    const asked = await Promise.all(accounts.map(account => askInTurn(gateway, account, engine.order)))
    const most = Math.max(...asked.flatMap(({ before }) => before))
    const peak = peakKiB(gateway)
    const during = await watch.end()
    const [statuses, open] = [{ ...attack.statuses }, attack.open]
    attack.end()
    await eventually(async () => {
      for (const account of [hostile, ...accounts]) expect(await readHeld(gateway, [account])).toBe(0)
      expect(await poolAt(gateway)).toMatchObject({ in_flight: 0, waiting: 0 })
    }, PATIENCE)
    const alone = await Promise.all(accounts.map(account => askInTurn(gateway, account, engine.order)))
    const { rows, used } = await readBooks(gateway, accounts)
    console.log(
      `${store}: ${WHOLE} bodies of 10 MB, ${LAZY} that never end, ${SMALL} small ones; answered ${JSON.stringify(statuses)}, ${open} open; ` +
        `peak ${Math.round((peak - idle) / 1024)} MB above idle; at most ${most} hostile starts before a healthy one; ` +
        `in ms, healthy chats took ${timesOf(asked)}, and ${timesOf(alone)} without the attack; lists of models ${spread(during)}`,
    )
    // All that stand before a request of another account: those that run, and one of each other account.
    expect(most).toBeLessThanOrEqual(2 * (SLOTS + HEALTHY))
    expect(peak - idle).toBeLessThanOrEqual(PEAK_KIB)
    const healthy = rows.filter(({ account }) => accounts.some(each => each.account === account))
    expect(healthy).toHaveLength(2 * HEALTHY * EACH)
    expect(sumOf(healthy.map(row => row.cost_nano_usd))).toBe(sumOf([...used.values()]))
    expect(fleet.faults()).toEqual([])
  })
}

const refusalsOf = ({ statuses }: Attack): number =>
  (statuses['503'] ?? 0) + (statuses['429'] ?? 0) + (statuses.cut ?? 0)

/** A request after the other: how many of the attack started at the engine before each, and how long each took. */
interface Asked {
  readonly before: readonly number[]
  readonly times: readonly number[]
}

const timesOf = (asked: readonly Asked[]): string => spread(asked.flatMap(({ times }) => times))

/** Lists models again and again, as an account does. Ends with the time that each list took, in ms. */
function watchLatency({ url }: Gateway, { key }: Account): { end(): Promise<readonly number[]> } {
  const worker = new Worker(new URL('latency.js', import.meta.url), { workerData: { url, key } })
  onTestFinished(() => void worker.terminate())
  return {
    end: async () => {
      worker.postMessage('end')
      const [times] = (await once(worker, 'message')) as [readonly number[]]
      return times
    },
  }
}

/** Asks one request after the other. */
async function askInTurn(gateway: Gateway, { label, key }: Account, order: readonly string[]): Promise<Asked> {
  const before: number[] = []
  const times: number[] = []
  for (let n = 0; n < EACH; n++) {
    const [from, own, began] = [order.length, `${label} ${n}`, performance.now()]
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: said(own),
    })
    expect(response.status, await response.text()).toBe(200)
    times.push(performance.now() - began)
    before.push(order.slice(from, order.indexOf(own)).filter(each => each === 'hostile').length)
  }
  return { before, times }
}
