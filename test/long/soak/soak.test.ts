import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFailed, onTestFinished } from 'vitest'
import { describeRedis } from '../../support/redis/redis.ts'
import { type Books, faultsIn, kindsOf, NO_FAULTS, readBooks, readHeld, sumOf } from '../harness/books.ts'
import { type Account, ask, type Outcome } from '../harness/client.ts'
import { patiently } from '../harness/failovers.ts'
import { Fleet, type Gateway, MEASURED } from '../harness/fleet.ts'
import { leasesIn } from '../harness/leases.ts'
import { Load, tallyOf } from '../harness/load.ts'
import { Masters } from '../harness/masters.ts'
import { program, site } from '../harness/program-and-site.ts'
import { between, sizeOf } from '../harness/size.ts'
import { refusedIn, waits } from '../harness/spool.ts'
import { until } from '../harness/until.ts'
import { growthOf, type Live, Memory } from './memory.ts'
import { Pace } from './pace.ts'
import { Revocations } from './revocations.ts'
import { tableOf } from './table.ts'
import { isThere, kinds, Violence } from './violence.ts'

const MINUTES = sizeOf('MINUTES', 3, 1)
const WORKERS = 4
const LAG_MS = 100
/** Clients that send all the time. */
const CLIENTS = 10
const REST_MS = { served: 60, refused: 60 }
const plans = {
  pro: 'rpm: 1M, tpm: 900M, per_day: 10M, monthly_usd: 500',
  eager: 'rpm: 60, tpm: 900M, monthly_usd: 500',
  wide: 'rpm: 1M, tpm: 900M, monthly_usd: 500, max_concurrent: 4',
}
/** A flood each so many ms, for so long, of so many requests a second. */
const FLOOD = { everyMs: 20_000, forMs: 5000, perSecond: 100 }
const MOST_PER_HOUR_MB = 5
/** Measured in the second half of a process's life: code is compiled and caches are full. */
const SLOPE_OVER_MS = (MINUTES * 60_000) / 3
/** Memory after a collection is measured at this interval in ms. */
const LIVE_EVERY_MS = (MINUTES * 60_000) / 12
const WRITTEN_WITHIN_MS = 60_000
/** A lease of 30 s, and a sweep every 5 s after it. */
const RELEASED_WITHIN_MS = 60_000
const file = process.env.SOAK_FILE ?? join(tmpdir(), `soak-${new Date().toISOString().replaceAll(':', '')}.ndjson`)

