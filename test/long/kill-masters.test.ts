import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFailed, onTestFinished } from 'vitest'
import { describeRedis } from '../support/redis/redis.ts'
import { type Books, faultsIn, kindsOf, NO_FAULTS, readBooks, readHeld } from './harness/books.ts'
import { type Account, ask, type Outcome } from './harness/client.ts'
import { Counted } from './harness/counted.ts'
import { patiently, repeatedBy, revoke } from './harness/failovers.ts'
import { Fleet, type Gateway } from './harness/fleet.ts'
import { leasesIn } from './harness/leases.ts'
import { Load, tallyOf } from './harness/load.ts'
import { Masters } from './harness/masters.ts'
import { program, site } from './harness/program-and-site.ts'
import { between, sizeOf, spread } from './harness/size.ts'
import { refusedIn, waits } from './harness/spool.ts'
import { served, until } from './harness/until.ts'

const KILLS = sizeOf('KILLS', 10, 3)
const WORKERS = 12
/** Three gateways and six nodes share the cores of this machine. */
const REST_MS = { served: 10, refused: 50 }
const REPEATED_WITHIN_MS = 30_000
const RELEASED_WITHIN_MS = 45_000
/** So long after a kill its replica has not taken over yet. */
const AWAY_MS = 900
const plans = {
  pro: 'rpm: 1M, tpm: 900M, per_day: 10M, monthly_usd: 500, limits: [{ requests: 9M, per: hour }]',
  // Its limit lies on one master for all accounts.
  team: 'rpm: 1M, tpm: 900M, per_day: 10M, monthly_usd: 500, limits: [{ requests: 10M, per: hour, of: plan }]',
}

/** The plan of each account. */
const PLANS = [...Array<string>(7).fill('pro'), 'team', 'team']

describeRedis('three gateways on a Redis Cluster', () => {
  it.each([0, 100, 1000])(
    'lose nothing that was acknowledged while masters are killed at %i ms of lag',
    async lagMs => {
      const masters = await Masters.open(lagMs)
      onTestFinished(() => masters.close())
      const fleet = new Fleet({ program, site, plans, redis: masters.url, clocks: [0, 0, 0] })
      onTestFinished(() => fleet.close())
      onTestFailed(() => console.log(fleet.gateways.map(({ alarms }) => alarms.slice(-20).join('\n')).join('\n\n')))
      // One after the other: each reads all buckets when it starts.
      for (const gateway of fleet.gateways) await startAgain(gateway)
      const accounts: Account[] = []
      for (const [number, plan] of PLANS.entries())
        accounts.push(await patiently(() => fleet.mint(`account-${number}`, plan)))
      await sleep(lagMs + 500)
      const load = new Load({ gateways: fleet.gateways, accounts, workers: WORKERS, restMs: REST_MS })
      const backMs: number[] = []
      const counted = new Counted()
      const elsewhere: Outcome[] = []
      const own = accounts.filter(({ plan }) => plan === 'pro')
      const othersThan = (place: number) => own.filter(({ account }) => masters.placeOf(account) !== place)
      let books: Books | undefined
      const revoked: string[] = []

      for (let kill = 0; kill < KILLS; kill++) {
        const place = kill % 3
        const mortal = fleet.gateways[place] as Gateway
        load.start()
        await sleep(between(1000, 2000) + lagMs)
        const doomed = await patiently(tries => fleet.mint(`doomed-${kill}-${tries}`, 'pro'))
        await patiently(() => revoke(fleet.first, doomed))
        const killedAt = performance.now()
        await masters.kill(place)
        await sleep(AWAY_MS)
        // Every third time a gateway is killed as well, and comes back.
        const isKilled = kill % 3 === 2
        if (isKilled) await mortal.kill()
        elsewhere.push(...whileAway(load.outcomes, killedAt, othersThan(place)))
        if (isKilled) await startAgain(mortal)
        backMs.push(
          ...(await Promise.all(fleet.gateways.flatMap(gateway => accounts.map(account => served(gateway, account))))),
        )
        revoked.push(await answeredTo(fleet.first, doomed))
        await sleep(500)
        await load.stop()
        await until(REPEATED_WITHIN_MS, () => fleet.gateways.every(gateway => !waits(gateway)))
        books = await booksWithoutFaults(fleet, accounts, load)
        expect(faultsIn(books, load.outcomes, site.log)).toEqual(NO_FAULTS)
        await counted.look(await masters.serving())
        await masters.heal()
      }
      // Nothing is held, by an account or by what accounts share, and no request is open.
      await until(
        RELEASED_WITHIN_MS,
        async () =>
          (await patiently(() => readHeld(fleet.first, accounts))) === 0 && (await leasesIn(masters.url)) === 0,
      )

      books = await patiently(() => readBooks(fleet.first, accounts))
      const miscounts = await counted.faults(fleet.first, accounts, books)
      const held = elsewhere.filter(({ status }) => status === 503)
      console.log(
        `${KILLS} kills of masters at ${lagMs} ms of lag: clients saw ${JSON.stringify(tallyOf(load.outcomes)).replaceAll('"', '')}, rows ${kindsOf(books)}; served again after ms ${spread(backMs)}; repeated ${repeatedBy(fleet.gateways)}; of the other masters meanwhile ${JSON.stringify(tallyOf(elsewhere))}; down ${fleet.downs()}`,
      )
      expect(faultsIn(books, load.outcomes, site.log)).toEqual(NO_FAULTS)
      expect(miscounts).toEqual([])
      expect(revoked).toEqual(Array(KILLS).fill('INVALID_KEY'))
      expect(elsewhere.length).toBeGreaterThan(KILLS)
      // Another one may be late on a machine that others use too.
      const isBusy = fleet.downs().includes('it does not answer')
      expect(held.length).toBeLessThanOrEqual(isBusy ? elsewhere.length / 10 : 0)
      expect(fleet.gateways.flatMap(refusedIn)).toEqual([])
      expect(fleet.faults()).toEqual([])
    },
  )
})

/** The answer to a key once the store can be asked: a busy machine may be late once more. */
async function answeredTo(gateway: Gateway, account: Account): Promise<string> {
  for (;;) {
    const { status, code } = await ask(gateway, { account })
    if (status !== 503) return code
    await sleep(AWAY_MS)
  }
}

/** The experience of some accounts between a kill and the takeover by another server. */
function whileAway(outcomes: readonly Outcome[], killedAt: number, accounts: readonly Account[]): Outcome[] {
  const some = new Set(accounts.map(({ account }) => account))
  return outcomes.filter(
    ({ account, startedAt, ms }) => some.has(account) && startedAt >= killedAt && startedAt + ms <= killedAt + AWAY_MS,
  )
}

/** The books once they have no faults, or as they are after a while. */
async function booksWithoutFaults(fleet: Fleet, accounts: readonly Account[], load: Load): Promise<Books> {
  const isOver = AbortSignal.timeout(REPEATED_WITHIN_MS)
  for (;;) {
    const books = await patiently(() => readBooks(fleet.first, accounts))
    const faults = faultsIn(books, load.outcomes, site.log)
    if (isOver.aborted || JSON.stringify(faults) === JSON.stringify(NO_FAULTS)) return books
    await sleep(100)
  }
}

/** A gateway starts once the master is there that has the identity of the store. */
const startAgain = (gateway: Gateway): Promise<void> =>
  until(REPEATED_WITHIN_MS, () =>
    gateway.start().then(
      () => true,
      () => false,
    ),
  )
