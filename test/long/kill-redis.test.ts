import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { describeRedis, startRedis } from '../support/redis/redis.ts'
import { faultsIn, kindsOf, NO_FAULTS, readBooks, readHeld } from './harness/books.ts'
import { Fleet } from './harness/fleet.ts'
import { Load, tallyOf } from './harness/load.ts'
import { program, site } from './harness/program-and-site.ts'
import { between, sizeOf, spread } from './harness/size.ts'
import { refusedIn, spooledIn, waits } from './harness/spool.ts'
import { served, until } from './harness/until.ts'

const CYCLES = sizeOf('CYCLES', 20, 3)
const WORKERS = 24
const BACK_WITHIN_MS = 2000
const TOLD_WITHIN_MS = 10_000
const RELEASED_WITHIN_MS = 35_000
const plans = { pro: 'rpm: 1M, tpm: 900M, monthly_usd: 500', tight: 'rpm: 1M, tpm: 900M, monthly_usd: 0.05' }

describeRedis('two gateways', () => {
  it.each([
    ['Redis', CYCLES, false],
    // A gateway's files for Redis survive its own death too.
    ['Redis, and then of a gateway,', Math.ceil(CYCLES / 4), true],
  ])(
    'a kill -9 of %s loses no row, doubles none, and fails nobody but with STORE_UNAVAILABLE',
    async (whom, cycles, both) => {
      const redis = await startRedis({ durable: true })
      onTestFinished(() => redis.stop())
      const fleet = new Fleet({ program, site, plans, redis: redis.url, clocks: [0, 0] })
      onTestFinished(() => fleet.close())
      await fleet.start()
      const ada = await fleet.mint('ada', 'pro')
      const accounts = [ada, await fleet.mint('bob', 'pro'), await fleet.mint('dan', 'tight')]
      const load = new Load({
        gateways: fleet.gateways,
        accounts,
        workers: WORKERS,
        restMs: { served: 0, refused: 20 },
      })
      const backMs: number[] = []
      const spooled: string[] = []

      for (let cycle = 0; cycle < cycles; cycle++) {
        load.start()
        await sleep(between(300, 1200))
        await redis.kill()
        await sleep(between(300, 900))
        spooled.push(...fleet.gateways.flatMap(spooledIn))
        if (both) await fleet.first.kill()
        await redis.restart()
        if (both) await fleet.first.start()
        backMs.push(...(await Promise.all(fleet.gateways.map(gateway => served(gateway, ada)))))
        await load.stop()
        await until(TOLD_WITHIN_MS, () => fleet.gateways.every(gateway => !waits(gateway)))

        const books = await readBooks(fleet.first, accounts)
        expect(faultsIn(books, load.outcomes, site.log)).toEqual(NO_FAULTS)
        const told = books.rows.filter(({ kind }) => kind === 'settle').map(({ request_id }) => request_id)
        expect(spooled.filter(id => !told.includes(id))).toEqual([])
      }
      await until(RELEASED_WITHIN_MS, async () => (await readHeld(fleet.first, accounts)) === 0)

      const books = await readBooks(fleet.first, accounts)
      const failed = load.outcomes.filter(({ status }) => status !== 200 && status !== 429 && status !== 402)
      const tally = JSON.stringify(tallyOf(load.outcomes)).replaceAll('"', '')
      console.log(
        `kill -9 of ${whom} AOF always: ${cycles} cycles, clients saw ${tally}, rows ${kindsOf(books)}; ${spooled.length} spooled and told once; served again after ms ${spread(backMs)}`,
      )
      expect(faultsIn(books, load.outcomes, site.log)).toEqual(NO_FAULTS)
      const { broken = 0, '200 cut': cut = 0, '503 STORE_UNAVAILABLE': unavailable = 0, ...others } = tallyOf(failed)
      expect(others).toEqual({})
      expect(unavailable).toBeGreaterThan(0)
      if (!both) expect(broken + cut).toBe(0)
      expect(Math.max(...backMs)).toBeLessThanOrEqual(BACK_WITHIN_MS)
      expect(fleet.gateways.flatMap(refusedIn)).toEqual([])
      expect(fleet.faults()).toEqual([])
    },
  )
})