describeRedis(`two gateways of ${WORKERS} workers on a Redis Cluster`, () => {
  it(
    `${MINUTES} minutes of floods, kills, reloads and revocations leave equal sums, nothing held, and flat memory`,
    async () => {
      console.log(`the figures of the soak are in ${file}`)
      const masters = await Masters.open(LAG_MS)
      onTestFinished(() => masters.close())
      const server = `workers: ${WORKERS}`
      const fleet = new Fleet({ program, site, plans, server, redis: masters.url, clocks: [0, 0], flags: MEASURED })
      onTestFinished(() => fleet.close())
      onTestFailed(() => console.log(fleet.gateways.map(({ alarms }) => alarms.slice(-40).join('\n')).join('\n\n')))
      for (const gateway of fleet.gateways) await gateway.start()
      const gateways = fleet.gateways as readonly [Gateway, Gateway]
      const mint = (label: string, plan: string) => patiently(tries => fleet.mint(`${label}-${tries}`, plan))
      const accounts = await Promise.all(Array.from({ length: 8 }, (_, n) => mint(`account-${n}`, 'pro')))
      const healthy = await oneOfEach(masters, n => mint(`healthy-${n}`, 'pro'))
      const [eager, wide] = [await mint('eager', 'eager'), await mint('wide', 'wide')]
      await sleep(LAG_MS + 500)

      const begun = performance.now()
      const memory = new Memory()
      const load = new Load({ gateways, accounts, workers: CLIENTS, restMs: REST_MS })
      const violence = new Violence({ gateways, masters, workers: WORKERS, accounts: healthy })
      const revocations = new Revocations(fleet)
      const reloads: number[] = []
      const calm: Outcome[] = []
      const flooding: Outcome[] = []
      const figures = () => {
        const all = [...load.outcomes, ...calm, ...flooding, ...revocations.outcomes]
        return {
          minute: Math.round((performance.now() - begun) / 6000) / 10,
          requests: all.length,
          ended: tallyOf(all),
          kills: Object.fromEntries(kinds.map(kind => [kind, violence.backMs(kind).length])),
          reloads: tallied(reloads),
          revocations: { answered: revocations.revoked.length, failed: revocations.failed, late: revocations.late },
          healthy: healthyFigures(calm, violence),
          megabytes: memory.now(),
        }
      }

      const live: Live[] = []
      const lookAtLive = async () => {
        live.push({ minute: (performance.now() - begun) / 60_000, ...(await liveIn(violence.spared)) })
        note({ live })
      }

      const running = [
        new Pace(100, async n => {
          calm.push(await ask(turn(gateways, n), { account: turn(healthy, n >> 1), maxTokens: 8 }))
        }),
        new Pace(1000 / FLOOD.perSecond, async n => {
          const at = (n * 1000) / FLOOD.perSecond
          if (at % FLOOD.everyMs < FLOOD.forMs) flooding.push(await flood(turn(gateways, n), n, { eager, wide }))
        }),
        new Pace(5000, async () => {
          for (const { pid, workers } of gateways) {
            if (pid !== undefined) memory.read('main', pid)
            for (const worker of workers) memory.read('worker', worker)
          }
        }),
        new Pace(30_000, async () => note(figures())),
      ]
      load.start()
      const end = begun + MINUTES * 60_000
      const isOver = () => performance.now() > end
      const repeat = async (restMs: () => number, run: (n: number) => Promise<void>) => {
        for (let n = 0; !isOver(); n++) {
          await run(n)
          await sleep(Math.max(0, Math.min(restMs(), end - performance.now())))
        }
      }
      try {
        await Promise.all([
          repeat(
            () => between(8000, 12_000),
            () => violence.next(),
          ),
          repeat(
            () => LIVE_EVERY_MS,
            async n => {
              if (n > 0) await lookAtLive()
            },
          ),
          repeat(
            () => 3000,
            n => revocations.next(n),
          ),
          repeat(
            () => 10_000,
            async n => void reloads.push(...(await reloadAll(gateways, n))),
          ),
        ])
      } catch (error) {
        note({ error: String(error) })
        throw error
      } finally {
        await Promise.all([load.stop(), ...running.map(pace => pace.stop())])
        note(figures())
      }

      await until(WRITTEN_WITHIN_MS, () => gateways.every(gateway => !waits(gateway)))
      const everybody = [...accounts, ...healthy, eager, wide]
      await until(
        RELEASED_WITHIN_MS,
        async () => (await readHeld(fleet.first, everybody)) === 0 && (await leasesIn(masters.url)) === 0,
      )
      const outcomes = [...load.outcomes, ...calm, ...flooding, ...revocations.outcomes]
      const books = await booksWithoutFaults(fleet, everybody, outcomes)
      const servedAgain = await revocations.served()
      const slopes = memory.slopes(SLOPE_OVER_MS)
      const sums = sumsOf(books, everybody)
      await lookAtLive()
      const codes = await Promise.all(gateways.map(gateway => gateway.drain()))
      note({ sums, slopes, growth: growthOf(live) })
      console.log(tableOf({ figures: figures(), sums, slopes, live, violence, rows: kindsOf(books), minutes: MINUTES }))

      expect(faultsIn(books, outcomes, site.log)).toEqual(NO_FAULTS)
      expect(sums.used).toBe(sums.rows)
      expect(sums.totals).toBe(sums.rows)
      expect(revocations.late).toEqual([])
      expect(servedAgain).toEqual([])
      // The machine may be busy for longer than Redis is waited for: the table says how often.
      const { '503 STORE_UNAVAILABLE': _, ...unexpected } = tallyOf(
        calm.filter(isCalmIn(violence)).filter(({ whole }) => !whole),
      )
      expect(unexpected).toEqual({})
      expect(gateways.flatMap(refusedIn)).toEqual([])
      expect(fleet.faults()).toEqual([])
      expect(codes).toEqual([0, 0])
      await until(10_000, () => !memory.pids.some(isThere))
      // A few minutes say nothing of an hour. Resident memory rises and falls by tens of MB between collections.
      if (MINUTES >= 30) {
        const { main, worker } = growthOf(live)
        expect(Math.max(main.held, worker.held)).toBeLessThanOrEqual(MOST_PER_HOUR_MB)
      }
    },
    (MINUTES + 12) * 60_000,
  )
})

const turn = <T>(list: readonly T[], n: number): T => list[n % list.length] as T

/** An account on each master. */
async function oneOfEach(masters: Masters, mint: (n: number) => Promise<Account>): Promise<readonly Account[]> {
  const found = new Map<number, Account>()
  for (let n = 0; found.size < 3; n++) {
    const account = await mint(n)
    found.set(masters.placeOf(account.account), account)
  }
  return [...found.values()]
}

/** One that is over its requests of a minute, one with too many at once, and one with a key that is none. */
function flood(gateway: Gateway, n: number, { eager, wide }: Record<'eager' | 'wide', Account>): Promise<Outcome> {
  switch (n % 4) {
    case 0:
    case 2:
      return ask(gateway, { account: eager })
    case 1:
      return ask(gateway, { account: { ...eager, account: 'nobody', key: eager.key.replace(/.{8}$/, 'aaaaaaaa') } })
    default:
      return ask(gateway, { account: wide, stream: true, script: { chunks: 10, gapMs: 50 } })
  }
}

/** The statuses: 0 of a gateway that was killed meanwhile. */
async function reloadAll(gateways: readonly Gateway[], n: number): Promise<readonly number[]> {
  return Promise.all(
    gateways.map(async gateway => {
      const yaml = readFileSync(gateway.file, 'utf8')
      writeFileSync(gateway.file, yaml.replace(/context: \w+/, `context: ${32_000 + n}`))
      return gateway.ask('POST', '/admin/reload').then(
        ({ status }) => status,
        () => 0,
      )
    }),
  )
}

async function liveIn({ gateway, worker }: Violence['spared']): Promise<Omit<Live, 'minute'>> {
  const [ofMain, ofWorker] = [await gateway.memory(), await gateway.memory(worker)]
  const shown = ({ heapUsed, heapTotal, external, rss }: NodeJS.MemoryUsage) => ({
    heap: Math.round(heapUsed / 1e5) / 10,
    committed: Math.round(heapTotal / 1e5) / 10,
    external: Math.round(external / 1e5) / 10,
    resident: Math.round(rss / 1e5) / 10,
  })
  return { main: shown(ofMain), worker: shown(ofWorker) }
}

const isCalmIn =
  (violence: Violence) =>
  ({ startedAt, ms }: Outcome): boolean =>
    !violence.isWithin(startedAt, startedAt + ms)

/** The experience of clients within their limits: overall, and while nothing was killed. */
function healthyFigures(outcomes: readonly Outcome[], violence: Violence) {
  const calm = outcomes.filter(isCalmIn(violence))
  const others = tallyOf(outcomes.filter(({ whole }) => !whole))
  return {
    requests: outcomes.length,
    others,
    p: percentiles(outcomes),
    calm: { requests: calm.length, p: percentiles(calm) },
  }
}

/** Latencies of whole answers, in ms. */
function percentiles(outcomes: readonly Outcome[]) {
  const ms = outcomes.filter(({ whole }) => whole).map(outcome => outcome.ms)
  const sorted = ms.toSorted((a, b) => a - b)
  const at = (share: number) => Math.round(sorted[Math.floor(share * (sorted.length - 1))] ?? 0)
  return { p50: at(0.5), p99: at(0.99), p999: at(0.999), most: at(1) }
}

function tallied(values: readonly number[]): Record<string, number> {
  const tally: Record<string, number> = {}
  for (const value of values) tally[value] = (tally[value] ?? 0) + 1
  return tally
}

/** The books once they have no faults, or as they are after a while. */
async function booksWithoutFaults(fleet: Fleet, accounts: readonly Account[], outcomes: readonly Outcome[]) {
  const isOver = AbortSignal.timeout(WRITTEN_WITHIN_MS)
  for (;;) {
    const books = await readBooks(fleet.first, accounts)
    const faults = faultsIn(books, outcomes, site.log)
    if (isOver.aborted || JSON.stringify(faults) === JSON.stringify(NO_FAULTS)) return books
    await sleep(500)
  }
}

/** Nano-USD of some accounts together. */
function sumsOf(books: Books, accounts: readonly Account[]) {
  const own = new Set(accounts.map(({ account }) => account))
  const rows = books.rows.filter(({ account }) => own.has(account))
  return {
    rows: sumOf(rows.map(({ cost_nano_usd }) => cost_nano_usd)),
    used: sumOf([...books.used.values()]),
    totals: sumOf([...own].map(account => books.totals.get(account)?.cost ?? 0)),
    held: sumOf([...books.held.values()]),
  }
}

/** A line of the file, as soon as it is known: a run that is cut has its figures until then. */
function note(figures: object): void {
  appendFileSync(file, `${JSON.stringify(figures)}\n`)
}
